#!/usr/bin/env python3
"""The pages that are made from the table of options: manual and completions."""

import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

PAGES = os.path.join(os.environ.get("CONFOUND_BUILD", ""), "docs")
COMMANDS = ("run", "exec", "judge", "report", "devices", "models", "jobs", "plan", "help")


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


@unittest.skipUnless(os.path.exists(os.path.join(PAGES, "confound.1")), "the pages are not made")
class PagesTest(unittest.TestCase):
    def run_tool(self, *command, text=None):
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    @needs("mandoc")
    def test_the_manual_is_clean(self):
        pages = sorted(glob.glob(os.path.join(PAGES, "*.1")))
        self.assertEqual(len(pages), 2 + len(COMMANDS))
        for page in pages:
            _, said = self.run_tool("mandoc", "-Tlint", page)
            # What is not installed yet cannot be found.
            complaints = [line for line in said.splitlines() if "referenced manual not found" not in line]
            self.assertEqual(complaints, [])

    @needs("mandoc")
    def test_the_lint_of_the_manual_can_fail(self):
        with open(os.path.join(PAGES, "confound-run.1"), encoding="utf-8") as file:
            broken = file.read().replace(".El\n", "", 1)
        _, said = self.run_tool("mandoc", "-Tlint", text=broken)
        self.assertNotEqual([line for line in said.splitlines() if "referenced manual not found" not in line], [])

    @needs("mandoc")
    def test_the_manual_of_run_names_every_option(self):
        _, page = self.run_tool("mandoc", "-Tascii", "-Owidth=120", os.path.join(PAGES, "confound-run.1"))
        page = page.replace("\b", "\0")
        page = "".join(c for i, c in enumerate(page) if c != "\0" and page[i + 1:i + 2] != "\0")
        for word in ("--device NAME", "--set SECTION.KEY=VALUE", "-o, --output RECORD.json", "CONFOUND_SEED", "host-sync"):
            self.assertIn(word, page)

    def text_of(self, name):
        _, page = self.run_tool("mandoc", "-Tascii", "-Owidth=120", os.path.join(PAGES, name))
        return re.sub(".\b", "", page)

    @needs("mandoc")
    def test_each_page_refers_to_all_others(self):
        names = {"confound", "confound-emulate", *(f"confound-{command}" for command in COMMANDS)}
        for name in names:
            seen = re.findall(r"([\w-]+)\(1\)", self.text_of(f"{name}.1").split("SEE ALSO")[1].split("confound 0.")[0])
            self.assertEqual({one for one in seen if one != name} , names - {name}, name)

    @needs("mandoc")
    def test_the_manual_of_the_emulator_names_every_option_that_it_takes(self):
        page = self.text_of("confound-emulate.1")
        for row in self.emulator_options():
            self.assertIn(row, page)
        self.assertIn("confound-emulate-fetch [folder]", page)

    def test_the_guide_to_the_emulator_names_every_option_that_it_takes(self):
        with open(os.path.join(os.environ["CONFOUND_SOURCE"], "docs", "emulator.md"), encoding="utf-8") as file:
            guide = file.read().replace("\\|", "|")
        for row in self.emulator_options():
            if " " in row or row == "--quiet":
                self.assertIn(f"| `{row}` |", guide)
            else:
                self.assertIn(row, guide)

    def emulator_options(self):
        emulate = os.path.join(os.environ["CONFOUND_BUILD"], "confound-emulate")
        if not os.path.exists(emulate):
            self.skipTest("confound-emulate is not built with sanitizers")
        status, said = self.run_tool(emulate, "--help")
        rows = re.findall(r"^  (--[\w-]+(?: [A-Z][A-Z=|.]*)?)", said, re.MULTILINE)
        self.assertEqual((status, len(rows) > 10), (0, True), said)
        return rows

    def complete(self, *words):
        """What bash offers for the last of words, the way it calls a completion: '=' is a word of its own."""
        script = f"""
source '{PAGES}/confound.bash'
COMP_WORDS=({' '.join("'" + word + "'" for word in words)})
COMP_CWORD={len(words) - 1}
_confound
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
        status, said = self.run_tool("bash", "--norc", "-c", script)
        self.assertEqual(status, 0, said)
        return said.split()

    @needs("bash")
    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(set(self.complete("confound", "")), {*COMMANDS, "--help", "--version"})
        self.assertEqual(self.complete("confound", "ju"), ["judge"])
        self.assertEqual(self.complete("confound", "run", "--se"), ["--set", "--seed"])
        self.assertEqual(self.complete("confound", "judge", "r.json", "--se"), [])
        self.assertIn("soft", self.complete("confound", "run", "--device", ""))
        self.assertEqual(self.complete("confound", "run", "--expect", "=", "conf"), ["confounded"])
        self.assertEqual(self.complete("confound", "run", "--expect", "="), ["clear", "confounded", "inconclusive"])
        self.assertIn("copy-offload", self.complete("confound", "models", "copy"))
        self.assertIn("kv-staging", self.complete("confound", "run", "kv"))

    @needs("bash")
    def test_bash_completes_the_commands_of_plan(self):
        self.assertEqual(self.complete("confound", "plan", "ac"), ["accept", "act"])
        self.assertEqual(self.complete("confound", "plan", "check", "--ag"), ["--against"])
        self.assertEqual(self.complete("confound", "plan", "claim", "--ag"), [])
        self.assertEqual(self.complete("confound", "plan", "check", "--format", "sa"), ["sarif"])
        self.assertEqual(self.complete("confound", "plan", "show", "--format", "sa"), [])

    @needs("zsh")
    def test_zsh_reads_its_completion(self):
        self.assertEqual(self.run_tool("zsh", "-n", os.path.join(PAGES, "_confound")), (0, ""))

    @needs("fish")
    def test_fish_completes_commands_options_and_values(self):
        def offered(line):
            _, said = self.run_tool("fish", "--no-config", "-c", f"source '{PAGES}/confound.fish'; complete -C '{line}'")
            return [row.split("\t")[0] for row in said.splitlines()]

        self.assertEqual(offered("confound ju"), ["judge"])
        self.assertEqual(offered("confound run --mod"), ["--model"])
        self.assertEqual(sorted(offered("confound report --format ")), ["csv", "json", "markdown", "text"])
        self.assertEqual(sorted(offered("confound plan ac")), ["accept", "act"])
        self.assertEqual(sorted(offered("confound plan check --format ")), ["github", "json", "sarif", "text"])
        self.assertEqual(sorted(offered("confound plan show --format ")), ["json", "markdown", "text"])


if __name__ == "__main__":
    program.main()
