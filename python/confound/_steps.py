"""What a caller brings: steps of two lanes, instruments, knobs."""

from __future__ import annotations

import queue
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from . import _accept

LANE_A, LANE_B, LANE_AB = 1, 2, 3  # bits of lanes

Call = Callable[[], object]


@dataclass(frozen=True)
class Proof:
    """What an instrument proves after a window, while it is still armed.

    armed     True, False or None (nothing said; the counts speak)
    how       a phrase: "timestamps moved"
    expected  so many proofs were due in this window
    count     so many came. It is armed when over all rounds all came
    seen      of a step of both lanes by the instrument's own timestamps: (ns in which both were busy, busy ns of the less
              busy one). Shown, never judged
    """

    armed: Optional[bool] = None
    how: Optional[str] = None
    expected: int = 0
    count: int = 0
    seen: Optional[Tuple[int, int]] = None


@dataclass(frozen=True)
class Knob:
    """The library may change a lane's length so that the lanes are long enough and alike.

    set     is called with a length, outside the clock, and makes the lane's step so long
    first   the length to begin with, above 0
    unit    what it counts: "bytes"
    """

    set: Callable[[int], object]
    first: int
    unit: Optional[str] = None


@dataclass(frozen=True)
class Device:
    """Where the steps run, for the record. simulated: it says nothing about anyone's device."""

    name: str
    backend: str = "python"
    driver: Optional[str] = None
    simulated: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)


class Instrument:
    """Something that observes, and may change what it observes. Derive from it, or give a context manager: it is entered
    before the steps of a cell and left after them, outside the clock.

    where          it acts "before", "after" or on "both" sides of an operation
    on             on lane "a", "b" or "both"
    process_only   why it must be armed before first use in a process; such a one gets no answer from one process
    """

    where: Optional[str] = None
    on: Optional[str] = None
    process_only: Optional[str] = None

    def __init__(self, name: str) -> None:
        self.name = name

    def arm(self) -> None:
        """Before the steps of a cell."""

    def disarm(self) -> None:
        """After them."""

    def around(self, lane: str, step: Call) -> Call:
        """The step of lane "a" or "b" as it is submitted under this instrument. The default is the step itself."""
        return step

    def prove(self, lanes: int) -> Optional[Proof]:
        """After each window of `lanes`, while armed."""
        return None


def _is_context(one: object) -> bool:
    return hasattr(type(one), "__enter__") and hasattr(type(one), "__exit__")


