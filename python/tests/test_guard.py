"""The guard, alone and inside pytest."""

import textwrap
import threading
import time

import pytest

import confound

STEPS = """
    import threading, time
    import confound, pytest

    turn = threading.Lock()

    def step():
        time.sleep(0.003)

    def in_turn():
        with turn:
            time.sleep(0.003)
"""


def test_overlap_above_the_bound_passes_or_is_not_decided(lanes):
    try:
        result = confound.check_overlap(lanes.step, lanes.step, at_least=0.5, rounds=25)
    except confound.OverlapInconclusive as error:
        assert "can't tell" in str(error)
    else:
        assert result.overlap.median > 0.5


def test_overlap_below_the_bound_raises_and_says_by_how_much(lanes):
    lanes.taking_turns = True
    with pytest.raises((confound.OverlapError, confound.OverlapInconclusive)) as raised:
        confound.check_overlap(lanes.step, lanes.step, at_least=0.7, rounds=25)
    if isinstance(raised.value, confound.OverlapError):
        assert isinstance(raised.value, AssertionError)
        assert "less than 0.7" in str(raised.value) and "rounds" in str(raised.value)
        assert raised.value.result.record.rounds >= 12


def test_too_few_rounds_are_no_pass(lanes):
    with pytest.raises(confound.OverlapInconclusive) as raised:
        confound.check_overlap(lanes.step, lanes.step, rounds=5)
    assert raised.value.because in ("too-few-rounds", "host-starved")


def test_steps_that_wait_inside_are_no_pass(lanes):
    with pytest.raises((confound.OverlapInconclusive, confound.OverlapError)) as raised:
        confound.check_overlap(lanes.step, lanes.step, wait=lambda: None, rounds=14)
    if raised.value.__class__ is confound.OverlapInconclusive and raised.value.because == "host-bound":
        assert "submit and return" in str(raised.value)


def nothing():
    pass


@pytest.mark.parametrize("wait", [nothing, (nothing, nothing), None], ids=["wait", "a wait for each", "threads"])
def test_steps_that_do_nothing_never_pass(wait):
    """Nothing is submitted that could overlap, or serialise."""
    with pytest.raises(confound.OverlapInconclusive) as raised:
        confound.check_overlap(nothing, nothing, wait=wait)
    assert raised.value.because in ("too-short", "host-bound", "host-starved")
    assert raised.value.result.reading != "overlaps" and raised.value.result.verdict != "clear"


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


def run(pytester, tests, *arguments):
    pytester.makepyfile(textwrap.dedent(STEPS) + textwrap.dedent(tests))
    plugin = () if _is_installed(pytester) else ("-p", "confound.pytest_plugin")
    return pytester.runpytest_subprocess("-rs", *plugin, *arguments)


def _is_installed(pytester):
    from importlib.metadata import entry_points

    found = entry_points()
    group = found.select(group="pytest11") if hasattr(found, "select") else found.get("pytest11", [])
    return any(entry.value == "confound.pytest_plugin" for entry in group)


def test_a_marked_test_whose_steps_take_turns_fails_with_the_sentence(pytester):
    done = run(pytester, """
        @pytest.mark.confound_overlap(at_least=0.7, rounds=30)
        def test_lanes():
            return in_turn, in_turn
    """)
    counts = done.parseoutcomes()
    assert "passed" not in counts
    if "failed" in counts:
        done.stdout.fnmatch_lines(["*the lanes overlap less than 0.7: overlap *rounds*"])


def test_a_test_whose_steps_overlap_passes_or_is_counted_as_skipped(pytester):
    done = run(pytester, """
        def test_lanes(check_overlap):
            check_overlap(step, step, at_least=0.5, rounds=30)
    """)
    counts = done.parseoutcomes()
    assert "failed" not in counts and "errors" not in counts
    assert counts.get("passed", 0) + counts.get("skipped", 0) == 1


def test_inconclusive_is_a_skip_that_says_why_and_is_counted(pytester):
    done = run(pytester, """
        @pytest.mark.confound_overlap(rounds=5)
        def test_few():
            return step, step

        def test_few_too(check_overlap):
            check_overlap(step, step, rounds=5)

        def test_other():
            pytest.skip("for another reason")
    """)
    done.assert_outcomes(skipped=3)
    done.stdout.fnmatch_lines(["2 overlap tests inconclusive: neither passed nor failed",
                               "*test_few: can't tell whether the overlap is above 0.7, because *"])


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
    """, "--confound-inconclusive=fail")
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
