"""Measure the measurement: does an instrument serialise what it reports as serialised?

    result = confound.measure(copy, compute, wait=synchronize, variants={"profiler": make_profiler})
    print(result)                   # the table and the verdict
    confound.check_overlap(copy, compute, at_least=0.7, wait=synchronize)

docs/measure-your-own.md says what steps may do; docs/method.md how it is decided.
"""

from ._guard import OverlapError, OverlapInconclusive, check_overlap, judge_overlap
from ._library import (DeviceError, Error, FileError, InputError, NoDeviceError, OutOfMemoryError, Status,
                       UnsupportedError, version)
from ._mark import step
from ._record import Bound, Estimate, Judgement, OverlapAnswer, Record, Variant
from ._run import Interrupted, Result, measure, run, run_job
from ._steps import LANE_A, LANE_AB, LANE_B, Device, Instrument, Knob, Proof, Steps

__all__ = [
    "LANE_A", "LANE_AB", "LANE_B", "Bound", "Device", "DeviceError", "Error", "Estimate", "FileError", "InputError",
    "Instrument", "Interrupted", "Judgement", "Knob", "NoDeviceError", "OutOfMemoryError", "OverlapAnswer",
    "OverlapError", "OverlapInconclusive", "Proof", "Record", "Result", "Status", "Steps", "UnsupportedError", "Variant",
    "check_overlap", "judge_overlap", "measure", "run", "run_job", "step", "version",
]
