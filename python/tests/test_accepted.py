"""What is refused before anything is measured, and what a callback may give back."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from conftest import Rounds

import confound


def nothing():
    pass


async def later():
    pass


@contextlib.contextmanager
def watcher():
    yield


@pytest.mark.parametrize("options, text", [
    ({"rounds": 1.5}, "rounds 1.5"),
    ({"rounds": "x"}, "rounds 'x'"),
    ({"rounds": (1, 2, 3)}, "(at least, at most)"),
    ({"rounds": True}, "rounds True"),
    ({"rounds": 2**64 + 20}, "below 2^63"),
    ({"wait": [nothing, nothing, nothing]}, "pair of functions"),
    ({"wait": (nothing, 5)}, "wait 5"),
    ({"wait": 5}, "wait 5"),
    ({"wait": later}, "async def"),
    ({"seed": 1.5}, "seed 1.5"),
    ({"at_least": "x"}, "at_least 'x'"),
    ({"margin": "x"}, "margin 'x'"),
    ({"alpha": None, "margin": [1]}, "margin [1]"),
    ({"name": None}, "name None"),
    ({"name": "\ud800"}, "surrogate"),
    ({"name": "\udcff"}, "surrogate"),
    ({"labels": ("a",)}, "labels ('a',)"),
    ({"labels": "ab"}, "labels 'ab'"),
    ({"labels": (1, 2)}, "label 1"),
    ({"operations": 3}, "operations 3"),
    ({"operations": (1.5, 1)}, "operations 1.5"),
    ({"in_flight": "2"}, "in_flight '2'"),
    ({"in_flight": 2**32 + 1}, "below 2^31"),
    ({"together": 1}, "together 1"),
    ({"check": 1}, "check 1"),
    ({"blocked_ns": 1}, "blocked_ns 1"),
    ({"progress": "yes"}, "progress 'yes'"),
    ({"agree": 1, "seed": 1}, "agree 1"),
    ({"device": "cuda"}, "device 'cuda'"),
    ({"knob_a": 5}, "knob 5"),
    ({"knob_a": confound.Knob(5, 1)}, "set 5"),
    ({"knob_a": confound.Knob(nothing, 1.5)}, "first 1.5"),
    ({"variants": None}, "variants None"),
    ({"variants": [watcher]}, "variants ["),
    ({"variants": {"x": 5}}, "variant 'x': 5"),
    ({"variants": {"x": watcher()}}, "a function that makes a context manager"),
    ({"path": 1.5}, "path 1.5"),
    ({"path": "a\0b"}, "path 'a"),
])
def test_an_argument_of_the_wrong_kind_is_refused_with_its_name(options, text):
    options = {"wait": nothing, "rounds": 1, **options}
    with pytest.raises(confound.InputError) as raised:
        confound.measure(nothing, nothing, **options)
    assert text in str(raised.value) and "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("step, text", [(5, "step_b 5"), (None, "step_b None"), (later, "async def")])
def test_a_step_that_is_no_plain_function_is_refused(step, text):
    with pytest.raises(confound.InputError, match="step_b") as raised:
        confound.measure(nothing, step)
    assert text in str(raised.value)


def test_a_pair_of_waits_may_be_a_list():
    assert confound.measure(nothing, nothing, wait=[nothing, nothing], rounds=1).record.rounds == 1


# ---- what callbacks give back ----------------------------------------------------------------------------------------


def test_a_variant_that_makes_no_context_manager_ends_the_run():
    with pytest.raises(TypeError, match="variant 'x' made 5; a context manager is accepted"):
        confound.measure(nothing, nothing, wait=nothing, variants={"x": lambda: 5}, rounds=2)


@pytest.mark.parametrize("given", [False, True, 5, b"wrong"])
def test_a_check_that_gives_neither_text_nor_none_ends_the_run(given):
    with pytest.raises(TypeError, match="check returned .*a text, or None"):
        confound.measure(nothing, nothing, wait=nothing, check=lambda: given, rounds=2)


@pytest.mark.parametrize("given, kind", [(None, TypeError), ("1", TypeError), (True, TypeError), (-1, ValueError),
                                         (float("nan"), ValueError), (float("inf"), ValueError), (2**63, ValueError)])
def test_blocked_time_that_is_no_time_ends_the_run(given, kind, capfd):
    rounds, wrong = Rounds(), []

    def blocked_ns():
        if rounds.done >= 4:
            wrong.append(1)
            return given
        return 0

    with pytest.raises(kind, match="blocked_ns gave") as raised:
        confound.measure(nothing, nothing, wait=nothing, blocked_ns=blocked_ns, progress=rounds)
    assert 1 <= len(wrong) < 4 and raised.value.confound_record.rounds == 4
    assert capfd.readouterr().err == ""


def test_blocked_time_may_be_a_float(capfd):
    blocked = [0.0]

    def step():
        begin = time.perf_counter()
        time.sleep(0.001)
        blocked[0] += (time.perf_counter() - begin) * 1e9

    result = confound.measure(step, step, wait=nothing, blocked_ns=lambda: blocked[0], rounds=2)
    rows = result.report("csv").splitlines()
    column = rows[0].split(",").index("blocked_ns")
    assert all(int(row.split(",")[column]) > 500_000 for row in rows[1:] if row.split(",")[column])
    assert capfd.readouterr().err == ""


# ---- where the record goes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["path", "part_path"])
@pytest.mark.parametrize("where, why", [("no/such/folder/r.json", "No such file"), (".", "folder"), ("", "empty"),
                                        ("x" * 300, "too long")])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(option, where, why, tmp_path):
    called = []
    with contextlib.ExitStack() as stack:
        before = os.getcwd()
        os.chdir(tmp_path)
        stack.callback(os.chdir, before)
        with pytest.raises(confound.FileError, match=why):
            confound.measure(lambda: called.append(1), nothing, wait=nothing, **{option: where})
        assert not called and os.listdir(tmp_path) == []


def test_what_is_at_path_stays_until_there_is_a_record(tmp_path):
    path = tmp_path / "r.json"
    path.write_text("before")
    with pytest.raises(confound.InputError):
        confound.measure(nothing, nothing, wait=nothing, path=path, rounds=0)
    assert path.read_text() == "before" and os.listdir(tmp_path) == ["r.json"]
    confound.measure(nothing, nothing, wait=nothing, path=path, rounds=1)
    assert confound.Record.read(path).rounds == 1


full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


@full
def test_a_record_that_cannot_be_written_in_the_end_goes_with_the_exception():
    with pytest.raises(confound.FileError) as raised:
        confound.measure(nothing, nothing, wait=nothing, rounds=3, path="/dev/full")
    assert raised.value.confound_record.rounds == 3


@full
def test_a_record_that_cannot_be_written_does_not_hide_what_the_step_raised():
    rounds = Rounds()

    def step():
        if rounds.done >= 4:
            raise ValueError("the step's own")

    with pytest.raises(ValueError, match="the step's own") as raised:
        confound.measure(step, nothing, wait=nothing, path="/dev/full", progress=rounds)
    assert raised.value.confound_record.rounds > 0
    if sys.version_info >= (3, 11):
        assert any("/dev/full" in note for note in raised.value.__notes__)


@full
def test_a_command_shows_what_it_could_not_write():
    done = subprocess.run([sys.executable, "-m", "confound", "--device", "sim", "-o", "/dev/full"], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 2 and "/dev/full" in done.stderr and "Traceback" not in done.stderr
    assert "CONFOUNDED" in done.stdout


# ---- a second interrupt ----------------------------------------------------------------------------------------------


def test_a_second_interrupt_waits_for_no_step_that_hangs():
    program = textwrap.dedent("""
        import os, signal, threading, time, confound
        calls, patience = [], []
        join = threading.Thread.join
        def noted(thread, timeout=None):
            patience.append(timeout)
            join(thread, timeout)
        threading.Thread.join = noted
        def hang():
            calls.append(1)
            if len(calls) == 300:
                print("hangs", flush=True)
                time.sleep(120)
        try:
            confound.measure(hang, hang)
        except KeyboardInterrupt as error:
            print(type(error).__name__, patience, flush=True)
    """)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "hangs\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    said = process.stdout.readline()
    process.kill()
    assert said == "Interrupted [0.0, 0.0]\n", process.stderr.read()
