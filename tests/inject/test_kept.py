#!/usr/bin/env python3
"""What was measured of a toggled program outlives a confound that is killed (real time): --resume makes the record of it,
and nothing that is not in a record is ever written over or removed."""

import hashlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

BUILD = os.environ.get("CONFOUND_BUILD", "")
STUB = os.path.join(BUILD, "stub", "inject")
LIBRARY = os.path.join(BUILD, "libconfound-inject.so")
LINKED = os.path.join(STUB, "linked")
KERNEL_US = "3000"
SLOW_US = "30000"  # a round takes a second and a half
STEPS = "400"  # of about 6 ms: seconds, in which confound is killed
WAIT_S = 120
STEP_BYTES, STEP_COUNT_AT = 72, 44  # src/toggle/wire.h


@program.needs_program
@unittest.skipUnless(os.path.exists(LIBRARY), "the library is not built")
class KeptTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("temporary"))
        # The stubs leak; a shell that starts one needs no sanitizer, so that none is preloaded.
        asan = ("detect_leaks=0", "verify_asan_link_order=0")
        asan = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS", ""), *asan]))
        self.env = {"LD_LIBRARY_PATH": STUB, "FAKE_CUDA_CONNECTIONS": "1", "TMPDIR": self.path("temporary"),
                    "ASAN_OPTIONS": asan}

    def toggle(self, *arguments, **more):
        return self.confound("exec", "--toggle", "timing", *arguments, env=self.env, **more)

    def begin(self, *command, options=("--rounds", "40", "--min-rounds", "3"), output="r.json"):
        process = program.start("exec", "--toggle", "timing", "-o", output, *options, "--", *command, cwd=self.folder,
                                env=self.env)
        self.addCleanup(program.stop, process)
        return process

    def folders(self):
        return sorted(name for name in os.listdir(self.folder) if name.startswith("r.json.steps-"))

    def steps_file(self):
        """Of the program, once it has begun one."""
        for folder in self.folders():
            for name in os.listdir(self.path(folder)):
                if re.fullmatch(r"[1-9]\d*\.toggle", name):
                    return os.path.join(folder, name)
        return None

    def step_count(self):
        name = self.steps_file()
        data = self.read(name)[:STEP_COUNT_AT + 4] if name else b""
        return struct.unpack_from("<I", data, STEP_COUNT_AT)[0] if len(data) == STEP_COUNT_AT + 4 else 0

    def pid(self):
        return int(os.path.basename(self.steps_file()).split(".")[0])

    def killed(self, *command, steps=60, **more):
        """Kills confound after so many steps of the program, which goes on."""
        process = self.begin(*(command or (LINKED, STEPS, KERNEL_US)), **more)
        self.wait_for("steps", lambda: self.step_count() >= steps or process.poll() is not None)
        self.assertIsNone(process.poll(), "it ended by itself")
        process.kill()
        process.wait()
        self.assertFalse(os.path.exists(self.path("r.json")))
        return self.pid()

    def ended(self, *command, kill=True, **more):
        """The same, and the program has ended, too."""
        pid = self.killed(*command, **more)
        if kill:
            os.kill(pid, signal.SIGKILL)
        self.wait_for("the program's end", lambda: not program.is_running(pid))

    def tree(self):
        """Every file that there is, and what its bytes are."""
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.folder)] = hashlib.sha256(self.read(path)).hexdigest()
        return found

    def assert_refused(self, result, *parts, before=None):
        self.assertEqual(result.status, 2, result)
        self.assertRegex(result.err, r"\Aconfound: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, result.err)
        if before is not None:
            self.assertEqual(self.tree(), before)


class ResumeTest(KeptTest):
    def test_every_whole_round_is_in_the_record_and_judged_and_the_program_does_not_run_again(self):
        self.ended("/bin/sh", "-c", f"echo ran >> runs; exec '{LINKED}' {STEPS} {KERNEL_US}", steps=100)
        steps = self.step_count()
        result = self.toggle("--resume", "r.json", "--json", "judgement.json")
        self.assertEqual(result.status, 0, result)
        record = json.loads(self.read("r.json"))
        # The warm-up is two rounds of 8 steps; all that follows it whole is there.
        self.assertIn((steps - 16) // 8 - len(record["rounds"]), (0, 1, 2), "irregular steps cost their turn")
        self.assertGreaterEqual(len(record["rounds"]), 3)
        self.assertFalse(record["interrupted"], "nobody stopped the program, as far as is known")
        self.assertRegex(record["skipped"]["program"], r"^The program ended after \d+ steps, with \d+ of 40 rounds")
        self.assertIn("confound was killed", record["skipped"]["confound"])
        self.assertEqual(record["metric"]["program"][0], "/bin/sh")
        arms = {variant["name"]: variant["armed"] for variant in record["variants"]}
        self.assertEqual(arms, {"as-shipped": False, "as-shipped-again": False, "stripped": True, "added": True})
        self.assertEqual(json.loads(self.read("judgement.json"))["rounds"], len(record["rounds"]))
        self.assertEqual(self.confound("judge", "r.json", "--json", "-").out_bytes, self.read("judgement.json"))
        self.assertIn("as-shipped", result.out)
        self.assertEqual(self.read("runs"), b"ran\n")
        self.assertEqual(self.folders(), [])
        self.assertFalse(os.path.exists(self.path("r.json.part")))

    def test_a_program_that_went_on_to_its_end_has_all_its_rounds(self):
        self.ended(LINKED, "120", KERNEL_US, kill=False, steps=20, options=("--rounds", "3", "--min-rounds", "3"))
        result = self.toggle("--resume", "r.json.part", "--", LINKED, "120", KERNEL_US)
        self.assertEqual(result.status, 0, result)
        record = json.loads(self.read("r.json"))
        self.assertEqual(len(record["rounds"]), 3)
        self.assertNotIn("program", record["skipped"])
        self.assertIn("confound was killed", record["skipped"]["confound"])

    def test_a_record_that_is_whole_is_shown_and_keeps_its_bytes(self):
        self.ended(steps=80)
        self.toggle("--resume", "r.json")
        before = self.tree()
        result = self.toggle("--resume", "r.json")
        self.assertEqual(result.status, 0, result)
        self.assertIn("nothing was measured", result.err)
        self.assertIn("as-shipped", result.out)
        self.assertEqual(self.tree(), before)

    def test_while_the_program_runs_nothing_is_taken_and_nothing_removed(self):
        pid = self.killed(LINKED, "100000", KERNEL_US, steps=60)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        for arguments in (("--resume", "r.json"), ("-o", "r.json", "--", LINKED, "5", KERNEL_US)):
            result = self.toggle(*arguments)
            self.assert_refused(result, f"still runs, as process {pid}")
            self.assertTrue(program.is_running(pid))
            self.assertIsNotNone(self.steps_file())

    def test_a_child_that_outlives_the_program_still_writes(self):
        """The file of a process that goes on is not read from under it, though the program itself has ended."""
        command = ("/bin/sh", "-c", f"'{LINKED}' 100000 {KERNEL_US} & wait")
        process = self.begin(*command)
        self.wait_for("steps", lambda: self.step_count() >= 60)
        child = self.pid()
        self.addCleanup(os.kill, child, signal.SIGKILL)
        part = [json.loads(line) for line in self.read("r.json.part").splitlines()]
        shell = part[-1]["steps"]["pid"]
        self.assertNotEqual(shell, child)
        process.kill()
        process.wait()
        os.kill(shell, signal.SIGKILL)
        self.wait_for("the shell's end", lambda: not program.is_running(shell))
        self.assert_refused(self.toggle("--resume", "r.json"), f"still runs, as process {child}")


class NotLostTest(KeptTest):
    def test_no_run_of_any_kind_takes_the_place_of_one_that_did_not_end(self):
        self.ended(steps=80)
        before = self.tree()
        for arguments in (("exec", "--toggle", "timing", "-o", "r.json", "--", "touch", "ran"),
                          ("exec", "--arm", "x=env", "-o", "r.json", "--", "touch", "ran"),
                          ("run", "--device", "sim", "-o", "r.json")):
            with self.subTest(arguments[:2]):
                result = self.confound(*arguments, env=self.env)
                self.assert_refused(result, "r.json.part", "did not end", "--resume r.json", before=before)

    def test_a_run_for_another_record_leaves_it_alone(self):
        self.ended(steps=80)
        before = {name: data for name, data in self.tree().items() if "r.json" in name}
        self.toggle("-o", "other.json", "--", LINKED, "5", KERNEL_US)
        self.assertEqual({name: data for name, data in self.tree().items() if "r.json" in name}, before)
        self.assertEqual(os.listdir(self.path("temporary")), [])  # what has no part file goes, as ever

    def test_one_that_measured_no_round_gives_way(self):
        self.ended(LINKED, STEPS, SLOW_US, steps=1)
        old = self.folders()
        result = self.toggle("-o", "r.json", "--rounds", "3", "--min-rounds", "3", "--", LINKED, "80", KERNEL_US)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(len(old), 1)
        self.assertEqual(self.folders(), [])
        self.assertFalse(os.path.exists(self.path("r.json.part")))

    def test_too_few_steps_for_a_round_are_said_and_stay(self):
        self.ended(LINKED, STEPS, SLOW_US, steps=1)
        before = self.tree()
        result = self.toggle("--resume", "r.json")
        self.assertEqual(result.status, 3, result)
        self.assertIn("before there was a whole round", result.err)
        self.assertEqual(self.tree(), before)

    def test_an_end_of_any_other_kind_leaves_nothing_behind(self):
        for command, status in (((LINKED, "80", KERNEL_US), 0), (("true",), 4), (("no-such-program-here",), 2),
                                ((LINKED, "3", KERNEL_US), 3)):
            with self.subTest(command):
                result = self.toggle("-o", "r.json", "--rounds", "3", "--", *command)
                self.assertEqual(result.status, status, result)
                self.assertEqual([name for name in os.listdir(self.folder) if name not in ("temporary", "r.json")], [])

    def test_ctrl_c_still_ends_it_with_a_record(self):
        process = self.begin(LINKED, "100000", KERNEL_US)
        self.wait_for("steps", lambda: self.step_count() >= 60)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(json.loads(self.read("r.json"))["interrupted"])
        self.assertEqual(self.folders(), [])
        self.assertFalse(os.path.exists(self.path("r.json.part")))

    def test_what_cannot_be_written_as_a_record_stays(self):
        process = self.begin(LINKED, "100000", KERNEL_US)
        self.wait_for("steps", lambda: self.step_count() >= 60)
        os.mkdir(self.path("r.json"))  # the record's place is taken away meanwhile
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=WAIT_S)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"--toggle timing --resume r.json", err)
        os.rmdir(self.path("r.json"))
        self.assertEqual(self.toggle("--resume", "r.json").status, 0)
        self.assertGreaterEqual(len(json.loads(self.read("r.json"))["rounds"]), 3)

    def test_a_record_that_is_no_file_is_written_as_ever(self):
        result = self.toggle("-o", "/dev/null", "--rounds", "3", "--", LINKED, "80", KERNEL_US)
        self.assertEqual(result.status, 0, result)

    def test_folders_with_blanks_and_colons_hold_steps(self):
        os.mkdir(self.path("a b:c"))
        self.folder = self.path("a b:c")
        self.ended(steps=80)
        self.assertEqual(self.toggle("--resume", "r.json").status, 0)
        self.assertGreaterEqual(len(json.loads(self.read("r.json"))["rounds"]), 3)

    def test_a_record_may_move_with_what_is_beside_it(self):
        self.ended(steps=80)
        os.mkdir(self.path("moved"))
        for name in (*self.folders(), "r.json.part"):
            os.rename(self.path(name), self.path(f"moved/{name}"))
        self.assertEqual(self.toggle("--resume", "moved/r.json").status, 0)
        self.assertGreaterEqual(len(json.loads(self.read("moved/r.json"))["rounds"]), 3)
        self.assertEqual(os.listdir(self.path("moved")), ["r.json"])


