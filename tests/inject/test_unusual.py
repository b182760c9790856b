#!/usr/bin/env python3
"""Programs that do to their own process what few do (real time): what they print and how they end is the same with the
library preloaded, and they are toggled, or it is said why not."""

import fcntl
import os
import pty
import shutil
import signal
import subprocess
import sys
import termios
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import program  # noqa: E402
from test_programs import STEPS, ToggleTest, alone, stub, stub_environment, without_leaks  # noqa: E402


class UnusualTest(ToggleTest):
    def unusual(self, mode, **more):
        record = self.toggle(stub("unusual"), mode, STEPS, env=stub_environment("8"), **more)
        self.assertEqual(self.plain.returncode, 0, self.plain)
        return record

    def assert_toggled(self, record):
        self.assertEqual(self.result.status, 0, self.result)
        self.assert_armed(record, "stripped")
        self.assertEqual(len(record["rounds"]), 3)

    def test_a_limit_on_the_size_of_files_does_not_end_the_program(self):
        """The library's file was made without a look at the limit, and the kernel ended the program by SIGXFSZ."""
        self.assertIsNone(self.unusual("file-size"))
        self.assertEqual(self.result.status, 4, self.result)
        self.assertNotIn("signal", self.result.err)
        self.assertIn("could not make its file of steps", self.result.err)

    def test_where_no_file_can_be_opened_that_is_said_to_be_possible(self):
        """It was said that the program made no event."""
        self.assertIsNone(self.unusual("descriptors"))
        self.assertEqual(self.result.status, 4, self.result)
        self.assertIn("could not make its file of steps", self.result.err)

    def test_a_program_that_empties_its_environment_is_toggled(self):
        """What was asked was read when the first event was made: nothing was toggled."""
        self.assert_toggled(self.unusual("no-variables"))

    def test_a_program_that_replaces_itself_is_toggled_anew(self):
        """The second one has the process number, and so the file, of the first: its steps were not seen."""
        self.assert_toggled(self.unusual("again"))

    def test_what_goes_on_in_the_background_is_said(self):
        """Its steps were judged as if it had ended."""
        record = self.unusual("background")
        self.assert_toggled(record)
        self.assertRegex(record["skipped"]["behind"], "^Process [0-9]+ went on when the program had ended")

    def test_a_child_that_is_forked_beside_threads_does_not_hang(self):
        """It had a copy of a lock that another thread held."""
        self.unusual("forks")

    def test_a_temporary_folder_is_found_from_everywhere(self):
        """TMPDIR was taken as it was, and the program's folder is another one."""
        os.mkdir(self.path("temporary"))
        result = self.confound("exec", "--toggle", "timing", "--rounds", "3", "--min-rounds", "3", "-o", "/dev/null", "--",
                               stub("unusual"), "elsewhere", STEPS,
                               env=without_leaks(stub_environment("8", TMPDIR="temporary")))
        self.assertEqual(result.status, 0, result)
        self.assertEqual(os.listdir(self.path("temporary")), [])

    def test_a_library_with_a_long_path_is_preloaded(self):
        """The loader leaves out what has 1024 bytes without a word: it was said that the program made no event."""
        deep = self.path("/".join(["d" * 200] * 6))
        os.makedirs(deep)
        names = {name: os.path.join(deep, name) for name in ("confound", "libconfound-inject.so")}
        shutil.copy(program.PROGRAM, names["confound"])
        shutil.copy(os.path.join(os.path.dirname(program.PROGRAM), "libconfound-inject.so"), deep)
        command = [names["confound"], "exec", "--toggle", "timing", "--rounds", "3", "--min-rounds", "3", "-o", "/dev/null",
                   "--", stub("linked"), STEPS]
        for temporary, status, said in ((self.path("."), 0, ""), (deep, 2, "1024 bytes or more, cannot be preloaded")):
            result = subprocess.run(command, cwd=self.path("."), stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                    env=program.environment(without_leaks(stub_environment("8", TMPDIR=temporary))),
                                    timeout=program.TIMEOUT_S)
            self.assertEqual(result.returncode, status, result)
            self.assertIn(said, result.stderr.decode())

    def test_signals_that_are_ignored_stay_so(self):
        """Those that confound handles itself were as new in the program: a job of a script was ended by Ctrl-C."""
        ignored = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)

        def ignore():
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)

        env = program.environment(without_leaks(stub_environment("8")))
        arguments = [stub("unusual"), "ignored", STEPS]
        plain, toggled = (subprocess.run(command, env=env, cwd=self.path("."), stdin=subprocess.DEVNULL,
                                         capture_output=True, preexec_fn=ignore, restore_signals=False, check=False,
                                         timeout=program.TIMEOUT_S)
                          for command in (arguments, [program.PROGRAM, "exec", "--toggle", "timing", "--rounds", "3",
                                                      "--keep", "kept", "-o", "/dev/null", "--", *arguments]))
        for number in ignored:
            self.assertIn(f"signal {number.value} is ignored", plain.stdout.decode())
        self.assertEqual(self.read("kept/out"), plain.stdout, toggled)

    def test_a_limit_on_files_around_confound_is_an_error_of_a_write(self):
        """SIGXFSZ ended confound where it made room for steps, and its files stayed."""
        command = [program.PROGRAM, "exec", "--toggle", "timing", "--keep", "kept", "-o", "record.json", "--",
                   stub("unusual"), "ignored", STEPS]
        result = subprocess.run(["sh", "-c", 'ulimit -f 32; exec "$@"', "sh", *command], cwd=self.path("."),
                                env=program.environment(without_leaks(stub_environment("8"))), capture_output=True,
                                stdin=subprocess.DEVNULL, check=False, timeout=program.TIMEOUT_S)
        self.assertEqual(result.returncode, 4, result)
        plain = alone(stub("unusual"), "ignored", STEPS, env=stub_environment("8"))
        self.assertEqual(self.read("kept/out"), plain.stdout)
        self.assertEqual(sorted(os.listdir(self.path("."))), ["kept"])

    def modes_after(self, script):
        """The local modes of a terminal before and after, of confound with a shell's script as its program."""
        master, slave = pty.openpty()
        try:
            before = termios.tcgetattr(slave)[3]
            subprocess.run([program.PROGRAM, "exec", "--toggle", "timing", "-o", "/dev/null", "--", "sh", "-c", script],
                           stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, start_new_session=True, check=False,
                           env=program.environment(), preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
                           timeout=program.TIMEOUT_S)
            return before, termios.tcgetattr(slave)[3]
        finally:
            os.close(master)
            os.close(slave)

    def test_a_program_that_a_signal_ends_leaves_the_terminal_as_a_shell_would(self):
        """A shell takes its terminal back from a program that a signal ended (hashcat at Ctrl-C); with confound between
        the two it saw an ordinary end, and the terminal stayed without echo."""
        before, after = self.modes_after("stty -echo -icanon; kill -INT $$")
        self.assertEqual(after, before)
        before, after = self.modes_after("stty -echo")
        self.assertEqual(after, before & ~termios.ECHO, "what a program sets and leaves stays, as without confound")

    def test_a_name_that_is_no_function_is_not_called(self):
        """Its address was replaced by that of a function, and the program ended by SIGSEGV."""
        self.assertIsNone(self.toggle(stub("unusual"), "plain", STEPS, env=stub_environment("8"),
                                      options=("--step", "call:stdout")))
        self.assertEqual(self.plain.returncode, 0, self.plain)
        self.assertEqual(self.result.status, 3, self.result)


if __name__ == "__main__":
    program.main()
