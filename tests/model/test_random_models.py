#!/usr/bin/env python3
"""Random models and jobs: the program and the oracle agree on every wall to 1 ns, or both refuse.

CONFOUND_TEST_SEED=N takes other cases, CONFOUND_TEST_CASES=N more of them.
"""

import copy
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402
import program  # noqa: E402

SEED = int(os.environ.get("CONFOUND_TEST_SEED", "20261129"))
CASES = int(os.environ.get("CONFOUND_TEST_CASES", "150"))
SHRINK_RUNS = 300


# ---------------------------------------------------------------------------------------------------------------------
# A case is {section: {key: value}} twice, so that it can be shrunk and printed.


def ini(sections):
    return "".join(f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
                   for name, keys in sections.items())


class Case:
    def __init__(self, model, job):
        self.model, self.job = model, job

    def __str__(self):
        return f"--- model.ini\n{ini(self.model)}--- job.ini\n{ini(self.job)}"


def random_engine(rng):
    keys = {"order": rng.choice(("ring", "ready")), "width": rng.choice((1, 1, 1, 2, 3, 4))}
    if keys["order"] == "ready":
        keys["queues"] = rng.choice((0, 1, 1, 2, 3))
    runs = rng.choice((["kernel"], ["copy"], ["kernel", "copy"], [rng.choice(oracle.OPERATIONS)],
                       rng.sample(oracle.OPERATIONS, 2)))
    keys["runs"] = " ".join(runs)
    if rng.random() < 0.5:
        keys["rate"] = rng.choice((1, 7, 1000, 12_345_678_901, 25_000_000_000))
        if rng.random() < 0.5:
            keys["latency_ns"] = rng.choice((1, 999, 3000))
    return keys


