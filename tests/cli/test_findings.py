#!/usr/bin/env python3
"""Findings of the control on models built to have one cause: each is found there, and not where it is absent."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402


@program.needs_program
class FindingsTest(program.ProgramTest):
    def measure(self, model, *sets):
        arguments = [word for item in sets for word in ("--set", item)]
        result = self.passes("run", "--device", "sim", "--model", model, "--seed", "1", "-o", "record.json", "--json",
                             "judgement.json", *arguments)
        judgement = self.passes("judge", "record.json", "--json", "-").json()
        text = re.sub(r"\s+", " ", result.out)
        return judgement, {f["finding"]: f for f in judgement["findings"]}, text

    def explaining(self, findings):
        return {name for name, finding in findings.items() if finding["explains"]}

    def test_nothing_is_found_where_lanes_overlap(self):
        for model in ("copy-offload", "own", "slow-but-harmless"):
            judgement, findings, text = self.measure(model)
            self.assertEqual(findings, {}, model)
            self.assertIsNone(judgement["missing"])
            self.assertNotIn("Missing", text)
            self.assertNotIn("Finding", text)

    def test_contention_stretches_both_lanes(self):
        for rate, stretch in (("0.75", 1.333333), ("0.5", 2.0)):
            judgement, findings, text = self.measure("contention", f"model.contention={rate}")
            self.assertEqual(set(findings), {"contention"})
            self.assertEqual(self.explaining(findings), {"contention"})
            self.assertAlmostEqual(float(findings["contention"]["value"]), stretch, places=5)
            self.assertAlmostEqual(float(judgement["missing"]), 2 - 2 / stretch if rate == "0.5" else 1 / 3, places=5)
            self.assertIn("contention explains it", text)
        self.assertIn("lane a ends after 32.000 ms, 16.000 alone (2.00 times)", text)

    def test_one_engine_is_one_queue_whose_lanes_take_turns(self):
        _, findings, text = self.measure("one-engine")
        self.assertEqual(set(findings), {"one-queue", "serialised"})
        self.assertEqual(float(findings["one-queue"]["value"]), 0)
        self.assertIsNone(findings["serialised"]["lane"])
        self.assertIn("one-queue and serialised explain it", text)
        self.assertIn("the lanes take turns", text)

    def test_the_lane_that_waits_is_told_from_the_one_that_does_not(self):
        for order, waits in (("a-then-b", "b"), ("b-then-a", "a")):
            _, findings, text = self.measure("one-engine", f"order.submit={order}")
            self.assertEqual(findings["serialised"]["lane"], waits)
            self.assertEqual(float(findings["serialised"]["value"]), 2)
            self.assertIn(f"lane {'ab'[waits == 'a']} runs at its own speed and lane {waits} waits for it", text)

    def test_a_copy_that_blocks_is_found_in_any_order_and_explains_only_where_overlap_is_missing(self):
        for order, missing in (("ab", False), ("ba", False), ("a-then-b", True)):
            judgement, findings, text = self.measure("blocking-copy", f"order.submit={order}")
            finding = findings["blocking-copy"]
            self.assertEqual((finding["lane"], float(finding["value"]), finding["explains"]), ("a", 1, missing))
            self.assertEqual(judgement["missing"] is not None, missing)
            self.assertNotIn("one-queue", findings)
            self.assertNotIn("full-queue", findings)
        self.assertIn("the host is inside them for 16.000 of 16.000 ms", text)

    def test_blocking_copies_that_are_slower_than_alone_are_not_what_is_missing(self):
        _, findings, text = self.measure("blocking-copy", "order.submit=ba", "model.contention=0.75")
        self.assertEqual(set(findings), {"blocking-copy"})  # the host was inside a's calls when b ended
        self.assertEqual(self.explaining(findings), set())
        self.assertIn("none of the causes that are measured here explains it", text)

    def test_copies_both_ways_that_block_take_turns_through_the_host(self):
        _, findings, _ = self.measure("blocking-copy", "lane.b.op=d2h", "engine.copy.width=2")
        self.assertEqual(self.explaining(findings), {"blocking-copy", "serialised"})

    def test_a_full_queue_is_no_blocking_copy(self):
        _, findings, _ = self.measure("queue-depth", "order.submit=a-then-b", "lane.a.count=32", "lane.b.count=32")
        self.assertEqual(self.explaining(findings), {"full-queue"})
        self.assertEqual(float(findings["full-queue"]["part_ms"]), 56)
        _, findings, _ = self.measure("queue-depth", "model.queue_depth=0")
        self.assertEqual(findings, {})

    def test_a_host_that_submits_too_slowly_is_found_and_nothing_is_said_of_the_device(self):
        _, findings, text = self.measure("host-bound", "host.kernel_ns=2.4ms")
        self.assertEqual(set(findings), {"submission-bound"})
        self.assertTrue(findings["submission-bound"]["explains"])
        self.assertIn("submission-bound explains it", text)

    def test_first_use_is_found_and_explains_nothing(self):
        _, findings, text = self.measure("copy-offload", "habits.first_use_ns=20ms")
        finding = findings["first-use"]
        self.assertEqual((finding["lane"], float(finding["value"]), finding["explains"]), ("b", 2.25, False))
        self.assertIn("the very first step of lane b took 36.000 ms, the same step again 16.000 ms", text)
        _, findings, _ = self.measure("copy-offload", "habits.first_use_ns=2ms")
        self.assertEqual(findings, {})

    def test_findings_change_no_verdict(self):
        judgement, _, _ = self.measure("one-engine")
        self.assertEqual(judgement["verdict"], "clear")

    def test_a_missing_overlap_without_a_cause_says_so(self):
        # Both lanes stretch by 1.042, which is below what is called contention.
        judgement, findings, text = self.measure("contention", "model.contention=0.96", "run.margin=0.03")
        self.assertIsNotNone(judgement["missing"])
        self.assertEqual(self.explaining(findings), set())
        self.assertIn("none of the causes that are measured here explains it", text)

    def test_markdown_holds_them_too(self):
        self.measure("one-engine")
        text = self.passes("report", "record.json", "--format", "markdown").out
        self.assertIn("**Missing**", text)
        self.assertIn("**Finding** serialised", text)


@program.needs_program
class MarksTest(program.ProgramTest):
    def marked(self, marked, changed=None):
        self.passes("run", "--device", "sim", "--model", "copy-offload", "--rounds", "24", "--min-rounds", "24",
                    "--seed", "1", "-q", "-o", "record.json")
        record = json.loads(self.read("record.json"))
        for round_ in record["rounds"]:
            if marked(round_["round"]):
                round_["marks"] = ["throttled"]
                if changed:
                    changed(round_)
        self.write("record.json", json.dumps(record))
        return self.passes("judge", "record.json", "--json", "-").json(), re.sub(
            r"\s+", " ", self.passes("report", "record.json").out)

    def test_plain_rounds_say_nothing(self):
        judgement, text = self.marked(lambda number: False)
        self.assertEqual(judgement["marks"], [])
        self.assertNotIn("Marks", text)

    def test_marked_rounds_that_read_the_same_do_not_explain_the_answer(self):
        judgement, text = self.marked(lambda number: number % 2 == 0)
        mark = judgement["marks"][0]
        self.assertEqual((mark["mark"], mark["rounds"], float(mark["share"]), mark["could_explain"]),
                         ("throttled", 12, 0.5, False))
        self.assertEqual([v["name"] for v in mark["variants"]], ["none", "sync", "timing"])
        self.assertIn("12 of 24 rounds (50 %) ran with the device throttled. This does not explain the answer", text)

    def test_marked_rounds_that_read_otherwise_could_explain_it(self):
        def slow(round_):
            times = round_["ab"]["ns"]
            round_["ab"]["ns"] = [[31_000_000] * 3 if i == 0 else times[i] for i in range(len(times))]
        judgement, text = self.marked(lambda number: number % 3 == 0, slow)
        mark = judgement["marks"][0]
        self.assertTrue(mark["could_explain"])
        control = mark["variants"][0]
        self.assertEqual((float(control["marked"]["median"]), float(control["plain"]["median"]), control["differs"]),
                         (0.0625, 1, True))
        self.assertIn("This could explain the answer; overlap of none 0.06", text)

    def test_where_all_rounds_are_marked_nothing_can_be_compared(self):
        judgement, text = self.marked(lambda number: True)
        mark = judgement["marks"][0]
        self.assertEqual((mark["rounds"], mark["could_explain"], mark["variants"]), (24, True, []))
        self.assertIn("No round is free of marks", text)


@program.needs_program
class VariablesTest(program.ProgramTest):
    def test_a_variable_is_named_where_it_bears_on_the_device(self):
        self.passes("run", "--device", "sim", "--model", "copy-offload", "-q", "-o", "record.json",
                    env={"CUDA_DEVICE_MAX_CONNECTIONS": "1", "POCL_CACHE_DIR": "/tmp/x"})
        record = json.loads(self.read("record.json"))
        self.assertEqual(record["environment"].get("CUDA_DEVICE_MAX_CONNECTIONS"), "1")
        self.assertNotIn("Variable", self.passes("report", "record.json").out)
        record["device"]["backend"] = "cuda"
        self.write("record.json", json.dumps(record))
        text = re.sub(r"\s+", " ", self.passes("report", "record.json").out)
        self.assertIn("Variable CUDA_DEVICE_MAX_CONNECTIONS=1: streams share that many hardware queues", text)
        self.assertNotIn("POCL_CACHE_DIR", text)


if __name__ == "__main__":
    program.main()
