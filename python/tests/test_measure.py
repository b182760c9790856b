"""confound.measure on callables of Python, in real time."""

import contextlib
import gc
import queue
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import Rounds, assert_reading

import confound
from confound import _steps


def nothing():
    pass


class Turns(confound.Instrument):
    """Makes the lanes take turns, as an instrument on one queue does."""

    def __init__(self, lanes):
        super().__init__("turns")
        self._lanes = lanes

    def arm(self):
        self._lanes.taking_turns = True

    def disarm(self):
        self._lanes.taking_turns = False


def test_parallel_lanes_overlap_and_what_makes_them_take_turns_is_confounded(lanes):
    result = confound.measure(lanes.step, lanes.step, variants=[Turns(lanes)], rounds=20)
    assert_reading(result.reading, "overlaps")
    assert_reading(result.judgement["turns"].reading, "serialises")
    assert_reading(result.judgement["one-queue"].reading, "serialises")
    assert result.judgement["turns"].effect in ("confounded", "inconclusive")
    assert result.judgement["turns"].delta.median < 0


def test_a_context_manager_is_an_instrument_entered_and_left_for_each_cell():
    calls = []

    @contextlib.contextmanager
    def watcher():
        calls.append("entered")
        yield
        calls.append("left")

    result = confound.measure(nothing, nothing, wait=nothing, variants={"watcher": watcher}, rounds=3)
    assert calls == ["entered", "left"] * (3 * (3 + 3))  # three cells in each of three rounds and three of warm-up
    assert result.judgement["watcher"].role == "instrument"


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="this Python has no global lock")
def test_python_that_computes_in_two_threads_does_not_overlap():
    """The interpreter's lock is part of what is measured; where it holds up the submitting thread, that is said too."""

    def compute():
        end = time.thread_time_ns() + 2_000_000
        while time.thread_time_ns() < end:
            sum(range(200))

    result = confound.measure(compute, compute, rounds=12)
    assert result.reading in ("serialises", "host-bound", "inconclusive")


def test_a_submission_that_waits_is_host_bound(lanes):
    result = confound.measure(lanes.step, lanes.step, wait=nothing, rounds=12)
    assert_reading(result.reading, "host-bound")
    assert "host-bound" in result.judgement.control.because or result.reading == "inconclusive"


def test_time_blocked_in_submission_is_no_work_of_the_host():
    blocked = [0]
    threads = []

    def step():
        begin = time.monotonic_ns()
        time.sleep(0.002)
        blocked[0] += time.monotonic_ns() - begin

    result = confound.measure(step, step, wait=threads.clear, blocked_ns=lambda: blocked[0], rounds=12)
    assert_reading(result.reading, "serialises")


# Windows of a cell in a run of two rounds, after 24 of the control alone and three of warm-up: four steps in each.
WINDOWS_OF_BOTH = 4 * (24 + 2 * (3 + 2))  # none and none-again; the reference runs lane by lane
WINDOWS_OF_ONE = 1 + 4 * (24 + 3 * (3 + 2))  # the first step of all is the lane's own


def test_each_submitted_lane_is_waited_for_by_its_own_wait():
    """Of a step of both, when both were submitted, either lane first; in the reference between the two."""
    calls = []
    result = confound.measure(lambda: calls.append("A"), lambda: calls.append("B"), rounds=2,
                              wait=(lambda: calls.append("a"), lambda: calls.append("b")))
    text = "".join(calls)
    assert re.fullmatch("(Aa|Bb|ABab|ABba)+", text)
    assert text.count("ABab") == text.count("ABba") > 0
    assert text.count("AB") == WINDOWS_OF_BOTH
    assert text.count("AaBb") >= 4 * (3 + 2)
    assert text.count("A") == text.count("B") == WINDOWS_OF_ONE + WINDOWS_OF_BOTH + 4 * (3 + 2)
    assert None not in result.judgement.control.raw["lane_ms"].values()


def test_one_wait_is_called_once_for_what_was_submitted():
    calls = []
    result = confound.measure(lambda: calls.append("A"), lambda: calls.append("B"), rounds=2,
                              wait=lambda: calls.append("w"))
    text = "".join(calls)
    assert re.fullmatch("(Aw|Bw|ABw)+", text)
    assert text.count("ABw") == WINDOWS_OF_BOTH
    assert set(result.judgement.control.raw["lane_ms"].values()) == {None}  # nobody could see a lane's own end


class Worker(threading.Thread):
    """A thread that is there, and sleeps when it is told to."""

    def __init__(self):
        super().__init__(daemon=True)
        self.work, self.done = queue.SimpleQueue(), queue.SimpleQueue()
        self.start()

    def run(self):
        for length_s in iter(self.work.get, None):
            time.sleep(length_s)
            self.done.put(None)


