#!/usr/bin/env python3
"""What the gate and the plan print: SARIF, annotations, JSON, Markdown; and that nothing hostile gets through."""

import json
import os
import re
import unittest

import repository
import sarif
from repository import PlanTest

# What turns a terminal, a page or a workflow: escapes, C1 controls, bidi controls, markup, workflow commands.
HOSTILE = ("evil \x1b[31m\x1b]0;t\x07 \u009b31m \u202e <script>alert(1)</script> ![i](http://e.x/i) | ~~x~~ `c` "
           "--> %0A ::error::x @team #12 $HOME \"q\" 'q' \\ {a} &amp; *b* _c_")


def unsafe_in(text, newline=True):
    """Characters of text that must reach no terminal."""
    allowed = "\n" if newline else ""
    return [c for c in text if (ord(c) < 0x20 and c not in allowed) or 0x7f <= ord(c) <= 0x9f or
            c in "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]


@repository.program.needs_program
@repository.needs_git
class Output(PlanTest):
    def setUp(self):
        super().setUp()
        self.record = self.confounded()
        self.claim("copies serialise", "--evidence", self.record, "--variant", "timing", "--acted-on", "defer",
                   "--since", "2026-10-01")
        self.passes("plan", "retract", "1", "--evidence", self.record, "--because", "the events: 100 %, all of it",
                    "--work", "defer: withdrawn", "--date", "2026-11-05")
        self.claim("kernels serialise", "--verdict", "serialises", "--acted-on", "w", "--since", "2026-10-01")
        self.commit()

    def sarif(self, *options):
        result = self.confound("plan", "check", "--format", "sarif", *options)
        self.assertEqual(result.status, 1, str(result))
        return json.loads(result.out)

    def test_sarif_is_what_the_standard_asks_for(self):
        run = sarif.check(self.sarif("--against", "HEAD"))
        results = {result["ruleId"]: result for result in run["results"]}
        self.assertEqual(results["control-missing"]["suppressions"], [])
        place = results["control-missing"]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "plan/0002-kernels-serialise.md")
        self.assertEqual(results["control-contradicts"]["suppressions"],
                         [{"kind": "inSource", "status": "accepted",
                           "justification": "retracted 2026-11-05: the events: 100 %, all of it"}])

    def test_the_check_of_sarif_can_fail(self):
        for spoil in (lambda log: log.update(version="2.0.0"), lambda log: log["runs"][0].pop("tool"),
                      lambda log: log["runs"][0]["results"][0].update(level="fatal"),
                      lambda log: log["runs"][0]["results"][0].update(extra=1),
                      lambda log: log["runs"][0]["results"][0].update(ruleIndex=0, ruleId="nothing")):
            log = self.sarif()
            spoil(log)
            with self.assertRaises((AssertionError, KeyError)):
                sarif.check(log)

    def test_sarif_validates_against_the_official_schema(self):
        schema = sarif.official_schema()
        try:
            import jsonschema
        except ImportError:
            jsonschema = None
        if schema is None or jsonschema is None:
            self.skipTest("SARIF_SCHEMA names no sarif-schema-2.1.0.json, or python3-jsonschema is not installed")
        validator = jsonschema.validators.validator_for(schema)(schema)
        self.assertEqual([error.message for error in validator.iter_errors(self.sarif("--against", "HEAD"))], [])
        broken = self.sarif()
        broken["runs"][0]["results"][0]["level"] = "fatal"
        self.assertFalse(validator.is_valid(broken))

    def test_annotations_name_file_line_and_rule(self):
        result = self.confound("plan", "check", "--format", "github")
        self.assertEqual(result.status, 1)
        lines = result.out.splitlines()
        self.assertTrue(lines[0].startswith("::error file=plan/0002-kernels-serialise.md,line=6,"
                                            "title=control-missing::there is no record in its evidence"), lines[0])
        self.assertTrue(lines[1].startswith("::warning file="), lines[1])
        self.assertNotIn("0001", "".join(lines))  # what is retracted is no annotation
        self.assertRegex(lines[-1], r"^1 error, 1 warning, 3 findings on retracted")

    def test_json_of_the_plan_holds_all_of_it(self):
        document = self.passes("plan", "show", "--format", "json").json()
        self.assertEqual(document["schema"], "confound.plan/1")
        self.assertEqual([claim["status"] for claim in document["claims"]], ["retracted", "acted-on"])
        self.assertEqual(document["claims"][0]["retraction"]["work"], [{"what": "defer", "became": "withdrawn"}])

    def test_lines_of_a_terminal_are_within_80_columns(self):
        for line in self.passes("plan", "show").out.splitlines():
            self.assertLessEqual(len(line), 80)


