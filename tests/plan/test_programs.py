#!/usr/bin/env python3
"""Claims and figures that rest on records of whole programs."""

import functools
import os
import tempfile

import repository
from repository import PlanTest, changed, program


@functools.lru_cache(maxsize=None)
def measured(rate, command="echo rate ${RATE:-100}", arm="nsys"):
    """A record of a program that prints 100 tok/s by itself, and `rate` under its one arm. The same numbers always."""
    with tempfile.TemporaryDirectory() as folder:
        result = program.run("exec", "--arm", f"{arm}=RATE={rate}", "--metric", "rate ([0-9.]+)", "--unit", "tok/s",
                             "--better", "higher", "--rounds", "24", "--seed", "3", "-o", "r.json", "-q", "--", "sh",
                             "-c", command, cwd=folder)
        if not os.path.exists(os.path.join(folder, "r.json")):
            raise AssertionError(str(result))
        with open(os.path.join(folder, "r.json"), "rb") as file:
            return file.read()


@repository.program.needs_program
@repository.needs_git
class Programs(PlanTest):
    def put(self, name, *arguments, change=None, **keywords):
        record = measured(*arguments, **keywords)
        return self.put_record(name, changed(record, change) if change else record)

    def test_a_record_of_a_program_gives_the_arm_s_verdict_and_the_program(self):
        for rate, verdict in ((88, "slower"), (112, "faster"), (101, "same")):
            with self.subTest(verdict):
                path = self.claim(f"nsys is {verdict}", "--evidence", self.put(f"{verdict}.json", rate), "--variant",
                                  "nsys")
                self.assertEqual(self.field(path, "verdict"), verdict)
                self.assertEqual(self.field(path, "about"), "other")
                self.assertIn('lanes:\n  a: "program: sh -c echo rate ${RATE:-100}"\n', self.text(path))
                self.passes("plan", "accept", path)
        self.passes("plan", "check")

    def test_the_arm_is_named(self):
        record = self.put("r.json", 88)
        self.usage("claim", "x", "--evidence", record, says="name the arm that the claim is about with --variant")
        self.usage("claim", "x", "--evidence", record, "--variant", "other", says="has no variant 'other'")

    def test_a_claim_that_the_arm_contradicts_is_not_acted_on(self):
        record = self.put("r.json", 88)
        path = self.claim("nsys does not slow us", "--evidence", record, "--variant", "nsys", "--verdict", "same")
        self.refused("accept", path, rule="control-contradicts",
                     says="the arm 'nsys' of plan/evidence/r.json is 'slower', the claim says 'same'")
        self.passes("plan", "retract", path, "--evidence", record, "--because", "it was measured")
        self.passes("plan", "check")

    def test_a_claim_is_not_retracted_by_an_arm_that_agrees(self):
        record = self.put("r.json", 88)
        path = self.claim("nsys slows us", "--evidence", record, "--variant", "nsys")
        self.refused("retract", path, "--evidence", record, "--because", "x", rule="retraction-unsupported",
                     says="which does not contradict 'slower'")

    def test_an_arm_that_decides_nothing_supports_nothing(self):
        path = self.claim("nsys slows us", "--evidence", self.put("r.json", 95), "--variant", "nsys", "--verdict",
                          "slower")
        self.refused("accept", path, rule="control-undecided", says="the arm 'nsys'")

    def test_lanes_and_programs_are_not_evidence_for_each_other(self):
        lanes = self.claim("lanes", "--evidence", self.put("r.json", 88), "--variant", "nsys", "--verdict", "overlaps")
        self.refused("accept", lanes, rule="lanes-differ", says="is of a whole program, the claim is about two lanes")
        arm = self.claim("arm", "--evidence", self.overlapping("o.json"), "--verdict", "same")
        self.refused("accept", arm, rule="lanes-differ", says="is of two lanes, the claim is about a whole program")

    def test_another_program_says_nothing(self):
        path = self.claim("nsys is harmless", "--evidence", self.put("r.json", 101), "--variant", "nsys")
        other = self.put("o.json", 88, command="echo rate ${RATE:-100} ")
        self.refused("retract", path, "--evidence", other, "--because", "x", rule="lanes-differ")

    def test_a_lax_margin_is_held_to_the_default(self):
        def lax(document):
            document["settings"]["margin"] = 0.9
        path = self.claim("nsys is harmless", "--evidence", self.put("r.json", 88, change=lax), "--variant", "nsys",
                          "--verdict", "same")
        self.refused("accept", path, rule="control-contradicts")

    def test_rounds_in_one_order_are_not_interleaved(self):
        def same_order(document):
            for round_ in document["rounds"]:
                round_["order"] = [0, 1, 2]
        path = self.claim("nsys slows us", "--evidence", self.put("r.json", 88, change=same_order), "--variant", "nsys")
        self.refused("accept", path, rule="not-interleaved")

    def test_a_record_without_its_replica_is_incomplete(self):
        def drop(document):
            document["variants"][1]["role"] = "instrument"
        path = self.claim("nsys slows us", "--evidence", self.put("r.json", 88, change=drop), "--variant", "nsys",
                          "--verdict", "slower")
        self.refused("accept", path, rule="controls-incomplete", says="has no replica")

    def test_a_figure_of_the_control_is_quoted_and_held_against_the_record(self):
        record = self.put("r.json", 88)
        figure = self.passes("plan", "quote", record, "--figure", "value").out.strip()
        self.assertTrue(figure.startswith("100.000 tok/s <!-- confound: "), figure)
        self.write("doc.md", f"It makes {figure}.\n")
        self.passes("plan", "check", "doc.md")
        self.write("doc.md", f"It makes {figure.replace('100.000', '110.000')}.\n")
        self.assertIn("figure-differs", self.confound("plan", "check", "doc.md").out)

    def test_a_figure_of_an_arm_is_no_speed_of_the_program(self):
        record = self.put("r.json", 88)
        self.refused("quote", record, "--figure", "value", "--variant", "nsys", rule="figure-instrumented")
        figure = self.passes("plan", "quote", record, "--figure", "change", "--variant", "nsys",
                             "--as-instrumented").out.strip()
        self.assertTrue(figure.startswith("-12.000 % (instrumented: nsys) <!--"), figure)
        self.write("doc.md", f"nsys changes it by {figure}.\n")
        self.passes("plan", "check", "doc.md")

    def test_a_figure_that_is_not_there_is_refused(self):
        record = self.put("r.json", 88)
        for name in ("overlap", "ab_ms", "rate"):
            self.refused("quote", record, "--figure", name, rule="figure-unsupported", says="it was not measured")
        self.refused("quote", record, "--figure", "change", rule="figure-unsupported", says="it was not measured")
        self.refused("quote", self.overlapping(), "--figure", "value", rule="figure-unsupported")


if __name__ == "__main__":
    repository.program.main()
