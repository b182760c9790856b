#!/usr/bin/env python3
"""`--explain`: spans of commands as they were executed, in the record and drawn."""

import json
import os
import re
import sys
import unicodedata
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

STUB = os.path.join(os.environ.get("CONFOUND_BUILD", ""), "stub", "cuda", "libcuda.so.1")
SIM = ("--device", "sim")
MODELS = ("copy-offload", "own", "sync-like-timing", "one-engine", "one-connection", "two-connections",
          "slow-but-harmless", "host-bound", "contention", "blocking-copy", "queue-depth", "sticky", "late-armed",
          "noisy", "fakes-overlap")


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class ExplainTest(program.ProgramTest):
    def explained(self, *arguments, name="r.json", explain="--explain", status=0):
        result = self.confound("run", *arguments, "--seed", "1", "-o", name, explain)
        self.assertEqual(result.status, status, result)
        record = json.loads(self.read(name))
        record["printed"] = result.out
        return record

    def spans(self, record, variant):
        index = [v["name"] for v in record["variants"]].index(variant)
        return [s for s in record.get("spans", []) if s["variant"] == index]

    def engines(self, spans, what, lane=None):
        return {s["engine"] for s in spans if s["what"].startswith(what) and lane in (None, s["lane"])}

    def words(self, record):
        """The printed text in one line."""
        return " ".join(record["printed"].split())


