"""confound in PyTorch: do its events, or its profiler, serialise the streams that they show as serialised?

    result = confound.torch.measure(copy, compute, device="cuda")     # your two callables, each with its stream current
    result = confound.torch.copy_compute("cuda")                      # pinned copies beside matmuls
    result = confound.torch.kv_staging("xpu")                         # the staging loop of a KV cache

`python -m confound.torch --device cuda` prints the table. Devices: "cuda", "xpu", and "cpu", where threads stand in for
streams. Nothing here imports PyTorch before it is used.
"""

from __future__ import annotations

import csv
import io
import statistics
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .._guard import judge_overlap
from .._record import Record
from .._run import Result, run
from ._device import Accelerator, accelerator
from ._instruments import Events, Profiler, instruments
from ._workloads import CallableSteps, CopyCompute, KvStaging, OnStream, StreamSteps

__all__ = ["Accelerator", "CallableSteps", "CopyCompute", "Events", "KvStaging", "Profiler", "StreamSteps",
           "accelerator", "check_overlap", "copy_compute", "instruments", "kv_staging", "measure", "run_steps", "submit_us"]

Names = Union[str, Sequence[str]]
DEFAULT: Names = ("sync", "timing")


def _names(given: Names) -> Sequence[str]:
    return given.replace(",", " ").split() if isinstance(given, str) else given


def submit_us(record: Record) -> Tuple[Optional[float], Optional[float]]:
    """µs that the host takes to submit an operation of lane a and of lane b, alone and with no instrument: medians."""
    found: Dict[str, List[float]] = {"a": [], "b": []}
    for row in csv.DictReader(io.StringIO(record.report("csv"))):
        if row["variant"] == "none" and row["cell"] in found and row["submit_ns"]:
            found[row["cell"]].append(float(row["submit_ns"]) - float(row["blocked_ns"] or 0))
    job = record.to_dict()["job"]
    counts = [lane["count"] * job["in_flight"] for lane in job["lanes"]]
    medians = [statistics.median(times) / count / 1e3 if times else None for times, count in zip(found.values(), counts)]
    return medians[0], medians[1]


def run_steps(steps: StreamSteps, names: Names = DEFAULT, **options: Any) -> Result:
    """confound.run on steps of two streams, under PyTorch's instruments of those names: sync, timing, profiler."""
    windows = (steps.operations[0] * steps.in_flight, steps.operations[1] * steps.in_flight)
    try:
        made = instruments(_names(names), steps.accelerator, windows)
        steps.instruments = made
        return run(steps, made, **options)
    finally:
        steps.accelerator.end()


def measure(copy: OnStream, compute: OnStream, *, device: str = "cuda", count: int = 16, in_flight: int = 1,
            instruments: Names = DEFAULT, name: str = "copy-compute",
            labels: Tuple[Optional[str], Optional[str]] = ("copy", "compute"), **options: Any) -> Result:
    """Measures two callables. Each is called `count` times a step as callable(stream), with that stream current, and
    submits work to it without waiting: an event goes before and after each call under `sync` and `timing`.

    options: those of confound.run. On "cpu" the callables run on threads.
    """
    steps = CallableSteps(accelerator(device), copy, compute, count)
    steps.name, steps.labels, steps.in_flight = name, labels, in_flight
    return run_steps(steps, instruments, **options)


def copy_compute(device: str = "cuda", *, count: int = 16, size_bytes: Optional[int] = None,
                 rows: Optional[int] = None, matmul_size: Optional[int] = None, pinned: bool = True,
                 in_flight: int = 1, instruments: Names = DEFAULT, **options: Any) -> Result:
    """Host-to-device copies beside matmuls. size_bytes of a copy and rows of a matmul are calibrated where they are not
    given."""
    steps = CopyCompute(accelerator(device), count, size_bytes, rows, matmul_size, pinned)
    steps.in_flight = in_flight
    return run_steps(steps, instruments, **options)


def kv_staging(device: str = "cuda", *, count: int = 16, tokens: Optional[int] = None, queries: Optional[int] = None,
               instruments: Names = DEFAULT, **options: Any) -> Result:
    """The staging loop of a KV cache: block by block into the device, attention over each when it is there."""
    return run_steps(KvStaging(accelerator(device), count, tokens, queries), instruments, **options)


def check_overlap(copy: OnStream, compute: OnStream, at_least: float = 0.7, *, device: str = "cuda",
                  **options: Any) -> Result:
    """confound.check_overlap for two callables on streams, under no instrument."""
    options.setdefault("instruments", ())
    return judge_overlap(measure(copy, compute, device=device, at_least=at_least, **options), at_least)
