"""The guard, alone and inside pytest."""

import textwrap
import threading
import time

import pytest
from conftest import made

import confound
from confound._guard import judge_overlap

# ---- what a record is worth ------------------------------------------------------------------------------------------


def test_overlap_above_the_bound_gives_the_result():
    result = made(2000, 2500, 2600)
    assert judge_overlap(result, 0.7) is result


def test_overlap_below_the_bound_raises_and_says_by_how_much():
    with pytest.raises(confound.OverlapError) as raised:
        judge_overlap(made(2000, 2500, 4500), 0.7)
    assert isinstance(raised.value, AssertionError)
    assert str(raised.value) == ("the lanes overlap less than 0.7: overlap 0.00 [0.00, 0.00] over 12 rounds "
                                 "(a 2 ms, b 2.5 ms, both 4.5 ms)")
    assert raised.value.result.record.rounds == 12


@pytest.mark.parametrize("result, because, hint", [
    (lambda: made(2000, 2500, 2600, rounds=5), "too-few-rounds", "can't tell whether the overlap is above 0.7"),
    (lambda: made(0.7, 0.7, 0.7, submit=0.4), "too-short", "does wait wait for what they began?"),
    (lambda: made(0.7, 0.7, 0.7, submit=0.7), "too-short", "does wait wait for what they began?"),
    (lambda: made(15, 15, 16.6, submit=4.3, empty=16.6), "too-short", "are the steps long enough"),
    (lambda: made(14.4, 14.3, 23.9, submit=21.4, delay=14, empty=22), "too-short", "are the steps long enough"),
    (lambda: made(6.8, 95, 103, submit=20, empty=103), "too-short", "are the steps long enough"),
    (lambda: made(2000, 2500, 4500, submit=4490), "host-bound", "do the steps wait inside"),
    (lambda: made(2000, 2500, 2600, delay=150), "host-starved", "can't tell"),
    (lambda: made(500, 2500, 2600), "unbalanced", "steps of more equal length"),
    (lambda: made(2000, 2500, 2600, reference=2600), "reference-failed", "cannot see serialisation"),
], ids=["few rounds", "nothing", "nothing but submission", "nothing on threads", "nothing on threads of one core",
        "nothing on threads, one asleep", "steps that wait inside", "no core", "one short lane", "no reference"])
def test_what_cannot_be_told_is_no_pass_and_says_why(result, because, hint):
    with pytest.raises(confound.OverlapInconclusive) as raised:
        judge_overlap(result(), 0.7)
    assert raised.value.because == because
    assert hint in str(raised.value)
    assert raised.value.result.verdict == "inconclusive"


def test_a_hand_over_is_told_from_work_by_an_empty_one():
    """The same walls without it: they pass, for all that is known of them."""
    assert judge_overlap(made(15, 15, 16.6, submit=4.3), 0.7).reading == "overlaps"


# ---- in real time ----------------------------------------------------------------------------------------------------


def test_lanes_that_overlap_never_fail(lanes):
    try:
        result = confound.check_overlap(lanes.step, lanes.step, at_least=0.5, rounds=20)
    except confound.OverlapInconclusive as error:
        assert "can't tell" in str(error)
    else:
        assert result.record.overlap_above(0.5).bound is confound.Bound.ABOVE


def test_lanes_that_take_turns_never_pass(lanes):
    lanes.taking_turns = True
    with pytest.raises((confound.OverlapError, confound.OverlapInconclusive)):
        confound.check_overlap(lanes.step, lanes.step, at_least=0.7, rounds=20)


def test_too_few_rounds_never_pass(lanes):
    with pytest.raises(confound.OverlapInconclusive):
        confound.check_overlap(lanes.step, lanes.step, rounds=5)


def test_steps_that_wait_inside_never_pass(lanes):
    with pytest.raises((confound.OverlapInconclusive, confound.OverlapError)):
        confound.check_overlap(lanes.step, lanes.step, wait=nothing, rounds=14)


def nothing():
    pass


@pytest.mark.parametrize("wait", [nothing, (nothing, nothing), None], ids=["wait", "a wait for each", "threads"])
def test_steps_that_do_nothing_neither_pass_nor_fail(wait):
    """Nothing is submitted that could overlap, or serialise. Why, is the machine's to say: see above."""
    with pytest.raises(confound.OverlapInconclusive) as raised:
        confound.check_overlap(nothing, nothing, wait=wait)
    assert raised.value.result.reading not in ("overlaps", "partial", "serialises")
    assert raised.value.result.verdict == "inconclusive"


def test_steps_whose_wait_waits_for_nothing_never_pass():
    """Synchronisation that was forgotten: the work outlives its measurement."""
    running = []

    def submit():
        running.append(threading.Thread(target=time.sleep, args=(0.003,)))
        running[-1].start()

    try:
        with pytest.raises((confound.OverlapInconclusive, confound.OverlapError)):
            confound.check_overlap(submit, submit, wait=nothing, rounds=40)
    finally:
        for thread in running:
            thread.join()


def test_the_bound_is_a_setting_and_a_bad_one_is_refused(lanes):
    with pytest.raises(confound.InputError, match="at_least"):
        confound.check_overlap(lanes.step, lanes.step, at_least=1.0)


# ---- inside pytest ---------------------------------------------------------------------------------------------------

STEPS = """
    import confound, pytest

    def step():
        pass

    def in_turn():
        pass
"""