class _Context(Instrument):
    """A context manager, made anew for each cell."""

    def __init__(self, name: str, make: Callable[[], AbstractContextManager[Any]]) -> None:
        super().__init__(name)
        self._make = make
        self._open: Optional[AbstractContextManager[Any]] = None

    def arm(self) -> None:
        made = self._make()
        if not _is_context(made):
            raise TypeError(f"variant {_accept.shown(self.name)} made {_accept.shown(made)}; a context manager is accepted")
        self._open = made
        made.__enter__()

    def disarm(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            opened.__exit__(None, None, None)


Instruments = Union[Sequence[Instrument], Mapping[str, Union[Instrument, Callable[[], AbstractContextManager[Any]]]]]


def _listed(given: Any) -> Sequence[Instrument]:
    listed = list(given) if isinstance(given, Iterable) else [None]
    if not all(isinstance(one, Instrument) for one in listed):
        raise _accept.refused("variants", given, "{name: what makes a context manager}, or a list of "
                                                 "confound.Instrument")
    return listed


def instruments_of(given: Instruments) -> Sequence[Instrument]:
    """A list of instruments from a list, or from {name: instrument or what makes a context manager}."""
    if not isinstance(given, Mapping):
        return _listed(given)
    found = []
    for name, one in given.items():
        _accept.text("a variant's name", name)
        if isinstance(one, Instrument):
            one.name = name
            found.append(one)
        elif _is_context(one):  # some can be called, as decorators
            raise _accept.refused(f"variant {_accept.shown(name)}:", one, "a function that makes a context manager, for "
                                                                          "each cell needs one of its own")
        else:
            found.append(_Context(name, _accept.function(f"variant {_accept.shown(name)}:", one)))
    return found


class Steps:
    """Steps with everything in one's own hands: derive, and give them to confound.run. confound.measure makes one of two
    callables.

    In the clock: submit, wait and blocked_ns. What they cost, the interpreter's part included, is measured as part of
    the step. All else is called outside, with nothing running. An exception in any of them ends the run and is raised by
    it.
    """

    name = "steps"
    labels: Tuple[Optional[str], Optional[str]] = (None, None)  # what the lanes do: "h2d copies"
    operations: Tuple[int, int] = (1, 1)  # in a step of each lane; only lanes that depend on each other need it
    depends = False  # operation i of lane b needs operation i of lane a
    in_flight = 1  # steps that are submitted before the wait, 1 to 64
    lane_waits = False  # wait may be called for one lane while the other still runs
    wait_name: Optional[str] = None  # how the host waits, a word for the record; without one "block"
    device: Optional[Device] = None
    environment: Mapping[str, str] = {}
    knobs: Tuple[Optional[Knob], Optional[Knob]] = (None, None)

    def submit(self, lanes: int, instrument: Optional[Instrument]) -> None:
        """Begins one step of the lanes (LANE_A, LANE_B or LANE_AB) and returns without waiting for it. instrument None:
        with none. The step is the same under every instrument but for what the instrument itself does."""
        raise NotImplementedError

    def wait(self, lanes: int, instrument: Optional[Instrument]) -> None:
        """Returns when all that was submitted to the lanes has ended."""
        raise NotImplementedError

    def check(self, lanes: int, instrument: Optional[Instrument]) -> Optional[str]:
        """After each window: what is wrong with the result of those lanes, or None. The run then ends, and is invalid.
        After a window of the reference it is called for each lane in turn."""
        return None

    def empty(self) -> None:
        """Submits a step of both lanes in which nothing is done, and waits for it, as with the others; called a few times
        before the rounds. Lanes that take little more are not known to do anything: `too-short`."""

    def blocked_ns(self) -> int:
        """ns so far that submit was blocked (a full queue, a copy that waits), which is no work of the host."""
        return 0

    def prove_control(self, lanes: int) -> Optional[Proof]:
        """After each window of a variant with no instrument: that none is armed. None: none was, through this package."""
        return None

    def begin(self) -> None:
        """Before the first step."""

    def threads(self) -> Sequence[int]:
        """After begin: threads that do the steps' work, as threading.get_native_id gives them; at most 64. Where the
        machine keeps them from a core the answer is `host-starved`, not wrong."""
        return ()

    def end(self) -> None:
        """After the last step, also where the run failed."""


def _nothing() -> None:
    pass


class _Lane(threading.Thread):
    """A thread that runs a lane's steps one after another."""

    def __init__(self, name: str) -> None:
        super().__init__(name="confound lane " + name, daemon=True)
        self._work: "queue.SimpleQueue[Optional[Call]]" = queue.SimpleQueue()
        self._done: "queue.SimpleQueue[Optional[BaseException]]" = queue.SimpleQueue()
        self._left = 0

    def run(self) -> None:
        for step in iter(self._work.get, None):
            raised: Optional[BaseException] = None
            try:
                step()
            except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
                raised = error
            self._done.put(raised)

    def submit(self, step: Call) -> None:
        self._left += 1
        self._work.put(step)

    def wait(self) -> None:
        while self._left:
            raised = self._done.get()
            self._left -= 1
            if raised is not None:
                raise raised

    def end(self, timeout_s: float) -> None:
        self._work.put(None)
        self.join(timeout=timeout_s)


Wait = Union[Call, Tuple[Call, Call]]


class Callables(Steps):
    """Two callables as steps. Without wait they block, and each lane runs on a thread of its own."""

    def __init__(self, step_a: Call, step_b: Call, wait: Optional[Wait], together: Optional[Call],
                 instruments: Sequence[Instrument]) -> None:
        self._lanes: Optional[Tuple[_Lane, _Lane]] = None
        self._waits: Dict[int, Tuple[Call, ...]] = {}
        self._steps: Dict[Optional[str], Dict[int, Tuple[Call, ...]]] = {}
        self._threads = wait is None
        self._patience_s = 5.0
        for name, step in (("step_a", step_a), ("step_b", step_b)):
            _accept.function(name, step)
        _accept.optional_function("together", together)
        if isinstance(wait, (tuple, list)):
            self.lane_waits = True
            wait_a, wait_b = (_accept.function("wait", one) for one in _accept.pair("wait", wait, "functions"))
            self._waits = {LANE_A: (wait_a,), LANE_B: (wait_b,), LANE_AB: (wait_a, wait_b)}
        elif wait is not None:
            _accept.function("wait", wait)
            self._waits = {LANE_A: (wait,), LANE_B: (wait,), LANE_AB: (wait,)}
        else:
            self.lane_waits = True
        for instrument in (None, *instruments):
            a = step_a if instrument is None else instrument.around("a", step_a)
            b = step_b if instrument is None else instrument.around("b", step_b)
            both = (a, b) if together is None else (together,)
            self._steps[instrument.name if instrument else None] = {LANE_A: (a,), LANE_B: (b,), LANE_AB: both}

    def begin(self) -> None:
        if self._threads:
            self._lanes = (_Lane("a"), _Lane("b"))
            for lane in self._lanes:
                lane.start()
            self._waits = {LANE_A: (self._lanes[0].wait,), LANE_B: (self._lanes[1].wait,),
                           LANE_AB: (self._lanes[0].wait, self._lanes[1].wait)}

    def threads(self) -> Sequence[int]:
        return [lane.native_id for lane in self._lanes or () if lane.native_id is not None]

    def give_up(self) -> None:
        """end does not wait for a step that hangs."""
        self._patience_s = 0.0

    def end(self) -> None:
        for lane in self._lanes or ():
            lane.end(self._patience_s)

    def submit(self, lanes: int, instrument: Optional[Instrument]) -> None:
        steps = self._steps[instrument.name if instrument else None][lanes]
        if self._lanes is None:
            for step in steps:
                step()
        elif lanes == LANE_B:
            self._lanes[1].submit(steps[0])
        else:
            for lane, step in zip(self._lanes, steps):
                lane.submit(step)

    def wait(self, lanes: int, instrument: Optional[Instrument]) -> None:
        for wait in self._waits[lanes]:
            wait()

    def empty(self) -> None:
        """The way to the threads and back."""
        for lane in self._lanes or ():
            lane.submit(_nothing)
        for lane in self._lanes or ():
            lane.wait()
