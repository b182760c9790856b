#!/usr/bin/env python3
"""`report --trace`: Chrome trace event JSON, held to what viewers need of it; and the checker itself, held to mistakes."""

import copy
import json
import os
import sys
import unittest
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

STUB = os.path.join(os.environ.get("CONFOUND_BUILD", ""), "stub", "cuda", "libcuda.so.1")
METADATA = {"process_name": "name", "process_sort_index": "sort_index", "process_labels": "labels",
            "thread_name": "name", "thread_sort_index": "sort_index"}
KEYS = {"X": {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}, "s": {"ph", "name", "cat", "pid", "tid", "id", "ts"},
        "f": {"ph", "name", "cat", "pid", "tid", "id", "ts", "bp"}, "M": {"ph", "name", "pid", "tid", "args"}}


def load(text):
    def once(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError(f"a key stands twice: {pairs}")
        return dict(pairs)

    return json.loads(text, parse_float=Decimal, object_pairs_hook=once)


def need(condition, *what):
    if not condition:
        raise ValueError(" ".join(map(str, what)))


class Checker:
    """Reads a trace as a viewer does, in the order of the file; ValueError says what is wrong."""

    def __init__(self, trace):
        self.processes, self.threads, self.owner = {}, {}, {}
        self.slices = {}  # thread -> slices in the order of the file
        self.flows = {}  # id -> [slice that it begins at, slice that it ends at]
        need(set(trace) == {"displayTimeUnit", "otherData", "traceEvents"}, "members", list(trace))
        need(trace["displayTimeUnit"] in ("ms", "ns"), "displayTimeUnit")
        need(all(isinstance(v, str) for v in trace["otherData"].values()), "otherData holds text")
        last = {}
        for event in trace["traceEvents"]:
            self.event(event)
            if event["ph"] != "M":
                need(event["ts"] >= last.get(event["pid"], 0), "goes back in time:", event)
                last[event["pid"]] = event["ts"]
        need(self.slices, "no slices")
        for thread, name in self.threads.items():
            need(thread in self.slices, "a thread without slices:", thread, name)
        for flow, ends in self.flows.items():
            need(len(ends) == 2, "a flow without an end:", flow)

    def event(self, e):
        need(e.get("ph") in KEYS, "phase", e)
        need(set(e) == KEYS[e["ph"]], "members", e)
        need(isinstance(e["name"], str) and e["name"], "name", e)
        need(isinstance(e["pid"], int) and e["pid"] > 0 and isinstance(e["tid"], int), "pid and tid", e)
        if e["ph"] == "M":
            self.metadata(e)
            return
        need(self.owner.setdefault(e["tid"], e["pid"]) == e["pid"], "a thread of two processes:", e)
        need(isinstance(e["ts"], (int, Decimal)) and e["ts"] >= 0 and e["ts"] * 1000 == int(e["ts"] * 1000), "ts", e)
        need(e["pid"] in self.processes and (e["pid"], e["tid"]) in self.threads, "no name for its thread:", e)
        need(isinstance(e["cat"], str) and e["cat"], "cat", e)
        getattr(self, {"X": "slice", "s": "flow_begin", "f": "flow_end"}[e["ph"]])(e)

    def metadata(self, e):
        need(e["name"] in METADATA and set(e["args"]) == {METADATA[e["name"]]}, "metadata", e)
        value = e["args"][METADATA[e["name"]]]
        need(isinstance(value, int if METADATA[e["name"]] == "sort_index" else str) and value != "", "value", e)
        if e["name"] == "process_name":
            need(e["pid"] not in self.processes, "named twice:", e)
            self.processes[e["pid"]] = value
        if e["name"] == "thread_name":
            need((e["pid"], e["tid"]) not in self.threads, "named twice:", e)
            need(value not in [n for (pid, _), n in self.threads.items() if pid == e["pid"]], "two threads named", value)
            self.threads[(e["pid"], e["tid"])] = value

    def slice(self, e):
        need(isinstance(e["dur"], (int, Decimal)) and e["dur"] >= 0, "dur", e)
        before = self.slices.setdefault((e["pid"], e["tid"]), [])
        if before:
            need(before[-1]["ts"] + before[-1]["dur"] <= e["ts"], "overlap:", before[-1], e)
        before.append(e)

    def top(self, e):
        """What a viewer takes as the slice of a flow's event."""
        before = self.slices.get((e["pid"], e["tid"]))
        need(before and before[-1]["ts"] <= e["ts"] <= before[-1]["ts"] + before[-1]["dur"], "on no slice:", e)
        return before[-1]

    def flow_begin(self, e):
        need(e["id"] not in self.flows, "a flow begins twice:", e)
        self.flows[e["id"]] = [self.top(e)]

    def flow_end(self, e):
        need(len(self.flows.get(e["id"], [])) == 1, "a flow ends that has not begun:", e)
        need(e["bp"] == "e" and self.top(e)["ts"] == e["ts"], "does not end at a slice's begin:", e)
        self.flows[e["id"]].append(self.top(e))


@program.needs_program
class TraceTest(program.ProgramTest):
    def measured(self, *arguments, env=None, status=(0,)):
        result = self.confound("run", *arguments, "--seed", "1", "-o", "r.json", "-q", env=env)
        self.assertIn(result.status, status, result)
        return load(self.read("r.json"))

    def trace(self, name="r.json"):
        result = self.passes("report", name, "--trace", "t.json")
        self.assertEqual(result.out, "")
        trace = load(self.read("t.json"))
        return trace, Checker(trace)

    def explained(self, *arguments):
        record = self.measured("--device", "sim", "--explain=timing", *arguments)
        return (record, *self.trace())

    def check_complete(self, record, checker):
        """Each span once on an engine's thread, once on its stream's."""
        names = {pid: name.split(" ")[0] for pid, name in checker.processes.items()}
        for pid, name in names.items():
            index = [v["name"] for v in record["variants"]].index(name)
            want = sorted((s["begin_ns"], s["end_ns"], f"{s['what']} {'ab'[s['lane']]}[{s['index']}]")
                          for s in record["spans"] if s["variant"] == index)
            found = {True: [], False: []}
            for (owner, tid), slices in checker.slices.items():
                is_stream = checker.threads[(owner, tid)].startswith("stream")
                for s in slices:
                    if owner == pid and s["cat"] != "wait":
                        found[is_stream].append((int(s["ts"] * 1000), int((s["ts"] + s["dur"]) * 1000), s["name"]))
            self.assertEqual(sorted(found[False]), want)
            self.assertEqual(sorted(found[True]), want)

    def test_every_model_makes_a_sound_and_complete_trace(self):
        for model in ("copy-offload", "own", "one-engine", "one-connection", "two-connections", "contention",
                      "blocking-copy", "queue-depth", "host-bound", "noisy"):
            record, _, checker = self.explained("pipeline" if model != "one-connection" else "kernel-kernel",
                                                "--model", model)
            self.check_complete(record, checker)

    def test_arrows_join_a_command_to_what_it_waited_for(self):
        record, _, checker = self.explained()
        self.assertGreater(len(checker.flows), 60)
        for cause, effect in checker.flows.values():
            self.assertEqual(effect["args"]["waited_for"], cause["name"])
        joined = {(cause["name"], effect["name"]) for cause, effect in checker.flows.values()}
        self.assertIn(("record before a[1]", "h2d a[1]"), joined)
        self.assertIn(("record after a[0]", "record before b[0]"), joined)

    def test_holds_of_no_length_are_joined_one_after_another(self):
        _, _, checker = self.explained("kernel-kernel", "--model", "one-connection")
        joined = {(cause["name"], effect["name"]) for cause, effect in checker.flows.values()}
        self.assertIn(("hold after b[0]", "hold before a[1]"), joined)
        for cause, effect in checker.flows.values():
            self.assertEqual(effect["args"]["waited_for"], cause["name"])

    def test_a_thread_for_each_engine_and_each_stream_a_process_for_each_variant(self):
        _, _, checker = self.explained()
        self.assertEqual(list(checker.processes.values()), ["none (simulated)", "timing (simulated)"])
        for pid in checker.processes:
            self.assertEqual({name for (owner, _), name in checker.threads.items() if owner == pid},
                             {"bcs", "ccs", "stream 0", "stream 1"})

    def test_a_width_of_several_has_a_thread_for_each_slot_in_use(self):
        _, _, checker = self.explained("kernel-kernel", "--model", "two-connections")
        self.assertIn("compute (2)", checker.threads.values())

    def test_streams_show_their_waits(self):
        _, _, checker = self.explained()
        waits = [s["name"] for slices in checker.slices.values() for s in slices if s["cat"] == "wait"]
        self.assertIn("waits for record after a[0]", waits)

    def test_steps_in_flight_and_several_streams_on_one_queue(self):
        for arguments in (("--set", "order.in_flight=3"), ("--explain=one-queue",), ("kv-staging",)):
            record, _, checker = self.explained(*arguments)
            self.check_complete(record, checker)

    def test_soft_in_real_time(self):
        record = self.measured("--device", "soft", "--explain=timing", "--rounds", "2", "--min-rounds", "2")
        _, checker = self.trace()
        self.check_complete(record, checker)

    def test_hostile_text_and_hostile_ids_leave_a_sound_trace(self):
        record = self.measured("--device", "sim", "--explain=timing")
        bad = "\033[31m\u202e\"\\\u0007</script>\u0000".rstrip("\0") + "x" * 300
        for at, span in enumerate(record["spans"]):
            span["waits_for"] = at * 7 % 128 + 1
            span["id"] = at % 50 + 1
            span["engine"] = bad if at % 5 == 0 else span["engine"]
            span["what"] = bad if at % 7 == 0 else span["what"]
            span["waited_for"] = bad
            span["stream"] = (0, 1, -1, 2**31 - 1, -2**31)[at % 5]
            span["lane"] = (0, 1, 2, -1)[at % 4]
            span["end_ns"] = span["begin_ns"] if at % 11 == 0 else span["end_ns"] + at % 3 * 700000
        record["variants"][0]["armed_how"] = record["device"]["name"] = record["spans_how"] = bad
        self.write("r.json", json.dumps(record, default=float))
        trace, checker = self.trace()
        self.assertEqual(sum(len(s) for (_, tid), s in checker.slices.items()
                             if not checker.threads[(_, tid)].startswith("stream")), len(record["spans"]))
        text = self.read("t.json").decode()
        for character in ("\033", "\u202e", "\u0007"):
            self.assertNotIn(character, text)
            self.assertNotIn(json.dumps(character)[1:-1], text)

    def test_a_circle_of_causes_ends(self):
        record = self.measured("--device", "sim", "--explain=timing")
        for span in record["spans"]:
            span["begin_ns"] = span["end_ns"] = 5
        for at, span in enumerate(record["spans"]):
            span["id"], span["waits_for"] = at + 1, (at + 1) % 128 + 1
        self.write("r.json", json.dumps(record, default=float))
        self.passes("report", "r.json", "--trace", "t.json", "--explain", "-o", "x.txt")

    def test_a_record_without_spans_says_how_to_get_some(self):
        self.measured("--device", "sim")
        result = self.confound("report", "r.json", "--trace", "t.json")
        self.assertEqual((result.status, result.out), (4, ""))
        self.assertEqual(result.err.count("\n"), 1)
        self.assertIn("confound run --explain takes them", result.err)
        self.assertFalse(os.path.exists(self.path("t.json")))

    def test_where_it_goes(self):
        self.measured("--device", "sim", "--explain")
        Checker(load(self.passes("report", "r.json", "--trace", "-").out))
        both = self.passes("report", "r.json", "--trace", "t.json", "--explain")
        self.assertIn("Explain", both.out)
        for arguments, word in ((("--trace", "-", "--format", "text"), "standard output"),
                                (("--trace", "x", "-o", "x"), "both go to x"), (("--trace", "r.json"), "r.json")):
            result = self.confound("report", "r.json", *arguments)
            self.assertEqual((result.status, result.out), (2, ""), result)
            self.assertIn(word, result.err)
        before = self.read("r.json")
        self.assertTrue(load(before)["spans"])

    @unittest.skipUnless(os.path.exists(STUB), "the stub driver is not built")
    def test_instrumented_spans_are_marked_in_every_place(self):
        self.write("job.ini", "[job]\ndevice = cuda\n[lane a]\nop = h2d\ncount = 4\nbytes = 256KiB\n[lane b]\n"
                              "op = kernel\ncount = 4\ntrips = 3000\n[instruments]\nuse = timing cupti-concurrent\n")
        self.measured("job.ini", "--explain", "--rounds", "2", "--min-rounds", "2", status=(0, 3), env={
            "CONFOUND_CUDA_LIBRARY": STUB, "CONFOUND_NVML_LIBRARY": STUB, "CONFOUND_CUPTI_LIBRARY": STUB})
        trace, checker = self.trace()
        self.assertIn("not the verdict", trace["otherData"]["statement"])
        self.assertEqual(len(checker.processes), 2)
        for name in checker.processes.values():
            self.assertIn("instrumented: not the verdict", name)
        labels = [e for e in trace["traceEvents"] if e["name"] == "process_labels"]
        self.assertEqual([e["args"]["labels"] for e in labels], ["instrumented: not the verdict"] * 2)
        slices = [s for thread in checker.slices.values() for s in thread]
        self.assertEqual(len(slices), 16)
        for s in slices:
            self.assertIn("instrumented", s["cat"].split(","))
            self.assertEqual((s["args"]["instrumented"], s["args"]["statement"]), (True, "not the verdict"))


@program.needs_program
class CheckerTest(program.ProgramTest):
    """The checker has to see each mistake that it is there for."""

    def test_planted_mistakes_are_seen(self):
        self.passes("run", "--device", "sim", "--seed", "1", "-o", "r.json", "-q", "--explain")
        self.passes("report", "r.json", "--trace", "t.json")
        sound = load(self.read("t.json"))
        Checker(sound)

        def first(trace, **members):
            return next(e for e in trace["traceEvents"] if all(e.get(k) == v for k, v in members.items()))

        def longer(trace):
            first(trace, ph="X", name="h2d a[0]")["dur"] += 1

        def unnamed(trace):
            trace["traceEvents"].remove(first(trace, name="thread_name"))

        def endless(trace):
            trace["traceEvents"].remove(first(trace, ph="f"))

        def beginless(trace):
            trace["traceEvents"].remove(first(trace, ph="s"))

        def astray(trace):
            first(trace, ph="f")["tid"] = first(trace, ph="s")["tid"]

        def backwards(trace):
            trace["traceEvents"].append(copy.deepcopy(first(trace, ph="X", name="h2d a[0]", pid=1)))

        def phase(trace):
            first(trace, ph="X")["ph"] = "B"

        def shared(trace):
            first(trace, ph="X", pid=4)["pid"] = 1

        def fraction(trace):
            first(trace, ph="X")["ts"] += Decimal("0.0001")

        for plant in (longer, unnamed, endless, beginless, astray, backwards, phase, shared, fraction):
            trace = copy.deepcopy(sound)
            plant(trace)
            with self.assertRaises(ValueError, msg=plant.__name__):
                Checker(trace)


if __name__ == "__main__":
    program.main()
