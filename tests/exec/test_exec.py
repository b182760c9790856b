#!/usr/bin/env python3
"""confound exec from outside: what it finds, and what it writes. The first class measures in real time, with sleeps."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402
from program import variants_of  # noqa: E402

# Ten steps with a real sleep each, as long as the environment says. Prints each step's own time, and the rate.
STEPS = """\
import json, os, time
sleep_s = float(os.environ.get("STEP_MS", "12")) / 1000
times = []
for _ in range(10):
    begin = time.monotonic()
    time.sleep(sleep_s)
    times.append(time.monotonic() - begin)
    print(f"step took {times[-1] * 1000:.6f} ms", flush=True)
json.dump({"run": {"steps_ms": [t * 1000 for t in times]}}, open("steps.json", "w"))
"""
RATE = ("sh", "-c", "echo rate ${RATE:-100}")  # the same number in every run: nothing of it depends on the machine
BY_RATE = ("--metric", "rate ([0-9.]+)", "--unit", "tok/s", "--better", "higher")


class ExecTest(program.ProgramTest):
    def exec(self, *arguments, env=None):
        return program.run("exec", "-o", "r.json", *arguments, cwd=self.folder, env=env, timeout_s=300)

    def judged(self, *arguments):
        """The judgement of a run that went to its end."""
        result = self.exec("--json", "-", *arguments)
        self.assertEqual(result.status, 0, str(result))
        return result.json()

    def record(self):
        return json.loads(self.read("r.json"))


@program.needs_program
class ShowsTest(ExecTest):
    """Sleeps keep the numbers apart on a busy machine, too. `inconclusive` is allowed there, a wrong verdict never is."""

    def assert_found(self, arm, low, high):
        effect = arm["effect"]
        self.assertIn(effect["verdict"], ("confounded", "inconclusive"), arm)
        if effect["verdict"] == "confounded":
            self.assertEqual(effect["direction"], "slower")
            self.assertTrue(low < float(effect["delta"]["median"]) < high, effect)

    def test_an_arm_that_adds_a_tenth_is_confounded_and_env_is_clear(self):
        sleeper = ("sh", "-c", "sleep 0.08; sleep 0.08; sleep 0.08")
        judgement = self.judged("--arm", "none=", "--arm", "env=env", "--arm",
                                "tenth=sh -c 'sleep 0.024; exec \"$@\"' sh", "--rounds", "24", "--", *sleeper)
        arms = variants_of(judgement)
        self.assertIn(judgement["verdict"], ("confounded", "inconclusive"), judgement)
        self.assertEqual(arms["none-again"]["role"], "replica")
        self.assertIn(arms["none-again"]["effect"]["verdict"], ("clear", "inconclusive"), arms["none-again"])
        self.assertIn(arms["env"]["effect"]["verdict"], ("clear", "inconclusive"), arms["env"])
        self.assert_found(arms["tenth"], 0.07, 0.17)
        self.assertEqual(judgement["design"], "between")
        self.assertIsNone(arms["none"]["reading"])

    def test_a_step_that_sleeps_a_tenth_longer_is_found_in_what_the_program_prints(self):
        self.write("steps.py", STEPS)
        judgement = self.judged("--arm", "tenth=STEP_MS=13.2", "--arm", "set=OTHER=1", "--metric",
                                "step took ([0-9.]+) ms", "--unit", "ms", "--rounds", "24", "--", sys.executable,
                                "steps.py")
        arms = variants_of(judgement)
        self.assert_found(arms["tenth"], 0.07, 0.13)
        self.assertIn(arms["set"]["effect"]["verdict"], ("clear", "inconclusive"), arms["set"])
        for round_ in self.record()["rounds"]:
            self.assertEqual([len(values) for values in round_["values"]], [10] * 4)  # all raw numbers are kept

    def test_a_list_in_a_file_is_taken_like_steps(self):
        self.write("steps.py", STEPS)
        judgement = self.judged("--arm", "longer=STEP_MS=18", "--metric", "file:steps.json:run.steps_ms", "--rounds",
                                "20", "--", sys.executable, "steps.py")
        self.assert_found(variants_of(judgement)["longer"], 0.35, 0.6)
        self.assertEqual(judgement["metric"]["source"], "file")


@program.needs_program
class JudgedTest(ExecTest):
    def test_fewer_where_higher_is_better_is_slower(self):
        arms = variants_of(self.judged("--arm", "less=RATE=88", "--arm", "more=env RATE=120", "--arm", "same=RATE=101",
                                       *BY_RATE, *RATE))
        self.assertEqual((arms["less"]["effect"]["verdict"], arms["less"]["effect"]["direction"]),
                         ("confounded", "slower"))
        self.assertEqual((arms["more"]["effect"]["verdict"], arms["more"]["effect"]["direction"]),
                         ("confounded", "faster"))
        self.assertEqual(arms["same"]["effect"]["verdict"], "clear")
        self.assertAlmostEqual(float(arms["less"]["effect"]["delta"]["median"]), 0.12)
        self.assertAlmostEqual(float(arms["more"]["metric"]["ratio"]["median"]), 1.2)

    def test_the_verdict_is_a_gate(self):
        cases = (("clear", "RATE=101", 0), ("clear", "RATE=88", 1), ("confounded", "RATE=88", 0),
                 ("confounded", "RATE=101", 1), ("clear", "RATE=95", 3))
        for expected, arm, status in cases:
            with self.subTest(f"{expected} {arm}"):
                result = self.exec("--arm", f"x={arm}", "--expect", expected, "--rounds", "30", *BY_RATE, *RATE)
                self.assertEqual(result.status, status, str(result))

    def test_the_margin_is_in_percent(self):
        judgement = self.judged("--arm", "x=RATE=88", "--margin", "15", *BY_RATE, *RATE)
        self.assertEqual(judgement["verdict"], "clear")
        self.assertEqual(float(judgement["settings"]["margin"]), 0.15)

    def test_the_record_is_judged_again_to_the_same_bytes(self):
        first = self.exec("--json", "-", "--arm", "x=RATE=88", *BY_RATE, *RATE)
        again = program.run("judge", "r.json", "--json", "-", cwd=self.folder)
        self.assertEqual(first.out_bytes, again.out_bytes)

    def test_a_report_is_printed_in_each_format(self):
        self.exec("--arm", "x=RATE=88", *BY_RATE, *RATE)
        for name, part in (("text", "x lowers tok/s by 12.00 %"), ("markdown", "| x | RATE=88 | 88.00 |"),
                           ("csv", "round,process,arm,role,position"), ("json", '"direction": "slower"')):
            result = program.run("report", "r.json", "--format", name, cwd=self.folder)
            self.assertEqual(result.status, 0)
            self.assertIn(part, result.out)
        direct = self.exec("--format", "markdown", "--arm", "x=RATE=88", *BY_RATE, *RATE)
        self.assertIn("### confound: confounded", direct.out)

    def test_the_order_is_the_seed_s_and_every_arm_is_in_every_round(self):
        orders = []
        for _ in range(2):
            self.judged("--arm", "x=RATE=88", "--seed", "7", *BY_RATE, *RATE)
            record = self.record()
            self.assertEqual(len(record["rounds"]), 12)  # decided at the first look
            orders.append([round_["order"] for round_ in record["rounds"]])
            for round_ in record["rounds"]:
                self.assertEqual(sorted(round_["order"]), [0, 1, 2])
                self.assertTrue(all(run["wall_ns"] > 0 for run in round_["runs"]))
        self.assertEqual(orders[0], orders[1])
        self.assertGreater(len({tuple(order) for order in orders[0]}), 1)

    def test_one_process_of_each_arm_is_thrown_away_and_shown(self):
        result = self.exec("--arm", "x=RATE=88", *BY_RATE, *RATE)
        warmup = self.record()["warmup"]
        self.assertEqual([len(values) for values in warmup[0]["values"]], [1, 1, 1])
        self.assertEqual(len(warmup), 1)
        self.assertIn("First use", result.out)

    def test_what_each_run_prints_is_kept_beside_the_record(self):
        self.judged("--arm", "x=RATE=88", *BY_RATE, "sh", "-c", "echo rate ${RATE:-100}; echo said >&2")
        self.assertEqual(self.record()["metric"]["outputs"], "r.runs")
        self.assertEqual(self.read("r.runs/round-012.x.out"), b"rate 88\n")
        self.assertEqual(self.read("r.runs/round-001.none.err"), b"said\n")
        self.assertEqual(self.read("r.runs/warm-up.none-again.out"), b"rate 100\n")
        self.judged("--arm", "x=RATE=88", *BY_RATE, *RATE)  # what was kept is never written over
        self.assertEqual(self.record()["metric"]["outputs"], "r.runs-2")
        self.assertEqual(self.read("r.runs/round-001.none.err"), b"said\n")

    def test_a_folder_for_outputs_may_be_named_and_holds_nothing_else(self):
        self.judged("--arm", "x=RATE=88", "--keep", "kept", *BY_RATE, *RATE)
        self.assertEqual(self.read("kept/round-001.none.out"), b"rate 100\n")
        result = self.exec("--arm", "x=RATE=88", "--keep", "kept", *BY_RATE, *RATE)
        self.assertEqual(result.status, 2)
        self.assertIn("they are not written over", result.err)

    def test_a_number_on_standard_error_counts_where_standard_output_has_none(self):
        arms = variants_of(self.judged("--arm", "x=RATE=88", *BY_RATE, "sh", "-c", "echo hi; echo rate ${RATE:-100} >&2"))
        self.assertEqual(arms["x"]["effect"]["verdict"], "confounded")

    def test_processor_time_and_wall_time_are_those_of_the_process(self):
        for metric in ("cpu", "wall"):
            self.judged("--metric", metric, "--arm", "x=env", "--rounds", "2", *RATE)
            for round_ in self.record()["rounds"]:
                for values, run in zip(round_["values"], round_["runs"]):
                    ns = run["user_ns"] + run["system_ns"] if metric == "cpu" else run["wall_ns"]
                    self.assertAlmostEqual(values[0] * 1e6, ns, delta=1)

    def test_the_program_s_own_options_are_its_own(self):
        self.judged("--arm", "x=env", "--metric", "([0-9]+)", "sh", "-c", "echo $#", "--", "-v", "--arm", "", "a b")
        self.assertEqual(self.record()["metric"]["program"], ["sh", "-c", "echo $#", "--", "-v", "--arm", "", "a b"])
        self.assertEqual(self.read("r.runs/round-001.x.out"), b"4\n")


if __name__ == "__main__":
    program.main()
