#!/usr/bin/env python3
"""confound exec where something goes wrong or is ended: reasons, whole rounds, nothing left behind, nothing let in. Runs in real
time: a busy machine must not be taken for a timeout."""

import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402
from program import variants_of  # noqa: E402

RATE = ("sh", "-c", "echo rate ${RATE:-100}")
BY_RATE = ("--metric", "rate ([0-9.]+)")
WAIT_S = 120


class EndsTest(program.ProgramTest):
    def exec(self, *arguments, env=None):
        return program.run("exec", "-o", "r.json", *arguments, cwd=self.folder, env=env)

    def record(self, name="r.json"):
        return json.loads(self.read(name))

    def judgement(self):
        return program.run("judge", "r.json", "--json", "-", cwd=self.folder).json()

    def arm(self, name):
        return next(variant for variant in self.record()["variants"] if variant["name"] == name)


@program.needs_program
class ArmEndsTest(EndsTest):
    def assert_ended(self, text, round_=0):
        ended = self.arm("bad")["ended"]
        self.assertIn(text, ended["text"])
        self.assertEqual(ended["round"], round_)
        arms = variants_of(self.judgement())
        self.assertEqual(arms["bad"]["effect"]["verdict"], "inconclusive")
        self.assertIn("arm-ended", arms["bad"]["because"])
        self.assertEqual(arms["good"]["effect"]["verdict"], "confounded")  # the others go on
        for done in self.record()["rounds"][max(round_ - 1, 0):]:
            self.assertIsNone(done["values"][2])

    def test_a_run_that_fails_ends_its_arm_alone(self):
        for prefix, text in (("sh -c 'exit 3' sh", "exit status 3"), ("sh -c 'kill -SEGV $$' sh", "signal 11"),
                             ("RATE=fast", "nothing that it printed matches"),
                             ("RATE=0", "'0' is no number above 0")):
            with self.subTest(prefix):
                result = self.exec("--arm", f"bad={prefix}", "--arm", "good=RATE=88", *BY_RATE, *RATE)
                self.assertEqual(result.status, 0, str(result))
                self.assertIn("ENDED", result.out)
                self.assert_ended(text)

    def test_an_arm_that_is_no_program_is_bad_input_and_the_others_are_kept(self):
        result = self.exec("--arm", "bad=./is-not-there", "--arm", "good=RATE=88", *BY_RATE, *RATE)
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("--arm bad: ./is-not-there cannot be started", result.err)
        self.assertNotIn("--arm good", result.err)
        self.assert_ended("cannot be started")
        self.assertIn("quote this", result.out)

    def test_a_gate_is_not_open_to_an_arm_that_is_no_program(self):
        for expected in ("clear", "confounded", "inconclusive"):
            result = self.exec("--arm", "bad=./is-not-there", "--expect", expected, *BY_RATE, *RATE)
            self.assertEqual(result.status, 2, str(result))

    def test_without_a_number_there_is_nothing_to_quote(self):
        result = self.exec("--arm", "bad=./is-not-there", "sleep", "0.02")
        self.assertNotIn("quote", result.out)
        self.assertRegex(result.out, r"(?m)^none .* no numbers$")
        self.assertIn("Next Correct what stands before the program in bad,", " ".join(result.out.split()))

    def test_an_arm_that_ended_is_not_gone_on_with(self):
        for prefix in ("false", "sh -c 'sleep 1000' sh"):
            result = self.exec("--arm", f"bad={prefix}", "--timeout", "5", *BY_RATE, *RATE)
            self.assertRegex(" ".join(result.out.split()), r"Next See what bad printed in r\.runs(-2)?\.")
            self.assertNotIn("--resume", result.out)
        result = self.exec("--arm", "bad=false", "--arm", "open=RATE=88", "--rounds", "2", *BY_RATE, *RATE)
        self.assertIn("--resume r.json", " ".join(result.out.split()))

    def test_numbers_that_no_ratio_can_hold_are_refused(self):
        echo = ("--metric", "rate (.*)", "sh", "-c", "echo rate ${RATE:-100}")
        for number in ("1e300", "1e-300", "4e-310"):
            result = self.exec("--arm", f"bad=RATE={number}", "--arm", "good=RATE=88", *echo)
            self.assertEqual(result.status, 0, str(result))
            self.assert_ended("beyond what can be compared; accepted: 1e-100 to 1e+100")
            result = self.exec("--arm", "bad=RATE=1", *echo, env={"RATE": number})
            self.assertEqual(result.status, 2, str(result))

    def test_a_run_that_fails_later_ends_its_arm_in_that_round(self):
        self.write("third.sh", 'echo x >> count; [ $(wc -l < count) -lt 4 ] || exit 7; exec "$@"')
        result = self.exec("--arm", "bad=sh third.sh", "--arm", "good=RATE=88", *BY_RATE, *RATE)
        self.assertEqual(result.status, 0, str(result))
        self.assert_ended("exit status 7", 3)  # the first was the warm-up

    def test_a_file_that_this_run_did_not_write_gives_no_number(self):
        self.write("n.txt", "speed=5\n")
        result = self.exec("--arm", "bad=sh -c : sh", "--arm", "good=RATE=88", "--metric", "file:n.txt:speed", "sh",
                           "-c", "echo speed=${RATE:-100} > n.txt")
        self.assertEqual(result.status, 0, str(result))
        self.assert_ended("was not written by this run")

    def test_a_pipe_in_the_place_of_its_file_gives_no_number(self):
        """confound waited for somebody to write into it, and no signal but SIGKILL ended it."""
        result = self.exec("--arm", "bad=sh -c 'rm -f n.txt; exec mkfifo n.txt' sh", "--arm", "good=RATE=88", "--metric",
                           "file:n.txt:speed", "sh", "-c", "rm -f n.txt; echo speed=${RATE:-100} > n.txt")
        self.assertEqual(result.status, 0, str(result))
        self.assert_ended("is no plain file")

    def test_with_no_arm_left_it_ends_and_nothing_is_concluded(self):
        result = self.exec("--arm", "bad=false", "--expect", "clear", *BY_RATE, *RATE)
        self.assertEqual(result.status, 3, str(result))
        self.assertIn("Undecided on bad", result.out)
        self.assertEqual(len(self.record()["rounds"]), 0)

    def test_a_timeout_ends_all_that_the_run_started(self):
        result = self.exec("--arm", "bad=sh -c 'sleep 1000 & echo $! > inner; sleep 1000' sh", "--arm", "good=RATE=88",
                           "--timeout", "6", *BY_RATE, *RATE)
        self.assertEqual(result.status, 0, str(result))
        self.assert_ended("it took more than the 6 s")
        inner = int(self.read("inner"))
        self.wait_for("the inner process is gone", lambda: not program.is_running(inner))

    def test_a_run_that_does_not_heed_the_first_signal_is_ended_all_the_same(self):
        result = self.exec("--arm", "bad=sh -c 'trap : TERM; while :; do sleep 0.1; done' sh", "--arm", "good=RATE=88",
                           "--timeout", "5", *BY_RATE, *RATE)
        self.assertEqual(result.status, 0, str(result))
        self.assert_ended("it took more than the 5 s")

    def test_what_a_run_started_has_time_to_end_by_itself(self):
        """A run that ends at the first signal took the time of those that it had started with it."""
        self.write("tidy.sh", "(trap 'sleep 0.3; echo done > tidied; exit' TERM; sleep 1000 & echo > ready; wait) &\nsleep 1000")
        result = self.exec("--arm", "bad=sh tidy.sh", "--arm", "good=RATE=88", "--timeout", "5", *BY_RATE, *RATE)
        self.assertEqual(result.status, 0, str(result))
        self.assert_ended("it took more than the 5 s")
        self.assertTrue(os.path.exists(self.path("ready")))
        self.assertTrue(os.path.exists(self.path("tidied")))

    def test_a_run_that_prints_more_than_is_read_ends_its_arm_alone(self):
        result = self.exec("--arm", "bad=sh -c 'truncate -s 300M /dev/stdout' sh", "--arm", "good=RATE=88", *BY_RATE, *RATE)
        self.assertEqual(result.status, 0, str(result))
        self.assert_ended("too large")

    def test_a_run_that_wants_the_terminal_does_not_wait_for_ever(self):
        result = self.exec("--arm", "bad=sh -c 'kill -TTIN $$; exec \"$@\"' sh", "--arm", "good=RATE=88", *BY_RATE, *RATE)
        self.assertEqual(result.status, 0, str(result))
        self.assert_ended("it wants the terminal")

    def test_a_process_that_is_left_behind_is_said(self):
        result = self.exec("--arm", "x=sh -c 'sleep 3 & exec \"$@\"' sh", "--rounds", "1", *BY_RATE, *RATE)
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("x began", " ".join(self.record()["skipped"]))


