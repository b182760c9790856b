"""The opencl device on a real driver (PoCL in CI): whole runs, and every call made to fail.

Skips, with exit 77 and a line, where no OpenCL driver is installed."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

CONFOUND = os.environ["CONFOUND"]
FORWARD = os.path.join(os.environ["CONFOUND_BUILD"], "stub", "libOpenCL-forward.so")
SMALL = ["--set", "lane.a.count=2", "--set", "lane.b.count=2", "--set", "lane.a.bytes=64KiB", "--set",
         "lane.b.trips=2000", "--rounds", "2", "-q"]
# What only gives back, or is asked where a wrong answer is no failure.
NEVER_FATAL = {"clReleaseContext", "clReleaseCommandQueue", "clReleaseMemObject", "clReleaseProgram", "clReleaseKernel",
               "clReleaseEvent", "clEnqueueUnmapMemObject", "clGetProgramBuildInfo", "clGetCommandQueueInfo"}


def confound(*arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CONFOUND_")}
    environment.update(variables)
    return subprocess.run([CONFOUND, *arguments], capture_output=True, text=True, env=environment, timeout=300,
                          check=False)


def absent():
    with tempfile.TemporaryDirectory() as folder:
        result = confound("run", "--device", "opencl", *SMALL, "--rounds", "1", "-o", os.path.join(folder, "r.json"))
    return result.stderr.strip() if result.returncode == 4 else None


class OpenCL(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.record = os.path.join(folder.name, "r.json")
        self.counts = os.path.join(folder.name, "counts")

    def run_small(self, *arguments, **variables):
        return confound("run", "--device", "opencl", *SMALL, "-o", self.record, *arguments, **variables)

    def read(self):
        with open(self.record, encoding="utf-8") as file:
            return json.load(file)

    def test_every_pair_of_lanes_gives_right_results(self):
        kinds = ["h2d", "d2h", "d2d", "kernel", "kernel-copy", "batch-copy"]
        for a in kinds:
            for b in kinds:
                lengths = []
                for lane, kind in (("a", a), ("b", b)):
                    key = "trips=2000" if kind == "kernel" else "bytes=64KiB"
                    lengths += ["--set", f"lane.{lane}.op={kind}", "--set", f"lane.{lane}.{key}"]
                with self.subTest(a=a, b=b):
                    arguments = ["run", "--device", "opencl", "--set", "lane.a.count=2", "--set", "lane.b.count=2",
                                 "--rounds", "1", "-q", "-o", self.record, *lengths]
                    result = confound(*arguments)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    record = self.read()
                    self.assertEqual(record["data_check"]["result"], "ok", record["data_check"])
                    self.assertFalse(record["simulated"])

    def test_a_dependent_lane_takes_in_what_the_other_brought(self):
        for a, b in (("h2d", "kernel"), ("kernel", "d2h"), ("h2d", "d2d"), ("kernel", "kernel"), ("d2d", "d2h")):
            lengths = []
            for lane, kind in (("a", a), ("b", b)):
                key = "trips=500" if kind == "kernel" else "bytes=64KiB"
                lengths += ["--set", f"lane.{lane}.op={kind}", "--set", f"lane.{lane}.{key}"]
            for more in ([], ["--set", "order.in_flight=3", "--set", "order.prefetch=1"]):
                with self.subTest(a=a, b=b, more=more):
                    result = confound("run", "--device", "opencl", "--set", "order.depends=each", "--rounds", "1", "-q",
                                      "-o", self.record, *lengths, *more)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(self.read()["data_check"]["result"], "ok", self.read()["data_check"])

    def test_every_instrument_is_armed(self):
        result = self.run_small("--instruments", "sync timing profiling-queue host-sync")
        self.assertEqual(result.returncode, 0, result.stderr)
        armed = {v["name"]: (v["armed"], v["armed_how"]) for v in self.read()["variants"]}
        for name in ("sync", "timing", "profiling-queue", "host-sync", "one-queue"):
            self.assertIs(armed[name][0], True, armed)
        self.assertIs(armed["none"][0], False, armed)

    def test_pageable_memory_and_every_wait_work(self):
        for setting in ("device.memory=pageable", "device.flush=wait", "run.wait=poll", "run.wait=spin"):
            with self.subTest(setting):
                result = self.run_small("--set", setting)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(self.read()["data_check"]["result"], "ok")

    def test_a_kernel_cannot_read_pageable_memory(self):
        result = confound("run", "--device", "opencl", "--set", "device.memory=pageable", "--set",
                          "lane.a.op=kernel-copy", "-o", self.record)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("pinned", result.stderr)

    def test_a_device_that_is_not_there_is_named(self):
        result = confound("run", "--device", "opencl:77", "-o", self.record)
        self.assertEqual(result.returncode, 4)
        self.assertRegex(result.stderr, r"\Aconfound: there is no opencl:77; accepted: opencl:0[^\n]*\n\Z")

    def calls(self):
        result = self.run_small(CONFOUND_OPENCL_LIBRARY=FORWARD, CONFOUND_STUB_COUNT=self.counts)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.counts, encoding="utf-8") as file:
            return {name: int(count) for name, count in map(str.split, file)}

    def test_every_call_that_fails_gives_one_clear_error(self):
        tried = 0
        for name, count in self.calls().items():
            if name in NEVER_FATAL or count == 0:
                continue
            # A queue that is closed is finished too, and nobody is left to tell: of clFinish only the first call counts.
            for at in sorted({1, 1 if name == "clFinish" else count // 2 or 1}):
                with self.subTest(name=name, at=at):
                    result = self.run_small(CONFOUND_OPENCL_LIBRARY=FORWARD, CONFOUND_STUB_FAIL=f"{name}:{at}:-5")
                    self.assertEqual(result.returncode, 5, result.stderr)
                    self.assertRegex(result.stderr, rf"\Aconfound: [^\n]*CL_OUT_OF_RESOURCES \({name}: -5\)\n\Z")
                    tried += 1
        self.assertGreater(tried, 30)

    def test_a_device_lost_in_the_middle_keeps_the_whole_rounds(self):
        calls = self.calls()["clEnqueueNDRangeKernel"]
        result = self.run_small(CONFOUND_OPENCL_LIBRARY=FORWARD,
                                CONFOUND_STUB_FAIL=f"clEnqueueNDRangeKernel:{calls - 3}:-36")
        self.assertEqual(result.returncode, 5, result.stderr)
        record = self.read()
        self.assertEqual(len(record["rounds"]), 1)
        self.assertEqual(len(record["prologue"]), 24)


if __name__ == "__main__":
    why = absent()
    if why is not None:
        print(f"skipped: every test of opencl: {why}")
        sys.exit(77)
    unittest.main()
