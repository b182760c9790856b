"""python -m confound.torch: the table, for PyTorch's streams and events."""

from __future__ import annotations

import argparse
import sys
from typing import List, Optional

from .. import _command
from .._run import Result
from . import copy_compute, kv_staging, submit_us
from ._instruments import NAMES

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def _size(text: str) -> int:
    """4096, 64KiB, 8MiB"""
    number = text.lower()
    for ending in ("ib", "b"):
        if number.endswith(ending):
            number = number[:-len(ending)]
            break
    unit = number[-1:] if number[-1:] in "kmg" else ""
    try:
        return int(number[:len(number) - len(unit)]) * _UNITS[unit]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; accepted: 4096, 64KiB, 8MiB") from None


def _run(options: _command.Options) -> Result:
    shared = {"count": options.count, "instruments": options.instruments, **_command.run_options(options)}
    if options.job == "kv-staging":
        return kv_staging(options.device, tokens=options.tokens, queries=options.queries, **shared)
    return copy_compute(options.device, size_bytes=options.bytes, rows=options.rows,
                        matmul_size=options.matmul_size, pinned=options.memory == "pinned",
                        in_flight=options.in_flight, **shared)


def _more(options: _command.Options, result: Result) -> str:
    """Which lane's submission it is that takes long."""
    a, b = submit_us(result.record)
    if a is None or b is None or not (options.verbose or result.reading == "host-bound"):
        return ""
    return f"Submitting an operation takes the host {a:.1f} us in lane a, {b:.1f} us in lane b.\n"


def main(arguments: Optional[List[str]] = None) -> int:
    parser = _command.parser(
        "python -m confound.torch", "Measure two streams of PyTorch's under its own events and profiler, judge it and "
        "report. What is not given is calibrated.")
    parser.add_argument("--device", default="cuda", metavar="DEVICE",
                        help="cuda, cuda:1, xpu, …; cpu: threads stand in for streams, a self-test (cuda)")
    parser.add_argument("--job", choices=("copy-compute", "kv-staging"), default="copy-compute",
                        help="host-to-device copies beside matmuls, or the staging loop of a KV cache (copy-compute)")
    parser.add_argument("--instruments", default="sync timing", metavar="LIST",
                        help=f"on trial, separated by blanks or commas: {', '.join(NAMES)} (sync timing)")
    parser.add_argument("--count", type=int, default=16, metavar="N", help="operations of each lane in a step (16)")
    parser.add_argument("--in-flight", type=int, default=1, metavar="N", help="copy-compute: steps before the wait (1)")
    parser.add_argument("--bytes", type=_size, metavar="SIZE", help="copy-compute: of one copy")
    parser.add_argument("--memory", choices=("pinned", "pageable"), default="pinned",
                        help="copy-compute: host memory that is copied (pinned)")
    parser.add_argument("--rows", type=int, metavar="N", help="copy-compute: rows of the matrix that is multiplied")
    parser.add_argument("--matmul-size", type=int, metavar="N", help="copy-compute: rows and columns of the other one (2048; cpu 256)")
    parser.add_argument("--tokens", type=int, metavar="N", help="kv-staging: of one block (4096)")
    parser.add_argument("--queries", type=int, metavar="N", help="kv-staging: that attend to a block")
    return _command.main(parser, arguments, _run, _more)


if __name__ == "__main__":
    sys.exit(main())
