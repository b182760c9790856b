#!/usr/bin/env python3
"""Two runs at once that name the same record: the second says so before it runs anything, and the first is not disturbed.
In real time, on the soft device and with whole programs."""

import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

WAIT_S = 120
FIRST = {
    "run": ("run", "--device", "soft", "--rounds", "2000", "--min-rounds", "2000"),
    "exec": ("exec", "--arm", "x=env", "--rounds", "2000", "--min-rounds", "2000"),
    "toggle": ("exec", "--toggle", "timing"),
}
PROGRAM = {"run": (), "exec": ("--", "sleep", "0.05"), "toggle": ("--", "sleep", "1000")}
SECOND = {
    "run": ("run", "--device", "sim", "-o", "r.json"),
    "exec": ("exec", "--arm", "x=env", "-o", "r.json", "--", "touch", "ran"),
    "toggle": ("exec", "--toggle", "timing", "-o", "r.json", "--keep", "kept", "--", "touch", "ran"),
    "set": ("run", "--device", "sim", "--processes", "2", "-o", "r.json"),
    "resume": ("run", "--resume", "r.json"),
    "resume-part": ("run", "--resume", "r.json.part"),
    "resume-exec": ("exec", "--resume", "r.json"),
    "resume-toggle": ("exec", "--toggle", "timing", "--resume", "r.json"),
    "by-another-name": ("run", "--device", "sim", "-o", "./r.json"),
}


@program.needs_program
class SameOutputTest(program.ProgramTest):
    def begin(self, kind):
        process = program.start(*FIRST[kind], "-o", "r.json", *PROGRAM[kind], cwd=self.folder)
        self.addCleanup(program.stop, process)
        deadline = time.monotonic() + WAIT_S
        while not self.has_begun(kind) and time.monotonic() < deadline:
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        return process

    def has_begun(self, kind):
        if not os.path.exists(self.path("r.json.part")):
            return False
        lines = [json.loads(line) for line in self.read("r.json.part").split(b"\n")[:-1]]
        return bool(lines) and (kind != "toggle" or lines[-1].get("steps", {}).get("pid", 0) > 0)

    def test_the_second_is_refused_before_it_ran_anything(self):
        for kind in FIRST:
            self.setUp()
            first = self.begin(kind)
            names = os.listdir(self.folder)
            for other, arguments in SECOND.items():
                with self.subTest(f"{kind}, then {other}"):
                    result = self.confound(*arguments)
                    self.assertEqual(result.status, 2, result)
                    self.assertRegex(result.err, r"\Aconfound: [^\n]*r\.json\.part: another process holds it[^\n]*\n\Z")
                    self.assertEqual(result.out, "")
                    self.assertEqual(os.listdir(self.folder), names)
                    self.assertIsNone(first.poll())

    def test_the_first_is_not_disturbed(self):
        first = self.begin("exec")
        self.assertEqual(self.confound(*SECOND["run"]).status, 2)
        first.send_signal(signal.SIGINT)
        self.assertEqual(first.wait(timeout=WAIT_S), 0)
        self.assertEqual(json.loads(self.read("r.json"))["metric"]["program"], ["sleep", "0.05"])
        self.assertFalse(os.path.exists(self.path("r.json.part")))

    def test_whoever_ends_or_is_killed_gives_the_name_back(self):
        for kind in FIRST:
            with self.subTest(kind):
                self.setUp()
                first = self.begin(kind)
                if kind == "toggle":
                    last = json.loads(self.read("r.json.part").splitlines()[-1])
                    self.addCleanup(os.kill, last["steps"]["pid"], signal.SIGKILL)
                first.kill()
                first.wait()
                result = self.confound(*SECOND["run"])
                self.assertNotIn("holds it", result.err)

    def test_one_set_at_a_time(self):
        many = ("run", "--device", "soft", "--processes", "2", "--rounds", "2000", "--min-rounds", "2000", "-o", "r.json")
        first = program.start(*many, cwd=self.folder)
        self.addCleanup(program.stop, first)
        deadline = time.monotonic() + WAIT_S
        while not os.path.exists(self.path("r-1.json.part")) and time.monotonic() < deadline:
            time.sleep(0.02)
        for arguments in (SECOND["set"], ("run", "--resume", "r.json")):
            result = self.confound(*arguments)
            self.assertEqual(result.status, 2, result)
            self.assertIn("another process holds it", result.err)
            self.assertIsNone(first.poll())
        first.send_signal(signal.SIGTERM)
        first.wait(timeout=WAIT_S)
        self.assertFalse(os.path.exists(self.path("r.json.part")))

    def test_one_after_the_other_is_as_ever(self):
        for _ in range(2):
            self.passes("run", "--device", "sim", "--rounds", "2", "-o", "r.json", "-q")
        self.assertEqual(os.listdir(self.folder), ["r.json"])

    def test_an_empty_part_file_beside_a_record_is_no_obstacle(self):
        self.passes("run", "--device", "sim", "--rounds", "12", "-o", "r.json", "-q")
        self.write("r.json.part", b"")
        self.passes("run", "--resume", "r.json", "--rounds", "14", "--min-rounds", "14", "-q")
        self.assertEqual(len(json.loads(self.read("r.json"))["rounds"]), 14)
        self.assertEqual(os.listdir(self.folder), ["r.json"])

    def test_a_part_file_that_cannot_be_read_is_not_written_over(self):
        """It was taken for one that holds no rounds, and lost."""
        self.write("r.json.part", b'{"head": {}}\n{"rounds": {"round": 1}}\n')
        before = self.read("r.json.part")
        for kind in ("run", "exec", "toggle"):
            with self.subTest(kind):
                result = self.confound(*SECOND[kind])
                self.assertEqual(result.status, 2, result)
                self.assertRegex(result.err, r"\Aconfound: r\.json\.part:1: [^\n]*did not end[^\n]*\n\Z")
                self.assertEqual(self.read("r.json.part"), before)

    def test_bad_usage_leaves_nothing(self):
        for arguments in (("run", "--resume", "absent.json"), ("run", "--resume", "absent.json.part"),
                          ("exec", "--resume", "absent.json"), ("exec", "--toggle", "timing", "--resume", "absent.json"),
                          ("exec", "--toggle", "timing", "-o", "r.json", "--keep", "no/such", "true"),
                          ("run", "nosuchjob", "-o", "r.json")):
            with self.subTest(arguments):
                result = self.confound(*arguments)
                self.assertEqual(result.status, 2, result)
                self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    program.main()
