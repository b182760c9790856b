#!/usr/bin/env python3
"""Programs that others wrote, alone and toggled: is anything of what they do changed?

usage: bench/inject_programs.py [--confound PROGRAM] [--alone N] [--jobs N] [--limit SECONDS] [--step HOW]... PROGRAM...

Each PROGRAM is a command line (quoted where it has arguments), run in the folder of its executable: N times (2) alone,
which shows what of its output varies by itself, then once under `confound exec --toggle timing` for each --step (sync, and
call:cuEventRecord and call:cuLaunchKernel, which change the arm in the middle of what a program times). Compared are its
exit status, its standard output and its standard error; numbers may differ only where the runs alone have other numbers in
that line too, or where it has a decimal point or an exponent, which is what times and rates have.

Prints a Markdown table and exits with 1 where something differs.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

NUMBER = re.compile(rb"0x[0-9a-fA-F]+|\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?")
MEASURED = re.compile(rb"\d\.\d|\d[eE][-+]\d")
# Its exit status goes to a file: confound's own says what came out of the measurement.
KEEPING = '"$0" "$@"; status=$?; echo $status >"$KEEP_STATUS"; exit $status'


class Run:
    """What a program did: exit status (a negative one is a signal), standard output and error as bytes."""

    def __init__(self, status, out, err, said=""):
        self.status, self.out, self.err, self.said = status, out, err, said

    def streams(self):
        return (("output", self.out), ("error", self.err))


def masked(line):
    return NUMBER.sub(b"#", line)


def same_stream(alone, toggled):
    """What a stream of the toggled program is beside those of the runs alone: 'same' as one of them; 'numbers': only
    numbers differ, of lines that may; 'order': the same lines, in another order; 'varies': by itself already; 'DIFFERS'."""
    if toggled in alone:
        return "same"
    lines = toggled.splitlines()
    shape = [masked(line) for line in lines]
    runs = [text.splitlines() for text in alone]
    alike = [text for text in runs if [masked(line) for line in text] == shape]
    if alike and all(
        line in seen or len(set(seen)) > 1 or MEASURED.search(line) for line, *seen in zip(lines, *alike)
    ):
        return "numbers"
    if sorted(lines) in map(sorted, runs):
        return "order"
    shapes = [{masked(line) for line in text} for text in runs]
    if not alike and len({tuple(masked(line) for line in text) for text in runs}) > 1 and set.intersection(*shapes) <= set(shape):
        return "varies"
    return "DIFFERS"


def run_alone(command, folder, limit):
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit)
        return Run(done.returncode, done.stdout, done.stderr)
    except subprocess.TimeoutExpired:
        return None


def run_toggled(command, folder, limit, confound, step, rounds):
    with tempfile.TemporaryDirectory(prefix="programs-") as scratch:
        kept, keep_status = pathlib.Path(scratch, "kept"), pathlib.Path(scratch, "status")
        arguments = [confound, "exec", "--toggle", "timing", "--step", step, "--rounds", str(rounds)]
        arguments += ["--keep", str(kept), "--timeout", str(limit), "--", "sh", "-c", KEEPING, *command]
        environment = dict(os.environ, KEEP_STATUS=str(keep_status))
        done = subprocess.run(arguments, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, env=environment)
        status = int(keep_status.read_text()) if keep_status.exists() else None
        said = (done.stdout + done.stderr).decode(errors="replace")
        if not (kept / "out").exists():
            sys.exit(f"inject_programs: {shlex.join(arguments)}: {said}")
        return Run(status, (kept / "out").read_bytes(), (kept / "err").read_bytes(), f"{done.returncode}: {said}")


def what_was_said(run):
    """The one thing of a report that a table has room for."""
    code, _, text = run.said.partition(": ")
    flat = " ".join(text.split())
    found = re.search(r"([\d.e+-]+) timed and [\d.e+-]+ other commands a step", flat)
    counts = f", {found[1]} timed commands a step" if found else ""
    rounds = re.search(r"under \d+ arms?, (\d+) rounds", flat)
    if rounds:
        row = re.search(r"^(stripped|added) .*$", text, re.MULTILINE)
        return f"{rounds[1]} rounds{counts}: {' '.join(row[0].split()) if row else code}"
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("confound: ")[:60] if lines else code


def check(arguments, line):
    command = shlex.split(line)
    command[0] = str(pathlib.Path(command[0]).resolve())
    folder, name = pathlib.Path(command[0]).parent, pathlib.Path(command[0]).name
    alone = [run_alone(command, folder, arguments.limit) for _ in range(arguments.alone)]
    if None in alone:
        return name, "", [("alone", f"over {arguments.limit} s alone: left out", "")]
    results = []
    for step in arguments.step:
        toggled = run_toggled(command, folder, arguments.limit + 30, arguments.confound, step, arguments.rounds)
        wanted = {run.status if run.status >= 0 else 128 - run.status for run in alone}
        verdict = "same"
        if toggled.status not in wanted:
            verdict = f"DIFFERS: exit status {toggled.status}"
        else:
            for (stream, text), *texts in zip(*(run.streams() for run in (toggled, *alone))):
                one = same_stream([other for _, other in texts], text)
                if one != "same" and not verdict.startswith("DIFFERS"):
                    verdict = f"{one}: {stream}" if one == "DIFFERS" else one
        if verdict.startswith("DIFFERS") and arguments.keep:
            base = pathlib.Path(arguments.keep, f"{name}-{re.sub('[^a-z]', '-', step.lower())}")
            base.parent.mkdir(parents=True, exist_ok=True)
            for label, run in (*enumerate(alone), ("toggled", toggled)):
                content = run.out + b"\n---- error\n" + run.err + b"\n----\n" + run.said.encode()
                base.with_suffix(f".{label}").write_bytes(content)
        results.append((step, verdict, what_was_said(toggled)))
    return name, str(alone[0].status), results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--confound", default="build/hardware/confound", type=os.path.abspath)
    parser.add_argument("--jobs", default=1, type=int, help="programs at a time: of the figures, only one is any good")
    parser.add_argument("--alone", default=2, type=int, metavar="N", help="runs alone: what varies by itself is seen from them")
    parser.add_argument("--limit", default=60, type=int, metavar="SECONDS")
    parser.add_argument("--rounds", default=12, type=int)
    parser.add_argument("--step", action="append")
    parser.add_argument("--keep", metavar="FOLDER", help="what differed goes there")
    parser.add_argument("program", nargs="+")
    arguments = parser.parse_args()
    arguments.step = arguments.step or ["sync", "call:cuEventRecord", "call:cuLaunchKernel"]
    print("| program | exit | step | against alone | what confound said |\n|---|---|---|---|---|")
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, status, results in pool.map(lambda line: check(arguments, line), arguments.program):
            for step, verdict, said in results:
                kind = verdict.partition(":")[0]
                counts[kind] = counts.get(kind, 0) + 1
                print(f"| {name} | {status} | {step} | {verdict} | {said.replace('|', '/')} |", flush=True)
    print("\n" + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return 1 if "DIFFERS" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
