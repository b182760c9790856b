"""Streams and events of PyTorch, of cuda and xpu alike; and a stand-in for machines without either, on threads."""

from __future__ import annotations

import os
import queue
import re
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from .._library import NoDeviceError, UnsupportedError
from .._steps import Device

Op = Callable[[], object]

TYPES = ("cuda", "xpu", "cpu")
ENVIRONMENT = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING", "OMP_NUM_THREADS",
               "SYCL_PI_LEVEL_ZERO_USE_IMMEDIATE_COMMANDLISTS", "UR_L0_USE_IMMEDIATE_COMMANDLISTS")


def import_torch() -> Any:
    """PyTorch, which this package needs for nothing else. UnsupportedError where it is not installed."""
    try:
        import torch  # noqa: PLC0415
    except ImportError as error:
        raise UnsupportedError(f"PyTorch cannot be imported ({error}); confound.torch needs it") from None
    return torch


class Accelerator:
    """A device of PyTorch's: torch.cuda and torch.xpu have streams and events of one shape."""

    simulated = False

    def __init__(self, torch: Any, device: Any) -> None:
        self.torch, self.device = torch, device
        self.module = getattr(torch, device.type)

    def stream(self) -> Any:
        return self.module.Stream(device=self.device)

    def switch(self, stream: Any) -> Any:
        """Operations go to stream from now on; what they went to before. Cheaper than a context around each."""
        before = self.module.current_stream(self.device)
        self.module.set_stream(stream)
        return before

    def switcher(self) -> Callable[[Any], object]:
        """The same, for the clock: nothing is handed back."""
        return self.module.set_stream  # type: ignore[no-any-return]

    def launch(self, stream: Any, op: Op) -> None:
        """Submits op to stream, to which the operations go now."""
        op()

    def wait(self, stream: Any) -> None:
        stream.synchronize()

    def event(self, timing: bool) -> Any:
        return self.module.Event(enable_timing=timing)

    def event_class(self) -> str:
        return f"torch.{self.device.type}.Event"

    def wait_event(self, stream: Any, event: Any) -> None:
        """What stream gets from now on waits for event."""
        stream.wait_event(event)

    def synchronize(self) -> None:
        self.module.synchronize(self.device)

    def begin(self) -> None:
        self.module.set_device(self.device)

    def end(self) -> None:
        pass

    def threads(self) -> List[int]:
        """Of this process that do the streams' work."""
        return []

    def describe(self) -> Device:
        properties = self.module.get_device_properties(self.device)
        facts = {"pytorch": str(self.torch.__version__), "events": self.event_class()}
        for name in ("major", "total_memory", "multi_processor_count", "driver_version"):
            value = getattr(properties, name, None)
            if name == "major" and value is not None:
                facts["capability"] = f"{value}.{getattr(properties, 'minor', '?')}"
            elif value is not None:
                facts[name] = str(value)
        runtime = getattr(self.torch.version, self.device.type, None)
        driver = _nvidia_driver() if self.device.type == "cuda" else facts.get("driver_version")
        named = [f"driver {driver}" if driver else None, f"{self.device.type.upper()} {runtime}" if runtime else None]
        return Device(self.module.get_device_name(self.device), backend=f"torch.{self.device.type}",
                      driver=", ".join(text for text in named if text) or None, facts=facts)


def _nvidia_driver() -> Optional[str]:
    try:
        found = re.search(r"\b(\d{3}\.\d[\d.]*)", Path("/proc/driver/nvidia/version").read_text(encoding="utf-8"))
    except OSError:
        return None
    return found.group(1) if found else None


# ---- the stand-in ----------------------------------------------------------------------------------------------------


class CpuEvent:
    """Stamped by the thread of the stream that it is recorded on."""

    def __init__(self, timing: bool) -> None:
        self._timing, self._done, self.stamp_ns, self.handle = timing, threading.Event(), 0, 0

    def record(self, stream: "CpuStream") -> None:
        """What waits from now on waits for this record, not for one before it."""
        self.handle, self._done = id(self), threading.Event()
        done = self._done

        def stamp() -> None:
            self.stamp_ns = time.perf_counter_ns()
            done.set()

        stream.put(stamp)

    def query(self) -> bool:
        return self._done.is_set()

    def waiter(self) -> Op:
        """Waits for the record that is the last one now."""
        return self._done.wait

    def elapsed_time(self, end: "CpuEvent") -> float:
        if not (self._timing and end._timing and self.query() and end.query()):
            raise RuntimeError("both events must be timing events that were recorded")
        return (end.stamp_ns - self.stamp_ns) / 1e6


