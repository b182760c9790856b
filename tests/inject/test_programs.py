#!/usr/bin/env python3
"""Programs that know nothing of confound, with the library preloaded (real time): what they print and how they end is the
same, their events are toggled, and what cannot be is left as it is. The driver is a stub that keeps CUDA's rules for
events; OpenCL is the installed one."""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

BUILD = os.environ.get("CONFOUND_BUILD", "")
SANITIZED = os.environ.get("CONFOUND_SANITIZE", "")
STUB = os.path.join(BUILD, "stub", "inject")
LIBRARY = os.path.join(BUILD, "libconfound-inject.so")
WAYS = ("linked", "loaded", "asked")
KERNEL_US = "3000"
STEPS = "80"  # 12 waits at least until a step is known, 16 steps that are thrown away, 8 a round
SKIPPED = 77


def stub(name):
    return os.path.join(STUB, name)


def stub_environment(connections="1", **changes):
    env = {"LD_LIBRARY_PATH": STUB, "FAKE_CUDA_CONNECTIONS": connections}
    env.update(changes)
    return env


def without_leaks(env):
    """The stubs and the drivers leak; what is looked for is another kind of mistake."""
    options = [os.environ.get("ASAN_OPTIONS", ""), "detect_leaks=0"]
    return {"ASAN_OPTIONS": ":".join(filter(None, options)), **(env or {})}


def alone(*command, env=None):
    return subprocess.run(command, env=program.environment(without_leaks(env)), stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, check=False)


def has_opencl():
    return alone(stub("opencl"), "1").returncode == 0


def variant_of(record, name):
    return next(variant for variant in record["variants"] if variant["name"] == name)


@program.needs_program
@unittest.skipUnless(os.path.exists(LIBRARY), "the library is not built")
class ToggleTest(program.ProgramTest):
    def toggle(self, *command, options=(), rounds="3", env=None):
        """Runs command alone and toggled; its output and its end are the same. Returns the record."""
        plain = alone(*command, env=env)
        result = self.confound("exec", "--toggle", "timing", "--rounds", rounds, "--min-rounds", rounds, "--keep", "kept",
                               "-o", "record.json", *options, "--", *command, env=without_leaks(env))
        with open(self.path("kept/out"), "rb") as out, open(self.path("kept/err"), "rb") as err:
            self.assertEqual((out.read(), err.read()), (plain.stdout, plain.stderr), result)
        self.result, self.plain = result, plain
        return json.loads(self.read("record.json")) if os.path.exists(self.path("record.json")) else None

    def assert_armed(self, record, *names):
        for name in names:
            variant = variant_of(record, name)
            self.assertIs(variant["armed"], True, variant)
        for name in ("as-shipped", "as-shipped-again"):
            self.assertIs(variant_of(record, name)["armed"], False, variant_of(record, name))


