#!/usr/bin/env python3
"""Nothing is lost: kill -9, Ctrl-C, a second Ctrl-C, and going on with --resume."""

import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402
from program import variants_of  # noqa: E402

SOFT_JOB = """[job]
device = soft
model = copy-offload
[lane a]
op = h2d
count = 4
ns = 500us
[lane b]
op = kernel
count = 4
ns = 500us
[instruments]
use = sync timing
"""
MANY = ("--rounds", "2000", "--min-rounds", "2000")  # never over by itself in the time of a test
WAIT_S = 120


def part_rounds(data):
    """Whole rounds of a part file, by (list, number); a line that was cut short is left out."""
    rounds = {}
    for line in data.split(b"\n")[:-1]:
        for name, entry in json.loads(line).items():
            if name in ("prologue", "warmup", "rounds"):
                rounds[name, entry["round"]] = entry
    return rounds


def samples_of(entry):
    """What was measured in a round, wherever it stands now."""
    return {key: value for key, value in entry.items() if key not in ("round", "process")}


class ResumeTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("job.ini", SOFT_JOB)

    def begin(self, *arguments):
        process = program.start("run", "job.ini", "-o", "record.json", *MANY, *arguments, cwd=self.folder)
        self.addCleanup(program.stop, process)
        return process

    def wait_for_rounds(self, process, count):
        """Until the part file holds that many whole judged rounds."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            if process.poll() is not None:
                self.fail(f"ended by itself: {process.returncode} {process.stderr.read().decode()}")
            if os.path.exists(self.path("record.json.part")):
                rounds = part_rounds(self.read("record.json.part"))
                if sum(name == "rounds" for name, _ in rounds) >= count:
                    return
            time.sleep(0.02)
        self.fail(f"no {count} rounds in {WAIT_S} s")

    def killed(self, count=3):
        process = self.begin("-q")
        self.wait_for_rounds(process, count)
        process.kill()
        process.wait()
        self.assertFalse(os.path.exists(self.path("record.json")))
        return part_rounds(self.read("record.json.part"))

    def assert_kept(self, before, record):
        kept = {name: list(record[name]) for name in ("prologue", "warmup", "rounds")}
        for (name, number), entry in before.items():
            if name == "warmup":
                continue  # thrown away but for the first
            with self.subTest(f"{name} {number}"):
                found = [samples_of(r) for r in kept[name]]
                self.assertIn(samples_of(entry), found)


@program.needs_program
class KillTest(ResumeTest):
    def test_every_whole_round_from_before_kill_9_is_in_the_resumed_record(self):
        before = self.killed()
        result = self.passes("run", "--resume", "record.json.part", "-o", "record.json", "--rounds", "14",
                             "--min-rounds", "12", "--json", "judgement.json", "-q")
        record = json.loads(self.read("record.json"))
        self.assert_kept(before, record)
        self.assertEqual({r["process"] for r in record["rounds"]}, {0, 1})
        judgement = json.loads(self.read("judgement.json"))
        self.assertTrue(judgement["valid"], result)
        self.assertEqual(judgement["rounds"], len(record["rounds"]))
        self.assertGreaterEqual(judgement["rounds"], 12)
        numbers = [r["round"] for r in record["rounds"]]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertEqual(self.passes("judge", "record.json", "--json", "-").out_bytes, self.read("judgement.json"))

    def test_a_last_line_that_was_cut_short_is_dropped(self):
        self.killed(1)
        whole = self.read("record.json.part")
        lines = whole.split(b"\n")
        cut = b"\n".join(lines[:-1]) + b"\n" + lines[1][:len(lines[1]) // 2]
        self.write("record.json.part", cut)
        self.passes("run", "--resume", "record.json.part", "-o", "record.json", "--rounds", "2", "--min-rounds", "2",
                    "-q")
        self.assert_kept(part_rounds(whole), json.loads(self.read("record.json")))

    def test_a_broken_line_in_the_middle_is_refused_with_its_number(self):
        self.killed(1)
        lines = self.read("record.json.part").split(b"\n")
        lines[3] = lines[3][:len(lines[3]) // 2]
        self.write("record.json.part", b"\n".join(lines))
        broken = self.read("record.json.part")
        result = self.confound("run", "--resume", "record.json.part", "-o", "record.json", "-q")
        self.assertEqual(result.status, 2, result)
        self.assertRegex(result.err, r"\Aconfound: [^\n]*record\.json\.part:4: [^\n]+\n\Z")
        self.assertEqual(self.read("record.json.part"), broken)

    def test_a_run_on_the_same_name_does_not_silently_lose_the_rounds_of_a_killed_one(self):
        before = self.killed(1)
        self.assertTrue(before)
        self.passes("run", "job.ini", "-o", "other.json", "--rounds", "2", "--min-rounds", "2", "-q")
        self.assertEqual(part_rounds(self.read("record.json.part")), before)


@program.needs_program
class InterruptTest(ResumeTest):
    def test_ctrl_c_ends_after_the_current_round_with_a_judgement_on_what_there_is(self):
        process = self.begin("--json", "judgement.json")
        self.wait_for_rounds(process, 12)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_S)
        self.assertEqual(process.returncode, 0, err.decode())
        record, judgement = json.loads(self.read("record.json")), json.loads(self.read("judgement.json"))
        self.assertGreaterEqual(len(record["rounds"]), 12)
        self.assertLess(len(record["rounds"]), 2000)
        self.assertEqual(judgement["rounds"], len(record["rounds"]))
        self.assertIn(b"timing", out)
        self.assertFalse(os.path.exists(self.path("record.json.part")))
        self.assertEqual(self.passes("judge", "record.json", "--json", "-").out_bytes, self.read("judgement.json"))

    def test_an_expectation_still_decides_the_status_after_ctrl_c(self):
        process = self.begin("--expect", "clear", "-q")
        self.wait_for_rounds(process, 1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
        self.assertEqual(process.returncode, 3)

    def test_a_second_ctrl_c_ends_at_once_and_keeps_the_rounds(self):
        process = self.begin("-q")
        self.wait_for_rounds(process, 2)
        # Two in one go: the second finds the run still in its round. Standard signals do not queue, hence the pause.
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
        self.assertIn(process.returncode, (130, -signal.SIGINT, 0))
        if process.returncode == 0:
            self.skipTest("the run was over before the second signal")
        rounds = part_rounds(self.read("record.json.part"))
        self.assertGreaterEqual(sum(name == "rounds" for name, _ in rounds), 2)
        self.passes("run", "--resume", "record.json.part", "-o", "record.json", "--rounds", "4", "--min-rounds", "4",
                    "-q")
        self.assert_kept(rounds, json.loads(self.read("record.json")))


@program.needs_program
class GoOnTest(ResumeTest):
    def test_a_finished_record_goes_on_with_more_rounds(self):
        self.passes("run", "--device", "sim", "--model", "copy-offload", "--rounds", "12", "-o", "one.json", "-q")
        first = json.loads(self.read("one.json"))
        self.assertEqual(len(first["rounds"]), 12)
        self.passes("run", "--resume", "one.json", "--rounds", "20", "--min-rounds", "20", "-o", "two.json", "--json",
                    "judgement.json", "-q")
        second = json.loads(self.read("two.json"))
        self.assertEqual(len(second["rounds"]), 20)
        self.assertEqual([samples_of(r) for r in second["rounds"][:12]], [samples_of(r) for r in first["rounds"]])
        self.assertEqual([r["process"] for r in second["rounds"]], [0] * 12 + [1] * 8)
        self.assertEqual(second["device"], first["device"])
        judgement = json.loads(self.read("judgement.json"))
        self.assertEqual(judgement["verdict"], "confounded")
        self.assertEqual(variants_of(judgement)["timing"]["ab_ms"], 32.128)
        self.assertEqual(json.loads(self.read("one.json")), first)

    def test_the_same_command_line_goes_on_and_another_job_is_refused(self):
        self.write("job.ini", SOFT_JOB.replace("soft", "sim"))
        self.write("other.ini", SOFT_JOB.replace("soft", "sim").replace("500us", "600us"))
        first = ("run", "job.ini", "--instruments", "sync,timing", "--against", "other.ini", "--seed", "3")
        self.passes(*first, "--rounds", "3", "-o", "one.json", "-q")
        more = ("--rounds", "14", "-o", "two.json", "-q", "--resume", "one.json")
        self.passes(*first, *more)
        self.assertGreaterEqual(len(json.loads(self.read("two.json"))["rounds"]), 12)
        os.remove(self.path("two.json"))
        for change in (("--instruments", "sync,host-sync"), ("--seed", "4"), ("--margin", "0.3"), ("--model", "own"),
                       ("--set", "lane.a.count=8"), ("--set", "event.timing.engine=own"), ("--device", "soft"),
                       ("other.ini",), ("--against", "job.ini")):
            with self.subTest(" ".join(change)):
                result = self.confound("run", *change, *more)
                self.assertEqual(result.status, 2, result)
                self.assertRegex(result.err, r"\Aconfound: [^\n]+\n\Z")
                self.assertFalse(os.path.exists(self.path("two.json")))

    def test_a_decided_record_keeps_its_bytes(self):
        self.passes("run", "--device", "sim", "-o", "one.json", "-q")
        before = self.read("one.json")
        result = self.passes("run", "--resume", "one.json", "-q")
        self.assertIn("nothing was measured", result.err)
        self.assertEqual(self.read("one.json"), before)

    def test_a_run_that_was_killed_in_its_prologue_is_not_written_over(self):
        process = self.begin("-q")
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline and not (os.path.exists(self.path("record.json.part")) and
                                                   part_rounds(self.read("record.json.part"))):
            time.sleep(0.02)
        process.kill()
        process.wait()
        before = self.read("record.json.part")
        result = self.confound("run", "job.ini", "-o", "record.json", "-q")
        self.assertEqual(result.status, 2, result)
        self.assertRegex(result.err, r"\Aconfound: [^\n]*--resume record\.json[^\n]*\n\Z")
        self.assertEqual(self.read("record.json.part"), before)

    def test_a_record_of_steps_of_a_programs_own_is_left_to_that_program(self):
        self.passes("run", "--device", "sim", "--rounds", "12", "-o", "own.json", "-q")
        record = json.loads(self.read("own.json"))
        for lane in record["job"]["lanes"]:
            lane["op"] = "step"
        record["job"]["text"] = "[job]\nname = steps\n"
        self.write("own.json", json.dumps(record))
        result = self.confound("run", "--resume", "own.json", "-q")
        self.assertEqual(result.status, 2, result)
        self.assertRegex(result.err, r"\Aconfound: own\.json holds steps of a program's own[^\n]*\n\Z")

    def test_what_is_no_record_cannot_be_resumed(self):
        for data in (b"", b"{}\n", b"not json\n", SOFT_JOB.encode()):
            self.write("bad.json", data)
            result = self.confound("run", "--resume", "bad.json", "-o", "record.json", "-q")
            self.assertEqual(result.status, 2, result)
            self.assertRegex(result.err, r"\Aconfound: [^\n]*bad\.json[^\n]+\n\Z")
            self.assertEqual(self.read("bad.json"), data)


if __name__ == "__main__":
    program.main()
