"""confound exec --toggle timing inside Level Zero and OpenCL programs, on Intel's drivers and the emulated GPU. In real
time: a busy machine may leave a verdict open, but never give the wrong one."""

import json
import os
import subprocess

from intel import BUILD, CONFOUND, DRIVERS, EMULATE, KERNELS, IntelTest, emulate, environment, main

MIB = 1 << 20
STUBS = os.path.join(BUILD, "stub", "inject")
LEVEL_ZERO = os.path.join(STUBS, "level-zero-loaded")
OPENCL = os.path.join(STUBS, "opencl")
OPENCL_BESIDE = os.path.join(STUBS, "opencl-beside")


class ToggleTest(IntelTest):
    def beside(self, spans):
        """How many copies of a megabyte overlap a kernel, by the engines' schedule; how many there are."""
        with open(spans, encoding="utf-8") as lines:
            spans = [json.loads(line) for line in lines]
        kernels = [s for s in spans if s["kind"] == "kernel"]
        copies = [s for s in spans if s["kind"] == "copy" and s["reads_bytes"] == MIB]
        self.assertGreaterEqual(len(copies), 30)
        return sum(any(c["begin_ns"] < k["end_ns"] and k["begin_ns"] < c["end_ns"] for k in kernels) for c in copies)

    def toggle(self, *command, steps, rounds, step="sync", options=()):
        """The record, with the program's output checked."""
        record, kept = self.path("record"), self.path("kept")
        for name in (record, os.path.join(kept, "out"), os.path.join(kept, "err")):
            if os.path.exists(name):
                os.unlink(name)
        done = emulate(CONFOUND, "exec", "--toggle", "timing", "--rounds", str(rounds), "--min-rounds", str(rounds),
                       "--step", step, "--keep", kept, "-o", record, "--", *command, options=options)
        self.ends_well(done)
        with open(os.path.join(kept, "out"), encoding="utf-8") as out:
            self.assertRegex(out.read(), rf"^{steps} steps, \d+ times, 0 complaints")
        with open(record, encoding="utf-8") as file:
            record = json.load(file)
        self.assertEqual(len(record["rounds"]), rounds)
        self.is_said_to_be_emulated(record, done)
        return record

    def is_said_to_be_emulated(self, record, done):
        self.assertRegex(record["device"]["driver"], r"^Intel driver ([0-9.]+ )?on an emulated GPU$")
        self.has_the_assumptions(record, done)

    def has_the_assumptions(self, record, done):
        self.assertIs(record["simulated"], True)
        facts = record["device"]["facts"]
        assumed = subprocess.run([EMULATE, "--assumptions"], capture_output=True, text=True, check=True).stdout
        self.assertEqual([facts[name] for name in facts if name.startswith("assumption-")],
                         [line.split(": ", 1)[1] for line in assumed.splitlines()])
        self.assertIn("Simulated: the driver is the vendor's own", " ".join(done.stdout.split()))

    def armed(self, record, arm):
        variant = next(v for v in record["variants"] if v["name"] == arm)
        self.assertIs(variant["armed"], True, variant)
        return variant["armed_count"]

    def effect(self, arm):
        judged = json.loads(emulate(CONFOUND, "judge", self.path("record"), "--json", "-").stdout)
        return next(v for v in judged["variants"] if v["name"] == arm)["effect"]


