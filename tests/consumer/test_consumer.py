"""What is installed is all that a user needs: headers, library, pkg-config file and CMake package.

Installs the build into a temporary prefix, moves the prefix, and builds a C and a C++ program against it, by
pkg-config and by CMake.
"""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.environ["CONFOUND_SOURCE"]
BUILD = os.environ["CONFOUND_BUILD"]
HERE = os.path.join(ROOT, "tests", "consumer")
CC = os.environ.get("CC") or "cc"
CXX = os.environ.get("CXX") or "c++"


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)
    if done.returncode:
        raise AssertionError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def exported_by_map():
    """The patterns of cmake/confound.map that name functions."""
    with open(os.path.join(ROOT, "cmake", "confound.map"), encoding="utf-8") as file:
        return re.findall(r"^\s+(confound_[\w*]+);", file.read(), re.MULTILINE)


def declared():
    """The functions that the public headers declare."""
    names = set()
    folder = os.path.join(ROOT, "include", "confound")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            names |= set(re.findall(r"^CONFOUND_API\s[^;(]*?(\w+)\(", file.read(), re.MULTILINE))
    return names


class Consumer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="confound consumer ")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        built_for = os.path.join(cls.work, "first")
        run("cmake", "--install", BUILD, "--prefix", built_for, env={k: v for k, v in os.environ.items() if k != "DESTDIR"})
        cls.prefix = os.path.join(cls.work, "prefix")
        os.rename(built_for, cls.prefix)
        (cls.library,) = [
            os.path.join(path, "libconfound.so.0")
            for path, _, names in os.walk(cls.prefix)
            if "libconfound.so.0" in names
        ]
        cls.libraries = os.path.dirname(cls.library)
        cls.environment = {
            **os.environ,
            "PKG_CONFIG_PATH": os.path.join(cls.libraries, "pkgconfig"),
            "LD_LIBRARY_PATH": cls.libraries,
        }

    def test_the_emulator_comes_with_its_page_and_with_what_fetches_its_drivers(self):
        programs = os.path.join(self.prefix, "bin")
        if not os.path.exists(os.path.join(BUILD, "confound-emulate")):
            self.skipTest("confound-emulate is not built with sanitizers")
        self.assertIn("--timeline FILE", run(os.path.join(programs, "confound-emulate"), "--help"))
        self.assertTrue(os.path.exists(os.path.join(self.prefix, "share", "man", "man1", "confound-emulate.1")))
        fetch = os.path.join(programs, "confound-emulate-fetch")
        self.assertIn("confound-emulate-fetch", run(fetch, "--help"))
        refused = subprocess.run([fetch, "one", "two"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((refused.returncode, refused.stderr), (2, "intel: usage: confound-emulate-fetch [DIR]\n"))
        done = subprocess.run([os.path.join(programs, "confound-emulate"), "--drivers", self.work, "true"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("confound-emulate-fetch", done.stderr)

    def pkg_config(self, *options):
        return shlex.split(run("pkg-config", *options, "confound", env=self.environment))

    def build(self, compiler, source):
        program = os.path.join(self.work, os.path.splitext(source)[0])
        run(*shlex.split(compiler), "-Wall", "-Wextra", "-Werror", os.path.join(HERE, source), "-o", program,
            *self.pkg_config("--cflags", "--libs"))
        return program

    def use(self, run_job, judge_record):
        record = os.path.join(self.work, "record.json")
        self.assertEqual(run(run_job, record, env=self.environment), "0.1.0 confounded\n")
        lines = run(judge_record, record, env=self.environment).splitlines()
        self.assertEqual(lines[0], "none overlaps none")
        self.assertIn("timing serialises confounded", lines)
        self.assertIn("sync overlaps clear", lines)

    def test_a_user_of_pkg_config_runs_and_judges(self):
        self.assertEqual(self.pkg_config("--modversion"), ["0.1.0"])
        self.use(self.build(CC, "run_job.c"), self.build(CXX, "judge_record.cpp"))

    def test_a_user_of_cmake_runs_and_judges(self):
        folder = os.path.join(self.work, "cmake")
        run("cmake", "-S", HERE, "-B", folder, "-G", "Ninja", "-DCMAKE_PREFIX_PATH=" + self.prefix)
        run("cmake", "--build", folder)
        self.use(os.path.join(folder, "run_job"), os.path.join(folder, "judge_record"))

    def test_a_user_in_cpp_brings_a_step(self):
        program = self.build(CXX, "own_step.cpp")
        self.assertEqual(run(program, env=self.environment), "12 rounds, every step waited for: yes\n")

    def test_another_version_is_refused(self):
        folder = os.path.join(self.work, "other")
        os.mkdir(folder)
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES C)\nfind_package(confound 9 REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, "confound"):
            run("cmake", "-S", folder, "-B", folder + "/build", "-G", "Ninja", "-DCMAKE_PREFIX_PATH=" + self.prefix)

    def test_only_what_the_headers_declare_is_exported(self):
        symbols = run("nm", "-D", "--defined-only", self.library).splitlines()
        exported = {re.sub("@.*", "", line.split()[-1]) for line in symbols} - {"CONFOUND_0"}
        self.assertEqual(exported, declared())
        self.assertEqual([name for name in exported_by_map() if "*" not in name and name not in exported], [])

    def test_a_program_that_uses_what_is_not_exported_does_not_link(self):
        source = os.path.join(self.work, "inside.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("const char *cf_status_name(int);\nint main(void) { return !cf_status_name(0); }\n")
        with self.assertRaisesRegex(AssertionError, "undefined reference"):
            run(*shlex.split(CC), source, "-o", source + ".out", *self.pkg_config("--libs"))

    def test_the_installed_program_runs(self):
        program = os.path.join(self.prefix, "bin", "confound")
        self.assertIn("0.1.0", run(program, "--version"))


if __name__ == "__main__":
    unittest.main()
