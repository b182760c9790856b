"""What the command lines share: options in the style of `confound run`, and its exit statuses.

0 done, and every expectation met; 1 an expectation is not met; 2 bad input; 3 inconclusive where an answer was demanded;
4 no such device, or not supported; 5 the device, its driver or a step failed; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from . import _accept, _library
from ._record import Bound
from ._run import Interrupted, Result

Options = argparse.Namespace


def parser(program: str, description: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(program, description=description, allow_abbrev=False)
    made.add_argument("--rounds", type=int, metavar="N", help="at most N rounds (120)")
    made.add_argument("--min-rounds", type=int, metavar="N", help="no decision before round N (12)")
    made.add_argument("--margin", type=float, metavar="X",
                      help="how much overlap an instrument may remove or add and be clear (0.1)")
    made.add_argument("--alpha", type=float, metavar="X", help="error rate of a family of decisions (0.01)")
    made.add_argument("--seed", type=int, metavar="N", help="seed of the order of the cells (a fresh one)")
    made.add_argument("-o", "--output", metavar="RECORD.json", help="where the record goes")
    made.add_argument("--html", metavar="FILE", help="where the report as a page goes")
    made.add_argument("--format", choices=("text", "markdown", "csv"), default="text", help="of the report (text)")
    add_expectations(made)
    made.add_argument("-q", "--quiet", action="store_true", help="no progress, no table: the verdict alone")
    made.add_argument("-v", "--verbose", action="store_true", help="say more: how each variant was proven, the machine")
    made.add_argument("--version", action="version", version=_version())
    return made


def add_expectations(made: argparse.ArgumentParser) -> None:
    """What `show` and `expectations` need, and the commands share."""
    made.add_argument("--json", metavar="FILE|-",
                      help="where the judgement goes; with - it alone is on standard output")
    made.add_argument("--expect", choices=("clear", "confounded", "inconclusive"),
                      help="exit with 1 on another verdict, with 3 where it is inconclusive")
    made.add_argument("--at-least", type=float, metavar="X",
                      help="exit with 1 where the overlap with no instrument is below X, with 3 where that is not decided")


def _version() -> str:
    try:
        return f"confound {_library.version()}"
    except ImportError as error:
        return str(error)


def run_options(options: Options) -> Dict[str, Any]:
    """For confound.run, confound.run_job and their like."""
    rounds: Any = options.rounds
    if options.min_rounds is not None:
        rounds = (options.min_rounds, options.rounds if options.rounds is not None else max(120, options.min_rounds))
    return {"rounds": rounds, "margin": options.margin, "alpha": options.alpha, "seed": options.seed,
            "at_least": options.at_least, "path": options.output, "progress": False if options.quiet else None}


def _note(text: str) -> None:
    print(f"confound: {text}", file=sys.stderr)


More = Callable[[Options, Result], str]


def _nothing_more(options: Options, result: Result) -> str:
    return ""


def style() -> Dict[str, Any]:
    """Of what is printed on standard output."""
    terminal = sys.stdout.isatty()
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return {"color": terminal and "NO_COLOR" not in os.environ, "utf8": utf8}


def show(options: Options, result: Result, more: More = _nothing_more) -> None:
    if options.json is not None and options.json != "-":
        Path(options.json).write_text(result.judgement.json, encoding="utf-8")
    if options.html is not None:
        Path(options.html).write_text(result.report("html"), encoding="utf-8")
    if options.json == "-":
        sys.stdout.write(result.judgement.json)
        return
    format = "verdict" if options.quiet else options.format
    sys.stdout.write(result.report(format, verbose=options.verbose, **style()))
    if format == "text":
        sys.stdout.write(more(options, result))


def expectations(options: Options, result: Result) -> int:
    status = 0
    if options.expect is not None and result.verdict != options.expect:
        _note(f"expected {options.expect}, found {result.verdict}")
        status = 3 if result.verdict == "inconclusive" else 1
    if options.at_least is None:
        return status
    answer = result.record.overlap_above(options.at_least)
    if answer.bound is Bound.ABOVE:
        return status
    if answer.bound is Bound.BELOW:
        _note(f"the lanes overlap less than {options.at_least:g}: {result.overlap}")
        return 1
    _note(f"can't tell whether the overlap is above {options.at_least:g}: {answer.meaning or answer.because}")
    return status or 3


def _fail(error: BaseException, status: int) -> int:
    text, name = " ".join(str(error).split()), type(error).__name__
    known = isinstance(error, (_library.Error, ImportError, OSError))
    _note(text if known and text else f"{name}: {text}" if text else name)
    return status


def refuse(*paths: Optional[str]) -> None:
    """Files that could not be written afterwards, before anything is measured."""
    for path in paths:
        if path is not None and path != "-":
            _accept.writable("FILE", path)


def main(parser: argparse.ArgumentParser, arguments: Optional[List[str]], run: Callable[[Options], Result],
         more: More = _nothing_more) -> int:
    options = parser.parse_args(arguments)

    def work() -> int:
        refuse(options.json, options.html)
        try:
            result = run(options)
        except Interrupted as error:
            return _interrupted(options, error, more)
        except _library.FileError as error:
            _show_kept(options, error, more)
            raise
        show(options, result, more)
        return expectations(options, result)

    return answered(work)


def answered(work: Callable[[], int]) -> int:
    """Its exit status, or the one of what it raises, which is said on one line."""
    try:
        return work()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except _library.Error as error:
        return _fail(error, error.exit_status)
    except ImportError as error:
        return _fail(error, 4)
    except (OSError, UnicodeDecodeError) as error:
        return _fail(error, 2)
    except Exception as error:  # noqa: BLE001 - a step's own: one line, as for a device that failed
        return _fail(error, 5)


def _show_kept(options: Options, error: _library.FileError, more: More) -> None:
    """What was measured and could not be written is not lost."""
    record = getattr(error, "confound_record", None)
    if record is not None:
        show(options, Result(record), more)


def _interrupted(options: Options, error: Interrupted, more: More) -> int:
    """What there is is shown, as `confound run` does."""
    if error.record is not None:
        show(options, Result(error.record, options.output), more)
    _note(str(error))
    return 130
