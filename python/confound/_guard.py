"""A guard for test suites: does the overlap hold?"""

from __future__ import annotations

from typing import Any, Optional

from ._record import Bound, OverlapAnswer
from ._run import Result, measure
from ._steps import Call


class OverlapError(AssertionError):
    """The overlap is below the bound; str() says by how much. result: the whole run."""

    def __init__(self, text: str, result: Result) -> None:
        super().__init__(text)
        self.result = result


class OverlapInconclusive(Exception):
    """Neither above nor below could be decided: no pass and no failure. result: the whole run."""

    def __init__(self, text: str, result: Result, because: Optional[str]) -> None:
        super().__init__(text)
        self.result = result
        self.because = because


def _measured(result: Result) -> str:
    control = result.judgement.control
    times = [f"{name} {value:.3g} ms" for name, value in
             (("a", control.a_ms), ("b", control.b_ms), ("both", control.ab_ms)) if value is not None]
    return f"overlap {result.overlap} over {result.record.rounds} rounds ({', '.join(times)})"


_HINTS = {
    "host-bound": "; do the steps wait inside, where they should submit and return?",
    "too-short": "; are the steps long enough, and does wait wait for what they began?",
    "reference-failed": "; a, wait, b, wait did not read as serialising, so that this set-up cannot see serialisation",
    "unbalanced": "; a knob, or steps of more equal length, would help",
}


def judge_overlap(result: Result, at_least: float) -> Result:
    """The result itself where its overlap is above at_least; else raises OverlapError or OverlapInconclusive."""
    __tracebackhide__ = True  # pytest then shows the test's own line
    answer: OverlapAnswer = result.record.overlap_above(at_least)
    if answer.bound is Bound.ABOVE:
        return result
    if answer.bound is Bound.BELOW:
        raise OverlapError(f"the lanes overlap less than {at_least:g}: {_measured(result)}", result)
    more = f"; about {answer.more_rounds} more rounds would decide" if answer.more_rounds else ""
    raise OverlapInconclusive(
        f"can't tell whether the overlap is above {at_least:g}, because {answer.meaning or answer.because}"
        f"{_HINTS.get(answer.because or '', '')}{more}: {_measured(result)}", result, answer.because)


def check_overlap(step_a: Call, step_b: Call, at_least: float = 0.7, **options: Any) -> Result:
    """Measures the steps as confound.measure does, which takes the same options, and returns the result where their
    overlap is above at_least, a share of what the step's own dependencies allow.

    Raises OverlapError (an AssertionError) where it is below, and OverlapInconclusive where neither is decided: that is
    no pass. Both are decided by a sequential sign test with an error rate of alpha (0.01), not by the estimate.
    """
    __tracebackhide__ = True
    return judge_overlap(measure(step_a, step_b, at_least=at_least, **options), at_least)