class CudaTest(ToggleTest):
    def stepped(self, way, *mode, steps=STEPS, env=None, **more):
        return self.toggle(stub(way), steps, KERNEL_US, *mode, env=env or stub_environment(), **more)

    def test_events_are_toggled_however_the_driver_was_found(self):
        for way in WAYS:
            with self.subTest(way):
                self.setUp()
                record = self.stepped(way)
                self.assertEqual(self.result.status, 0, self.result)
                self.assert_armed(record, "stripped", "added")
                self.assertEqual(len(record["rounds"]), 3)
                self.assertEqual(variant_of(record, "stripped")["armed_count"], 12)
                self.assertEqual(variant_of(record, "added")["armed_count"], 6)

    def test_what_timing_costs_where_it_serialises_is_found(self):
        record = self.stepped("asked", steps="260", rounds="24")
        shipped, stripped = ([values["values"][index][0] for values in record["rounds"]] for index in (0, 2))
        self.assertLess(sorted(stripped)[12], 0.8 * sorted(shipped)[12])
        effect = program.variants_of(self.judge())["stripped"]["effect"]
        self.assertIn((effect["verdict"], effect["direction"]), (("confounded", "faster"), ("inconclusive", None)))

    def test_where_it_does_not_serialise_nothing_is_blamed(self):
        self.stepped("linked", steps="260", rounds="24", env=stub_environment("8"))
        judgement = self.judge()
        for name in ("stripped", "added"):
            self.assertNotEqual(program.variants_of(judgement)[name]["effect"]["verdict"], "confounded", self.result)

    def judge(self):
        return self.confound("judge", "record.json", "--json", "-").json()

    def test_events_of_graphs_and_captures_are_left_as_they_are(self):
        for mode, note in (("graph", "pinned"), ("capture", "captured")):
            with self.subTest(mode):
                self.setUp()
                record = self.stepped("asked", mode, steps="160")
                self.assertEqual(self.plain.returncode, 0, self.plain.stdout)
                self.assertIn(note, record["skipped"])
                self.assert_armed(record, "stripped")

    def test_order_threads_and_events_made_anew_survive(self):
        for mode in ("order", "threads", "fresh", "waits"):
            with self.subTest(mode):
                self.setUp()
                record = self.stepped("loaded", mode)
                self.assertEqual(self.plain.returncode, 0, self.plain.stdout)
                self.assertIs(variant_of(record, "stripped")["armed"], True)

    def test_what_recurs_at_first_and_then_no_more_is_no_step(self):
        """A program that tunes itself before it begins: 18 waits were taken for steps, every later one was unlike them,
        and no round was ever whole."""
        record = self.stepped("linked", "tunes", steps="160")
        self.assertEqual(self.result.status, 0, self.result)
        self.assertRegex(record["device"]["facts"]["timed"], "a step is 3 waits$")
        self.assertEqual(len(record["rounds"]), 3)
        self.assertIn("anew", record["skipped"])
        self.assertNotIn("irregular", record["skipped"])
        self.assert_armed(record, "stripped", "added")
        sites = [fact for name, fact in record["device"]["facts"].items() if name.startswith("site")]
        self.assertEqual(sum(float(re.search(r": ([0-9.]+) timed", site)[1]) for site in sites), 4, sites)

    def test_who_goes_on_in_another_thread_is_toggled_there(self):
        """The first thread's waits delimited the steps, and it waited no more: nothing was toggled to the end."""
        for mode, step in (("handed", "sync"), ("handed", "call:cuCtxSynchronize")):
            with self.subTest(step):
                self.setUp()
                record = self.stepped("linked", mode, steps="240", options=("--step", step))
                self.assertEqual(self.result.status, 0, self.result)
                self.assertEqual(len(record["rounds"]), 3)
                self.assertIn("anew", record["skipped"])
                self.assert_armed(record, "stripped", "added")

    def test_where_another_thread_goes_on_for_a_moment_only_that_is_said(self):
        self.assertIsNone(self.stepped("linked", "handed", steps="20"))
        self.assertEqual(self.result.status, 3, self.result)
        self.assertRegex(self.result.err, r"whole round: \d+ waits were made by other threads")

    def test_a_child_that_was_forked_has_steps_of_its_own(self):
        record = self.stepped("linked", "fork")
        self.assertRegex(record["skipped"]["processes"], r"^1 other process of the program had steps as well, none of them "
                                                         r"more; this is .*linked")
        self.assertEqual(len(record["rounds"]), 3)

    def test_a_program_that_goes_by_its_times_is_told_those_of_the_same_place(self):
        """Events that were new had the last time of any: triton.testing.do_bench then repeated 40 times as often in its
        stripped steps, and the verdict was that timing speeds it up."""
        for step in ("sync", "call:cuCtxSynchronize"):
            with self.subTest(step):
                self.setUp()
                record = self.stepped("asked", "adapts", env=stub_environment("8"), options=("--step", step))
                self.assertEqual(self.plain.returncode, 0, self.plain.stdout)
                self.assert_armed(record, "stripped")
                self.assertEqual(variant_of(record, "stripped")["work_ratio"], 1)
                stripped = program.variants_of(self.judge())["stripped"]
                self.assertNotEqual(stripped["effect"]["verdict"], "confounded", self.result)

    def test_steps_that_are_other_work_are_not_compared(self):
        """Where nothing that the program is told can help: the same time again is what no clock says."""
        record = self.stepped("asked", "stuck", steps="160", rounds="12", env=stub_environment("8"))
        self.assertEqual(self.result.status, 0, self.result)
        self.assertGreater(variant_of(record, "stripped")["work_ratio"], 4)
        stripped = program.variants_of(self.judge())["stripped"]
        self.assertEqual((stripped["effect"]["verdict"], stripped["because"]), ("inconclusive", ["other-work"]))
        self.assertIn("Undecided on stripped: its steps are other work, 4.33 times as many commands as those as shipped",
                      " ".join(self.result.out.split()))
        self.assertIn("a fixed number of repetitions", self.result.out.replace("\n           ", " "))

    def test_marks_and_named_calls_delimit_steps(self):
        for way, mode, step in (("linked", "mark", "mark"), ("asked", "mark", "mark"),
                                *((way, "", "call:cuCtxSynchronize") for way in WAYS)):
            with self.subTest(f"{way} {step}"):
                self.setUp()
                record = self.stepped(way, mode, options=("--step", step))
                self.assertEqual((record["metric"]["detail"], len(record["rounds"])), (step, 3))
                self.assertIn("a step is from one " + ("mark to" if step == "mark" else "call of cuCtxSynchronize to"),
                              record["device"]["facts"]["timed"])
                self.assertNotIn("half", record["skipped"])
                self.assert_armed(record, "stripped", "added")

    @unittest.skipIf(SANITIZED, "Python is not built with the sanitizer that the driver is")
    def test_a_program_in_python_marks_its_steps(self):
        script = ("import ctypes, sys, confound\n"
                  "cuda = ctypes.CDLL('libcuda.so.1')\n"
                  "event = ctypes.c_void_p()\n"
                  "cuda.cuInit(0)\n"
                  "cuda.cuEventCreate(ctypes.byref(event), 0)\n"
                  "for _ in range(int(sys.argv[1])):\n"
                  "    confound.step()\n"
                  "    cuda.cuEventRecord(event, None)\n"
                  "    cuda.cuLaunchKernel(ctypes.c_void_p(3000000), 1, 1, 1, 1, 1, 1, 0, None, None, None)\n"
                  "    cuda.cuCtxSynchronize()\n"
                  "print('done')\n")
        env = stub_environment(PYTHONPATH=os.path.join(os.environ["CONFOUND_SOURCE"], "python"))
        record = self.toggle(sys.executable, "-c", script, STEPS, env=env, options=("--step", "mark"))
        self.assertEqual(self.plain.stdout, b"done\n", self.plain.stderr)
        self.assertEqual((record["metric"]["detail"], len(record["rounds"])), ("mark", 3))
        self.assert_armed(record, "stripped")

    def test_which_part_of_the_run_the_steps_are_is_said_and_they_may_begin_later(self):
        """A program's beginning may have a pattern of its own: hashcat's tuning was judged, and not its search."""
        span = r"^(\d+) in ([0-9.]+ m?s), from ([0-9.]+) (m?s) on, of the ([0-9.]+ m?s) that the program ran"
        facts = self.stepped("linked")["device"]["facts"]
        self.assertRegex(facts["span"], span + "$")
        for way, mode, step in (("linked", "", "sync"), ("asked", "mark", "mark")):
            with self.subTest(step):
                self.setUp()
                record = self.stepped(way, mode, steps="250", options=("--after", "0.4", "--step", step))
                found = re.search(span + r".*, looked for from 0\.4 s on", record["device"]["facts"]["span"])
                self.assertIsNotNone(found, record["device"]["facts"])
                self.assertGreaterEqual(float(found[3]) * (1 if found[4] == "s" else 1e-3), 0.4)
                self.assertEqual(len(record["rounds"]), 3)
        self.setUp()
        self.stepped("linked", steps="20", options=("--after", "1000"))
        self.assertEqual(self.result.status, 3, self.result)
        self.assertIn("looked for from 1000 s on", self.result.err)

    def test_steps_that_are_a_small_part_of_the_run_are_said_to_be(self):
        self.toggle(stub("linked"), "80", "100", "rests", env=stub_environment())
        self.assertIn("what it does in the rest may be other work, and --after SECONDS begins later",
                      " ".join(self.result.out.split()))

    def test_a_call_that_comes_twice_in_what_recurs_is_said(self):
        """All commands come before the first of two calls: steps with some and without take turns, and a round has an
        even number of steps."""
        record = self.stepped("linked", "waits", options=("--step", "call:cuStreamSynchronize"), steps="120")
        self.assertRegex(record["skipped"]["half"], r"^Commands a step: \d in those that are judged, and \d in those "
                                                    r"before them, which settle: a step is a part of what recurs")

    def test_the_sites_of_timing_are_named(self):
        facts = self.stepped("linked")["device"]["facts"]
        function = r"(submit|run|main) \(\+0x[0-9a-f]+\)"
        self.assertRegex(facts["site 1"], rf"^{function} of linked: (1 timed command|[24] timed "
                                          r"commands) a step; a whole call takes [0-9.]+ [num]?s of host time, its own work "
                                          r"included$")
        sites = [facts[name] for name in facts if name.startswith("site ")]
        counts = [float(re.search(r": ([0-9.]+) timed commands? a step", site)[1]) for site in sites]
        self.assertEqual(sum(counts), 4, "they are what the line Timing says")
        shown = re.findall(r"^Site .*|^Sites .*", self.result.out, re.MULTILINE)
        self.assertEqual(len(shown), min(len(sites), 4), shown)
        self.assertRegex(facts["timed"], r"^4 timed and 2 other commands a step")
        self.assertRegex(facts["answered"], r"^2 questions for a time in each stripped step")
        a_call = r"at [0-9.]+ ns"
        self.assertRegex(facts["cost"], rf"^16 intercepted calls a step {a_call} each: [0-9.]+ n?u?s as-shipped; "
                                        rf"16 {a_call}: [0-9.]+ n?u?s stripped; 16 {a_call}: [0-9.]+ n?u?s added$")
        self.assertIn("Cost 16 intercepted calls a step", " ".join(self.result.out.split()))

    def test_an_arm_that_is_left_out_has_no_cost(self):
        if not has_opencl():
            self.skipTest("there is no OpenCL device")
        facts = self.toggle(stub("opencl"), STEPS)["device"]["facts"]
        self.assertRegex(facts["cost"], r"as-shipped; [0-9.]+ at [0-9.]+ ns: [0-9.]+ n?u?s stripped$")

    def test_a_program_that_fails_after_its_last_round_takes_nothing_from_the_judgement(self):
        record = self.stepped("linked", "exit", "9")
        self.assertEqual((self.plain.returncode, self.result.status), (9, 0), self.result)
        self.assertIn("the program ended with exit status 9, after its last round", self.result.err)
        self.assertIn("exit status 9", record["skipped"]["program"])
        self.assertEqual(len(record["rounds"]), 3)

    def test_a_program_that_fails_before_is_the_exit_status_and_what_there_is_is_judged(self):
        record = self.stepped("linked", "exit", "9", options=("--rounds", "40"))
        self.assertEqual(self.result.status, 5, self.result)
        self.assertIn("the program ended with exit status 9", self.result.err)
        self.assertNotIn("last round", self.result.err)
        self.assertGreaterEqual(len(record["rounds"]), 3)

    def test_a_program_that_ended_before_its_rounds_did_is_told_how_many_steps_they_take(self):
        record = self.stepped("linked", options=("--rounds", "40"))
        self.assertEqual(self.result.status, 0, self.result)
        self.assertRegex(record["skipped"]["program"], r"^The program ended after \d+ steps, with \d of 40 rounds: all of "
                                                       r"them take about 336 steps")
        self.assertIn("let it take more steps", " ".join(self.result.out.split()))

    def test_a_document_is_alone_on_standard_output(self):
        for options, begin in ((("--json", "-"), "{"), (("--format", "csv"), "round,"), (("--format", "json"), "{"),
                               (("--format", "markdown"), "#")):
            with self.subTest(options):
                self.setUp()
                plain = alone(stub("linked"), STEPS, KERNEL_US, env=stub_environment())
                self.assertTrue(plain.stdout)
                result = self.confound("exec", "--toggle", "timing", "--rounds", "3", "--min-rounds", "3", *options, "--",
                                       stub("linked"), STEPS, KERNEL_US, env=without_leaks(stub_environment()))
                self.assertTrue(result.out.startswith(begin), result)
                self.assertIn(plain.stdout.decode(), result.err)

    def test_too_short_a_program_is_said(self):
        self.assertIsNone(self.stepped("linked", steps="3"))
        self.assertEqual(self.result.status, 3, self.result)
        self.assertIn("before it was seen what a step is", self.result.err)
        self.setUp()
        self.assertIsNone(self.stepped("linked", steps="8"))
        self.assertIn("before there was a whole round: 8 steps are one", self.result.err)

    def test_steps_that_are_not_like_the_others_are_counted_where_there_is_no_round(self):
        self.assertIsNone(self.stepped("linked", "tunes", steps="20"))
        self.assertEqual(self.result.status, 3, self.result)
        self.assertRegex(self.result.err, r"before there was a whole round: \d+ of them were not like the others")

    def test_a_step_that_was_named_and_never_came_is_said(self):
        for step, said in (("call:nosuch", "nosuch was never called"), ("mark", "no mark was seen"),
                           ("sync", "in a pattern that recurs")):
            with self.subTest(step):
                self.setUp()
                self.assertIsNone(self.stepped("linked", steps="3", options=("--step", step)))
                self.assertEqual(self.result.status, 3, self.result)
                self.assertIn(said, self.result.err)
        self.setUp()
        self.assertIsNone(self.stepped("linked", "mark", steps="5", options=("--step", "mark")))
        self.assertIn("the program ended after 5 marks, before", self.result.err)

    @unittest.skipIf(SANITIZED, "it is there already")
    def test_a_program_under_a_sanitizer_runs(self):
        source = os.path.join(os.environ["CONFOUND_SOURCE"], "tests", "stub", "inject", "program.c")
        include = os.path.join(os.environ["CONFOUND_SOURCE"], "include")
        env = stub_environment()
        for sanitizer in ("address", "thread"):
            with self.subTest(sanitizer):
                self.setUp()
                built = alone("cc", "-g", f"-fsanitize={sanitizer}", "-D_GNU_SOURCE", "-DASKED", "-I" + include, "-o",
                              self.path("sanitized"), source, "-lpthread", "-ldl")
                if built.returncode != 0 or alone(self.path("sanitized"), "1", "1", env=env).returncode:
                    self.skipTest(f"no program with -fsanitize={sanitizer} runs here")
                # beside other threads' records it may take more waits until a step is known
                record = self.toggle(self.path("sanitized"), "160", KERNEL_US, "threads", env=env)
                self.assertEqual(self.plain.returncode, 0, self.plain.stderr)
                self.assertEqual(len(record["rounds"]), 3)