@program.needs_program
class ControlEndsTest(EndsTest):
    def test_a_program_that_fails_by_itself_is_no_program_to_measure(self):
        for command, text in ((("false",), "exit status 1"), (("./is-not-there",), "cannot be started"),
                              (("sh", "-c", "echo none"), "matches")):
            with self.subTest(command[0]):
                result = self.exec("--arm", "x=env", *BY_RATE, *command)
                self.assertEqual(result.status, 2, str(result))
                self.assertIn("the program fails with no arm around it, in its warm-up", result.err)
                self.assertIn(text, result.err)
                self.assertFalse(os.path.exists(self.path("r.json.part")))

    def test_a_control_that_fails_later_keeps_the_rounds_before(self):
        self.write("p.sh", "echo x >> count; [ $(wc -l < count) -lt 14 ] || exit 9; echo rate 1")
        result = self.exec("--arm", "x=sh -c 'echo rate 1' sh", *BY_RATE, "sh", "p.sh")
        self.assertEqual(result.status, 5, str(result))
        self.assertIn("in round 6: exit status 9", result.err)
        self.assertEqual(len(self.record()["rounds"]), 5)

    def test_an_injection_variable_around_it_is_no_control(self):
        result = self.exec("--arm", "x=RATE=88", *BY_RATE, *RATE, env={"CUDA_INJECTION64_PATH": "/x"})
        self.assertEqual(self.judgement()["verdict"], "invalid")
        self.assertIn("CUDA_INJECTION64_PATH", result.out)
        result = self.exec("--arm", "x=RATE=88", *BY_RATE, "env", "CUDA_INJECTION64_PATH=/x", *RATE)
        self.assertEqual(self.judgement()["verdict"], "confounded")