def test_steps_that_are_submitted_to_workers_overlap():
    a, b = Worker(), Worker()
    try:
        result = confound.measure(lambda: a.work.put(0.003), lambda: b.work.put(0.003), rounds=14,
                                  wait=(a.done.get, b.done.get))
    finally:
        a.work.put(None)
        b.work.put(None)
    assert_reading(result.reading, "overlaps")


def test_the_way_to_the_threads_and_back_is_timed_before_the_rounds(monkeypatch):
    handed = []
    submit = _steps._Lane.submit
    monkeypatch.setattr(_steps._Lane, "submit", lambda lane, step: (handed.append(step), submit(lane, step)))
    result = confound.measure(nothing, nothing, rounds=2)
    empty = [i for i, step in enumerate(handed) if step is _steps._nothing]
    assert empty == list(range(2, 2 + 2 * 9))  # after the first step of each lane, nine of both
    assert result.record.to_dict()["calibration"]["empty_step_ns"] > 0


def test_a_step_of_nothing_that_fails_ends_the_run():
    class Failing(confound.Steps):
        def submit(self, lanes, instrument):
            pass

        wait = submit

        def empty(self):
            raise Broken("no way")

    with pytest.raises(Broken, match="no way"):
        confound.run(Failing(), rounds=2)


def test_a_knob_makes_a_lane_long_enough():
    told = {"a": [], "b": []}
    result = confound.measure(lambda: time.sleep(told["a"][-1] * 1e-6), lambda: time.sleep(told["b"][-1] * 1e-6),
                              knob_a=confound.Knob(told["a"].append, 10, "us"),
                              knob_b=confound.Knob(told["b"].append, 10, "us"), rounds=2)
    lanes = result.record.to_dict()["job"]["lanes"]
    for lane, lengths in zip(lanes, told.values()):
        assert lengths[0] == 10 < lengths[-1] == lane["length"]
        assert lane["unit"] == "us" and lane["given"] is False


def test_a_wrong_result_ends_the_run_and_makes_it_invalid():
    calls = []

    def check():
        calls.append(1)
        return "the sum is 4" if len(calls) == 400 else None

    result = confound.measure(nothing, nothing, wait=nothing, check=check, rounds=40)
    assert result.record.rounds < 40
    assert result.verdict == "invalid"
    assert result.judgement.invalid_because == ("data-wrong",)
    assert "the sum is 4" in str(result)


# ---- what ends a run -------------------------------------------------------------------------------------------------


class Broken(Exception):
    pass


def test_what_a_step_raises_is_raised_and_the_rounds_before_it_are_kept(lanes, tmp_path):
    rounds = Rounds()

    def step():
        if rounds.done >= 4:
            raise Broken("the queue is gone")

    path = tmp_path / "record.json"
    with pytest.raises(Broken) as raised:
        confound.measure(step, nothing, wait=nothing, path=path, progress=rounds)
    record = raised.value.confound_record
    assert record.rounds > 0
    assert confound.Record.read(path).sha256 == record.sha256
    assert "Broken: the queue is gone" in record.json


