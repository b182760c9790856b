#!/usr/bin/env python3
"""What docs/plan.md promises to those who adopt the rule: the hook, the workflow, the table of rules."""

import json
import os
import re
import shlex
import unittest

import repository
from repository import PlanTest

SOURCE = os.environ.get("CONFOUND_SOURCE", "")


def source(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


@repository.program.needs_program
@repository.needs_git
@unittest.skipUnless(SOURCE, "CONFOUND_SOURCE does not name the sources")
class Adoption(PlanTest):
    def hook(self, entry):
        """Installs entry as git's own pre-commit hook, with our program for `confound`."""
        words = shlex.split(entry)
        self.assertEqual(words[0], "confound")
        self.write(".git/hooks/pre-commit", "#!/bin/sh\nexec " + shlex.join([repository.program.PROGRAM, *words[1:]]))
        os.chmod(self.path(".git/hooks/pre-commit"), 0o755)

    def commit_is(self, status):
        self.run_git("add", "-A")
        self.run_git("commit", "-q", "-m", "change", status=status)

    def test_the_hook_lets_through_what_is_in_order_and_holds_what_is_not(self):
        entry = re.search(r"^  entry: (.*)$", source(".pre-commit-hooks.yaml"), re.MULTILINE).group(1)
        self.assertIn(f"        entry: {entry}\n", source("docs/plan.md"))
        self.assertIn(f"exec {entry}\n", source("docs/plan.md"))
        self.hook(entry)
        path = self.claim("copies overlap", "--evidence", self.confounded())
        self.commit_is(0)
        self.edit(path, "status: proposed", "status: accepted")
        self.passes("plan", "show")
        self.commit_is(0)
        os.remove(self.path(path))
        self.commit_is(1)
        self.run_git("reset", "-q", "--hard")
        self.edit(path, "verdict: overlaps", "verdict: serialises")
        self.commit_is(1)
        self.run_git("reset", "-q", "--hard")
        os.makedirs(self.path("docs"))
        self.write("docs/speed.md", self.passes("plan", "quote", "plan/evidence/offload.json", "--figure", "ab_ms").out)
        self.commit_is(0)
        self.edit("docs/speed.md", "16.000", "12.000")
        self.commit_is(1)

    def test_the_commands_of_the_workflow_work(self):
        workflow = source("examples/github/plan.yml")
        commands = re.findall(r"run: (confound plan check .*)$", workflow, re.MULTILINE)
        self.assertEqual(len(commands), 2)
        self.claim("copies serialise", "--verdict", "serialises", "--acted-on", "w")
        self.commit()
        for command in commands:
            done = repository.subprocess.run(
                ["sh", "-c", command.replace("confound", shlex.quote(repository.program.PROGRAM), 1)], cwd=self.folder,
                env={**os.environ, "BASE": "HEAD"}, capture_output=True, text=True, check=False)
            sarif = "sarif" in command
            self.assertEqual(done.returncode, 0 if sarif else 1, done.stderr)
            if not sarif:
                self.assertIn("::error file=plan/0001-copies-serialise.md,", done.stdout)
        self.assertEqual(json.loads(self.text("plan.sarif"))["version"], "2.1.0")

    def test_the_table_of_rules_is_that_of_the_program(self):
        log = self.confound("plan", "check", "--format", "sarif").json()
        rules = [(rule["id"], rule["defaultConfiguration"]["level"], rule["shortDescription"]["text"])
                 for rule in log["runs"][0]["tool"]["driver"]["rules"]]
        rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning) \| (.*) \|$", source("docs/plan.md"), re.MULTILINE)
        self.assertEqual(rows, rules)


if __name__ == "__main__":
    repository.main()
