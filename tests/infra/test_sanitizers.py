"""Each sanitizer of this build stops the mistake planted for it: it is linked, and it ends a program that it catches.

A build without sanitizers has nothing to prove here and skips.
"""

import os
import subprocess
import sys
import unittest

BUILD = os.environ["CONFOUND_BUILD"]
SANITIZERS = os.environ.get("CONFOUND_SANITIZE", "").split(",")


class Planted(unittest.TestCase):
    def stops(self, sanitizer, words):
        if sanitizer not in SANITIZERS:
            self.skipTest(f"this build has no {sanitizer} sanitizer")
        done = subprocess.run(
            [os.path.join(BUILD, "planted." + sanitizer)], capture_output=True, text=True, timeout=60, check=False
        )
        self.assertNotEqual(done.returncode, 0, "the planted mistake went through")
        self.assertIn(words, done.stderr)

    def test_a_read_after_free_is_stopped(self):
        self.stops("address", "heap-use-after-free")

    def test_a_signed_overflow_is_stopped(self):
        self.stops("undefined", "signed integer overflow")

    def test_a_data_race_is_stopped(self):
        self.stops("thread", "data race")


if __name__ == "__main__":
    if SANITIZERS == [""]:
        print("this build has no sanitizer")
        sys.exit(77)
    unittest.main()
