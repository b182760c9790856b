"""confound-emulate: whatever a program is and whatever it starts, it finds the device; its status comes back, and nothing
is left behind."""

import json
import os
import signal
import subprocess
import tempfile
import time

from intel import CONFOUND, DRIVERS, EMULATE, KERNELS, IntelTest, build_program, emulate, environment, main, missing

CLINFO = os.path.join(DRIVERS, "root", "usr", "bin", "clinfo")
FOUND = "Intel(R) Arc(TM)"


class Launcher(IntelTest):
    def setUp(self):
        super().setUp()
        self.changes = {"TMPDIR": self.folder}

    def run_here(self, *command, **more):
        return emulate(*command, changes=self.changes, **more)

    def left(self):
        return [name for name in os.listdir(self.folder) if name.startswith("confound-emulate-")]

    def finds(self, *command, **more):
        self.assertIn(FOUND, self.ends_well(self.run_here(*command, **more)))

    def test_clinfo_shows_the_device(self):
        out = self.ends_well(self.run_here(CLINFO))
        self.assertIn(FOUND, out)
        self.assertRegex(out, r"Driver Version +[0-9.]+")

    def test_what_a_shell_an_interpreter_or_a_script_starts_finds_it_too(self):
        self.finds("sh", "-c", f"'{CLINFO}' -l; true")
        self.finds("env", "-u", "HOME", CLINFO, "-l")
        self.finds("python3", "-c", f"import os; os.execv({CLINFO!r}, ['clinfo', '-l'])")
        self.finds("python3", "-c", f"import subprocess; subprocess.run([{CLINFO!r}, '-l'], check=True)")
        self.finds("python3", "-c", f"import os; os.system({CLINFO + ' -l'!r})")
        script = self.path("a script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#! /bin/sh -e\n{CLINFO} -l\n[ \"$1 $2\" = 'a b c' ]\n")
        os.chmod(script, 0o755)
        self.finds(script, "a", "b c")

    def test_a_program_finds_itself_by_proc_self_exe(self):
        out = self.ends_well(self.run_here("python3", "-c", "import os; print(os.readlink('/proc/self/exe'))"))
        self.assertIn("python3", out)
        self.assertNotIn("ld-linux", out)

    def test_the_status_comes_back(self):
        self.assertEqual(self.run_here("sh", "-c", "exit 37").returncode, 37)
        self.assertEqual(self.run_here("sh", "-c", "kill -KILL $$").returncode, 128 + signal.SIGKILL)
        done = self.run_here("no-such-program")
        self.assertEqual((done.returncode, done.stderr), (127, "confound-emulate: no-such-program: not found\n"))
        self.assertEqual(self.left(), [])

    def test_standard_input_and_arguments_pass_through(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"typed\n")
            file.seek(0)
            done = self.run_here("sh", "-c", 'cat; printf "<%s>" "$@"', "sh", "a b", "", "*", stdin=file)
        self.assertEqual(self.ends_well(done), "typed\n<a b><><*>")

    def test_a_signal_reaches_the_program_and_the_folder_goes(self):
        process = subprocess.Popen([EMULATE, "--drivers", DRIVERS, "--", "sleep", "600"], env=environment(self.changes))
        try:
            for _ in range(600):
                if self.left():
                    break
                time.sleep(0.1)
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        finally:
            process.kill()
            process.wait()
        self.assertEqual(self.left(), [])

    def begin(self):
        """A launcher whose session is there, and its process."""
        before = len(self.left())
        process = subprocess.Popen([EMULATE, "--drivers", DRIVERS, "--", "sleep", "600"], env=environment(self.changes))
        for _ in range(600):
            left = self.left()
            if len(left) > before and all(os.path.exists(self.path(name + "/session")) for name in left):
                break
            time.sleep(0.1)
        return process

    def test_what_a_killed_launcher_left_goes_at_the_next_start_and_what_runs_stays(self):
        living = self.begin()
        try:
            kept = self.left()
            killed = self.begin()
            killed.kill()
            killed.wait(60)
            self.assertEqual(len(self.left()), 2)
            self.ends_well(self.run_here("true"))
            self.assertEqual(self.left(), kept)
        finally:
            living.terminate()
            living.wait(60)
        self.assertEqual(self.left(), [])

    def test_an_output_that_cannot_be_written_is_refused_before_the_program_runs(self):
        for option in ("--timeline", "--spans", "--log", "--trace"):
            for path, why in (("/nowhere/x", "No such file or directory"), (self.folder, "Is a directory"),
                              ("", "No such file or directory"), ("x" * 600, "a path of less than")):
                with self.subTest(option=option, path=path):
                    done = self.run_here("sh", "-c", "echo ran", options=[option, path])
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertRegex(done.stderr, rf"^confound-emulate: {option}.*{why}.*\n$")
        self.assertEqual(self.left(), [])
        self.assertEqual(self.ends_well(self.run_here("echo", "ran", options=["--spans", "/dev/null"])), "ran\n")

    def test_without_drivers_one_line_says_what_is_missing(self):
        done = subprocess.run([EMULATE, "--drivers", self.folder, "--", "true"], env=environment(), capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"^confound-emulate: no Intel driver .* in .*; .*\./dev intel.* fetches it\n$")

    def test_bad_usage_is_one_line_and_2(self):
        for options, says in ((["--modle", "bmg"], "no option --modle"), (["--model", "b580"], "no model 'b580'; there are bmg"),
                              (["--model", "/nowhere.ini"], "/nowhere.ini: cannot be opened"), (["--model", "/"], "is a folder"),
                              (["--set", "waits.stal=no"], "no key 'stal'"), (["--set", "waits.stall=x"], "'x' is not yes or no"),
                              (["--set", "waits.stall=no"] * 32, "too many of --set"), (["--quiet=no"], "no option --quiet=no"),
                              (["--set", "x"], "(waits.stall=no)"), (["--set", "device.engines=-4"], "--help-model")):
            done = emulate("true", options=options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_the_object_needs_the_c_library_alone(self):
        done = subprocess.run(["readelf", "-d", os.path.join(os.path.dirname(EMULATE), "libconfound-emulator.so")],
                              capture_output=True, text=True, timeout=60, check=True)
        needed = [line.split("[")[1].rstrip("]") for line in done.stdout.splitlines() if "(NEEDED)" in line]
        self.assertEqual(needed, ["libc.so.6"])


class Device(IntelTest):
    @classmethod
    def setUpClass(cls):
        if missing():
            return
        folder = tempfile.TemporaryDirectory(prefix="confound-intel-")
        cls.addClassCleanup(folder.cleanup)
        cls.unknown = build_program("unknown", folder.name, libraries=())
        cls.order = build_program("order", folder.name)
        cls.lost = build_program("lost", folder.name)

    def test_an_unknown_command_is_said_by_name_and_again_at_the_end(self):
        done = emulate(self.unknown)
        self.assertIn("submission was given up", self.ends_well(done))
        self.assertRegex(done.stderr, r"the device stops: ccs0, exec queue \d+, at 0x100000: unknown command, opcode 0x28, "
                                      r"dword 0x14000002\n")
        self.assertIn("1 submission ended at something that is not known; results are void\n", done.stderr)

    TOLD = (r"^confound-emulate: [1-9]\d* kernels were not executed: what they would have written is missing, and a copy "
            r"or fill that the driver makes with a kernel moved nothing\n$")

    def test_copies_that_the_driver_makes_with_kernels_are_not_lost_without_a_word(self):
        done = emulate(self.lost, "0")
        self.assertEqual(self.ends_well(done), "lost\n")
        self.assertRegex(done.stderr, self.TOLD)
        done = emulate(self.lost, "1")
        self.assertEqual((self.ends_well(done), done.stderr), ("moved\n", ""))

    def test_kernels_are_told_of_once_whoever_started_them_and_however_it_ended(self):
        done = emulate("sh", "-c", f"'{self.lost}' 0 killed & wait; '{self.lost}' 0")
        self.assertEqual(self.ends_well(done), "lost\nlost\n")
        self.assertRegex(done.stderr, self.TOLD)
        done = emulate(self.lost, "0", options=["--quiet"])
        self.assertEqual((self.ends_well(done), done.stderr), ("lost\n", ""))

    def test_two_programs_at_once_stay_apart(self):
        command = [EMULATE, "--drivers", DRIVERS, "--", self.order, KERNELS]
        both = [subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for _ in range(2)]
        for process in both:
            out, err = process.communicate(timeout=240)
            self.assertEqual((process.returncode, out.strip(), err), (0, "order is kept", ""))

    def test_the_timeline_shows_engines_and_commands(self):
        file = self.path("timeline")
        self.ends_well(emulate(self.order, KERNELS, options=["--timeline", file]))
        with open(file, encoding="utf-8") as text:
            shown = text.read()
        self.assertRegex(shown, r"(?m)^bcs0   engine \|[.#]+\|$")
        self.assertRegex(shown, r"(?m)^ccs0   engine \|[.K]+\|$")
        self.assertIn("COMPUTE_WALKER, not computed\n", shown)

    def test_devices_and_record_show_one_version_of_the_driver(self):
        file = self.path("record.json")
        shown = self.ends_well(emulate(CONFOUND, "devices"))
        done = emulate(CONFOUND, "run", "--device", "level-zero", "--rounds", "1", "--min-rounds", "1", "--set",
                       "lane.a.count=2", "--set", "lane.b.count=2", "-o", file)
        self.assertIn(done.returncode, (0, 3), f"{done.stdout}\n{done.stderr}")
        self.assertEqual(done.stderr.count("not executed"), 0, done.stderr)
        with open(file, encoding="utf-8") as text:
            driver = json.load(text)["device"]["driver"]
        self.assertRegex(driver, r"^Intel driver [0-9.]+ on an emulated GPU$")
        self.assertIn(f"(emulated) driver {driver} engines", " ".join(shown.split()))
        self.assertIn(driver, " ".join(done.stdout.split()))


if __name__ == "__main__":
    main()