# Steps are not run: those called in_turn take turns, the others overlap, under a virtual clock.
KNOWN = """
    import confound
    import confound._guard

    def measure(a, b, at_least, rounds=None, **_):
        values = ["lane.b.op=h2d"] if a.__name__ == "in_turn" else []
        return confound.run_job("[job]\\nmodel = copy-offload\\n", device="sim", values=values, rounds=rounds,
                                at_least=at_least)

    confound._guard.measure = measure
"""


def run(pytester, tests, *arguments, known=False):
    if known:
        pytester.makeconftest(textwrap.dedent(KNOWN))
    pytester.makepyfile(textwrap.dedent(STEPS) + textwrap.dedent(tests))
    plugin = () if _is_installed(pytester) else ("-p", "confound.pytest_plugin")
    return pytester.runpytest_subprocess("-rs", *plugin, *arguments)


def _is_installed(pytester):
    from importlib.metadata import entry_points

    found = entry_points()
    group = found.select(group="pytest11") if hasattr(found, "select") else found.get("pytest11", [])
    return any(entry.value == "confound.pytest_plugin" for entry in group)


def test_a_test_whose_steps_take_turns_fails_with_the_sentence(pytester):
    done = run(pytester, """
        @pytest.mark.confound_overlap(at_least=0.6)
        def test_marked():
            return in_turn, in_turn

        def test_called(check_overlap):
            check_overlap(in_turn, in_turn, at_least=0.7)
    """, known=True)
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*the lanes overlap less than 0.6: overlap *12 rounds*",
                               "*the lanes overlap less than 0.7: overlap *12 rounds*"])


def test_a_test_whose_steps_overlap_passes(pytester):
    done = run(pytester, """
        @pytest.mark.confound_overlap(at_least=0.9)
        def test_marked():
            return step, step

        def test_called(check_overlap):
            assert check_overlap(step, step, at_least=0.9).reading == "overlaps"
    """, known=True)
    done.assert_outcomes(passed=2)


def test_inconclusive_is_a_skip_that_says_why_and_is_counted(pytester):
    done = run(pytester, """
        @pytest.mark.confound_overlap(rounds=5)
        def test_few():
            return step, step

        def test_few_too(check_overlap):
            check_overlap(step, step, rounds=5)

        def test_other():
            pytest.skip("for another reason")
    """, known=True)
    done.assert_outcomes(skipped=3)
    done.stdout.fnmatch_lines(["2 overlap tests inconclusive: neither passed nor failed",
                               "*test_few: can't tell whether the overlap is above 0.7, because *over 5 rounds*"])


def test_steps_that_do_nothing_are_counted_as_skipped(pytester):
    done = run(pytester, """
        @pytest.mark.confound_overlap(wait=lambda: None)
        def test_nothing():
            return lambda: None, lambda: None

        def test_nothing_too(check_overlap):
            check_overlap(lambda: None, lambda: None, wait=lambda: None)
    """)
    done.assert_outcomes(skipped=2)
    done.stdout.fnmatch_lines(["2 overlap tests inconclusive: neither passed nor failed"])


def test_inconclusive_fails_where_that_is_asked_for(pytester):
    done = run(pytester, """
        def test_few(check_overlap):
            check_overlap(step, step, rounds=5)
    """, "--confound-inconclusive=fail", known=True)
    done.assert_outcomes(failed=1)


def test_a_marked_test_that_returns_no_steps_fails(pytester):
    done = run(pytester, """
        @pytest.mark.confound_overlap
        def test_nothing():
            pass
    """)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*returns (step_a, step_b)*"])


@pytest.mark.parametrize("where", ["on the method", "on the class"])
def test_a_marked_test_of_unittest_fails_for_its_guard_would_hold_nothing(pytester, where):
    mark = "@pytest.mark.confound_overlap(rounds=2)"
    done = run(pytester, f"""
        import unittest

        {mark if where == "on the class" else ""}
        class TestLanes(unittest.TestCase):
            {mark if where == "on the method" else ""}
            def test_lanes(self):
                return in_turn, in_turn
    """)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*confound_overlap: what a test of unittest returns is dropped*"])


def test_a_marked_test_that_is_async_fails_with_a_sentence(pytester):
    done = run(pytester, """
        @pytest.mark.confound_overlap(rounds=2)
        async def test_lanes():
            return step, step
    """)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*takes a plain function that returns (step_a, step_b)*async def*"])


def test_a_marked_test_that_another_plugin_calls_is_no_pass(pytester):
    pytester.makeconftest("""
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_pyfunc_call(pyfuncitem):
            pyfuncitem.obj()
            return True
    """)
    done = run(pytester, """
        @pytest.mark.confound_overlap(rounds=2)
        def test_lanes():
            return in_turn, in_turn

        def test_other():
            pass
    """)
    done.assert_outcomes(failed=1, passed=1)
    done.stdout.fnmatch_lines(["*no overlap was measured*"])


def test_records_are_kept_where_a_folder_is_named(pytester):
    run(pytester, """
        @pytest.mark.parametrize("n", [1, 2])
        @pytest.mark.confound_overlap(rounds=2)
        def test_few(n):
            return step, step
    """, "--confound-records=kept")
    kept = sorted((pytester.path / "kept").iterdir())
    assert len(kept) == 2
    assert all(confound.Record.read(path).rounds == 2 for path in kept)
