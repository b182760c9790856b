"""python -m confound judge and report: a record that is there, without a device. For several, or a set, there is the
program `confound`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import List

from . import _command
from ._record import Record
from ._run import Result

COMMANDS = ("judge", "report")


def _read(name: str) -> Record:
    return Record.parse(sys.stdin.buffer.read(), "standard input") if name == "-" else Record.read(name)


def _parser(command: str, description: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(f"python -m confound {command}", description=description, allow_abbrev=False)
    made.add_argument("record", metavar="RECORD.json", help="of a run; - is standard input")
    return made


def _put(text: str, name: str) -> None:
    if name == "-":
        sys.stdout.write(text)
    else:
        Path(name).write_text(text, encoding="utf-8")


def _judge(arguments: List[str]) -> int:
    parser = _parser("judge", "Judge a record again; the same record gives the same judgement, byte for byte.")
    parser.add_argument("--margin", type=float, metavar="X",
                        help="how much overlap an instrument may remove or add and be clear (the record's)")
    _command.add_expectations(parser)
    parser.set_defaults(html=None, format="text", quiet=False, verbose=False)
    options = parser.parse_args(arguments)

    def work() -> int:
        _command.refuse(options.json)
        path = None if options.record == "-" else options.record
        result = Result(_read(options.record), path, options.margin)
        _command.show(options, result)
        return _command.expectations(options, result)

    return _command.answered(work)


def _report(arguments: List[str]) -> int:
    parser = _parser("report", "Show a record's judgement as text, Markdown, CSV, JSON or a page.")
    parser.add_argument("-o", "--output", metavar="FILE|-", help="where the report goes (standard output)")
    parser.add_argument("--html", metavar="FILE|-",
                        help="write a page with charts to FILE; text too only where --format or -o asks for it")
    parser.add_argument("--format", choices=("text", "markdown", "csv", "json"), help="what is printed (text)")
    options = parser.parse_args(arguments)

    def work() -> int:
        _command.refuse(options.output, options.html)
        result = Result(_read(options.record), None if options.record == "-" else options.record)
        if options.html is not None:
            _put(result.report("html"), options.html)
            if options.format is None and options.output is None:
                return 0
        output = options.output or "-"
        style = _command.style() if output == "-" else {}
        _put(result.judgement.json if options.format == "json" else result.report(options.format or "text", **style),
             output)
        return 0

    return _command.answered(work)


def main(arguments: List[str]) -> int:
    """arguments[0] is the command."""
    return (_judge if arguments[0] == "judge" else _report)(arguments[1:])
