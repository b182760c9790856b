"""Each header compiles alone: in C, and the public ones in C++ as well."""

import concurrent.futures
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest

import layers

ROOT = os.environ["CONFOUND_SOURCE"]
CC = os.environ.get("CC") or "cc"
CXX = os.environ.get("CXX") or shutil.which("c++") or shutil.which("clang++")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function"]
LIBRARIES = ["jansson", "inih", "nettle"]


def library_flags():
    done = subprocess.run(["pkg-config", "--cflags", *LIBRARIES], capture_output=True, text=True, check=True)
    return shlex.split(done.stdout)


def compile_alone(compiler, header, folders, options):
    """What the compiler says to a file that includes nothing but header; "" where it compiles."""
    with tempfile.TemporaryDirectory() as work:
        ending = ".cpp" if "c++" in options[0] else ".c"
        source = os.path.join(work, "alone" + ending)
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'#include "{header}"\nextern int alone;\n')
        command = [*shlex.split(compiler), *options, *WARNINGS, "-fsyntax-only", source]
        for folder in folders:
            command.insert(-1, "-I" + folder)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 0:
        return ""
    return done.stderr or f"{header}: the compiler ended with {done.returncode} and no word"


def failures(compiler, headers, folders, options):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda header: compile_alone(compiler, header, folders, options), headers)
    return [text for text in results if text]


class Headers(unittest.TestCase):
    def test_each_header_of_a_room_compiles_alone(self):
        headers = [os.path.relpath(path, os.path.join(ROOT, "src"))
                   for path in layers.sources(os.path.join(ROOT, "src"), (".h",))]
        headers += [os.path.relpath(path, ROOT) for path in layers.sources(os.path.join(ROOT, "emulator"), (".h",))]
        self.assertGreater(len(headers), 10)
        folders = [os.path.join(ROOT, "src"), os.path.join(ROOT, "include"), ROOT]
        self.assertEqual(failures(CC, headers, folders, ["-std=gnu11", "-D_GNU_SOURCE", *library_flags()]), [])

    def public(self, compiler, standard):
        include = os.path.join(ROOT, "include")
        headers = [os.path.relpath(path, include) for path in layers.sources(include, (".h",))]
        self.assertIn("confound/confound.h", headers)
        self.assertEqual(failures(compiler, headers, [include], [standard]), [])

    def test_each_public_header_compiles_alone_in_c(self):
        self.public(CC, "-std=c11")
        self.public(CC, "-std=c99")

    def test_each_public_header_compiles_alone_in_cpp(self):
        if not CXX:
            self.skipTest("no C++ compiler")
        self.public(CXX, "-std=c++11")

    def test_a_header_that_needs_another_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "planted.h"), "w", encoding="utf-8") as file:
                file.write("size_t planted(void);\n")
            found = failures(CC, ["planted.h"], [folder], ["-std=gnu11"])
        self.assertEqual(len(found), 1)
        self.assertIn("size_t", found[0])


if __name__ == "__main__":
    unittest.main()