@program.needs_program
class EmulatedTest(EndsTest):
    """Whether a program uses the GPU is not known; nothing of it is taken for one of a device."""

    def simulated(self, arm, *command):
        self.exec("--rounds", "1", "--arm", f"x={arm}", "--", *command)
        record = self.record()
        self.assertEqual("emulated" in record["device"]["facts"], record["simulated"])
        return record["simulated"]

    def test_a_program_that_is_started_by_the_emulator_is_simulated(self):
        self.write("confound-emulate", '#!/bin/sh\nshift\nexec "$@"\n')
        os.chmod(self.path("confound-emulate"), 0o755)
        self.assertIs(self.simulated("env A=1", "./confound-emulate", "--", "true"), True)
        self.assertIs(self.simulated("./confound-emulate --", "true"), True)
        self.assertIs(self.simulated("env A=1", "true", "confound-emulated"), False)


@program.needs_program
class StoppedTest(EndsTest):
    SLOW = ("--rounds", "500", "--min-rounds", "500", "--arm", "x=RATE=88", *BY_RATE, "sh", "-c",
            "sleep 0.02; echo rate ${RATE:-100}")

    def begin(self, *arguments):
        process = program.start("exec", "-o", "r.json", *arguments, cwd=self.folder)
        self.addCleanup(program.stop, process)
        return process

    def part_rounds(self):
        if not os.path.exists(self.path("r.json.part")):
            return 0
        return sum(line.startswith(b'{"rounds"') for line in self.read("r.json.part").splitlines())

    def test_ctrl_c_and_sigterm_keep_whole_rounds_and_write_the_record(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                process = self.begin(*self.SLOW)
                self.wait_for("three rounds", lambda: self.part_rounds() >= 3)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=WAIT_S), 0)
                record = self.record()
                self.assertTrue(record["interrupted"])
                self.assertGreaterEqual(len(record["rounds"]), 3)
                for round_ in record["rounds"]:
                    self.assertNotIn(None, round_["values"])
                self.assertFalse(os.path.exists(self.path("r.json.part")))
                os.remove(self.path("r.json"))

    def test_a_dropped_round_takes_what_it_printed_with_it(self):
        """Three runs a round: the eighth is the second of round 2, and is ended in its middle."""
        self.write("p.sh", "echo x >> count; [ $(wc -l < count) -ne 8 ] || { echo > late; sleep 1000; }; echo rate 1")
        process = self.begin("--arm", "x=RATE=88", *BY_RATE, "sh", "p.sh")
        self.wait_for("the eighth run", lambda: os.path.exists(self.path("late")))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=WAIT_S), 0)
        self.assertEqual(len(self.record()["rounds"]), 1)
        self.assertEqual(sorted(os.listdir(self.path("r.runs"))), sorted(
            f"{when}.{arm}.{what}" for when in ("warm-up", "round-001") for arm in ("none", "none-again", "x")
            for what in ("out", "err")))

    def test_two_signals_in_one_go_are_one_wish(self):
        """timeout(1) signals a process and then its group: taken for two, that left a part file and no record."""
        process = self.begin(*self.SLOW)
        self.wait_for("three rounds", lambda: self.part_rounds() >= 3)
        # Of two kinds, so that none is merged with the other, and while it stands still, so that both come at once.
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            process.send_signal(number)
        self.assertEqual(process.wait(timeout=WAIT_S), 0)
        self.assertTrue(self.record()["interrupted"])

    def test_ctrl_c_ends_a_long_run_at_once(self):
        process = self.begin("--arm", "x=env", "sh", "-c", "echo $$ > pid; sleep 1000")
        self.wait_for("a run", lambda: os.path.exists(self.path("pid")) and self.read("pid"))
        pid = int(self.read("pid"))
        process.send_signal(signal.SIGINT)
        process.wait(timeout=WAIT_S)
        self.assertFalse(program.is_running(pid))
        self.assertEqual(self.record()["rounds"], [])

    def test_a_second_ctrl_c_ends_all_at_once(self):
        process = self.begin("--arm", "x=env", "sh", "-c", "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done")
        self.wait_for("a run", lambda: os.path.exists(self.path("pid")) and self.read("pid"))
        pid = int(self.read("pid"))
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        status = process.wait(timeout=WAIT_S)
        self.assertIn(status, (0, 130))
        self.wait_for("the run is gone", lambda: not program.is_running(pid))
        if status == 130:
            self.assertIn(b"confound exec --resume r.json\n", process.stderr.read())

    def test_what_kill_9_left_is_gone_on_with(self):
        process = self.begin(*self.SLOW)
        self.wait_for("three rounds", lambda: self.part_rounds() >= 3)
        process.kill()
        process.wait()
        before = [json.loads(line)["rounds"] for line in self.read("r.json.part").splitlines()
                  if line.startswith(b'{"rounds"')]
        result = program.run("exec", "--resume", "r.json.part", "--rounds", str(len(before) + 2), "--min-rounds", "1",
                             cwd=self.folder)
        self.assertEqual(result.status, 0, str(result))
        record = self.record()
        self.assertEqual(record["rounds"][:len(before)], before)
        self.assertEqual(len(record["rounds"]), len(before) + 2)
        self.assertEqual(record["rounds"][-1]["process"], 1)
        self.assertEqual(record["metric"]["program"][0], "sh")
        self.assertTrue(os.path.exists(self.path(f"r.runs/round-{len(before) + 1:03}.x.out")))

    def test_the_orders_go_on_where_they_stopped(self):
        self.exec("--rounds", "12", "--seed", "5", "--arm", "x=RATE=100.5", "--arm", "y=RATE=95", *BY_RATE, *RATE)
        program.run("exec", "--resume", "r.json", "--rounds", "20", cwd=self.folder)
        resumed = [round_["order"] for round_ in self.record()["rounds"]]
        self.assertEqual(len(resumed), 20)
        self.exec("--rounds", "20", "--seed", "5", "--arm", "x=RATE=100.5", "--arm", "y=RATE=95", *BY_RATE, *RATE)
        self.assertEqual(resumed, [round_["order"] for round_ in self.record()["rounds"]])

    def test_a_decided_record_is_shown_and_keeps_its_bytes(self):
        self.exec("--arm", "x=RATE=88", *BY_RATE, *RATE)
        before = self.read("r.json")
        result = program.run("exec", "--resume", "r.json", cwd=self.folder)
        self.assertEqual(result.status, 0)
        self.assertIn("nothing was measured", result.err)
        self.assertEqual(before, self.read("r.json"))

    def test_what_the_record_says_is_not_said_again(self):
        self.exec("--rounds", "2", "--arm", "x=RATE=88", *BY_RATE, *RATE)
        for arguments in (("--arm", "y=env"), ("--metric", "wall"), ("--margin", "3"), ("true",), ("-o", "other.json")):
            result = program.run("exec", "--resume", "r.json", *arguments, cwd=self.folder)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn("in the record", result.err)


