"""Programs that others could have written against Level Zero: their data and their order are right on Intel's driver and
the emulated GPU, with direct submission on and off. In real time."""

import os
import tempfile
import unittest

from intel import DIRECT, KERNELS, IntelTest, build_program, emulate, main, missing


class Programs(IntelTest):
    @classmethod
    def setUpClass(cls):
        if missing():
            return
        folder = tempfile.TemporaryDirectory(prefix="confound-intel-")
        cls.addClassCleanup(folder.cleanup)
        cls.built = {name: build_program(name, folder.name) for name in ("copies", "order", "corners")}

    def runs(self, name, says, *arguments, options=()):
        for direct, changes in DIRECT.items():
            with self.subTest(direct_submission=direct):
                done = emulate(self.built[name], *arguments, changes=changes, options=options)
                self.assertIn(says, self.ends_well(done))
                self.assertEqual(done.stderr, "")

    def test_copies_and_fills_move_real_bytes(self):
        self.runs("copies", "copies are right")

    def test_what_waits_for_an_event_begins_after_it(self):
        self.assertTrue(os.path.exists(KERNELS), KERNELS)
        self.runs("order", "order is kept", KERNELS)

    def test_corners_of_the_interface_work(self):
        # The driver has kernels of its own here, whose results are not looked at.
        self.runs("corners", "corners are turned", KERNELS, options=["--quiet"])


if __name__ == "__main__":
    main()
