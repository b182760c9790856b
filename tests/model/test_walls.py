#!/usr/bin/env python3
"""Walls that were computed by hand, in exact ns: the oracle gives them, and so does the program."""

import os
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402
import program  # noqa: E402

MS = 1_000_000

COPY_OFFLOAD_ENGINES = """
[engine ccs]
order = ring
runs = kernel
[engine bcs]
order = ring
runs = copy
"""
TAGS_ON_CCS = "lowering = command\nengine = ccs\ncost_ns = 2000\n"
TAGS_ON_OWN = "lowering = command\nengine = own\ncost_ns = 2000\n"


def model(engines, sync="lowering = none\n", timing="lowering = none\n", model_keys="", host=""):
    return (f"[model]\nname = walls\n{model_keys}\n{engines}\n[event sync]\n{sync}[event timing]\n{timing}"
            + (f"[host]\n{host}\n" if host else ""))


def copy_offload(**keywords):
    keywords.setdefault("timing", TAGS_ON_CCS)
    return model(COPY_OFFLOAD_ENGINES, **keywords)


def ready(queues):
    """Kernels on an engine of width 8, copies on another; timing events hold the head of the queue."""
    return model(f"[engine compute]\norder = ready\nwidth = 8\nqueues = {queues}\nruns = kernel\n"
                 "[engine copy]\norder = ready\nruns = copy\n", timing="lowering = hold\nengine = own\n")


TWO_READY = "[engine compute]\nruns = kernel\n[engine copy]\nruns = copy\n"


def job(a=("h2d", 16, "1ms"), b=("kernel", 16, "1ms"), order="", instruments=""):
    lanes = "".join(f"[lane {name}]\nop = {op}\ncount = {count}\nns = {ns}\n"
                    for name, (op, count, ns) in (("a", a), ("b", b)))
    return f"[job]\ndevice = sim\n{lanes}[order]\n{order}\n[instruments]\nuse = sync timing\n{instruments}\n"


def ms(*texts):
    return tuple(int(Fraction(text) * MS) for text in texts)


# name: model, job, {variant: ((A, B, AB) in ns, O as the table of docs/model.md prints it)}
ROWS = {}


def row(name, model_text, job_text, **expected):
    assert name not in ROWS
    ROWS[name] = (model_text, job_text, {k.replace("_", "-"): v for k, v in expected.items()})


PLAIN = (ms("16", "16", "16"), "1.000")
PIPED = (ms("16", "16", "17"), "0.9375")
SERIAL_TAGGED = (ms("16.064", "16.064", "32.128"), "0.000")

row("copy-offload, independent", copy_offload(), job(order="submit = ab"),
    none=PLAIN, none_again=PLAIN, sync=PLAIN, timing=SERIAL_TAGGED, one_queue=(ms("16", "16", "32"), "0.000"))
for prefetch in (0, 1):
    depends = f"depends = each\nprefetch = {prefetch}"
    row(f"copy-offload, depends each, prefetch {prefetch}", copy_offload(), job(order=depends),
        none=PIPED, sync=PIPED, timing=SERIAL_TAGGED)
    row(f"timing on b only, prefetch {prefetch}", copy_offload(), job(order=depends, instruments="on = b"),
        none=PIPED, sync=PIPED, timing=(ms("16", "16.064", "17.062"), "0.938"))
    row(f"timing both sides of a only, prefetch {prefetch}", copy_offload(),
        job(order=depends, instruments="on = a\nwhere = both"),
        none=PIPED, sync=PIPED, timing=(ms("16.064", "16", "32.064"), "0.000"))
row("timing before a only, prefetch 0", copy_offload(),
    job(order="depends = each\nprefetch = 0", instruments="on = a\nwhere = before"),
    none=PIPED, sync=PIPED, timing=(ms("16.032", "16", "32.032"), "0.000"))
row("timing before a only, prefetch 1", copy_offload(),
    job(order="depends = each\nprefetch = 1", instruments="on = a\nwhere = before"),
    none=PIPED, sync=PIPED, timing=(ms("16.032", "16", "17.032"), "0.938"))
row("timing after a only, prefetch 1", copy_offload(),
    job(order="depends = each\nprefetch = 1", instruments="on = a\nwhere = after"),
    none=PIPED, sync=PIPED, timing=(ms("16.032", "16", "18.032"), "0.875"))
row("sync lowered like timing", copy_offload(sync=TAGS_ON_CCS), job(),
    none=PLAIN, sync=SERIAL_TAGGED, timing=SERIAL_TAGGED)
row("own", copy_offload(timing=TAGS_ON_OWN), job(),
    none=PLAIN, sync=PLAIN, timing=(ms("16.064", "16.064", "16.064"), "1.000"))
row("one ring engine for both", model("[engine all]\norder = ring\nruns = kernel copy\n", timing=TAGS_ON_OWN), job(),
    none=(ms("16", "16", "32"), "0.000"), sync=(ms("16", "16", "32"), "0.000"), timing=SERIAL_TAGGED)