@program.needs_program
class NothingOfOursTest(EndsTest):
    PROBE = """\
import json, os, signal, sys
print("rate 1")
json.dump({"environment": dict(os.environ), "fds": sorted(os.listdir("/proc/self/fd")),
           "stdin": os.readlink("/proc/self/fd/0"), "pipe": str(signal.getsignal(signal.SIGPIPE)),
           "masks": [line for line in open("/proc/self/status") if line.startswith(("SigBlk", "SigIgn"))],
           "cwd": os.getcwd()}, sys.stderr)
"""

    def test_a_run_gets_the_user_s_environment_and_nothing_of_ours(self):
        self.write("probe.py", self.PROBE)
        env = {"MINE": "1", "SHARED": "outer"}
        command = [sys.executable, "-S", "-c", "import signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL); "
                   "exec(open('probe.py').read())"]
        direct = program.environment(env)
        self.exec("--rounds", "1", "--arm", "x=SHARED=inner EMPTY= env", *BY_RATE, *command, env=env)
        for name in ("none", "x"):
            seen = json.loads(self.read(f"r.runs/round-001.{name}.err"))
            expected = dict(direct)
            if name == "x":
                expected.update({"SHARED": "inner", "EMPTY": ""})
            for key in ("LC_CTYPE", "PWD", "SHLVL", "_"):
                expected.pop(key, None)
                seen["environment"].pop(key, None)
            self.assertEqual(seen["environment"], expected)
            self.assertEqual(seen["stdin"], "/dev/null")
            self.assertLessEqual(len(seen["fds"]), 4)  # three streams, and the folder that lists them
            for line in seen["masks"]:
                if line.startswith("SigBlk"):
                    self.assertEqual(int(line.split()[1], 16), 0, line)
            self.assertEqual(os.path.realpath(seen["cwd"]), os.path.realpath(self.folder))

    def test_output_and_exit_status_are_the_program_s_own(self):
        data = bytes(range(256)) * 64
        with open(self.path("data"), "wb") as file:
            file.write(data)
        self.exec("--rounds", "1", "--arm", "x=env", "cat", "data")
        self.assertEqual(self.read("r.runs/round-001.none.out"), data)
        self.assertEqual(self.read("r.runs/round-001.x.out"), data)
        self.assertEqual(self.read("r.runs/round-001.x.err"), b"")

    def test_a_reader_of_its_output_that_goes_away_ends_the_program_as_ever(self):
        self.exec("--rounds", "1", "--arm", "x=env", "sh", "-c", "yes | head -1")
        self.assertEqual(self.read("r.runs/round-001.none.err"), b"")  # no "Broken pipe": SIGPIPE is not ignored


