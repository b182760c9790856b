#!/usr/bin/env python3
"""plan quote, and the figures of documents that the gate holds against their records."""

import os
import re
import unittest

import repository
from repository import PlanTest, as_real, changed, measured


@repository.program.needs_program
@repository.needs_git
class Figures(PlanTest):
    def setUp(self):
        super().setUp()
        self.record = self.confounded()
        self.real = self.put_record("real.json", changed(measured("copy-offload"), as_real))

    def quote(self, *options, record=None):
        return self.passes("plan", "quote", record or self.real, *options).out.rstrip("\n")

    def document(self, text):
        self.write("docs.md", text)
        return self.rules(self.check("docs.md"), "error")

    def test_a_figure_is_printed_with_its_marker(self):
        self.assertEqual(self.quote("--figure", "ab_ms"),
                         f"16.000 ms <!-- confound: record={self.real} sha256={self.sha256(self.real)} variant=none "
                         "figure=ab_ms -->")
        self.assertTrue(self.quote("--figure", "overlap").startswith("1.000 <!--"))
        self.assertTrue(self.quote("--figure", "a_ms").startswith("16.000 ms <!--"))
        self.assertTrue(self.quote("--figure", "b_ms").startswith("16.000 ms <!--"))
        self.assertTrue(self.quote("--figure", "rate").startswith("62.500 steps/s <!--"))
        self.assertTrue(self.quote("--figure", "ab_ms", "--variant", "none-again").startswith("16.000 ms <!--"))

    def test_a_simulated_figure_says_so(self):
        figure = self.quote("--figure", "ab_ms", record=self.record)
        self.assertTrue(figure.startswith("16.000 ms (simulated) <!--"))
        self.assertEqual(self.document(f"It takes {figure}.\n"), [])
        self.assertEqual(self.document(figure.replace(" (simulated)", "")), ["figure-differs"])

    def test_an_instrumented_figure_is_refused_as_product_speed(self):
        self.refused("quote", self.real, "--figure", "ab_ms", "--variant", "timing", rule="figure-instrumented",
                     says="'timing' is no control")
        self.refused("quote", self.real, "--figure", "ab_ms", "--variant", "one-queue", rule="figure-instrumented")
        self.assertTrue(self.quote("--figure", "ab_ms", "--variant", "timing", "--as-instrumented").startswith(
            "32.128 ms (instrumented: timing) <!--"))
        self.assertTrue(self.quote("--figure", "ab_ms", "--variant", "one-queue", "--as-instrumented").startswith(
            "32.000 ms (reference: one-queue) <!--"))
        self.assertIn("(simulated, instrumented: timing)", self.quote(
            "--figure", "ab_ms", "--variant", "timing", "--as-instrumented", record=self.record))

    def test_a_plain_variant_stays_plain(self):
        self.assertEqual(self.quote("--figure", "ab_ms", "--as-instrumented"), self.quote("--figure", "ab_ms"))

    def test_an_invalid_record_is_not_quoted(self):
        def unproven(document):
            document["variants"][0]["armed"] = None
        bad = self.put_record("bad.json", changed(measured("copy-offload"), unproven))
        self.refused("quote", bad, "--figure", "ab_ms", rule="figure-unsupported", says="record is invalid")

    def test_what_is_missing_or_wrong_is_one_line(self):
        self.usage("quote", self.real, says="--figure is missing: overlap, a_ms, b_ms, ab_ms, rate, value or change")
        self.usage("quote", self.real, "--figure", "speed", says="'speed' is not overlap")
        self.usage("quote", self.real, "--figure", "rate", "--variant", "loud", says="has no variant 'loud'")
        self.usage("quote", "absent.json", "--figure", "rate", says="absent.json")

    def test_the_control_passes_and_a_digit_changed_by_hand_fails(self):
        figure = self.quote("--figure", "ab_ms")
        self.assertEqual(self.document(f"A step takes {figure}, which is fine.\n"), [])
        for wrong in ("16.001", "15.000", "17.000", "116.000", "1,16.000", "1.16.000", "16.0001", "-16.000", "16.000.",
                      "x16.000", "1.6e1", "16.", ".000", "16.000 16,000", ""):
            self.assertEqual(self.document(figure.replace("16.000", wrong, 1)), ["figure-differs"], wrong)
        self.assertEqual(self.document(figure.replace("16.000 ms", "16.000 s")), ["figure-differs"])
        self.assertEqual(self.document(figure.replace("16.000 ms", "16.000 us")), ["figure-differs"])

    def test_a_finding_says_what_the_record_says(self):
        self.document("one\n\nIt takes " + self.quote("--figure", "ab_ms").replace("16.000", "12.000") + "\n")
        finding = self.finding("figure-differs", "docs.md")
        self.assertEqual((finding["path"], finding["line"]), ("docs.md", 3))
        self.assertIn("it says 12.000; ab_ms of 'none' in plan/evidence/real.json is 16.000 ms", finding["text"])

    def test_a_figure_may_be_rounded_and_set_in_bold_or_a_table(self):
        figure = self.quote("--figure", "ab_ms", "--variant", "timing", "--as-instrumented")
        for rounded in ("32.13", "32.1", "32", "32.1280"):
            self.assertEqual(self.document(figure.replace("32.128", rounded)), [], rounded)
        for wrong in ("32.12", "32.2", "33", "30", "32.0"):
            self.assertEqual(self.document(figure.replace("32.128", wrong)), ["figure-differs"], wrong)
        plain = self.quote("--figure", "ab_ms")
        marker = plain[plain.index("<!--"):]
        self.assertEqual(self.document(f"**16.0 ms** {marker} and `16.000` {marker}\n\n| a | 16.0{marker} |\n"), [])

    def test_a_timing_variant_as_speed_fails(self):
        marker = self.quote("--figure", "ab_ms", "--variant", "timing", "--as-instrumented")
        self.assertEqual(self.document(marker), [])
        self.assertEqual(self.document(marker.replace(" (instrumented: timing)", "")), ["figure-instrumented"])
        self.assertEqual(self.document(marker.replace(" as-instrumented", "")), ["figure-instrumented"])
        self.assertEqual(self.document(marker.replace("(instrumented: timing)", "(instrumented: sync)")),
                         ["figure-instrumented"])
        control = self.quote("--figure", "ab_ms")
        self.assertEqual(self.document(control.replace("16.000", "32.128").replace("variant=none", "variant=timing")),
                         ["figure-instrumented"])

    def test_a_record_that_is_gone_changed_or_elsewhere(self):
        figure = self.quote("--figure", "ab_ms")
        self.assertEqual(self.document(re.sub("sha256=[0-9a-f]{4}", "sha256=0000", figure)), ["figure-unsupported"])
        self.assertEqual(self.document(figure.replace("real.json", "absent.json")), ["figure-unsupported"])
        self.assertEqual(self.document(figure.replace("record=plan", "record=../plan")), ["figure-unsupported"])
        self.assertEqual(self.document(figure.replace("record=plan", "record=/plan")), ["figure-unsupported"])
        self.assertEqual(self.document(figure.replace("variant=none", "variant=loud")), ["figure-unsupported"])
        self.write(self.real, measured("own"))
        self.assertEqual(self.document(figure), ["figure-unsupported"])

    def test_a_marker_that_can_not_be_read_is_named(self):
        figure = self.quote("--figure", "ab_ms")
        self.assertEqual(self.document(figure.replace("figure=ab_ms", "figure=speed")), ["figure-malformed"])
        self.assertEqual(self.document(figure.replace(" -->", "\n-->")), ["figure-malformed"])
        self.assertEqual(self.document("<!-- confound: -->"), ["figure-malformed"])
        self.assertEqual(self.document(figure + "<!-- a comment: confound -->"), [])

    def test_code_is_no_quotation(self):
        wrong = self.quote("--figure", "ab_ms").replace("16.000", "1.000")
        self.assertEqual(self.document(f"`{wrong}`\n"), [])
        self.assertEqual(self.document(f"```\n{wrong}\n```\n"), [])
        self.assertEqual(self.document(f"~~~ text\n{wrong}\n```\n{wrong}\n~~~\n"), [])
        self.assertEqual(self.document(f"```\n```\n{wrong}\n"), ["figure-differs"])
        self.assertEqual(self.document(f"````\n```\n{wrong}\n````\n"), [])
        self.assertEqual(self.document(f"```\n{wrong}\n```\n{wrong}\n"), ["figure-differs"])

    def test_several_figures_in_a_line_are_each_held_to_their_own(self):
        a, rate = self.quote("--figure", "a_ms"), self.quote("--figure", "rate")
        self.assertEqual(self.document(f"{a} {rate}\n"), [])
        self.assertEqual(self.document(f"16.000 ms {a[a.index('<!--'):]}{rate[rate.index('<!--'):]}\n"),
                         ["figure-differs"])

    def test_all_documents_are_looked_at_or_those_that_are_named(self):
        wrong = self.quote("--figure", "ab_ms").replace("16.000", "1.000")
        os.makedirs(self.path("docs/deep"))
        self.write("docs/deep/page.markdown", wrong)
        self.write("notes.txt", wrong)
        self.assertEqual(self.finding("figure-differs")["path"], "docs/deep/page.markdown")
        self.write(".gitignore", "docs\n")
        self.assertEqual(self.errors(), [])
        self.run_git("add", "-f", "docs")
        self.assertEqual(self.finding("figure-differs")["path"], "docs/deep/page.markdown")
        self.assertEqual(self.errors("plan/README.md"), [])
        self.assertEqual(self.finding("figure-differs", "docs")["path"], "docs/deep/page.markdown")
        self.assertEqual(self.finding("figure-differs", "notes.txt")["path"], "notes.txt")
        result = self.confound("plan", "check", "page.markdown", cwd=self.path("docs/deep"))
        self.assertEqual(result.status, 1)
        self.assertIn("docs/deep/page.markdown:1: error: ", result.out)

    def test_a_document_that_is_not_there_is_bad_usage(self):
        self.usage("check", "absent.md", says="absent.md")
        self.usage("check", "/etc/hostname", says="outside of the repository")

    def test_the_prose_of_claims_is_looked_at_too(self):
        path = self.claim("copies overlap", "--evidence", self.record)
        with open(self.path(path), "a", encoding="utf-8") as file:
            file.write(self.quote("--figure", "ab_ms").replace("16.000", "1.000") + "\n")
        self.assertEqual(self.errors(), ["figure-differs"])


if __name__ == "__main__":
    repository.main()
