"""./dev stands between its caller and the program, and is not to be noticed: in a checkout of its own, with a program
that says what it was given."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.environ["CONFOUND_SOURCE"]

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(confound LANGUAGES C)
add_executable(confound main.c)
"""
PROGRAM = """#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char folder[4096];
    int c;
    printf("%s\\n", getcwd(folder, sizeof folder));
    for (int i = 1; i < argc; i++)
        printf("<%s>\\n", argv[i]);
    while ((c = getchar()) != EOF)
        putchar(c);
    fprintf(stderr, "program's own\\n");
    return 42;
}
"""


class Dev(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = os.path.realpath(tempfile.mkdtemp(prefix="confound dev "))
        cls.addClassCleanup(shutil.rmtree, cls.work)

    def setUp(self):
        self.checkout = os.path.join(self.work, self.id().rsplit(".", 1)[-1])
        os.mkdir(self.checkout)
        for name in ("dev", "CMakePresets.json"):
            shutil.copy(os.path.join(ROOT, name), self.checkout)
        self.write("CMakeLists.txt", CMAKE)
        self.write("main.c", PROGRAM)

    def write(self, name, text):
        with open(os.path.join(self.checkout, name), "w", encoding="utf-8") as file:
            file.write(text)

    def dev(self, *arguments, program=None, **more):
        return subprocess.run([program or os.path.join(self.checkout, "dev"), *arguments], capture_output=True,
                              text=True, timeout=300, check=False, **more)

    def test_the_program_gets_its_arguments_input_and_folder_and_its_status_comes_back(self):
        folder = os.path.join(self.work, "caller's folder")
        os.mkdir(folder)
        done = self.dev("confound", "a b", "", "--x=*", input="typed\n", cwd=folder)
        self.assertEqual(done.stdout, f"{folder}\n<a b>\n<>\n<--x=*>\ntyped\n")
        self.assertEqual(done.stderr, "program's own\n")
        self.assertEqual(done.returncode, 42)

    def test_a_link_to_dev_finds_the_checkout(self):
        link = os.path.join(self.work, "link")
        os.symlink(os.path.join(self.checkout, "dev"), link)
        done = self.dev("confound", program=link, input="", cwd="/")
        self.assertEqual((done.stdout, done.returncode), ("/\n", 42))

    def test_run_runs_the_experiment_on_soft(self):
        done = self.dev("run", "--seed", "1", input="", cwd="/")
        self.assertEqual(done.stdout, "/\n<run>\n<--device>\n<soft>\n<--seed>\n<1>\n")

    def test_a_changed_source_is_built_before_it_runs(self):
        self.dev("confound", input="")
        self.write("main.c", PROGRAM.replace("return 42", "return 43"))
        self.assertEqual(self.dev("confound", input="").returncode, 43)

    def test_a_build_that_fails_says_so_on_stderr_alone(self):
        self.write("main.c", "int main(void) { return nothing; }\n")
        done = self.dev("confound", input="")
        self.assertEqual(done.stdout, "")
        self.assertIn("main.c:1", done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], "^dev: failed: ")
        self.assertEqual(done.returncode, 125)

    def test_a_moved_checkout_is_built_anew(self):
        self.dev("confound", input="")
        moved = self.checkout + " moved"
        os.rename(self.checkout, moved)
        done = self.dev("confound", program=os.path.join(moved, "dev"), input="", cwd="/")
        self.assertEqual((done.stdout, done.returncode), ("/\n", 42))

    def test_two_at_once_do_not_disturb_each_other(self):
        command = [os.path.join(self.checkout, "dev"), "confound"]
        started = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for _ in range(3)]
        for one in started:
            _, said = one.communicate(timeout=300)
            self.assertEqual((one.returncode, said), (42, b"program's own\n"))

    def outcome_of(self, *commands):
        lines = [f"add_test(NAME t{number} COMMAND {command})\n"
                 f"set_tests_properties(t{number} PROPERTIES SKIP_RETURN_CODE 77)\n"
                 for number, command in enumerate(commands)]
        self.write("CMakeLists.txt", CMAKE + "add_custom_target(benches)\nenable_testing()\n" + "".join(lines))
        done = self.dev("test", input="")
        return done.stdout.splitlines(), done.returncode

    def test_the_tests_close_with_their_counts(self):
        lines, status = self.outcome_of("true", "true")
        self.assertEqual((lines[-1], status), ("2 passed, 0 failed, 0 skipped", 0))
        self.assertIn("100% tests passed, 0 tests failed out of 2", lines)

    def test_a_test_that_fails_is_counted_and_fails_the_run(self):
        lines, status = self.outcome_of("true", "false", 'sh -c "exit 77"', "true")
        self.assertEqual(lines[-1], "2 passed, 1 failed, 1 skipped")
        self.assertNotEqual(status, 0)

    def test_no_test_at_all_fails_the_run(self):
        self.assertNotEqual(self.outcome_of()[1], 0)

    def test_a_subcommand_that_is_none_is_named(self):
        done = self.dev("tset")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^dev: no subcommand 'tset'; there are: .*test.*\n$")

    def test_help_names_every_subcommand(self):
        with open(os.path.join(ROOT, "dev"), encoding="utf-8") as file:
            commands = re.findall(r"^cmd_(\w+)\(\)", file.read(), re.MULTILINE)
        help_text = self.dev("help").stdout
        self.assertGreater(len(commands), 6)
        for command in commands:
            self.assertIn(f"./dev {command}", help_text)

    def tools(self, *real, **scripts):
        """A folder for PATH: of this machine's tools those named, and scripts in the place of others."""
        folder = os.path.join(self.checkout, "tools")
        os.mkdir(folder)
        for name in ("bash", "readlink", "dirname", "nproc", *real):
            os.symlink(shutil.which(name), os.path.join(folder, name))
        for name, text in scripts.items():
            path = os.path.join(folder, name.replace("_", "-"))
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/usr/bin/env bash\n" + text)
            os.chmod(path, 0o755)
        return folder

    def test_what_is_missing_is_named_where_it_cannot_be_installed(self):
        done = self.dev("run", env={"PATH": self.tools()})
        self.assertEqual(done.returncode, 125)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("cmake", done.stderr)
        self.assertIn("apt-get", done.stderr)

    # Debian 13 has no LLVM 14: apt-get's "Unable to locate package" was all that was said, after a fetch of its lists and
    # another try, and `fmt` wanted the browser and all else that CI needs.
    def test_a_package_that_apt_get_has_not_is_named_with_what_to_do(self):
        installed = os.path.join(self.checkout, "installed")
        tools = self.tools("cat", "env", "id", "mkdir", "sed",
                           apt_get=f'[[ $1 == update ]] || echo "$@" >>"{installed}"\n',
                           apt_cache='printf "%s:\\n  Candidate: %s\\n" "$2" "(none)"\n', sudo='exec "$@"\n')
        done = self.dev("fmt", env={"PATH": tools})
        self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Adev: apt-get has no clang-format-\d+ here: [^\n]* pip install "
                                      r"'clang-format==\d+\.\*'[^\n]*\n\Z")
        self.assertFalse(os.path.exists(installed))

    def test_lists_that_could_not_be_fetched_are_named(self):
        tools = self.tools("cat", "env", "id", "mkdir", "sed", apt_get='echo "W: Failed to fetch http://mirror"\n',
                           apt_cache="", sudo='exec "$@"\n')
        done = self.dev("fmt", env={"PATH": tools})
        self.assertIn("W: Failed to fetch http://mirror\ndev: apt-get has no clang-format-", done.stderr)

    def format_with(self, version):
        for name in ("src", "emulator", "include", "tests", "bench", "fuzz", "examples"):
            os.mkdir(os.path.join(self.checkout, name))
        self.write("src/a.c", "int a;\n")
        tools = self.tools("cat", "env", "find", "id", "mkdir", "sed", "xargs", apt_get="exit 1\n", apt_cache="", sudo="exit 1\n",
                           clang_format=f'[[ $1 != --version ]] && echo "$@" || echo "clang-format version {version}"\n')
        return self.dev("fmt", env={"PATH": tools})

    def test_a_clang_format_of_the_right_version_will_do_whatever_its_name(self):
        with open(os.path.join(ROOT, "dev"), encoding="utf-8") as file:
            version = re.search(r"^llvm=(\d+)", file.read(), re.MULTILINE).group(1)
        done = self.format_with(f"{version}.0.6")
        self.assertEqual((done.stdout, done.returncode), (f"-i {self.checkout}/src/a.c\n", 0), done.stderr)

    def test_a_clang_format_of_another_version_is_not_used(self):
        done = self.format_with("19.1.7")
        self.assertEqual((done.stdout, done.returncode), ("", 125), done.stderr)

    def test_a_step_of_ci_that_was_skipped_is_not_said_to_have_passed(self):
        script = ("set -euo pipefail; root=$1 self=none llvm=14; need() { :; }; . \"$root/.ci/steps.sh\"; ci_build=$2; "
                  "step_tidy() { may_skip 'it cannot be had'; }; step_format() { :; }; ci tidy format")
        done = subprocess.run(["bash", "-c", script, "ci", ROOT, self.work], capture_output=True, text=True, timeout=300,
                              check=False, env={"PATH": os.environ["PATH"], "CONFOUND_ALLOW_SKIP": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\A== tidy\nskipped: it cannot be had\n== tidy: SKIPPED\n== format\n"
                                      r"== format: passed in \d+ s\n== skipped: tidy\n\Z")

    def step_without_its_tool(self, step, **variables):
        script = ("set -euo pipefail; root=$1 self=none llvm=14; need() { return 1; }; "
                  "die() { echo \"$@\" >&2; exit 125; }; . \"$root/.ci/steps.sh\"; \"step_$2\"")
        return subprocess.run(["bash", "-c", script, "ci", ROOT, step], capture_output=True, text=True, timeout=300,
                              check=False, env={"PATH": os.environ["PATH"], **variables})

    def test_a_step_of_ci_whose_tool_cannot_be_had_fails_unless_that_is_allowed(self):
        for step in ("tidy", "format"):
            with self.subTest(step):
                done = self.step_without_its_tool(step)
                self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
                self.assertIn("CONFOUND_ALLOW_SKIP=1", done.stderr)
                done = self.step_without_its_tool(step, CONFOUND_ALLOW_SKIP="1")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, rf"\Askipped: there is no clang-{step} of version 14\n\Z")


if __name__ == "__main__":
    unittest.main()
