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

    def test_what_is_missing_is_named_where_it_cannot_be_installed(self):
        tools = os.path.join(self.work, "tools")
        os.mkdir(tools)
        for name in ("bash", "readlink", "dirname", "nproc"):
            os.symlink(shutil.which(name), os.path.join(tools, name))
        done = self.dev("run", env={"PATH": tools})
        self.assertEqual(done.returncode, 125)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("cmake", done.stderr)
        self.assertIn("apt-get", done.stderr)


if __name__ == "__main__":
    unittest.main()
