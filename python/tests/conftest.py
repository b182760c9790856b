"""Steps for the tests: sleeping lanes, in real time. On a busy machine an answer may be missing; a wrong one never is.
And records of steps with times of the tests' own, of which every answer is known."""

import json
import signal
import threading
import time

import pytest

import confound

pytest_plugins = ["pytester"]
LENGTH_S = 0.002

# Where the tests are started in the background, SIGINT is ignored, and is then by every program that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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


def _steps_of(us):
    return [round(1000 * us)] * 3


def made(a, b, both, *, reference=None, submit=1, delay=0, empty=0, rounds=12):
    """The result of a caller's own steps that took so many us on every occasion."""
    document = confound.measure(lambda: None, lambda: None, wait=lambda: None, rounds=rounds, seed=1).record.to_dict()
    roles = [variant["role"] for variant in document["variants"]]
    in_order = a + b if reference is None else reference
    for each in document["prologue"] + document["warmup"] + document["rounds"]:
        of = roles[:len(each["ab"]["ns"])]
        for cell, us in (("a", a), ("b", b), ("ab", both)):
            walls = [in_order if cell == "ab" and role == "reference" else us for role in of]
            each[cell].update(ns=[_steps_of(wall) for wall in walls], submit_ns=[_steps_of(submit)] * len(of),
                              delay_ns=[_steps_of(delay)] * len(of), blocked_ns=0)
    document["calibration"]["empty_step_ns"] = round(1000 * empty)
    return confound.Result(confound.Record.parse(json.dumps(document)))


def assert_reading(found, right):
    """A busy machine may have no answer."""
    assert found in (right, "inconclusive")
