"""Every command that the interpreter knows is run by a unit test, and the check sees one that is not."""

import os
import re
import unittest

ROOT = os.environ["CONFOUND_SOURCE"]


def known():
    with open(os.path.join(ROOT, "emulator", "command.c"), encoding="utf-8") as file:
        return re.findall(r'^    \{"(\w+)",', file.read(), re.MULTILINE)


def emitted():
    """The names that tests give to EMIT or emit, which hold each first dword against the table."""
    names = set()
    folder = os.path.join(ROOT, "tests", "emulator")
    for name in os.listdir(folder):
        if name.endswith(".c"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                names |= set(re.findall(r'\b(?:EMIT|emit)\(&?\w+, "(\w+)"', file.read()))
    with open(os.path.join(folder, "rig.h"), encoding="utf-8") as file:
        names |= set(re.findall(r'EMIT\(r, "(\w+)"', file.read()))
    return names


class Commands(unittest.TestCase):
    def test_every_known_command_has_a_unit_test(self):
        self.assertGreater(len(known()), 25)
        self.assertEqual([name for name in known() if name not in emitted()], [])

    def test_a_command_without_one_would_be_seen(self):
        self.assertNotIn("MI_REPORT_PERF_COUNT", emitted())
        self.assertNotIn("MI_REPORT_PERF_COUNT", known())


if __name__ == "__main__":
    unittest.main()
