"""python -m confound: the experiment on the embedded device, or on another one of the library's; judge and report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List, Optional

from . import _command, _judge
from ._run import Result, run_job


def _run(options: "_command.Options") -> Result:
    job = "" if options.job is None else Path(options.job).read_text(encoding="utf-8")
    return run_job(job, device=options.device, values=options.set, **_command.run_options(options))


def main(arguments: Optional[List[str]] = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in _judge.COMMANDS:
        return _judge.main(arguments)
    parser = _command.parser(
        "python -m confound", "Measure a job under every instrument, judge it and report. Without a job: 16 "
        "host-to-device copies beside 16 kernels, on the embedded device in real time, which is a self-test. "
        "`python -m confound judge RECORD.json` and `python -m confound report RECORD.json` take a record that is there.")
    parser.add_argument("job", nargs="?", metavar="JOB.ini", help="a job file (docs/jobs.md)")
    parser.add_argument("--device", metavar="NAME", help="sim, soft, cuda, opencl:0, …; the job's, or soft")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE",
                        help="change one value of the job, such as lane.a.count=8")
    return _command.main(parser, arguments, _run)


if __name__ == "__main__":
    sys.exit(main())
