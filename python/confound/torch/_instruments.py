"""PyTorch's own instruments: events without and with timing, and its profiler."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from .._library import InputError
from .._steps import LANE_A, LANE_B, Instrument, Proof
from ._device import Accelerator, Interval, both_busy

Pair = Tuple[Any, Any]

NAMES = ("sync", "timing", "profiler")


class Events(Instrument):
    """An event before and after every operation, on its stream. New ones for each window, made outside the clock: an
    event that was used before could not prove that it was recorded again."""

    where = on = "both"

    def __init__(self, accelerator: Accelerator, timing: bool, operations: Tuple[int, int]) -> None:
        """operations: of each lane in a window, that is in all steps in flight."""
        super().__init__("timing" if timing else "sync")
        self._accelerator, self._timing, self._operations = accelerator, timing, operations
        self._pairs: Tuple[List[Pair], List[Pair]] = ([], [])
        self._next: Tuple[Iterator[Pair], Iterator[Pair]] = (iter(()), iter(()))

    @property
    def alive(self) -> int:
        """Pairs of events that exist."""
        return len(self._pairs[0]) + len(self._pairs[1])

    def arm(self) -> None:
        event, timing = self._accelerator.event, self._timing
        made = [[(event(timing), event(timing)) for _ in range(count)] for count in self._operations]
        self._pairs = (made[0], made[1])
        self._next = (iter(made[0]), iter(made[1]))

    def disarm(self) -> None:
        self._pairs = ([], [])
        self._next = (iter(()), iter(()))

    def take(self, lane: int) -> Pair:
        """In the clock: the events of the next operation of lane 0 or 1."""
        return next(self._next[lane])

    def prove(self, lanes: int) -> Proof:
        used = [self._pairs[lane] if lanes & bit else [] for lane, bit in ((0, LANE_A), (1, LANE_B))]
        proof = self._timestamps(used) if self._timing else self._handles(used)
        self.arm()
        return proof

    def _handles(self, used: Sequence[List[Pair]]) -> Proof:
        """PyTorch makes an event's handle when it is first recorded: one without was never recorded."""
        events = [event for pairs in used for pair in pairs for event in pair]
        count = sum(1 for event in events if _handle(event) and event.query())
        return Proof(how="events recorded and completed", expected=len(events), count=count)

    def _timestamps(self, used: Sequence[List[Pair]]) -> Proof:
        """Within a lane time goes on from operation to operation."""
        first = next((pairs[0][0] for pairs in used if pairs), None)
        count, expected, lanes = 0, 0, []
        for pairs in used:
            readings: List[Interval] = []
            last = float("-inf")
            for before, after in pairs:
                expected += 1
                begin, end = _elapsed(first, before), _elapsed(first, after)
                if begin is None or end is None:
                    continue
                count += last <= begin <= end and end > last
                last = end
                readings.append((begin, end))
            lanes.append(readings)
        seen = None
        if lanes[0] and lanes[1]:
            shared, shorter = both_busy(lanes[0], lanes[1])
            seen = (round(shared * 1e6), round(shorter * 1e6))
        return Proof(how="elapsed_time readings that moved on", expected=expected, count=count, seen=seen)


def _handle(event: Any) -> int:
    for name in ("cuda_event", "sycl_event", "event_id", "handle"):
        value = getattr(event, name, None)
        if isinstance(value, int):
            return value
    return 0


def _elapsed(first: Any, event: Any) -> Optional[float]:
    """ms from first to event; None where one of them was not recorded."""
    try:
        return float(first.elapsed_time(event))
    except (RuntimeError, ValueError):
        return None


class Profiler(Instrument):
    """torch.profiler with its default settings, for the CPU and the device. Begun and ended around each window, outside
    the clock: its events can be counted only when it has ended."""

    def __init__(self, accelerator: Accelerator, operations: Tuple[int, int]) -> None:
        super().__init__("profiler")
        self._accelerator, self._operations = accelerator, operations
        self._profile: Any = None

    @property
    def alive(self) -> int:
        return 0 if self._profile is None else 1

    def arm(self) -> None:
        profiler = self._accelerator.torch.profiler
        kind = getattr(profiler.ProfilerActivity, self._accelerator.device.type.upper())
        activities = [profiler.ProfilerActivity.CPU, kind]
        try:  # without it newer ones warn that events of earlier cycles are gone; there are none
            self._profile = profiler.profile(activities=activities, acc_events=True)
        except TypeError:
            self._profile = profiler.profile(activities=activities)
        self._profile.__enter__()

    def disarm(self) -> None:
        profile, self._profile = self._profile, None
        if profile is not None:
            profile.__exit__(None, None, None)

    def _device_events(self) -> List[Any]:
        wanted = self._accelerator.device.type.upper()
        return [event for event in self._profile.events() if getattr(event.device_type, "name", "") == wanted]

    def prove(self, lanes: int) -> Proof:
        self._profile.__exit__(None, None, None)
        events = self._device_events()
        expected = sum(count for count, bit in zip(self._operations, (LANE_A, LANE_B)) if lanes & bit)
        self.arm()
        return Proof(how="device events for as many operations", expected=expected, count=min(expected, len(events)),
                     seen=self._seen(events))

    @staticmethod
    def _seen(events: Sequence[Any]) -> Optional[Tuple[int, int]]:
        """By stream, where there are two."""
        streams: Dict[Any, List[Interval]] = {}
        for event in events:
            times = event.time_range
            streams.setdefault(getattr(event, "device_resource_id", None), []).append((times.start, times.end))
        if len(streams) != 2:
            return None
        shared, shorter = both_busy(*streams.values())
        return round(shared * 1e3), round(shorter * 1e3)


def instruments(names: Sequence[str], accelerator: Accelerator, operations: Tuple[int, int]) -> List[Instrument]:
    """The instruments of those names: sync, timing, profiler."""
    made: List[Instrument] = []
    for name in names:
        if name not in NAMES:
            raise InputError(f"no instrument {name!r}; there is {', '.join(NAMES)}")
        if name == "profiler" and accelerator.simulated:
            raise InputError("the profiler does not see the threads that stand in for streams: no such instrument on cpu")
        made.append(Profiler(accelerator, operations) if name == "profiler"
                    else Events(accelerator, name == "timing", operations))
    return made
