"""The C library's functions that the emulator stands in for, where the compiler checks their callers: distributions build
with _FORTIFY_SOURCE, and the headers then have functions of the same names."""

import glob
import itertools
import os
import shutil
import subprocess
import unittest

ROOT = os.environ["CONFOUND_SOURCE"]
COMPILERS = [found for found in map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang")) if found]
SOURCES = sorted(glob.glob(os.path.join(ROOT, "emulator", "preload*.c")))


class Fortified(unittest.TestCase):
    def compile(self, compiler, source, level):
        return subprocess.run([compiler, "-fsyntax-only", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-O2",
                               "-U_FORTIFY_SOURCE", f"-D_FORTIFY_SOURCE={level}", f"-I{ROOT}", f"-I{ROOT}/src",
                               f"-I{ROOT}/include", source],
                              capture_output=True, text=True, timeout=120, check=False)

    def test_they_compile_with_every_compiler_that_is_here(self):
        """clang did not know which `open` was meant: the headers have several for it."""
        self.assertGreater(len(SOURCES), 3)
        for compiler, source, level in itertools.product(COMPILERS, SOURCES, (2, 3)):
            with self.subTest(compiler=compiler, source=source, level=level):
                done = self.compile(compiler, source, level)
                self.assertEqual((done.stderr, done.returncode), ("", 0))


if __name__ == "__main__":
    unittest.main()
