"""pytest: hold a runtime's overlap in its own test suite.

    def test_copies_overlap_kernels(check_overlap):
        check_overlap(copy, compute, at_least=0.7, wait=synchronize)

    @pytest.mark.confound_overlap(at_least=0.7, wait=synchronize)
    def test_copies_overlap_kernels():
        return copy, compute

Below the bound the test fails, and the message says by how much. Where neither is decided it is skipped, says why, and is
counted at the end: a skip is no pass. `--confound-inconclusive=fail` makes a failure of it.
"""

from __future__ import annotations

import inspect
import re
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

import pytest

if TYPE_CHECKING:
    from ._run import Result

_KEY = "confound_inconclusive_tests"
_GUARDED = "_confound_guarded"


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("confound", "overlap held by measurement")
    group.addoption("--confound-inconclusive", choices=("skip", "fail"), default="skip",
                    help="a test whose overlap can't be told: skip, counted at the end, or fail (skip)")
    group.addoption("--confound-records", metavar="FOLDER",
                    help="where the record of each overlap test goes, for `confound report`")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "confound_overlap(at_least=0.7, **options): the test returns (step_a, step_b), "
                                       "whose overlap must be above at_least; options are those of confound.measure")


class _Checker:
    """confound.check_overlap, with inconclusive as a skip that is counted."""

    def __init__(self, item: Any) -> None:
        self._item, self._count = item, 0

    def __call__(self, step_a: Any, step_b: Any, at_least: float = 0.7, **options: Any) -> "Result":
        __tracebackhide__ = True
        from ._guard import OverlapInconclusive, check_overlap  # noqa: PLC0415 - only where it is used

        options.setdefault("progress", False)
        options.setdefault("path", self._record_path())
        try:
            return check_overlap(step_a, step_b, at_least, **options)
        except OverlapInconclusive as error:
            text = f"overlap inconclusive: {error}"
            if self._item.config.getoption("confound_inconclusive") == "fail":
                pytest.fail(text, pytrace=False)
            self._item.user_properties.append((_KEY, str(error)))
            raise pytest.skip.Exception(text, _use_item_location=True) from None

    def _record_path(self) -> Optional[Path]:
        folder = self._item.config.getoption("confound_records")
        if folder is None:
            return None
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._count += 1
        name = re.sub(r"[^\w.-]+", "-", self._item.nodeid).strip("-")
        return Path(folder, f"{name}{'' if self._count == 1 else f'-{self._count}'}.json")


@pytest.fixture
def check_overlap(request: Any) -> _Checker:
    """confound.check_overlap for this test: below fails, inconclusive skips and is counted."""
    return _Checker(request.node)


def _unfit(item: Any) -> Optional[str]:
    """Why the steps that a marked test returns would never be looked at."""
    kind = getattr(item, "cls", None)
    if not isinstance(item, pytest.Function) or (isinstance(kind, type) and issubclass(kind, unittest.TestCase)):
        return ("what a test of unittest returns is dropped, so the marker would hold nothing: make it a function of "
                "pytest's, or call confound.check_overlap in it")
    function = inspect.unwrap(item.obj)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return ("the marker takes a plain function that returns (step_a, step_b), and this one is `async def`: its steps "
                "submit and wait by themselves, outside any event loop")
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: Any) -> None:
    """A guard that is not in force is no pass."""
    __tracebackhide__ = True
    if item.get_closest_marker("confound_overlap") is None:
        return
    why = _unfit(item)
    if why is not None:
        pytest.fail(f"confound_overlap: {why}", pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    """The net below: whoever else calls the test and drops what it returns."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if call.when != "call" or not report.passed or hasattr(report, "wasxfail"):
        return
    if item.get_closest_marker("confound_overlap") is not None and not getattr(item, _GUARDED, False):
        report.outcome = "failed"
        report.longrepr = "confound_overlap: another plugin called the test, and no overlap was measured"


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Optional[bool]:
    """A test with the marker returns its steps."""
    __tracebackhide__ = True
    marker = pyfuncitem.get_closest_marker("confound_overlap")
    if marker is None:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    steps = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    if not isinstance(steps, tuple) or len(steps) != 2:
        pytest.fail("a test marked confound_overlap returns (step_a, step_b)", pytrace=False)
    from ._guard import OverlapError  # noqa: PLC0415
    try:
        _Checker(pyfuncitem)(*steps, *marker.args, **marker.kwargs)
    except OverlapError as error:
        pytest.fail(str(error), pytrace=False)
    setattr(pyfuncitem, _GUARDED, True)
    return True


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Counted here, so that no one takes them for passes."""
    skipped: List[Any] = terminalreporter.stats.get("skipped", [])
    found = []
    for report in skipped:
        properties: Dict[str, Any] = dict(report.user_properties)
        if _KEY in properties:
            found.append((report.nodeid, properties[_KEY]))
    if not found:
        return
    terminalreporter.section("confound")
    terminalreporter.write_line(f"{len(found)} overlap test{'s' if len(found) > 1 else ''} inconclusive: "
                                "neither passed nor failed")
    for node, why in found:
        terminalreporter.write_line(f"  {node}: {why}")
