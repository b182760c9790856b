#!/usr/bin/env python3
"""What the queueing model predicts, and what Intel's driver does on the emulated engines: one step of both lanes for each
instrument, placement and order of submission, as a Markdown table. Needs `./dev intel` first; a look takes seconds.

    bench/intel.py [--drivers build/intel] [--build build/dev] [--only INSTRUMENT]...

Both sides are read from the commands of one step (`confound run --explain`): O = (A + B - AB) / the shorter, where A and B
are the times that a lane's operations ran, and AB the time from the first one's begin to the last one's end. A host that
is late with its submissions can hide an overlap and cannot make one: where the driver shows less than the model predicts
it is looked at again, and the largest of the looks stands."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNT = 4
LOOKS = 4
NEAR = 0.15
# instrument on level-zero: the model that has such events, and the instrument there
PREDICTED = {"sync": ("copy-offload", "sync"), "sync-signal": ("copy-offload", "sync"),
             "timing": ("copy-offload", "timing"), "timing-signal": ("copy-offload", "timing"),
             "timing-event": ("own", "timing")}
SIDES = {"timing": ("before", "after", "both"), "timing-signal": ("before", "after", "both"), "sync-signal": ("both",)}


def run(command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=env)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")


def overlap(record, instrument):
    names = [v["name"] for v in record["variants"]]
    lanes = ([], [])
    for s in record["spans"]:
        name = s["variant"] if isinstance(s["variant"], str) else names[s["variant"]]
        if name == instrument and s["what"] in ("h2d", "kernel"):
            lanes[s["lane"]].append((s["begin_ns"], s["end_ns"]))
    a, b = (sum(end - begin for begin, end in lane) for lane in lanes)
    every = lanes[0] + lanes[1]
    wall = max(end for _, end in every) - min(begin for begin, _ in every)
    return (a + b - wall) / min(a, b)


def look(options, instrument, where, on, submit, device, emulate=()):
    with tempfile.TemporaryDirectory(prefix="confound-bench-") as folder:
        job, record = os.path.join(folder, "job.ini"), os.path.join(folder, "record.json")
        lengths = ("bytes = 6MiB", "trips = 160000") if device == "level-zero" else ("ns = 1600000", "ns = 1600000")
        model = "" if device == "level-zero" else f"model = {PREDICTED[instrument][0]}\n"
        name = instrument if device == "level-zero" else PREDICTED[instrument][1]
        with open(job, "w", encoding="utf-8") as file:
            file.write(f"[job]\ndevice = {device}\n{model}[lane a]\nop = h2d\ncount = {COUNT}\n{lengths[0]}\n[lane b]\n"
                       f"op = kernel\ncount = {COUNT}\n{lengths[1]}\n[order]\nsubmit = {submit}\n"
                       f"[instruments]\nuse = {name}\nwhere = {where}\non = {on}\n")
        run([*emulate, os.path.join(options.build, "confound"), "run", job, "-o", record, "--rounds", "1", "--min-rounds",
             "1", "--explain"])
        with open(record, encoding="utf-8") as file:
            return overlap(json.load(file), name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drivers", default=os.path.join(ROOT, "build", "intel"))
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    emulate = (os.path.join(options.build, "confound-emulate"), "--drivers", options.drivers, "--")
    print("| instrument | side | lane | submitted | model | Intel's driver | |\n|---|---|---|---|---|---|---|")
    for instrument in options.only or PREDICTED:
        for where in SIDES.get(instrument, ("both",)):
            for on in ("a", "b", "both"):
                for submit in ("ab", "ba"):
                    predicted = look(options, instrument, where, on, submit, "sim")
                    seen = -9.0
                    for _ in range(LOOKS):
                        seen = max(seen, look(options, instrument, where, on, submit, "level-zero", emulate))
                        if seen > predicted - NEAR:
                            break
                    side = where if instrument in SIDES else "own"
                    print(f"| `{instrument}` | {side} | {on} | {submit} | {predicted:.2f} | {seen:.2f} | "
                          f"{'' if abs(seen - predicted) <= NEAR else 'differs'} |", flush=True)


if __name__ == "__main__":
    main()