class EndsTest(ToggleTest):
    def test_a_program_without_events_has_nothing_to_toggle(self):
        self.assertIsNone(self.toggle("/bin/sh", "-c", "echo out; echo err >&2; exit 3"))
        self.assertEqual(self.result.status, 4, self.result)
        self.assertIn("there is nothing to toggle", self.result.err)
        self.assertIn("exit status 3", self.result.err)

    def test_who_looks_for_a_driver_that_is_not_there_finds_none(self):
        script = ("import ctypes\n"
                  "for name in ('cuEventRecord', 'cuGetProcAddress_v2', 'clInitLayer2', 'malloc'):\n"
                  "    print(name, hasattr(ctypes.CDLL(None), name))\n")
        self.toggle(sys.executable, "-c", script)
        self.assertIn(b"cuEventRecord False", self.plain.stdout)

    def test_what_is_no_toggle_is_refused_before_anything_runs(self):
        for arguments, said in ((("--toggle", "timing"), "a program is missing"),
                                (("--toggle", "speed", "true"), "timing"),
                                (("--toggle", "timing", "--step", "calls", "true"), "sync, mark, call:NAME"),
                                (("--toggle", "timing", "--step", "call:", "true"), "sync, mark, call:NAME"),
                                (("--toggle", "timing", "--arm", "a=env", "true"), "--arm"),
                                (("--toggle", "timing", "--rounds", "100000", "true"), "--rounds"),
                                (("--after", "1", "true"), "--after"),
                                (("--toggle", "timing", "--after", "-1", "true"), "--after"),
                                (("--toggle", "timing", "--after", "1", "--resume", "r.json"), "--resume"),
                                (("--toggle", "timing", "no-such-program-here"), "cannot be started")):
            result = self.confound("exec", *arguments)
            self.assertEqual(result.status, 2, result)
            self.assertIn(said, result.err)

    def test_an_output_is_never_written_over(self):
        os.mkdir(self.path("kept"))
        with open(self.path("kept/out"), "w", encoding="utf-8") as file:
            file.write("mine")
        result = self.confound("exec", "--toggle", "timing", "--keep", "kept", "true")
        self.assertEqual(result.status, 2, result)
        self.assertEqual(self.read("kept/out"), b"mine")

    def test_it_ends_in_time(self):
        result = self.confound("exec", "--toggle", "timing", "--timeout", "0.5", "sleep", "60")
        self.assertEqual(result.status, 4, result)
        self.assertIn("longer than --timeout", result.err)

    def test_no_folder_is_left_behind(self):
        os.mkdir(self.path("temporary"))
        self.confound("exec", "--toggle", "timing", stub("linked"), "5", "100",
                      env=stub_environment(TMPDIR=self.path("temporary")))
        self.assertEqual(os.listdir(self.path("temporary")), [])

    def test_the_folder_of_a_run_that_was_killed_goes_with_the_next_one_and_a_live_one_stays(self):
        os.mkdir(self.path("temporary"))
        env = program.environment(without_leaks(stub_environment(TMPDIR=self.path("temporary"))))
        arguments = [os.environ["CONFOUND"], "exec", "--toggle", "timing", "--", "sh", "-c", "touch begun.$$; exec sleep 300"]
        started = [subprocess.Popen(arguments, env=env, cwd=self.path("."), stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, start_new_session=True) for _ in range(2)]
        try:
            until = time.monotonic() + 60
            # Until it executes the program, a child of confound's has the lock as well.
            while len(glob.glob(self.path("begun.*"))) < 2 and time.monotonic() < until:
                time.sleep(0.02)
            self.assertEqual(sum(map(self.is_locked, os.listdir(self.path("temporary")))), 2)
            self.assertEqual(len(os.listdir(self.path("temporary"))), 2)
            started[0].kill()
            started[0].wait()
            self.confound("exec", "--toggle", "timing", "true", env=env)
            self.assertEqual(len(os.listdir(self.path("temporary"))), 1)
        finally:
            for process in started:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def is_locked(self, folder):
        return os.path.exists(self.path(os.path.join("temporary", folder, "lock")))


