#!/usr/bin/env python3
"""Whole experiments on the device level-zero over the stub loader (real time, on its threads): what is recorded, and
what is kept when a call fails."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

BUILD = os.environ.get("CONFOUND_BUILD", "")
SOURCE = os.environ.get("CONFOUND_SOURCE", "")
NEW = os.path.join(BUILD, "stub", "level-zero", "libze_loader.so.1")
OLD = os.path.join(BUILD, "stub", "level-zero-old", "libze_loader.so.1")
JOB = """[job]
device = level-zero
[lane a]
op = h2d
count = 4
bytes = 256KiB
[lane b]
op = kernel
count = 4
trips = 12000
[instruments]
use = sync timing sync-signal timing-event timing-signal tracing-layer host-sync
"""
COUNT = 4
STEPS = 4  # in a cell: one untimed, three timed
OPERATIONS = 2 * STEPS * (COUNT + COUNT + 2 * COUNT)  # in two rounds
LOST = 0x70000001


def stub(library=NEW, offers="", **changes):
    env = {"CONFOUND_ZE_LIBRARY": library, "CONFOUND_STUB_ZE": offers}
    env.update(changes)
    return env


@program.needs_program
@unittest.skipUnless(os.path.exists(NEW), "the stub loader is not built")
class LevelZeroRunTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("job.ini", JOB)

    def measure(self, *arguments, env=None):
        return self.confound("run", "job.ini", "-o", "record.json", "--rounds", "2", "--min-rounds", "2", *arguments,
                             env=env or stub())

    def record(self, name="record.json"):
        return json.loads(self.read(name))

    def test_a_whole_run_is_a_valid_record_that_says_it_is_simulated(self):
        result = self.measure()
        self.assertIn(result.status, (0, 3), result)
        record = self.record()
        self.assertIs(record["simulated"], True)
        self.assertEqual((record["device"]["backend"], record["device"]["name"]), ("level-zero", "stub"))
        facts = record["device"]["facts"]
        for name in ("pci", "device_id", "execution_units", "compute_queues", "copy_queues", "api_version", "loader",
                     "stream_kind", "host_memory", "order_path", "copy_offload", "event_path", "wait_path"):
            self.assertIn(name, facts)
        self.assertEqual(record["data_check"]["result"], "ok")

    def test_every_instrument_proves_each_operation_and_the_controls_prove_nothing(self):
        for env, way in ((stub(), "streams=offload"), (stub(), "streams=queues"), (stub(), "events=pool")):
            with self.subTest(way=way):
                self.measure("--set", "device." + way, env=env)
                armed = {v["name"]: (v["armed"], v["armed_how"]) for v in self.record()["variants"]}
                once, twice = OPERATIONS, 2 * OPERATIONS
                for name, wanted in (("sync", f"{once} of {once} event handles completed"),
                                     ("sync-signal", f"{twice} of {twice} event handles completed"),
                                     ("timing", f"{twice} of {twice} timestamps moved"),
                                     ("timing-event", f"{once} of {once} timestamps moved"),
                                     ("timing-signal", f"{twice} of {twice} timestamps moved"),
                                     ("tracing-layer",
                                      f"{once} of {once} operations in whose call it was called, on both sides")):
                    self.assertEqual(armed[name], (True, wanted))
                for name in ("none", "none-again"):
                    self.assertIs(armed[name][0], False)

    def test_where_says_nothing_about_an_event_that_is_the_operations_own(self):
        self.write("job.ini", JOB + "where = before\n")
        self.measure()
        where = {v["name"]: v.get("where") for v in self.record()["variants"]}
        self.assertEqual((where["sync"], where["timing-event"]), (None, None))
        self.assertEqual((where["timing"], where["sync-signal"], where["timing-signal"]), ("before",) * 3)

    def test_an_old_loader_and_driver_give_the_same_experiment(self):
        result = self.measure("--instruments", "sync timing timing-event",
                              env=stub(OLD, "api=1.3 no-zex no-pools no-hint"))
        self.assertIn(result.status, (0, 3), result)
        record = self.record()
        self.assertTrue(all(v["armed"] for v in record["variants"] if v["role"] == "instrument"), record["variants"])
        self.assertIn("older than 1.10", record["device"]["facts"]["wait_path"])
        self.assertIn("a barrier before each command", record["device"]["facts"]["order_path"])

    def test_lanes_that_depend_on_each_other_check_their_results_on_every_kind_of_stream(self):
        for kind in ("offload", "no-offload", "split", "queues"):
            with self.subTest(kind=kind):
                result = self.measure("--set", "order.depends=each", "--set", f"device.streams={kind}")
                self.assertIn(result.status, (0, 3), result)
                self.assertEqual(self.record()["data_check"]["result"], "ok")

    def test_a_call_that_fails_ends_with_5_and_one_line(self):
        for call in ("zeContextCreate", "zeMemAllocHost", "zeModuleCreate", "zeCommandListAppendLaunchKernel",
                     "zeEventCounterBasedCreate", "zeCommandListHostSynchronize"):
            with self.subTest(call=call):
                result = self.measure(env=stub(CONFOUND_STUB_FAIL=f"{call}:1:{LOST}"))
                self.assertEqual(result.status, 5, result)
                lines = [line for line in result.err.splitlines() if "ZE_RESULT_ERROR_DEVICE_LOST" in line]
                self.assertEqual(len(lines), 1, result)
                self.assertIn(f"({call}: {LOST})", lines[0])

    def test_a_device_that_is_lost_in_the_middle_keeps_the_whole_rounds(self):
        result = self.confound("run", "job.ini", "-o", "record.json", "--rounds", "500", "--instruments", "sync timing",
                               env=stub(CONFOUND_STUB_FAIL=f"zeCommandListAppendLaunchKernel:2600:{LOST}:lost"))
        self.assertEqual(result.status, 5, result)
        self.assertIn(f"(zeCommandListAppendLaunchKernel: {LOST})", result.err)
        rounds = [entry["round"] for entry in self.record()["rounds"]]
        self.assertGreater(len(rounds), 0)
        self.assertEqual(rounds, list(range(1, len(rounds) + 1)))
        resumed = self.confound("run", "--resume", "record.json", "--rounds", str(len(rounds) + 1), env=stub())
        self.assertIn(resumed.status, (0, 3), resumed)
        self.assertEqual(len(self.record()["rounds"]), len(rounds) + 1)

    def test_without_a_loader_the_reason_is_one_line_and_the_status_is_4(self):
        result = self.measure(env={"CONFOUND_ZE_LIBRARY": "/nowhere/libze_loader.so.1"})
        self.assertEqual(result.status, 4, result)
        self.assertEqual(len(result.err.strip().splitlines()), 1, result)
        self.assertIn("no Level Zero loader: /nowhere/libze_loader.so.1 not found", result.err)
        listed = self.confound("devices", env={"CONFOUND_ZE_LIBRARY": "/nowhere/libze_loader.so.1"})
        self.assertEqual(listed.status, 0, listed)
        self.assertIn("no Level Zero loader: /nowhere/libze_loader.so.1 not found", " ".join(listed.out.split()))

    def test_a_kind_of_queue_that_is_not_there_is_refused_with_what_is(self):
        result = self.measure("--set", "device.streams=split", env=stub(offers="no-copy"))
        self.assertEqual(result.status, 4, result)
        self.assertIn("accepted here: [device] streams = offload, no-offload", result.err)

    def test_every_job_for_intel_runs(self):
        folder = os.path.join(SOURCE, "jobs", "intel")
        names = sorted(os.listdir(folder))
        self.assertGreaterEqual(len(names), 3)
        for name in names:
            with self.subTest(job=name):
                lengths = ("lane.a.count=2", "lane.b.count=2", "lane.a.bytes=64KiB", "lane.b.trips=12000")
                settings = [word for length in lengths for word in ("--set", length)]
                result = self.confound("run", os.path.join(folder, name), "-o", "record.json", "--rounds", "1",
                                       "--min-rounds", "1", *settings, env=stub())
                self.assertIn(result.status, (0, 3), result)
                armed = [v["armed"] for v in self.record()["variants"] if v["role"] == "instrument"]
                self.assertTrue(armed and all(armed), self.record()["variants"])

    def test_other_backends_do_not_take_its_instruments(self):
        result = self.confound("run", "--device", "soft", "--instruments", "timing-event")
        self.assertEqual(result.status, 4, result)
        self.assertIn("timing-event is offered by the device level-zero alone", result.err)


if __name__ == "__main__":
    program.main()
