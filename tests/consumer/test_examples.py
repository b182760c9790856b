"""The programs of examples/c against the installed library, in real time: two threads, a staging loop, a device.

On a busy machine an answer may be missing; a wrong one never is. Each has a twin that must read otherwise.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.environ["CONFOUND_SOURCE"]
BUILD = os.environ["CONFOUND_BUILD"]
OPEN = {"inconclusive", "partial"}  # what a machine that is busy with other work may leave


def run(*command, limit=240, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, **more)
    if done.returncode:
        raise AssertionError(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


def rows(report):
    """The table's rows: name -> (reading, meaning)."""
    found = {}
    for line in report.splitlines()[4:]:
        if not line.strip():
            break
        name = line.split()[0]
        reading = re.search(r" (overlaps|serialises|partial|inconclusive|host-bound|ill-conditioned) +(.+)$", line)
        found[name] = (reading.group(1), reading.group(2).strip())
    return found


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="confound examples ")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        prefix = os.path.join(cls.work, "prefix")
        environment = {k: v for k, v in os.environ.items() if k != "DESTDIR"}
        run("cmake", "--install", BUILD, "--prefix", prefix, env=environment)
        cls.built = os.path.join(cls.work, "built")
        run("cmake", "-S", os.path.join(ROOT, "examples", "c"), "-B", cls.built, "-G", "Ninja",
            "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
        run("cmake", "--build", cls.built)

    def example(self, *command):
        return run(os.path.join(self.built, command[0]), *command[1:])

    def test_threads_of_ones_own_are_read_as_they_run(self):
        self.assertIn(self.example("threads").strip(), {"overlaps"} | OPEN)

    def test_threads_that_take_turns_are_read_so(self):
        self.assertIn(self.example("threads", "serial").strip(), {"serialises", "inconclusive"})

    def test_a_tracer_in_the_queue_of_the_layers_is_never_cleared(self):
        report = self.example("staging", "16")
        table = rows(report)
        self.assertTrue(report.startswith("two slots: 8 x copies of 4 MiB beside 8 x layers, the caller's own"), report)
        self.assertIn(table["none"][0], {"overlaps"} | OPEN, report)
        self.assertNotIn(table["tracer"][1], {"clear"}, report)
        self.assertIn(table["tracer"][0], {"serialises"} | OPEN, report)
        self.assertEqual(table["against"][1], "2nd design", report)
        self.assertNotIn("is faster and pays", report)

    def test_a_device_of_ones_own_runs_the_experiment_and_its_results_are_right(self):
        report = self.example("workers", "16")
        table = rows(report)
        self.assertTrue(report.startswith("8 x h2d beside 8 x kernel on workers (simulated)"), report)
        self.assertIn(table["none"][0], {"overlaps"} | OPEN, report)
        self.assertIn(table["one-queue"][0], {"serialises", "inconclusive"}, report)
        self.assertNotIn("CONFOUNDED", report)
        self.assertNotIn("INVALID", report)


if __name__ == "__main__":
    unittest.main()