TEN = (ms("10", "10", "10"), "1.000")
KERNELS = {"a": ("kernel", 10, "1ms"), "b": ("kernel", 10, "1ms")}
row("ready, kernels beside kernels, one queue", ready(1), job(**KERNELS),
    none=TEN, sync=TEN, timing=(ms("10", "10", "20"), "0.000"))
row("ready, kernels beside kernels, two queues", ready(2), job(**KERNELS), none=TEN, sync=TEN, timing=TEN)
row("ready, copies beside kernels, one queue", ready(1), job(a=("h2d", 10, "1ms"), b=("kernel", 10, "1ms")),
    none=TEN, sync=TEN, timing=TEN)

for depth, overlap in ((1, "0"), (2, "0.5"), (4, "0.75"), (8, "0.875")):
    row(f"pipeline of {depth}", copy_offload(),
        job(a=("h2d", depth, "10ms"), b=("kernel", depth, "10ms"), order="depends = each"),
        none=(ms(str(10 * depth), str(10 * depth), str(10 * depth + 10)), overlap))

row("own tags of 50 us on two ready engines",
    model(TWO_READY, timing="lowering = command\nengine = own\ncost_ns = 50us\n"), job(),
    none=PLAIN, sync=PLAIN, timing=(ms("17.6", "17.6", "17.6"), "1"))

LONG = {"a": ("h2d", 78, "1ms"), "b": ("kernel", 78, "2ms"), "order": "depends = each"}
row("host, copies cost 2.4 ms", copy_offload(host="copy_ns = 2.4ms\nkernel_ns = 4us"), job(**LONG),
    none=(ms("188.2", "156.004", "190.508"), None))
row("host, copies cost 4 us", copy_offload(host="copy_ns = 4us\nkernel_ns = 4us"), job(**LONG),
    none=(ms("78.004", "156.004", "157.004"), "0.987"))

TENS = {"a": ("h2d", 10, "1ms"), "b": ("kernel", 10, "1ms")}
row("contention 0.75", copy_offload(model_keys="contention = 0.75"), job(**TENS),
    none=((10 * MS, 10 * MS, 10 * 1_333_334), "0.667"))  # each end is rounded up to a whole ns
row("contention 0.5", copy_offload(model_keys="contention = 0.5"), job(**TENS), none=(ms("10", "10", "20"), "0"))

row("blocking copies, ab", copy_offload(model_keys="blocking_copy = yes"), job(order="submit = ab"),
    none=(ms("16", "16", "17"), "0.938"))
row("blocking copies, ba", copy_offload(model_keys="blocking_copy = yes"), job(order="submit = ba"),
    none=(ms("16", "16", "16"), "1"))

THIRTY_TWO = {"a": ("h2d", 32, "1ms"), "b": ("kernel", 32, "1ms"), "order": "submit = a-then-b"}
row("queue depth 4", copy_offload(model_keys="queue_depth = 4"), job(**THIRTY_TWO),
    none=(ms("32", "32", "60"), "0.125"))
row("queue depth 1", copy_offload(model_keys="queue_depth = 1"), job(**THIRTY_TWO),
    none=(ms("32", "32", "63"), "0.031"))


def places(text):
    return len(text.partition(".")[2])


class OracleTest(unittest.TestCase):
    def test_the_oracle_gives_every_wall_of_the_table(self):
        for name, (model_text, job_text, expected) in ROWS.items():
            with self.subTest(name):
                parsed_model, parsed_job = oracle.Model(model_text), oracle.Job(job_text)
                for variant, (walls_ns, overlap) in expected.items():
                    walls = oracle.walls(parsed_model, parsed_job, variant)
                    self.assertEqual(walls.tuple(), walls_ns, variant)
                    if overlap is not None:
                        self.assertAlmostEqual(float(walls.overlap), float(overlap), delta=0.51 * 10**-places(overlap))

    def test_a_kernel_that_is_submitted_before_its_copy_is_refused(self):
        with self.assertRaises(oracle.Refused):
            oracle.Job(job(order="submit = ba\ndepends = each"))
        oracle.Job(job(order="submit = ba\ndepends = each\nprefetch = 1"))


@program.needs_program
class ProgramWallsTest(program.ProgramTest):
    def test_the_program_gives_every_wall_of_the_table(self):
        for name, (model_text, job_text, expected) in ROWS.items():
            with self.subTest(name):
                self.write("model.ini", model_text)
                self.write("job.ini", job_text)
                result = self.passes("run", "job.ini", "--device", "sim", "--model", "model.ini", "--rounds", "12",
                                     "--seed", "1", "--json", "-", "-q")
                variants = program.variants_of(result.json())
                for variant, (walls_ns, _) in expected.items():
                    got = variants[variant]
                    self.assertEqual(tuple(program.ns_of_ms(got[key]) for key in ("a_ms", "b_ms", "ab_ms")), walls_ns,
                                     variant)
                    a, b, ab = walls_ns
                    self.assertAlmostEqual(float(got["overlap"]["median"]), (a + b - ab) / min(a, b), delta=1e-12)


if __name__ == "__main__":
    program.main()
