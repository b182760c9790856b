#!/usr/bin/env python3
"""A Level Zero program that knows nothing of confound, on a loader that stands in for one: a timestamp there runs on the
compute engine, and holds what comes behind it until the kernels before are over. What the program prints is the same
(it checks its data and every answer), and what it has timed is toggled or left as it is. Steps take real time."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402
from test_programs import BUILD, KERNEL_US, SANITIZED, STEPS, ToggleTest, stub, variant_of  # noqa: E402

WAYS = ("level-zero-linked", "level-zero-loaded")


def names_of(record):
    return [variant["name"] for variant in record["variants"]]


class LevelZeroTest(ToggleTest):
    def stepped(self, mode, way=WAYS[1], steps=STEPS, **more):
        env = {"LD_LIBRARY_PATH": os.path.join(BUILD, "stub", "level-zero"), "CONFOUND_STUB_BESIDE": self.path("beside")}
        record = self.toggle(stub(way), steps, KERNEL_US, mode, env=env, **more)
        self.assertEqual(self.plain.returncode, 0, self.plain.stdout)
        self.assertIsNotNone(record, self.result)
        return record

    def counts(self, record, arm):
        """Of the three steps of an arm: commands that went the other way."""
        return variant_of(record, arm)["armed_count"]

    def test_stamps_and_events_are_toggled_however_the_loader_was_found(self):
        for way in WAYS:
            for mode in ("stamps", "events", "signals"):
                with self.subTest(f"{way} {mode}"):
                    self.setUp()
                    record = self.stepped(mode, way)
                    self.assert_armed(record, "stripped")
                    self.assertEqual((len(record["rounds"]), self.counts(record, "stripped")), (3, 6))
                    self.assertNotIn("added", names_of(record))

    def test_what_a_timestamp_serialises_is_found(self):
        record = self.stepped("stamps", steps="180", rounds="16")
        shipped, stripped = (sorted(values["values"][index][0] for values in record["rounds"]) for index in (0, 2))
        if "thread" not in SANITIZED:  # there the times are the sanitizer's
            self.assertLess(stripped[8], 0.8 * shipped[8])
        alone, toggled = self.copies_beside_the_kernel()
        self.assertEqual(alone, 0)
        self.assertGreater(toggled, 0)
        self.assertEqual(self.counts(record, "stripped"), 2 * 16)
        effect = program.variants_of(self.judge())["stripped"]["effect"]
        self.assertIn((effect["verdict"], effect["direction"]), (("confounded", "faster"), ("inconclusive", None)))

    def test_where_the_copies_own_signals_serialise_nothing_nothing_is_blamed(self):
        self.stepped("events", steps="180", rounds="16")
        judged = program.variants_of(self.judge())
        self.assertNotEqual(judged["stripped"]["effect"]["verdict"], "confounded", self.result)

    def copies_beside_the_kernel(self):
        """Of the program alone, and toggled: counted by the device, which no clock and no load changes."""
        return [int(line) for line in self.read("beside").split()]

    def judge(self):
        return self.confound("judge", "record.json", "--json", "-").json()

    def test_order_data_and_answers_survive(self):
        for mode, toggled in (("counter", 6), ("fresh", 6), ("order", 6), ("chain", 12), ("many", 60)):
            with self.subTest(mode):
                self.setUp()
                record = self.stepped(mode)
                self.assert_armed(record, "stripped")
                self.assertEqual(self.counts(record, "stripped"), toggled)
                self.assertIn(b" 0 complaints", self.plain.stdout)

    def test_events_without_a_time_are_timed_in_added_steps(self):
        record = self.stepped("plain")
        self.assert_armed(record, "added")
        self.assertEqual(self.counts(record, "added"), 6)
        self.assertNotIn("stripped", names_of(record))

    def test_events_of_recorded_lists_are_left_as_they_are(self):
        record = self.stepped("recorded")
        self.assertIn("left", record["skipped"])
        self.assertEqual(self.counts(record, "stripped"), 3)  # the stamp

    def test_who_has_functions_of_the_drivers_own_keeps_its_events(self):
        env = {"LD_LIBRARY_PATH": os.path.join(BUILD, "stub", "level-zero")}
        self.assertIsNone(self.toggle(stub(WAYS[1]), STEPS, KERNEL_US, "extension", env=env))
        self.assertEqual((self.plain.returncode, self.result.status), (0, 4), self.result)

    def test_the_sites_and_the_answers_are_counted(self):
        facts = self.stepped("events")["device"]["facts"]
        self.assertRegex(facts["site 1"], r"of level-zero-loaded: 1 timed command a step")
        self.assertRegex(facts["answered"], r"^2 questions for a time in each stripped step")
        self.assertRegex(facts["timed"], r"^2 timed and 0 other commands a step")


if __name__ == "__main__":
    program.main()
