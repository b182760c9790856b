"""The program as seen from outside: runs $CONFOUND in a folder of the test's own and reads what it wrote."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from decimal import Decimal

PROGRAM = os.environ.get("CONFOUND", "")
TIMEOUT_S = 120
SKIPPED = 77


def needs_program(test):
    return unittest.skipUnless(PROGRAM, "CONFOUND does not name the program")(test)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Result:
    def __init__(self, status, out, err):
        self.status = status
        self.out_bytes, self.err_bytes = out, err
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")

    def json(self):
        """Standard output as one JSON document; numbers with a point are Decimal."""
        return json.loads(self.out, parse_float=Decimal)

    def __str__(self):
        return f"exit {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def environment(changes=None):
    """The caller's environment without any CONFOUND_… or colour setting, then changes (None = unset)."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("CONFOUND") and k not in ("NO_COLOR", "TERM")}
    env["TERM"] = "xterm-256color"
    env["LC_ALL"] = "C.UTF-8"
    for key, value in (changes or {}).items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = value
    return env


def run(*arguments, cwd, env=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout_s=TIMEOUT_S):
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, env=environment(env), stdin=stdin, stdout=stdout,
                          stderr=subprocess.PIPE, timeout=timeout_s, check=False)
    return Result(done.returncode, done.stdout or b"", done.stderr)


def start(*arguments, cwd, env=None):
    """Starts the program; the caller waits or kills."""
    return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=cwd, env=environment(env), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stop(process):
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()


def ns_of_ms(value):
    """A time in ms that is a whole number of ns, as that number; fails on anything else."""
    ns = Decimal(value) * 10**6
    if ns != ns.to_integral_value():
        raise AssertionError(f"{value} ms is not a whole number of ns")
    return int(ns)


def variants_of(judgement):
    return {variant["name"]: variant for variant in judgement["variants"]}


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own, in which the program runs."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="confound-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def wait_for(self, what, holds):
        deadline = time.monotonic() + TIMEOUT_S
        while not holds():
            if time.monotonic() > deadline:
                self.fail(f"{what}: not in {TIMEOUT_S} s")
            time.sleep(0.02)

    def confound(self, *arguments, **keywords):
        keywords.setdefault("cwd", self.folder)
        return run(*arguments, **keywords)

    def passes(self, *arguments, **keywords):
        result = self.confound(*arguments, **keywords)
        self.assertEqual(result.status, 0, f"{' '.join(map(str, arguments))}: {result}")
        return result


def main():
    """unittest.main, but 77 where every test was skipped."""
    result = unittest.main(module="__main__", exit=False).result
    if result.wasSuccessful() and result.testsRun and len(result.skipped) == result.testsRun:
        print(f"skipped: {len(result.skipped)} of {result.testsRun}", file=sys.stderr)
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())
