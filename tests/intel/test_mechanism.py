"""What Intel's driver makes of a record beside a copy, read from the commands that the emulated engines executed: exact
by the model's schedule, whatever else the machine does. Taking away the waits that the result rests on flips it, and the
host's verdict, which is taken in real time."""

import json
import os
import tempfile

from intel import CONFOUND, DIRECT, KERNELS, IntelTest, build_program, emulate, main, missing

MIB = 1 << 20
BESIDE, BEHIND = "beside the kernel", "behind the kernel"


class Mechanism(IntelTest):
    @classmethod
    def setUpClass(cls):
        if missing():
            return
        folder = tempfile.TemporaryDirectory(prefix="confound-intel-")
        cls.addClassCleanup(folder.cleanup)
        cls.program = build_program("tags", folder.name)

    def spans(self, mode, direct="on", away=(), extra=()):
        file = self.path("spans")
        if os.path.exists(file):
            os.unlink(file)
        options = ["--spans", file] + [f"--set=waits.{name}=no" for name in away] + list(extra)
        self.ends_well(emulate(self.program, KERNELS, mode, options=options, changes=DIRECT[direct]))
        with open(file, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def copies(self, mode, direct="on", away=()):
        """Where the two copies of 1 MiB ran: beside the long kernel, or behind it."""
        spans = self.spans(mode, direct, away)
        kernel = max((s for s in spans if s["kind"] == "kernel"), key=lambda s: s["end_ns"] - s["begin_ns"])
        self.assertGreater(kernel["end_ns"] - kernel["begin_ns"], 390_000_000)
        found = [s for s in spans if s["kind"] == "copy" and s["reads_bytes"] == MIB]
        self.assertEqual([s["engine"] for s in found], ["bcs0", "bcs0"])
        self.assertTrue(all(s["begin_ns"] >= kernel["begin_ns"] for s in found))
        return [BESIDE if s["end_ns"] <= kernel["end_ns"] else BEHIND for s in found]

    def each_way(self, mode, expected):
        for direct in DIRECT:
            with self.subTest(mode=mode, direct_submission=direct):
                self.assertEqual(self.copies(mode, direct), expected)

    def test_copies_without_a_record_run_beside_the_kernel(self):
        self.each_way("none", [BESIDE, BESIDE])

    def test_a_counter_based_event_keeps_no_copy(self):
        self.each_way("counter", [BESIDE, BESIDE])

    def test_a_timestamp_event_of_the_copy_itself_keeps_no_copy(self):
        self.each_way("pool-timestamps", [BESIDE, BESIDE])

    def test_a_tag_before_a_copy_makes_it_wait_for_the_kernel(self):
        self.each_way("tags-around", [BEHIND, BEHIND])

    def test_a_tag_after_a_copy_keeps_the_next_one(self):
        self.each_way("tag-after", [BESIDE, BEHIND])

    def test_an_appended_signal_of_a_timestamp_event_keeps_the_next_copy(self):
        self.each_way("signal-timestamps", [BESIDE, BEHIND])

    def test_without_the_two_waits_a_tag_keeps_no_copy(self):
        self.assertEqual(self.copies("tags-around", away=("stall", "barrier")), [BESIDE, BESIDE])

    def test_either_of_the_two_waits_is_enough(self):
        self.assertEqual(self.copies("tags-around", away=("stall",)), [BEHIND, BEHIND])
        self.assertEqual(self.copies("tags-around", away=("barrier",)), [BEHIND, BEHIND])

    def test_a_copy_behind_a_tag_names_what_it_waited_for(self):
        spans = {s["id"]: s for s in self.spans("tags-around")}
        copy = min((s for s in spans.values() if s["kind"] == "copy" and s["reads_bytes"] == MIB), key=lambda s: s["id"])
        chain = []
        while copy:
            chain.append((copy["engine"], copy["command"]))
            copy = spans.get(copy["waits_for"])
        self.assertEqual(chain[:3], [("bcs0", "MEM_COPY"), ("bcs0", "MI_SEMAPHORE_WAIT"), ("ccs0", "MI_STORE_DATA_IMM")])
        self.assertIn(("ccs0", "PIPE_CONTROL"), chain)
        self.assertIn(("ccs0", "COMPUTE_WALKER"), chain)

    def test_a_copy_that_a_planted_fault_sends_to_the_compute_engine_shows(self):
        spans = self.spans("none", extra=["--set=faults.copies_on_compute=yes"])
        copies = [s for s in spans if s["kind"] == "copy" and s["reads_bytes"] == MIB]
        self.assertEqual([s["engine"] for s in copies], ["ccs0", "ccs0"])
        kernel = max((s for s in spans if s["kind"] == "kernel"), key=lambda s: s["end_ns"] - s["begin_ns"])
        self.assertGreaterEqual(copies[0]["begin_ns"], kernel["end_ns"])
        self.assertEqual(copies[0]["waits_for"], kernel["id"])

    def test_without_the_offload_hint_there_is_no_copy_engine(self):
        copies = [s for s in self.spans("no-hint") if s["kind"] == "copy" and s["reads_bytes"] == MIB]
        self.assertEqual(copies, [])

    def verdict(self, away=()):
        """Of timing on the copies alone, behind one long kernel, judged by the host's clock: decided, or inconclusive on
        a busy machine. (With stamps on both lanes the effect stays: there it is the driver's own semaphores.)"""
        record = self.path("record.json")
        done = emulate(CONFOUND, "run", "--device", "level-zero", "-o", record, "--rounds", "16", "--instruments",
                       "sync timing", "--set", "instruments.on=a", "--set", "order.submit=b-then-a", "--set",
                       "lane.b.count=1", "--set", "lane.b.trips=1040000", options=[f"--set=waits.{name}=no" for name in away])
        self.assertIn(done.returncode, (0, 3), f"{done.stdout}\n{done.stderr}")
        judged = emulate(CONFOUND, "judge", record, "--json", "-")
        timing = next(v for v in json.loads(judged.stdout)["variants"] if v["name"] == "timing")
        return timing["effect"]["verdict"]

    def test_taking_the_two_waits_away_flips_the_verdict(self):
        self.assertIn(self.verdict(), ("confounded", "inconclusive"))
        self.assertIn(self.verdict(away=("stall", "barrier")), ("clear", "inconclusive"))


if __name__ == "__main__":
    main()
