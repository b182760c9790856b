#!/usr/bin/env python3
"""Whole experiments on the device cuda over the stub driver (real time, on the soft device): what is recorded, and what
is kept when a call fails."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

BUILD = os.environ.get("CONFOUND_BUILD", "")
SOURCE = os.environ.get("CONFOUND_SOURCE", "")
STUB = os.path.join(BUILD, "stub", "cuda", "libcuda.so.1")
JOB = """[job]
device = cuda
[lane a]
op = h2d
count = 4
bytes = 256KiB
[lane b]
op = kernel
count = 4
trips = 3000
[instruments]
use = sync timing cupti-concurrent cupti-kernel cupti-callbacks
"""
COUNT = 4
STEPS = 4  # in a cell: one untimed, three timed
CELLS_OPS = COUNT + COUNT + 2 * COUNT


def stub_environment(**changes):
    env = {"CONFOUND_CUDA_LIBRARY": STUB, "CONFOUND_NVML_LIBRARY": STUB, "CONFOUND_CUPTI_LIBRARY": STUB}
    env.update(changes)
    return env


@program.needs_program
@unittest.skipUnless(os.path.exists(STUB), "the stub driver is not built")
class CudaRunTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("job.ini", JOB)

    def measure(self, *arguments, env=None):
        return self.confound("run", "job.ini", "-o", "record.json", "--rounds", "2", "--min-rounds", "2", *arguments,
                             env=env or stub_environment())

    def record(self, name="record.json"):
        return json.loads(self.read(name))

    def test_a_whole_run_is_a_valid_record_that_says_it_is_simulated(self):
        result = self.measure()
        self.assertIn(result.status, (0, 3), result)
        record = self.record()
        self.assertIs(record["simulated"], True)
        self.assertEqual((record["device"]["backend"], record["device"]["name"]), ("cuda", "stub"))
        facts = record["device"]["facts"]
        for name in ("pci", "compute_capability", "multiprocessors", "copy_engines", "host_memory", "stream_kind",
                     "batch_path", "nvml", "host_numa_node", "device_numa_node"):
            self.assertIn(name, facts)
        self.assertEqual(record["data_check"]["result"], "ok")
        judged = self.confound("judge", "record.json", "--json", "-")
        self.assertIn(judged.status, (0, 3), judged)
        self.assertIs(judged.json()["simulated"], True)

    def test_every_instrument_proves_each_operation_and_the_controls_prove_nothing(self):
        self.measure()
        armed = {v["name"]: (v["armed"], v["armed_how"]) for v in self.record()["variants"]}
        owed = 2 * STEPS * CELLS_OPS  # in two rounds
        for name in ("cupti-concurrent", "cupti-kernel"):
            self.assertEqual(armed[name], (True, f"{owed} of {owed} operations recorded with both timestamps"))
        self.assertEqual(armed["cupti-callbacks"],
                         (True, f"{owed} of {owed} operations in whose call it was called"))
        self.assertEqual(armed["sync"][1], f"{2 * owed} of {2 * owed} event handles completed")
        self.assertEqual(armed["timing"][1], f"{2 * owed} of {2 * owed} timestamps moved")
        for name in ("none", "none-again"):
            self.assertIs(armed[name][0], False)

    def test_a_call_that_fails_ends_with_5_and_one_line(self):
        for call in ("cuCtxCreate_v2", "cuMemHostAlloc", "cuLaunchKernel", "cuEventCreate", "cuCtxSynchronize"):
            with self.subTest(call=call):
                result = self.measure(env=stub_environment(CONFOUND_STUB_FAIL=f"{call}:2:719" if call[-1] != "2"
                                                           else f"{call}:1:719"))
                self.assertEqual(result.status, 5, result)
                lines = [line for line in result.err.splitlines() if "CUDA_ERROR_LAUNCH_FAILED" in line]
                self.assertEqual(len(lines), 1, result)
                self.assertIn(f"({call.removesuffix('_v2')}: 719)", lines[0])

    def test_a_device_that_is_lost_in_the_middle_keeps_the_whole_rounds(self):
        # Launches of 24 + 3 rounds of one or all variants and of calibration are behind the 2600th.
        result = self.confound("run", "job.ini", "-o", "record.json", "--rounds", "500",
                               env=stub_environment(CONFOUND_STUB_FAIL="cuLaunchKernel:2600:719:lost"))
        self.assertEqual(result.status, 5, result)
        self.assertIn("CUDA_ERROR_LAUNCH_FAILED", result.err)
        self.assertIn("(cuLaunchKernel: 719)", result.err)
        kept = self.record()
        rounds = [entry["round"] for entry in kept["rounds"]]
        self.assertGreater(len(rounds), 0)
        self.assertEqual(rounds, list(range(1, len(rounds) + 1)))
        cells = len(kept["variants"]) * 3
        self.assertTrue(all(len(entry["order"]) == cells for entry in kept["rounds"]))
        resumed = self.confound("run", "--resume", "record.json", "--rounds", str(len(rounds) + 1),
                                env=stub_environment())
        self.assertIn(resumed.status, (0, 3), resumed)
        numbers = [entry["round"] for entry in self.record()["rounds"]]
        self.assertEqual(numbers, list(range(1, len(rounds) + 2)))

    def test_without_a_driver_the_reason_is_told_and_the_status_is_4(self):
        result = self.measure(env={"CONFOUND_CUDA_LIBRARY": "/nowhere/libcuda.so.1"})
        self.assertEqual(result.status, 4, result)
        self.assertIn("no CUDA driver: /nowhere/libcuda.so.1 not found", " ".join(result.err.split()))

    def test_the_script_for_hardware_skips_where_there_is_no_device(self):
        env = program.environment({"CONFOUND_BIN": program.PROGRAM, "HARDWARE_OUT": self.folder,
                                   "CONFOUND_CUDA_LIBRARY": "/nowhere/libcuda.so.1"})
        done = subprocess.run([os.path.join(SOURCE, "bench", "hardware.sh")], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=program.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, program.SKIPPED, done)
        self.assertIn("no CUDA driver", done.stderr)

    def test_every_job_for_hardware_runs(self):
        folder = os.path.join(SOURCE, "jobs", "hardware")
        for name in sorted(os.listdir(folder)):
            with self.subTest(job=name):
                settings = ["--set", "lane.a.count=2", "--set", "lane.b.count=2"]
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    copies = "8MiB" in file.read()
                if copies:
                    settings += ["--set", "lane.a.bytes=64KiB"]
                result = self.confound("run", os.path.join(folder, name), "-o", "record.json", "--rounds", "1",
                                       "--min-rounds", "1", "--instruments", "timing cupti-concurrent", *settings,
                                       env=stub_environment())
                self.assertIn(result.status, (0, 3), result)
                proven = {v["name"]: v["armed"] for v in self.record()["variants"]}
                self.assertTrue(proven["timing"] and proven["cupti-concurrent"], proven)


if __name__ == "__main__":
    program.main()