@program.needs_program
class RefusedTest(EndsTest):
    def test_bad_usage_is_one_line_and_writes_nothing(self):
        cases = (((), "a program is missing"), (("true",), "an arm is missing"),
                 (("--arm", "x", "true"), "NAME=PREFIX"), (("--arm", "x=a|b", "true"), "sh -c"),
                 (("--arm", "x=env", "--metric", "x", "true"), "0 groups"),
                 (("--arm", "x=env", "--metric", "file:x", "true"), "file:PATH:KEY"),
                 (("--arm", "x=env", "--margin", "0.05", "true"), "0.1 to 99"),
                 (("--arm", "x=env", "--better", "higher", "true"), "lower is better"),
                 (("--arm", "x=env", "--unit", "s", "true"), "a time is in ms"),
                 (("--arm", "x=env", "--timeout", "0", "true"), "--timeout"),
                 (("--arm", "x=env", "--json", "r.json", "true"), "same file"),
                 (("--arm", "x=env", "--step", "mark", "true"), "--toggle timing"),
                 (("--resume", "not-there.json"), "not-there.json"))
        for arguments, part in cases:
            with self.subTest(str(arguments)):
                result = self.exec(*arguments) if "--resume" not in arguments else program.run(
                    "exec", *arguments, cwd=self.folder)
                self.assertEqual(result.status, 2, str(result))
                self.assertEqual(len(result.err.splitlines()), 1, result.err)
                self.assertIn(part, result.err)
                self.assertEqual(os.listdir(self.folder), [])

    def test_a_record_of_lanes_is_not_gone_on_with(self):
        program.run("run", "--device", "sim", "--rounds", "2", "-o", "lanes.json", cwd=self.folder)
        result = program.run("exec", "--resume", "lanes.json", cwd=self.folder)
        self.assertEqual(result.status, 2)
        self.assertIn("no record of arms", result.err)

    def test_a_record_of_arms_is_not_gone_on_with_by_run(self):
        self.exec("--rounds", "2", "--arm", "x=RATE=88", *BY_RATE, *RATE)
        result = program.run("run", "--resume", "r.json", cwd=self.folder)
        self.assertEqual(result.status, 2, str(result))


if __name__ == "__main__":
    program.main()