class CpuStream(threading.Thread):
    """A thread that runs what it is given, in order."""

    def __init__(self) -> None:
        super().__init__(name="confound stream", daemon=True)
        self._work: "queue.SimpleQueue[Optional[Op]]" = queue.SimpleQueue()
        self._raised: Optional[BaseException] = None
        self.start()

    def run(self) -> None:
        for op in iter(self._work.get, None):
            try:
                op()
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                self._raised = error

    def put(self, op: Op) -> None:
        self._work.put(op)

    def synchronize(self) -> None:
        done = threading.Event()
        self._work.put(done.set)
        done.wait()
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def end(self) -> None:
        self._work.put(None)
        self.join(timeout=5)


class CpuStandIn(Accelerator):
    """PyTorch's CPU operators on two threads in place of two streams: a self-test, which says nothing about any GPU."""

    simulated = True

    def __init__(self, torch: Any, device: Any) -> None:
        self.torch, self.device = torch, device
        self._streams: List[CpuStream] = []
        self._threads = 0

    def stream(self) -> CpuStream:
        self._streams.append(CpuStream())
        return self._streams[-1]

    def switch(self, stream: Any) -> None:
        return None

    def switcher(self) -> Callable[[Any], object]:
        return self.switch

    def launch(self, stream: CpuStream, op: Op) -> None:
        stream.put(op)

    def event(self, timing: bool) -> CpuEvent:
        return CpuEvent(timing)

    def event_class(self) -> str:
        return "stand-ins"

    def wait_event(self, stream: CpuStream, event: CpuEvent) -> None:
        stream.put(event.waiter())

    def synchronize(self) -> None:
        for stream in self._streams:
            stream.synchronize()

    def begin(self) -> None:
        """One thread an operator, so that two lanes can run beside each other."""
        self._threads = self.torch.get_num_threads()
        self.torch.set_num_threads(1)

    def end(self) -> None:
        if self._threads:
            self.torch.set_num_threads(self._threads)
        for stream in self._streams:
            stream.end()
        self._streams.clear()

    def threads(self) -> List[int]:
        return [stream.native_id for stream in self._streams if stream.native_id is not None]

    def describe(self) -> Device:
        return Device("PyTorch's CPU operators on two threads", backend="torch.cpu", simulated=True,
                      facts={"pytorch": str(self.torch.__version__), "events": self.event_class()})


def accelerator(device: str) -> Accelerator:
    """The device of that string: "cuda", "cuda:1", "xpu", "cpu". NoDeviceError where it is not there."""
    torch = import_torch()
    if device.partition(":")[0] not in TYPES:
        raise NoDeviceError(f"no device {device!r}; accepted: {', '.join(TYPES)}, with an index where there are several")
    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise NoDeviceError(f"no device {device!r}: {str(error).splitlines()[0]}") from None
    if found.type == "cpu":
        return CpuStandIn(torch, found)
    module = getattr(torch, found.type, None)
    if module is None or not module.is_available():
        raise NoDeviceError(f"PyTorch {torch.__version__} finds no {found.type} device here")
    count = module.device_count()
    index = found.index if found.index is not None else module.current_device()
    if index >= count:
        raise NoDeviceError(f"no device {device!r}; there {'is' if count == 1 else 'are'} {count}, from {found.type}:0")
    return Accelerator(torch, torch.device(found.type, index))


def environment() -> Dict[str, str]:
    """What of PyTorch's environment is set, beside what the library records in any case."""
    return {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}


Interval = Tuple[float, float]


def busy(intervals: List[Interval]) -> List[Interval]:
    """Their union, in order."""
    merged: List[Interval] = []
    for begin, end in sorted(intervals):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((begin, end))
    return merged


def both_busy(a: List[Interval], b: List[Interval]) -> Tuple[float, float]:
    """Time in which both lanes were busy, and busy time of the less busy one."""
    one, other = busy(a), busy(b)
    shared = sum(max(0.0, min(x[1], y[1]) - max(x[0], y[0])) for x in one for y in other)
    return shared, min(sum(end - begin for begin, end in one), sum(end - begin for begin, end in other))