class HostileTest(KeptTest):
    """Whatever stands there: one line with the file and what is wrong, exit status 2, and nothing is removed."""

    def setUp(self):
        super().setUp()
        self.ended(steps=80)
        self.steps = self.steps_file()

    def assert_stays(self, *parts):
        before = self.tree()
        self.assert_refused(self.toggle("--resume", "r.json"), *parts, before=before)
        self.assert_refused(self.toggle("-o", "r.json", "--", "touch", "ran"), *parts, before=before)

    def change_steps_line(self, **changes):
        lines = self.read("r.json.part").splitlines()
        line = json.loads(lines[-1])
        line["steps"].update(changes)
        self.write("r.json.part", b"\n".join([*lines[:-1], json.dumps(line).encode(), b""]))

    def test_a_part_file_with_a_broken_line(self):
        self.write("r.json.part", self.read("r.json.part").replace(b'{"steps"', b'{"stops"'))
        self.assert_stays("r.json.part:2: ")

    def test_an_empty_part_file_is_nothing_to_go_on_with(self):
        self.write("r.json.part", b"")
        before = self.tree()
        self.assert_refused(self.toggle("--resume", "r.json.part"), "r.json.part:1: ", before=before)

    def test_a_last_line_that_was_cut_is_dropped(self):
        data = self.read("r.json.part")
        self.write("r.json.part", data[:-10])
        self.assertEqual(self.toggle("--resume", "r.json").status, 0)

    def test_steps_of_another_size_or_kind(self):
        data = self.read(self.steps)
        for bad in (b"x", data[:len(data) // 2], data + b"x", b"\xff" * len(data), b"toggle1\0" + data[8:]):
            self.write(self.steps, bad)
            self.assert_stays(self.steps.split("/", 1)[1], "no file of steps")

    def test_steps_that_were_changed(self):
        data = bytearray(self.read(self.steps))
        data[-STEP_BYTES * 16384 + 20 * STEP_BYTES] ^= 1
        self.write(self.steps, bytes(data))
        self.assert_stays(self.steps.split("/", 1)[1], "not as it was written")

    def test_steps_that_a_power_failure_took_are_counted_and_their_rounds_are_not(self):
        data = bytearray(self.read(self.steps))
        begin = len(data) - STEP_BYTES * 16384
        page = (begin + 20 * STEP_BYTES + 4095) // 4096 * 4096 - begin  # a page holds no whole number of steps
        first, last = page // STEP_BYTES + 1, page // STEP_BYTES + 20
        data[begin + first * STEP_BYTES:begin + last * STEP_BYTES] = bytes((last - first) * STEP_BYTES)
        self.write(self.steps, bytes(data))
        steps = self.step_count()
        self.assertEqual(self.toggle("--resume", "r.json").status, 0)
        record = json.loads(self.read("r.json"))
        self.assertRegex(record["skipped"]["lost"], r"^19 steps ")
        self.assertLess(len(record["rounds"]), (steps - 16) // 8)
        self.assertGreaterEqual(len(record["rounds"]), 3)

    def test_no_steps_at_all(self):
        self.write(self.steps, b"")
        before = self.tree()
        self.assert_refused(self.toggle("--resume", "r.json"), self.folders()[0], "holds no step", before=before)
        shutil.rmtree(self.path(self.folders()[0]))
        self.assert_refused(self.toggle("--resume", "r.json"), "r.json.steps-", "cannot be read")

    def test_a_pipe_in_the_place_of_either(self):
        os.remove(self.path(self.steps))
        os.mkfifo(self.path(self.steps))
        for arguments in (("--resume", "r.json"), ("-o", "r.json", "--", "touch", "ran")):
            self.assert_refused(self.toggle(*arguments), self.steps.split("/", 1)[1])
        os.remove(self.path("r.json.part"))
        os.mkfifo(self.path("r.json.part"))
        for arguments in (("--resume", "r.json.part"), ("-o", "r.json", "--", "touch", "ran")):
            self.assert_refused(self.toggle(*arguments), "r.json.part", "regular file")
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_a_folder_elsewhere_is_not_touched(self):
        os.mkdir(self.path("mine"))
        self.write("mine/1.toggle", b"mine")
        for name in ("../mine", "mine", "steps-/../mine", ""):
            self.change_steps_line(folder=name)
            self.assert_stays("r.json.part:3: ", "beside the part file")

    def test_another_machine(self):
        self.change_steps_line(host="elsewhere", boot="another")
        self.assert_stays("another machine, elsewhere")

    def test_the_same_machine_after_a_power_failure(self):
        """Nothing of then runs, whichever process has its number now."""
        self.change_steps_line(boot="another", pid=os.getpid(), start=1)
        self.assertEqual(self.toggle("--resume", "r.json").status, 0)

    def test_another_version(self):
        self.write("r.json.part", re.sub(rb'("tool":\s*\{\s*"version":\s*)"[^"]*"', rb'\1"0.0.9"',
                                         self.read("r.json.part"), count=1))
        before = self.tree()
        self.assert_refused(self.toggle("--resume", "r.json"), "r.json.part", "confound 0.0.9", before=before)

    def test_another_program_other_options_and_records_of_other_kinds(self):
        before = self.tree()
        for arguments, part in ((("--", "other"), "another program"), (("--rounds", "7"), "nothing is run"),
                                (("-o", "x.json"), "nothing is run"), (("--step", "mark"), "nothing is run"),
                                (("--arm", "x=env"), "nothing is run")):
            self.assert_refused(self.toggle("--resume", "r.json", *arguments), part, before=before)
        result = self.confound("exec", "--resume", "r.json", env=self.env)
        self.assert_refused(result, "--toggle timing --resume r.json", before=before)
        result = self.confound("run", "--resume", "r.json", env=self.env)
        self.assertEqual((result.status, self.tree()), (2, before), result)
        self.passes("run", "--device", "sim", "--rounds", "2", "-o", "lanes.json", "-q")
        self.assert_refused(self.toggle("--resume", "lanes.json"), "lanes.json", "not of a program that was toggled")
        self.assert_refused(self.toggle("--resume", "absent.json"), "absent.json")


if __name__ == "__main__":
    program.main()
