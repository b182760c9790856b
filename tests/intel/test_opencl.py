"""The experiment through Intel's OpenCL driver on the emulated GPU, in real time: it runs, and says what it ran on."""

import json

from intel import CONFOUND, IntelTest, emulate, main

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


if __name__ == "__main__":
    main()
