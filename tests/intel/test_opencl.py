"""Intel's OpenCL driver on the emulated GPU. The experiment runs through it, in real time, and says what it ran on; and
what the driver makes of timing beside a copy is read from the commands that the emulated engines executed, exact by the
model's schedule."""

import json
import os

from intel import BUILD, CONFOUND, DIRECT, IntelTest, emulate, main

BESIDE = os.path.join(BUILD, "stub", "inject", "opencl-beside")
MIB = 1 << 20
STEPS, COPIES = 2, 6

SMALL = ("--set", "lane.a.count=4", "--set", "lane.b.count=4", "--set", "lane.a.bytes=4MiB", "--set",
         "lane.b.trips=200000", "--rounds", "2", "--min-rounds", "2")


class OpenCL(IntelTest):
    def record(self, *arguments):
        file = self.path("record.json")
        done = emulate(CONFOUND, "run", "--device", "opencl", "-o", file, *SMALL, *arguments)
        self.assertIn(done.returncode, (0, 3), f"{done.stdout}\n{done.stderr}")
        with open(file, encoding="utf-8") as text:
            return json.load(text)

    def test_it_runs_and_says_that_the_gpu_is_emulated(self):
        record = self.record()
        self.assertIs(record["simulated"], True)
        self.assertRegex(record["device"]["driver"], r"^Intel driver [0-9.]+ on an emulated GPU$")
        self.assertIn("assumption-1", record["device"]["facts"])
        self.assertEqual(record["data_check"]["result"], "unsupported")
        self.assertIn("only copies were checked", record["data_check"]["text"])

    def test_it_is_never_taken_by_itself(self):
        done = emulate(CONFOUND, "devices")
        self.assertRegex(done.stdout, r"opencl:0 +Intel.*\(emulated\)")
        self.assertIn("using soft", " ".join(done.stdout.split()))

    def test_a_kernel_lasts_as_its_trip_count_says(self):
        """4 kernels of 200000 trips, 320 groups or more in waves of 160: never less than 4 x 2 ms."""
        record = self.record("--set", "lane.b.trips=400000")
        for one in record["rounds"]:
            for times in one["b"]["ns"]:
                self.assertGreaterEqual(min(times), 4 * 4_000_000)


class Mechanism(IntelTest):
    """Copies on one queue beside a kernel of 200 ms on another: how many of them have ended when the kernel does."""

    def beside(self, mode, direct="on", options=()):
        file = self.path("spans")
        if os.path.exists(file):
            os.unlink(file)
        done = emulate(BESIDE, str(STEPS), "200000", mode, options=["--spans", file, *options], changes=DIRECT[direct])
        self.assertIn(" 0 complaints", self.ends_well(done))
        with open(file, encoding="utf-8") as lines:
            spans = [json.loads(line) for line in lines]
        kernels = sorted((s for s in spans if s["kind"] == "kernel"), key=lambda s: s["id"])
        self.assertEqual([s["engine"] for s in kernels], ["ccs0"] * STEPS)
        copies = sorted((s for s in spans if s["kind"] == "copy" and s["reads_bytes"] == MIB), key=lambda s: s["id"])
        copies = copies[-STEPS * COPIES:]  # before them the driver fills what is mapped
        self.assertEqual([s["engine"] for s in copies], ["bcs0"] * STEPS * COPIES)
        return sum(copy["end_ns"] <= kernels[i // COPIES]["end_ns"] for i, copy in enumerate(copies))

    def each(self, expected, *modes):
        for mode in modes:
            with self.subTest(mode):
                self.assertEqual(self.beside(mode), expected)

    def test_a_profiled_queue_keeps_its_copies_beside_the_kernel(self):
        self.each(STEPS * COPIES, "events-plain", "events", "events-plain-unordered", "events-unordered")

    def test_a_profiled_marker_makes_copies_wait_for_the_kernel(self):
        for direct in DIRECT:
            with self.subTest(direct_submission=direct):
                self.assertEqual(self.beside("markers-unordered", direct), 0)

    def test_a_marker_of_an_unordered_queue_that_is_not_profiled_keeps_no_copy(self):
        for direct in DIRECT:
            with self.subTest(direct_submission=direct):
                self.assertEqual(self.beside("markers-plain-unordered", direct), STEPS * COPIES)

    def test_a_marker_of_an_ordered_queue_does_so_profiled_or_not(self):
        self.each(0, "markers", "markers-plain")

    def test_a_barrier_does_so_profiled_or_not(self):
        self.each(0, "barriers", "barriers-plain", "barriers-unordered", "barriers-plain-unordered")

    def test_it_rests_on_the_wait_of_a_pipe_control(self):
        self.assertEqual(self.beside("markers-unordered", options=["--set=waits.stall=no"]), STEPS * COPIES)
        self.assertEqual(self.beside("markers-unordered", options=["--set=waits.barrier=no"]), 0)


if __name__ == "__main__":
    main()