def random_event(rng, engines, scale):
    keys = {"lowering": rng.choice(("none", "command", "command", "hold", "hold"))}
    if keys["lowering"] == "command":
        keys["engine"] = rng.choice(("own", "own", *engines))
        keys["cost_ns"] = rng.choice((0, 1, 2, max(1, scale // 10), scale))
    if rng.random() < 0.4:
        keys["host_ns"] = rng.choice((0, 1, 3, max(1, scale // 5)))
    return keys


def random_lane(rng, scale):
    keys = {"op": rng.choice(oracle.OPERATIONS), "count": rng.randint(1, 12)}
    if keys["op"] != "kernel" and rng.random() < 0.1:
        keys["bytes"] = rng.choice(("4KiB", "8", "100001"))
    else:
        keys["ns"] = rng.choice((rng.randint(1, 6), rng.randint(1, scale), scale, 2 * scale - 1))
    return keys


def random_order(rng):
    keys = {"submit": rng.choice(("ab", "ab", "ba", "a-then-b", "b-then-a"))}
    if keys["submit"] in ("ab", "ba"):
        keys["prefetch"] = rng.choice((0, 0, 1, 2, 5))
        keys["batch"] = rng.choice((1, 1, 2, 3, 7))
    if rng.random() < 0.5:
        keys["depends"] = "each"
    return keys


def random_case(seed):
    rng = random.Random(seed)
    scale = rng.choice((3, 6, 100, 1001, 1_000_003))
    engines = {f"e{i}": random_engine(rng) for i in range(rng.randint(1, 4))}
    if rng.random() < 0.4:  # both lanes meet in one ready engine: the order of issue decides
        engines["e0"].update(order="ready", queues=rng.choice((0, 1, 2, 3)), width=rng.choice((1, 1, 2)),
                             runs="kernel copy")
    lanes = {lane: random_lane(rng, scale) for lane in "ab"}
    runs = {word for keys in engines.values() for word in keys["runs"].split()}
    for keys in lanes.values():
        if keys["op"] not in runs and not (keys["op"] != "kernel" and "copy" in runs) and rng.random() < 0.95:
            engines[rng.choice(list(engines))]["runs"] += " " + keys["op"]
    model = {"model": {"name": "random", "contention": rng.choice(("1", "1", "0.75", "0.5", "0.9", "0.333")),
                       "queue_depth": rng.choice((0, 0, 1, 2, 3, 4, 5)),
                       "blocking_copy": rng.choice(("no", "no", "no", "yes"))}}
    model.update((f"engine {name}", keys) for name, keys in engines.items())
    for kind in ("sync", "timing"):
        model[f"event {kind}"] = random_event(rng, engines, scale)
    model["host"] = {key: rng.choice((0, 0, 1, 2, max(1, scale // 3), scale)) for key in ("copy_ns", "kernel_ns")}
    job = {"job": {"device": "sim"}, "lane a": lanes["a"], "lane b": lanes["b"], "order": random_order(rng),
           "instruments": {"use": "sync timing", "where": rng.choice(("before", "after", "both")),
                           "on": rng.choice(("a", "b", "both"))}}
    return Case(model, job)


# ---------------------------------------------------------------------------------------------------------------------
# The two answers: {variant: (A, B, AB)} in ns, or text that says how it ended.


def ask_oracle(case):
    try:
        model, job = oracle.Model(ini(case.model)), oracle.Job(ini(case.job))
        return {variant: oracle.walls(model, job, variant).tuple() for variant in oracle.VARIANTS}
    except oracle.Refused:
        return "refused"
    except oracle.Deadlock:
        return "deadlock"


def ask_program(case):
    with tempfile.TemporaryDirectory(prefix="confound-test-") as folder:
        for name, sections in (("model.ini", case.model), ("job.ini", case.job)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(ini(sections))
        try:
            result = program.run("run", "job.ini", "--device", "sim", "--model", "model.ini", "--instruments",
                                 "sync,timing", "--rounds", "12", "--seed", "1", "--json", "-", "-q", cwd=folder,
                                 timeout_s=30)
        except subprocess.TimeoutExpired:
            return "hung"
    if result.status == 2 and len(result.err.splitlines()) == 1 and not result.out:
        return "refused"
    if result.status != 0:
        return f"failed: {result}"
    variants = program.variants_of(result.json())
    return {name: tuple(program.ns_of_ms(variants[name][key]) for key in ("a_ms", "b_ms", "ab_ms"))
            for name in oracle.VARIANTS}


def agree(expected, got):
    if expected == "deadlock":
        return got == "refused" or (isinstance(got, str) and got.startswith("failed: exit 5"))
    return expected == got


# ---------------------------------------------------------------------------------------------------------------------
# Shrinking: drop sections and keys, make numbers smaller, as long as the two still disagree.

DEFAULTS = {"contention": "1", "queue_depth": 0, "blocking_copy": "no", "width": 1, "queues": 0, "host_ns": 0,
            "copy_ns": 0, "kernel_ns": 0, "prefetch": 0, "batch": 1, "where": "both", "on": "both", "submit": "ab",
            "lowering": "none"}


def simpler(case):
    for part in ("model", "job"):
        for section, keys in getattr(case, part).items():
            if section.startswith("engine "):
                smaller = copy.deepcopy(case)
                del getattr(smaller, part)[section]
                yield smaller
            for key, value in keys.items():
                for instead in values_below(key, value):
                    smaller = copy.deepcopy(case)
                    if instead is None:
                        del getattr(smaller, part)[section][key]
                    else:
                        getattr(smaller, part)[section][key] = instead
                    yield smaller


def values_below(key, value):
    if key in ("depends", "latency_ns"):
        return [None]
    if key in DEFAULTS and value != DEFAULTS[key]:
        return [DEFAULTS[key]] + ([value - 1] if isinstance(value, int) and value > 1 else [])
    if key in ("count", "ns", "cost_ns") and value > 1:
        return sorted({1, value // 2, value - 1})
    return []


def shrink(case):
    """A smaller case that fails in the same way: by other walls, or by text where walls were due."""
    kind, runs, again = type(ask_program(case)), 0, True
    while again and runs < SHRINK_RUNS:
        again = False
        for smaller in simpler(case):
            expected = ask_oracle(smaller)
            if isinstance(expected, str):
                continue
            runs += 1
            got = ask_program(smaller)
            if type(got) is kind and not agree(expected, got):
                case, again = smaller, True
                break
            if runs >= SHRINK_RUNS:
                break
    return case


class RandomModelsTest(unittest.TestCase):
    maxDiff = None

    def test_the_cases_reach_both_answers(self):
        answers = [ask_oracle(random_case(f"{SEED}/{i}")) for i in range(100)]
        self.assertGreater(sum(isinstance(answer, dict) for answer in answers), 60)
        self.assertGreater(answers.count("refused"), 2)

    @unittest.skipUnless(program.PROGRAM, "CONFOUND does not name the program")
    def test_the_program_and_the_oracle_agree_on_random_models(self):
        for i in range(CASES):
            case = random_case(f"{SEED}/{i}")
            expected, got = ask_oracle(case), ask_program(case)
            if agree(expected, got):
                continue
            if not isinstance(expected, str):
                case = shrink(case)
                expected, got = ask_oracle(case), ask_program(case)
            self.fail(f"seed {SEED}, case {i}\n{case}--- oracle\n{expected}\n--- program\n{got}")


if __name__ == "__main__":
    program.main()
