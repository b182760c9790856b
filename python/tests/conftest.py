"""Steps for the tests: sleeping lanes, in real time. On a busy machine an answer may be missing; a wrong one never is."""

import threading
import time

import pytest

pytest_plugins = ["pytester"]
LENGTH_S = 0.003


class Lanes:
    """Two lanes that sleep, or take turns."""

    def __init__(self):
        self._turn = threading.Lock()
        self.taking_turns = False

    def step(self):
        if self.taking_turns:
            with self._turn:
                time.sleep(LENGTH_S)
        else:
            time.sleep(LENGTH_S)


class Rounds:
    """Progress that knows how many are measured."""

    done = 0

    def __call__(self, phase, done, most):
        if phase == "rounds":
            self.done = done


@pytest.fixture
def lanes():
    return Lanes()


def assert_reading(found, right):
    """A busy machine may have no answer."""
    assert found in (right, "inconclusive")
