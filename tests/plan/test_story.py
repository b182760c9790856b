#!/usr/bin/env python3
"""The story of examples/story, replayed: what it prints is what its transcript says, and what it leaves is a plan at
peace."""

import difflib
import json
import os
import re
import shutil
import subprocess
import unittest

import repository

STORY = os.path.join(os.environ.get("CONFOUND_SOURCE", ""), "examples", "story")


def same_everywhere(text):
    """Without what differs from one replay to the next: hashes and today's date."""
    text = re.sub(r"sha256=[0-9a-f]{64}", "sha256=…", text)
    return re.sub(r"(?!2026-10-01)\b20\d\d-\d\d-\d\d\b", "TODAY", text)


@repository.program.needs_program
@repository.needs_git
@unittest.skipUnless(shutil.which("bash") and shutil.which("awk"), "the story needs bash and awk")
class Story(repository.program.ProgramTest):
    def replay(self, folder, program=None):
        env = repository.program.environment({**repository.GIT_ENVIRONMENT,
                                              "CONFOUND": program or repository.program.PROGRAM})
        return subprocess.run([os.path.join(STORY, "story.sh"), folder], env=env, capture_output=True, text=True,
                              timeout=300, check=False)

    def test_the_story_is_what_its_transcript_says(self):
        done = self.replay(self.path("story"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(os.path.join(STORY, "transcript.txt"), encoding="utf-8") as file:
            told = same_everywhere(file.read()).splitlines()
        found = same_everywhere(done.stdout).splitlines()
        difference = list(difflib.unified_diff(told, found, "transcript.txt", "story.sh", lineterm=""))
        self.assertEqual(difference, [], "examples/story/story.sh > examples/story/transcript.txt renews it:\n" +
                         "\n".join(difference))

    def test_it_leaves_a_plan_at_peace_with_the_wrong_turn_in_it(self):
        folder = self.path("story")
        self.assertEqual(self.replay(folder).returncode, 0)
        run = lambda *arguments: repository.program.run(*arguments, cwd=folder)  # noqa: E731
        self.assertEqual(run("plan", "check", "--against", "HEAD").status, 0)
        shown = run("plan", "show", "--format", "markdown").out
        self.assertIn("~~copies serialise behind compute~~\n\n**Retracted ", shown)
        first = json.loads(run("plan", "show", "1", "--format", "json").out)["claims"][0]
        self.assertEqual((first["status"], first["verdict"]), ("retracted", "serialises"))
        self.assertEqual([item["became"] for item in first["retraction"]["work"]], ["withdrawn, it solved nothing"])
        self.assertEqual(json.loads(run("plan", "show", "2", "--format", "json").out)["claims"][0]["status"],
                         "acted-on")

    def test_a_story_that_goes_otherwise_ends(self):
        self.write("lenient", f"#!/bin/sh\n[ \"$2\" = check ] && exit 0\nexec '{repository.program.PROGRAM}' \"$@\"\n")
        os.chmod(self.path("lenient"), 0o755)
        done = self.replay(self.path("story"), program=self.path("lenient"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit 1 was expected", done.stdout)


if __name__ == "__main__":
    repository.main()