class LevelZero(ToggleTest):
    def toggled(self, mode, steps=60, rounds=3):
        """The effect; copies beside a kernel, alone and toggled."""
        alone_spans, spans = self.path(f"alone-{mode}"), self.path(f"spans-{mode}")
        alone = emulate(LEVEL_ZERO, "5", "3000", mode, KERNELS, options=["--spans", alone_spans])
        self.assertIn(" 0 complaints", self.ends_well(alone))
        record = self.toggle(LEVEL_ZERO, str(steps), "3000", mode, KERNELS, steps=steps, rounds=rounds,
                             options=["--spans", spans])
        self.assertEqual(self.armed(record, "stripped"), 2 * rounds)
        return self.effect("stripped"), self.beside(alone_spans), self.beside(spans)

    def test_global_timestamps_cost_the_overlap_and_stripped_steps_have_it_back(self):
        effect, alone, toggled = self.toggled("stamps", 180, 16)
        self.assertEqual(alone, 0)
        self.assertGreater(toggled, 20)
        self.assertIn((effect["verdict"], effect["direction"]), (("confounded", "faster"), ("inconclusive", None)))

    def test_the_copies_own_timestamp_events_cost_none(self):
        effect, alone, _ = self.toggled("events", 180, 16)
        self.assertGreater(alone, 0)
        self.assertNotEqual(effect["verdict"], "confounded")

    def test_answers_and_data_survive_on_the_driver(self):
        for mode in ("signals", "counter", "fresh"):
            with self.subTest(mode):
                self.toggled(mode)


class Arms(ToggleTest):
    def test_whole_programs_on_the_emulated_gpu_are_said_to_be_there(self):
        record = self.path("record")
        done = emulate(CONFOUND, "exec", "--arm", "again=env A=1", "--rounds", "1", "-o", record, "--", "true")
        with open(record, encoding="utf-8") as file:
            self.has_the_assumptions(json.load(file), done)


class OpenCL(ToggleTest):
    """Copies on one queue beside a kernel of 3 ms on another."""

    def toggled(self, mode, arm):
        """The effect of arm; copies beside a kernel."""
        spans = self.path("spans")
        record = self.toggle(OPENCL_BESIDE, "180", "3000", mode, steps=180, rounds=16, options=["--spans", spans])
        self.assertGreater(self.armed(record, arm), 0)
        return self.effect(arm), self.beside(spans)

    def test_profiled_markers_cost_the_overlap_and_stripped_steps_have_it_back(self):
        effect, beside = self.toggled("markers-unordered", "stripped")
        self.assertGreater(beside, 20)
        self.assertIn((effect["verdict"], effect["direction"]), (("confounded", "faster"), ("inconclusive", None)))

    def test_markers_that_are_profiled_in_added_steps_take_it(self):
        effect, _ = self.toggled("markers-plain-unordered", "added")
        self.assertIn((effect["verdict"], effect["direction"]), (("confounded", "slower"), ("inconclusive", None)))

    def test_profiled_copies_and_kernels_cost_none(self):
        effect, beside = self.toggled("events", "stripped")
        self.assertGreater(beside, 0)
        self.assertNotEqual(effect["verdict"], "confounded")

    def test_markers_of_an_ordered_queue_cost_the_same_without_their_times(self):
        effect, _ = self.toggled("markers", "stripped")
        self.assertNotEqual(effect["verdict"], "confounded")

    def test_a_program_that_is_started_on_the_emulated_gpu_by_itself_says_so_too(self):
        record = self.path("record")
        done = subprocess.run([CONFOUND, "exec", "--toggle", "timing", "--rounds", "3", "--min-rounds", "3", "-o", record,
                               "--", EMULATE, "--drivers", DRIVERS, "--", OPENCL_BESIDE, "60", "300", "events"],
                              env=environment(), capture_output=True, text=True, timeout=240, check=False)
        self.ends_well(done)
        with open(record, encoding="utf-8") as file:
            self.is_said_to_be_emulated(json.load(file), done)

    def test_every_answer_is_by_the_rules_on_the_driver(self):
        for mode, arms in (("", ("stripped",)), ("blocking", ("stripped",)), ("unordered", ("stripped",)),
                           ("mixed", ("stripped", "added")), ("fresh", ("stripped",)), ("plain", ("added",))):
            with self.subTest(mode):
                # queues that are new in each step do not recur
                step = "call:clFlush" if mode == "fresh" else "sync"
                record = self.toggle(OPENCL, "120", mode, "uncomputed", steps=120, rounds=3, step=step,
                                     options=["--quiet"])
                for arm in arms:
                    self.assertGreater(self.armed(record, arm), 0)


if __name__ == "__main__":
    main()