@unittest.skipIf("thread" in SANITIZED, "the driver's threads are not built with the sanitizer")
@unittest.skipUnless(os.path.exists(stub("opencl")) and has_opencl(), "there is no OpenCL device")
class OpenclTest(ToggleTest):
    def test_queues_are_toggled_and_every_answer_is_by_the_rules(self):
        for mode, armed in (("", ("stripped",)), ("blocking", ("stripped",)), ("unordered", ("stripped",)),
                            ("mixed", ("stripped", "added")), ("fresh", ("stripped",)), ("early", ("stripped",)),
                            ("threads", ("stripped",)), ("plain", ("added",))):
            with self.subTest(mode):
                self.setUp()
                record = self.toggle(stub("opencl"), STEPS, mode)
                self.assertEqual(self.plain.returncode, 0, self.plain.stdout)
                self.assert_armed(record, *armed)
                self.assertEqual(len(record["rounds"]), 3)

    def test_queues_that_are_made_anew_are_told_by_their_place(self):
        """By its handle a new queue is whichever the allocator gives that memory to: with PoCL 6 the handles took turns
        over some twenty steps, which were taken for one."""
        for mode in ("fresh", "early"):
            with self.subTest(mode):
                self.setUp()
                record = self.toggle(stub("opencl"), STEPS, mode)
                self.assertRegex(record["device"]["facts"]["timed"], " a step is 2 waits$")

    def test_marks_around_commands_are_toggled(self):
        for mode, arm in (("markers", "stripped"), ("barriers", "stripped"), ("markers-unordered", "stripped"),
                          ("markers-plain", "added")):
            with self.subTest(mode):
                self.setUp()
                record = self.toggle(stub("opencl-beside"), STEPS, "1", mode)
                self.assertEqual(self.plain.returncode, 0, self.plain.stdout)
                self.assert_armed(record, arm)

    def test_queues_that_are_not_idle_when_a_step_ends_keep_their_order(self):
        record = self.toggle(stub("opencl"), STEPS, "unordered")
        self.assertIn("undrained", record["skipped"])
        self.assertIn(b" 0 complaints", self.plain.stdout)

    def test_a_blocking_command_drains_a_queue_that_keeps_its_order(self):
        """A step ended with the wait for an event before it, as if that drained more: no queue was known to be idle, and
        each change of the arm cost a barrier."""
        record = self.toggle(stub("opencl"), STEPS, "kernel")
        self.assertEqual(self.plain.returncode, 0, self.plain.stdout)
        self.assertRegex(record["device"]["facts"]["timed"], "a step is 4 waits$")
        self.assertNotIn("undrained", record["skipped"])
        self.assert_armed(record, "stripped")

    def test_an_arm_that_has_nothing_to_change_is_not_on_trial(self):
        for mode, arm, on_trial, why in (("plain", "stripped", "added", "nothing to strip"),
                                         ("", "added", "stripped", "nothing to add")):
            with self.subTest(arm):
                self.setUp()
                record = self.toggle(stub("opencl"), STEPS, mode)
                names = [variant["name"] for variant in record["variants"]]
                self.assertEqual(names, ["as-shipped", "as-shipped-again", on_trial])
                self.assertEqual([sorted(each["order"]) for each in record["rounds"]], [[0, 1, 2]] * 3)
                self.assertIn(why, record["skipped"][arm])
                self.assert_armed(record, on_trial)
                said = " ".join(self.result.out.split())
                self.assertIn("under 1 arm,", said)
                self.assertIn(f"Note The arm {arm} is left out: there is {why}", said)
                self.assertNotIn("ot done:", said)

    def test_clinfo_says_the_same(self):
        if not any(os.access(os.path.join(folder, "clinfo"), os.X_OK) for folder in os.get_exec_path()):
            self.skipTest("clinfo is not installed")
        self.toggle("clinfo")
        self.assertGreater(len(self.plain.stdout), 1000)


if __name__ == "__main__":
    program.main()