@program.needs_program
class SpansTest(ExplainTest):
    def test_a_record_has_the_control_and_the_instrument_that_changed_most(self):
        record = self.explained(*SIM)
        names = {record["variants"][s["variant"]]["name"] for s in record["spans"]}
        self.assertEqual(names, {"none", "timing"})
        self.assertEqual(len(self.spans(record, "none")), 32)
        self.assertEqual(len(self.spans(record, "timing")), 96)
        self.assertIn("after the judged rounds", record["spans_how"])
        self.assertFalse(any(s["instrumented"] for s in record["spans"]))

    def test_where_commands_went_and_where_records_were_placed(self):
        record = self.explained(*SIM)
        for variant in ("none", "timing"):
            self.assertEqual(self.engines(self.spans(record, variant), "h2d"), {"bcs"})
            self.assertEqual(self.engines(self.spans(record, variant), "kernel"), {"ccs"})
        self.assertEqual(self.engines(self.spans(record, "timing"), "record", lane=0), {"ccs"})

    def test_a_record_of_its_own_engine_is_placed_there(self):
        record = self.explained(*SIM, "--model", "own", explain="--explain=timing")
        self.assertEqual(self.engines(self.spans(record, "timing"), "record", lane=0), {"bcs"})
        self.assertEqual(self.engines(self.spans(record, "timing"), "record", lane=1), {"ccs"})

    def test_a_command_that_was_sent_to_the_wrong_engine_shows(self):
        for device in ("sim", "soft"):
            record = self.explained("--device", device, "--rounds", "2", "--min-rounds", "2",
                                    "--set", "fault.wrong_engine=yes")
            spans = self.spans(record, "none")
            self.assertEqual(self.engines(spans, "h2d"), {"ccs"}, device)
            self.assertIn("16 h2d copies of lane a on ccs", self.words(record), device)
            twin = self.explained("--device", device, "--rounds", "2", "--min-rounds", "2")
            self.assertEqual(self.engines(self.spans(twin, "none"), "h2d"), {"bcs"}, device)

    def test_a_wait_that_was_dropped_shows(self):
        job = ("kv-staging", *SIM)
        kept, dropped = self.explained(*job), self.explained(*job, "--set", "fault.ignore_waits=yes")
        first = {True: None, False: None}
        for record, is_kept in ((kept, True), (dropped, False)):
            kernels = [s for s in self.spans(record, "none") if s["what"] == "kernel"]
            first[is_kept] = kernels[0]
        self.assertEqual(first[True]["waited_for"], "h2d a[0]")
        self.assertGreater(first[True]["begin_ns"], 0)
        self.assertEqual((first[False]["begin_ns"], first[False]["waited_for"]), (0, None))

    def test_the_rounds_are_the_same_bytes_with_and_without(self):
        plain = self.confound("run", *SIM, "--model", "noisy", "--seed", "1", "-o", "plain.json")
        told = self.confound("run", *SIM, "--model", "noisy", "--seed", "1", "-o", "told.json", "--explain")
        self.assertEqual((plain.status, told.status), (0, 0), told)
        plain, told = json.loads(self.read("plain.json")), json.loads(self.read("told.json"))
        self.assertNotIn("spans", plain)
        for key in ("rounds", "prologue", "warmup", "variants", "calibration", "data_check", "skipped"):
            self.assertEqual(plain[key], told[key], key)
        self.assertTrue(told["spans"])

    def test_in_every_model_each_wait_ends_with_what_released_it(self):
        for model in MODELS:
            record = self.explained("kernel-kernel" if "connection" in model else "pipeline", *SIM, "--model", model,
                                    explain="--explain=timing")
            for variant in ("none", "timing"):
                spans = self.spans(record, variant)
                by_id = {s["id"]: s for s in spans}
                self.assertEqual(len(by_id), len(spans), model)
                for span in spans:
                    self.check_cause(model, span, by_id)

    def check_cause(self, model, span, by_id):
        what = f"{model}: {span}"
        if span["begin_ns"] == span["queued_ns"]:
            self.assertNotIn("waits_for", span, what)
            self.assertIsNone(span["waited_for"], what)
            return
        cause = by_id[span["waits_for"]]
        self.assertEqual(span["waited_for"], f"{cause['what']} {'ab'[cause['lane']]}[{cause['index']}]", what)
        self.assertLessEqual(cause["begin_ns"], span["begin_ns"], what)
        if cause["end_ns"] != span["begin_ns"]:  # it left the queue, and ran on
            self.assertEqual(cause["engine"], span["engine"], what)
            self.assertGreater(cause["end_ns"], span["begin_ns"], what)

    def test_on_soft_a_cause_never_begins_after_what_it_released(self):
        record = self.explained("--device", "soft", "--rounds", "2", "--min-rounds", "2", explain="--explain=timing")
        for variant in ("none", "timing"):
            spans = self.spans(record, variant)
            by_id = {s["id"]: s for s in spans}
            caused = [s for s in spans if "waits_for" in s]
            self.assertGreater(len(caused), len(spans) // 2)
            for span in caused:
                self.assertLessEqual(by_id[span["waits_for"]]["begin_ns"], span["begin_ns"], span)

    def test_spans_of_one_stream_are_in_order(self):
        for device in ("sim", "soft"):
            record = self.explained("--device", device, "--rounds", "2", "--min-rounds", "2",
                                    explain="--explain=timing")
            for stream in (0, 1):
                spans = sorted((s for s in self.spans(record, "timing") if s["stream"] == stream),
                               key=lambda s: s["id"])
                self.assertEqual(len(spans), 48)
                for before, after in zip(spans, spans[1:]):
                    self.assertLessEqual(before["end_ns"], after["begin_ns"], device)

    def test_steps_in_flight_are_told_whole(self):
        record = self.explained(*SIM, "--set", "order.in_flight=3", explain="--explain=timing")
        self.assertEqual(len(self.spans(record, "none")), 3 * 32)
        self.assertTrue(record["spans_how"].startswith("3 steps in flight"))

    def test_a_second_design_is_explained_by_name(self):
        record = self.explained("kv-staging", *SIM, "--against", "deferred-batched", explain="--explain=none,against")
        self.assertEqual(len(self.spans(record, "against")), 64)
        self.assertIn("32 h2d copies of lane a on bcs", self.words(record))

    def test_processes_and_sweeps_have_spans_in_each_record(self):
        for arguments in (("--processes", "2"), ("--sweep", "lane.a.count=4..8:2")):
            result = self.confound("run", *SIM, *arguments, "--explain", "-o", "set.json", "--seed", "1")
            self.assertEqual(result.status, 0, result)
            for record in json.loads(self.read("set.json"))["members"]:
                self.assertTrue(json.loads(self.read(record["path"]))["spans"])
            result = self.confound("report", "set.json", "--explain")
            self.assertEqual(result.status, 2, result)
            self.assertIn("is a set, and its records have the commands", result.err)

    def test_a_resumed_run_takes_them_anew_and_one_without_keeps_them(self):
        self.explained(*SIM, "--rounds", "3", "--min-rounds", "3")
        before = json.loads(self.read("r.json"))["spans"]
        self.passes("run", "--resume", "r.json", "--rounds", "5", "--min-rounds", "5")
        self.assertEqual(json.loads(self.read("r.json"))["spans"], before)
        record = json.loads(self.read("r.json"))
        record["skipped"]["explain"] = "an earlier process was ended"
        self.write("r.json", json.dumps(record))
        self.passes("run", "--resume", "r.json", "--rounds", "7", "--min-rounds", "7", "--explain=sync")
        record = json.loads(self.read("r.json"))
        self.assertNotIn("explain", record["skipped"])
        self.assertEqual(len(record["rounds"]), 7)
        self.assertEqual({record["variants"][s["variant"]]["name"] for s in record["spans"]}, {"none", "sync"})

    def test_names_that_are_no_variant_are_refused_before_anything_is_measured(self):
        for value, word in (("drum", "'drum'"), ("none,drum", "'drum'"), ("none,timing,sync", "'timing,sync'")):
            result = self.confound("run", *SIM, f"--explain={value}", "-o", "no.json")
            self.assertEqual(result.status, 2, result)
            self.assertEqual(result.err.count("\n"), 1)
            self.assertIn(f"--explain: {word} is no variant here; accepted: none, none-again, sync, timing or one-queue", result.err)
            self.assertFalse(os.path.exists(self.path("no.json")))

    def test_the_variable_says_auto_or_names(self):
        result = self.confound("run", *SIM, "-o", "r.json", "--seed", "1", env={"CONFOUND_EXPLAIN": "auto"})
        self.assertEqual(result.status, 0, result)
        self.assertIn("Explain", result.out)


@program.needs_program
class TextTest(ExplainTest):
    def test_the_report_of_a_record_is_what_the_run_printed(self):
        record = self.explained(*SIM)
        report = self.passes("report", "r.json", "--explain").out
        part = report[report.index("\nExplain"):]
        self.assertIn(part, record["printed"])

    def test_it_says_what_waited_for_what(self):
        words = self.words(self.explained(*SIM))
        self.assertIn("Both lanes ran at once for 16.0 of 16.0 ms. No operation waited for one of the other lane.", words)
        self.assertIn("Both lanes ran at once for 0 of 16.0 ms. 15 of the 16", words)
        self.assertIn("15 of the 16 h2d copies of lane a waited for kernels of lane b through records on ccs, "
                      "15.1 ms in all", words)
        self.assertRegex(words, r"For instance kernel b\[\d+\] on ccs: free to go at .* it waited for record before "
                                r"b\[\d+\] on ccs, that for record after a\[\d+\] on ccs, that for h2d a\[\d+\] on bcs")

    def test_one_connection_names_the_records_that_keep_the_queue(self):
        words = self.words(self.explained("kernel-kernel", *SIM, "--model", "one-connection"))
        self.assertIn("waited for kernels of lane b through records that keep the queue of compute", words)

    def test_a_serial_baseline_blames_the_engine_and_no_record(self):
        words = self.words(self.explained(*SIM, "--model", "one-engine"))
        self.assertIn("because both run on ring", words)
        self.assertNotIn("through records", words)

    def test_one_queue_blames_the_stream(self):
        words = self.words(self.explained(*SIM, explain="--explain=one-queue"))
        self.assertIn("in the one stream that both lanes share", words)

    def test_a_host_that_is_late_is_named(self):
        words = self.words(self.explained("host-bound", *SIM, explain="--explain=none"))
        self.assertRegex(words, r"255 h2d copies of lane a came too late from the host")

    def test_the_pictures_are_right_to_the_column(self):
        """2 x 10 ms beside 2 x 10 ms, 68 columns: alone side by side, with tags one after another."""
        self.write("job.ini", "[lane a]\ncount = 2\nns = 17ms\n[lane b]\ncount = 2\nns = 17ms\n"
                              "[instruments]\nuse = timing\n")
        self.explained("job.ini", *SIM, "--set", "event.timing.cost_ns=0", "--set", "run.rounds=2",
                       "--set", "run.min_rounds=2")
        out = self.passes("report", "r.json", "--explain", env={"LC_ALL": "C"}).out
        lines = [line[11:] for line in out[out.index("\nnone\n  bcs"):].splitlines() if line.startswith("  ")]
        self.assertEqual(lines[0], "a" * 17 + "A" * 17)
        self.assertEqual(lines[1], "b" * 17 + "B" * 17)
        self.assertEqual(lines[2], "a" * 17 + "." * 17 + "A" * 17)
        self.assertEqual(lines[3], "." * 17 + "b" * 17 + "." * 17 + "B" * 17)

    def test_every_line_fits_and_nothing_but_ascii_where_the_locale_has_no_more(self):
        for job in ("default", "kv-staging", "kernel-kernel", "deferred-batched", "unbalanced", "copies-both-ways"):
            self.explained(job, *SIM)
            for env in ({}, {"LC_ALL": "C"}):
                out = self.passes("report", "r.json", "--explain", env=env).out
                self.assertLessEqual(max(map(columns, out.splitlines())), 80, job)
                self.assertFalse([line for line in out.splitlines() if line != line.rstrip()], job)
                self.assertTrue(not env or out.isascii(), job)

    def test_markdown_has_them_in_a_fence_and_csv_has_none(self):
        self.explained(*SIM)
        out = self.passes("report", "r.json", "--explain", "--format", "markdown").out
        fences = re.findall(r"^```(?:text)?$", out, re.MULTILINE)
        self.assertEqual(fences, ["```text", "```"] * 2)
        self.assertNotIn("\033", out)
        for form in ("csv", "json"):
            result = self.confound("report", "r.json", "--explain", "--format", form)
            self.assertEqual((result.status, result.out), (2, ""))
            self.assertIn("--explain goes with --format text or markdown", result.err)

    def test_a_record_without_spans_says_how_to_get_some(self):
        self.passes("run", *SIM, "-o", "r.json", "-q")
        result = self.confound("report", "r.json", "--explain")
        self.assertEqual((result.status, result.out), (4, ""))
        self.assertEqual(result.err.count("\n"), 1)
        self.assertIn("confound run --explain takes them", result.err)

    def test_names_in_a_report_are_those_that_have_spans(self):
        self.explained(*SIM)
        result = self.confound("report", "r.json", "--explain=sync")
        self.assertEqual(result.status, 2, result)
        self.assertIn("'sync' is no variant here; accepted: none or timing", result.err)
        self.passes("report", "r.json", "--explain=timing,none")

    def test_hostile_spans_are_drawn_without_harm(self):
        record = self.explained(*SIM)
        record.pop("printed")
        bad = "\033[31m\u202ex\u0007<script>"
        for at, span in enumerate(record["spans"]):
            span["id"] = 1  # all of them
            span["waits_for"] = 1 if at % 2 else 7
            span["engine"] = bad + str(at % 40)
            span["what"] = bad if at % 3 else span["what"]
            span["lane"] = (-1, 0, 1, 2**31 - 1)[at % 4]
            span["end_ns"] = 2**53 if at == 5 else span["end_ns"]
        self.write("bad.json", json.dumps(record))
        out = self.passes("report", "bad.json", "--explain").out
        self.assertNotIn("\033[31m", out)
        self.assertNotIn("\u202e", out)
        self.assertNotIn("\u0007", out)
        self.assertLessEqual(max(map(columns, out.splitlines())), 80)


@program.needs_program
@unittest.skipUnless(os.path.exists(STUB), "the stub driver is not built")
class InstrumentedTest(ExplainTest):
    JOB = ("[job]\ndevice = cuda\n[lane a]\nop = h2d\ncount = 4\nbytes = 256KiB\n[lane b]\nop = kernel\ncount = 4\n"
           "trips = 3000\n[instruments]\nuse = sync timing cupti-concurrent\n[run]\nrounds = 2\nmin_rounds = 2\n")
    ENV = {"CONFOUND_CUDA_LIBRARY": STUB, "CONFOUND_NVML_LIBRARY": STUB, "CONFOUND_CUPTI_LIBRARY": STUB}

    def run_stub(self, explain):
        self.write("job.ini", self.JOB)
        result = self.confound("run", "job.ini", "-o", "r.json", explain, env=self.ENV)
        self.assertIn(result.status, (0, 3), result)
        record = json.loads(self.read("r.json"))
        record["printed"] = result.out
        return record

    def test_on_a_device_that_cannot_tell_instruments_do_and_it_is_marked(self):
        record = self.run_stub("--explain")
        names = {record["variants"][s["variant"]]["name"] for s in record["spans"]}
        self.assertEqual(names, {"timing", "cupti-concurrent"})
        self.assertTrue(all(s["instrumented"] for s in record["spans"]))
        self.assertIn("not the verdict", record["spans_how"])
        self.assertEqual(record["printed"].count("INSTRUMENTED, NOT THE VERDICT"), 2)
        self.assertRegex(self.words(record), r"By them both lanes ran at once for [0-9.]+ of [0-9.]+ ms")
        for name in names:
            spans = self.spans(record, name)
            self.assertEqual([len([s for s in spans if s["lane"] == lane]) for lane in (0, 1)], [4, 4], name)
            self.assertEqual(min(s["begin_ns"] for s in spans), 0)
            self.assertEqual({s["what"] for s in spans if s["lane"] == 0}, {"h2d"})
            self.assertEqual(self.engines(spans, "h2d"), {"lane a"})

    def test_what_takes_no_timestamps_says_so_in_one_line(self):
        record = self.run_stub("--explain=none,sync")
        self.assertNotIn("spans", record)
        self.assertEqual(record["skipped"]["explain"],
                         "cuda cannot tell when its commands ran, and sync takes no timestamps")
        self.assertIn("cuda cannot tell when its commands ran", self.words(record))
        result = self.confound("report", "r.json", "--explain")
        self.assertEqual(result.status, 4)
        self.assertIn("cuda cannot tell when its commands ran", result.err)


if __name__ == "__main__":
    program.main()