def test_what_a_thread_of_a_lane_raises_is_raised(lanes):
    with pytest.raises(ZeroDivisionError):
        confound.measure(lanes.step, lambda: 1 // 0)


@pytest.mark.parametrize("where", ["arm", "disarm", "prove"])
def test_what_an_instrument_raises_is_raised(where):
    instrument = confound.Instrument("x")

    def fail(*_):
        raise Broken(where)

    kind = type("Failing", (confound.Instrument,), {where: fail})
    with pytest.raises(Broken, match=where):
        confound.measure(nothing, nothing, wait=nothing, variants=[kind(instrument.name)])


def test_what_progress_raises_is_raised():
    with pytest.raises(Broken):
        confound.measure(nothing, nothing, wait=nothing, progress=lambda *_: (_ for _ in ()).throw(Broken()))


def test_progress_is_told_each_phase_and_may_end_the_run():
    phases = []

    def progress(phase, done, most):
        phases.append(phase)
        return phase == "rounds" and done >= 5

    result = confound.measure(nothing, nothing, wait=nothing, progress=progress)
    assert {"prologue", "warm-up", "rounds"} <= set(phases)
    assert 5 <= result.record.rounds < 12


def test_an_interrupt_keeps_the_finished_rounds(tmp_path):
    program = textwrap.dedent("""
        import os, signal, sys, confound
        def progress(phase, done, most):
            if phase == "rounds" and done == 4:
                os.kill(os.getpid(), signal.SIGINT)
        try:
            confound.measure(lambda: None, lambda: None, wait=lambda: None, progress=progress, path=sys.argv[1])
        except KeyboardInterrupt as error:
            print(error, error.record.rounds, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    """)
    path = tmp_path / "record.json"
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    rounds = confound.Record.read(path).rounds
    assert 4 <= rounds <= 5
    assert done.stdout == f"interrupted after {rounds} rounds {rounds} True\n"
    assert done.stderr == ""


def test_a_handler_of_the_callers_own_is_left_alone():
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        confound.measure(nothing, nothing, wait=nothing, rounds=1,
                         progress=lambda *_: seen.append(signal.getsignal(signal.SIGINT)) and None)
        assert len(set(seen)) == 1 and seen[0] is not signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_collector_does_not_run_inside_a_step_and_is_on_again_afterwards():
    states = set()
    confound.measure(lambda: states.add(gc.isenabled()), nothing, wait=nothing, rounds=1)
    assert states == {False} and gc.isenabled()
    states.clear()
    confound.measure(lambda: states.add(gc.isenabled()), nothing, wait=nothing, rounds=1, collector=True)
    assert states == {True}
    gc.disable()
    try:
        confound.measure(nothing, nothing, wait=nothing, rounds=1)
        assert not gc.isenabled()
    finally:
        gc.enable()


# ---- proofs ----------------------------------------------------------------------------------------------------------


class Counting(confound.Instrument):
    """Puts a stamp on each step, and proves that it did; `lost`: one of them gets lost."""

    def __init__(self, lost=0):
        super().__init__("counting")
        self.stamps, self.lost, self.seen = [], lost, 0

    def around(self, lane, step):
        def stamped():
            step()
            self.stamps.append(lane)
        return stamped

    def prove(self, lanes):
        expected, count = bin(lanes).count("1"), len(self.stamps)
        self.stamps.clear()
        self.seen += 1
        if self.seen == self.lost:
            count -= 1
        return confound.Proof(how="stamps", expected=expected, count=count, seen=(10, 100))


def test_an_instrument_is_armed_when_all_its_proofs_came():
    result = confound.measure(nothing, nothing, wait=nothing, variants=[Counting()], rounds=2)
    variant = next(v for v in result.record.to_dict()["variants"] if v["name"] == "counting")
    assert variant["armed"] is True and variant["armed_count"] == variant["armed_expected"] > 0
    assert result.judgement["counting"].seen == pytest.approx(0.1)
    control = result.record.to_dict()["variants"][0]
    assert control["armed"] is False and "no instrument armed" in control["armed_how"]


@pytest.mark.parametrize("lost", [0, 37, 180])  # none, the first after the warm-up, the last
def test_an_instrument_that_lost_a_proof_gets_no_answer(lost):
    counting = Counting(lost)
    judged = confound.measure(nothing, nothing, wait=nothing, variants=[counting], rounds=12).judgement["counting"]
    assert counting.seen == 4 * 3 * (3 + 12)
    assert (judged.armed is False) == ("not-armed" in judged.because) == (lost > 0)
    assert judged.effect == "inconclusive"


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options, text", [
    ({"variants": [confound.Instrument("none")]}, "none"),
    ({"variants": [confound.Instrument("a b")]}, "a b"),
    ({"variants": [confound.Instrument("x"), confound.Instrument("x")]}, "x"),
    ({"margin": 2.0}, "margin 2"),
    ({"alpha": 0.0}, "alpha 0"),
    ({"rounds": 0}, "0 to 0 rounds"),
    ({"rounds": (9, 3)}, "9 to 3 rounds"),
    ({"seed": -1}, "seed -1"),
    ({"seed": 2**70}, "seed"),
    ({"at_least": 1.5}, "at_least 1.5"),
    ({"in_flight": 0}, "1 to 64"),
    ({"operations": (0, 1)}, "operations"),
    ({"knob_a": confound.Knob(nothing, 0)}, "0"),
    ({"name": "a\0b"}, "NUL"),
    ({"device": confound.Device("x", backend="two words")}, "two words"),
])
def test_what_cannot_be_is_refused_with_one_line(options, text):
    with pytest.raises(confound.InputError) as raised:
        confound.measure(nothing, nothing, wait=nothing, **options)
    assert text in str(raised.value) and "\n" not in str(raised.value)
    assert raised.value.exit_status == 2


def test_ranks_need_a_seed_and_are_asked():
    asked = set()

    def agree(what, own):
        asked.add(what)
        return own

    with pytest.raises(confound.InputError, match="seed"):
        confound.measure(nothing, nothing, wait=nothing, agree=agree)
    confound.measure(nothing, nothing, wait=nothing, agree=agree, seed=7, rounds=2)
    assert {"end"} <= asked <= {"decided", "end", "wall_ns"}
    with pytest.raises(Broken):
        confound.measure(nothing, nothing, wait=nothing, agree=lambda *_: (_ for _ in ()).throw(Broken()), seed=7)
