"""Programs on Intel's own drivers and the emulated GPU: what tests/intel needs. Skips where ./dev intel has not fetched
the drivers, and where the emulator was not built (under sanitizers)."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ["CONFOUND_SOURCE"]
BUILD = os.environ["CONFOUND_BUILD"]
DRIVERS = os.environ.get("CONFOUND_INTEL") or os.path.join(ROOT, "build", "intel")
EMULATE = os.path.join(BUILD, "confound-emulate")
CONFOUND = os.environ.get("CONFOUND") or os.path.join(BUILD, "confound")
KERNELS = os.path.join(BUILD, "generated", "level_zero_spirv.c.spv")
LIBRARIES = os.path.join(DRIVERS, "root", "usr", "lib", "x86_64-linux-gnu")
HEADERS = os.path.join(DRIVERS, "root", "usr", "include")
DIRECT = {"on": {}, "off": {"NEOReadDebugKeys": "1", "EnableDirectSubmission": "0"}}
SKIPPED = 77


def missing():
    if not os.path.exists(os.path.join(DRIVERS, "versions")):
        return "Intel's drivers were not fetched: ./dev intel does it"
    if not os.path.exists(EMULATE):
        return "no confound-emulate in this build"
    return None


def environment(changes=None):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CONFOUND", "NEO", "ZE_", "ZET_", "OCL_"))}
    kept["LC_ALL"] = "C.UTF-8"
    kept.update(changes or {})
    return kept


def emulate(*command, options=(), changes=None, timeout_s=240, cwd=None, stdin=subprocess.DEVNULL):
    """command on the emulated GPU: a CompletedProcess with texts."""
    return subprocess.run([EMULATE, "--drivers", DRIVERS, *options, "--", *command], env=environment(changes), cwd=cwd,
                          stdin=stdin, capture_output=True, text=True, errors="replace", timeout=timeout_s, check=False)


class IntelTest(unittest.TestCase):
    """A test with a folder of its own."""

    maxDiff = None

    def setUp(self):
        why = missing()
        if why:
            self.skipTest(why)
        folder = tempfile.TemporaryDirectory(prefix="confound-intel-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def ends_well(self, done):
        self.assertEqual(done.returncode, 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout


def build_program(name, folder, libraries=("libze_loader.so.1",)):
    """tests/intel/programs/NAME.c, built with the system's compiler against the fetched headers and libraries."""
    target = os.path.join(folder, name)
    # The headers of the C library stay the system's: only these folders are taken from what was fetched.
    include = os.path.join(folder, "include")
    os.makedirs(include, exist_ok=True)
    for part in ("level_zero",):
        if not os.path.exists(os.path.join(include, part)):
            os.symlink(os.path.join(HEADERS, part), os.path.join(include, part))
    command = [os.environ.get("CC") or "cc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I", include, "-I",
               ROOT, "-o", target, os.path.join(ROOT, "tests", "intel", "programs", name + ".c"),
               *[os.path.join(LIBRARIES, library) for library in libraries], "-Wl,--allow-shlib-undefined", "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return target


def main():
    """unittest.main, but 77 where every test was skipped."""
    result = unittest.main(module="__main__", exit=False).result
    if result.wasSuccessful() and result.testsRun and len(result.skipped) == result.testsRun:
        print(f"skipped: {missing()}", file=sys.stderr)
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())
