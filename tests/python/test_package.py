"""The Python package out of the tree, with the library of this build: python/tests under pytest, in real time.

`./dev ci python` does the same with the wheel, installed.
"""

import os
import subprocess
import sys

ROOT = os.environ["CONFOUND_SOURCE"]
BUILD = os.environ["CONFOUND_BUILD"]


def with_pytest():
    """A Python that has it: this one, or the distribution's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import pytest"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def main():
    python = with_pytest()
    if python is None:
        print("skipped: pytest is not installed (Debian: python3-pytest)")
        return 77
    environment = {
        **os.environ,
        "CONFOUND_LIBRARY": os.path.join(BUILD, "libconfound.so.0"),
        "PYTHONPATH": os.path.join(ROOT, "python"),
    }
    return subprocess.run([python, "-m", "pytest", "-p", "no:cacheprovider", os.path.join(ROOT, "python", "tests")],
                          env=environment, cwd=BUILD, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