@repository.program.needs_program
@repository.needs_git
class Hostile(PlanTest):
    FORMATS = (("show",), ("show", "--format", "markdown"), ("show", "--format", "json"), ("show", "1"),
               ("check",), ("check", "--format", "json"), ("check", "--format", "sarif"),
               ("check", "--format", "github"), ("check", "--against", "HEAD"))

    def outputs(self):
        for arguments in self.FORMATS:
            result = self.confound("plan", *arguments)
            self.assertIn(result.status, (0, 1), str(result))
            yield arguments, result

    def assert_safe(self):
        for arguments, result in self.outputs():
            self.assertEqual(unsafe_in(result.out) + unsafe_in(result.err), [], arguments)
            if "github" in arguments:
                for line in result.out.splitlines():
                    self.assertRegex(line, r"^(::(error|warning) file=[^:]*::|\d+ errors?, )")
        page = self.text("plan/README.md") + self.passes("plan", "show", "--format", "markdown").out
        self.assertEqual(unsafe_in(page), [])
        page = re.sub(r"(?<!\\)`[^`\n]*`", "", page)  # in code, words are but words
        self.assertNotIn("<script", page.replace("\\<script", ""))
        self.assertIsNone(re.search(r"(?<!\\)!\[", page))
        self.assertNotIn("http://e.x", page)
        self.assertNotIn("@team", page)
        for line in self.text("plan/README.md").splitlines():
            if line.startswith("| ["):
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 5, line)

    def test_hostile_words_of_a_claim(self):
        path = self.claim(HOSTILE, "--verdict", "serialises", "--acted-on", HOSTILE, "--since", "2026-01-01")
        self.assertRegex(path, r"^plan/0001-[a-z0-9-]+\.md$")
        self.assertEqual(unsafe_in(self.text(path)), [])
        self.commit()
        self.assert_safe()
        self.passes("plan", "retract", "1", "--evidence", self.confounded(), "--because", HOSTILE + "\n\n# x", "--work",
                    HOSTILE + ": " + HOSTILE)
        self.assertEqual(unsafe_in(self.text(path)), [])
        self.assert_safe()
        self.commit()
        os.remove(self.path(path))
        self.claim("x", "--verdict", "overlaps")
        self.assert_safe()

    def test_the_words_come_back_as_they_were(self):
        self.claim(HOSTILE, "--verdict", "serialises")
        self.edit(self.only_claim(), "about: ", "# as it was\nabout: ")
        self.passes("plan", "accept", "1", "--evidence", self.serialising())
        self.assertEqual(self.claimed(), HOSTILE)

    def only_claim(self):
        names = [name for name in os.listdir(self.path("plan")) if name.startswith("0001-")]
        self.assertEqual(len(names), 1)
        return "plan/" + names[0]

    def claimed(self):
        """The claim as YAML reads it: a double-quoted scalar is close enough to JSON once \\x, \\e and \\a are told."""
        line = self.field(self.only_claim(), "claim")
        line = re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", line)
        return json.loads(line.replace("\\e", "\\u001b").replace("\\a", "\\u0007"))

    def test_hostile_names_of_files(self):
        name = "plan/evidence/a\x1b[31m \u202e-->\n::error::x,y:z%.json"
        self.write(name, self.read(self.confounded()))
        path = self.claim("copies serialise", "--evidence", name, "--variant", "timing", "--acted-on", "w")
        self.commit()
        self.assert_safe()
        quoted = self.passes("plan", "quote", name, "--figure", "ab_ms").out
        self.assertEqual(unsafe_in(quoted), [])
        self.assertEqual(len(quoted.splitlines()), 1)
        self.assertEqual(quoted.count("-->"), 1)
        self.write("d.md", quoted)
        self.assertEqual(self.rules(self.check("d.md"), "error"), ["control-contradicts"])
        os.rename(self.path(path), self.path("plan/0001-\x1b[31m\n::error::x.md"))
        self.passes("plan", "show")
        self.assert_safe()

    def test_hostile_words_in_a_record(self):
        def spoil(document):
            document["device"]["name"] = HOSTILE
            document["variants"][3]["name"] = HOSTILE
            document["job"]["lanes"][0]["op"] = "x\x1b[31m"
        self.put_record("evil.json", repository.changed(repository.measured("copy-offload"), spoil))
        self.claim("copies serialise", "--evidence", "plan/evidence/evil.json", "--variant", HOSTILE, "--acted-on", "w")
        self.commit()
        self.assert_safe()
        quoted = self.passes("plan", "quote", "plan/evidence/evil.json", "--figure", "ab_ms", "--variant", HOSTILE,
                             "--as-instrumented").out
        self.assertEqual(unsafe_in(quoted), [])
        self.write("d.md", quoted)
        self.assertEqual(self.rules(self.check("d.md"), "error"), ["control-contradicts"])

    def test_errors_are_one_safe_line(self):
        for arguments in (("show", HOSTILE), ("accept", HOSTILE), ("check", HOSTILE), ("check", "--against", HOSTILE),
                          ("quote", HOSTILE, "--figure", "rate"), ("claim", "x", "--verdict", HOSTILE)):
            result = self.confound("plan", *arguments)
            self.assertEqual(result.status, 2, str(result))
            self.assertEqual(unsafe_in(result.err), [])
            self.assertEqual(len(result.err.splitlines()), 1)

    def test_what_is_not_utf_8_is_refused(self):
        result = repository.subprocess.run([repository.program.PROGRAM, "plan", "claim", b"\xff\xfe", "--verdict",
                                            "overlaps"], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr),
                         (2, b"confound: the claim: it is not valid UTF-8\n"))


if __name__ == "__main__":
    repository.main()
