"""The experiment on the device level-zero, on Intel's driver and the emulated GPU, in real time. On a machine that is
busy the verdict may be inconclusive and never a wrong one. What waits for what is read from one step's commands as the
engines executed them; there a host that was late with its submissions can hide an overlap and cannot make one, so that a
lack of it is looked at again."""

import json
import os
import unittest

from intel import CONFOUND, DIRECT, IntelTest, emulate, main

TIMING = {"timing", "timing-signal"}  # what serialises on this driver
HARMLESS = {"sync", "sync-signal", "timing-event"}
COUNT = 4
SMALL = ("--set", f"lane.a.count={COUNT}", "--set", f"lane.b.count={COUNT}", "--set", "lane.a.bytes=10MiB", "--set",
         "lane.b.trips=260000")  # 2.6 ms an operation
LOOKS = 8


def busy(spans, what):
    """Intervals in which operations of that kind ran, merged."""
    merged = []
    for begin, end in sorted((s["begin_ns"], s["end_ns"]) for s in spans if s["what"] == what):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def overlap(spans, a="h2d", b="kernel"):
    """Of the shorter lane's busy time, the part in which the other one was busy too."""
    first, second = busy(spans, a), busy(spans, b)
    both = sum(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x in first for y in second)
    return both / min(sum(e - b for b, e in first), sum(e - b for b, e in second))


class LevelZero(IntelTest):
    def run_job(self, *arguments, options=(), changes=None, rounds=1, status=(0, 3), small=SMALL):
        record = self.path("record.json")
        if os.path.exists(record):
            os.remove(record)
        done = emulate(CONFOUND, "run", "--device", "level-zero", "-o", record, "--rounds", str(rounds), "--min-rounds",
                       str(min(rounds, 12)), *small, *arguments, options=options, changes=changes)
        self.assertIn(done.returncode, status, f"{done.stdout}\n{done.stderr}")
        self.done = done
        with open(record, encoding="utf-8") as file:
            return json.load(file)

    def spans_by_variant(self, record):
        names = [v["name"] for v in record["variants"]]
        found = {}
        for span in record["spans"]:
            name = span["variant"] if isinstance(span["variant"], str) else names[span["variant"]]
            found.setdefault(name, []).append(span)
        return found

    def explained(self, instrument, *arguments, **more):
        """Spans of the control and of that instrument's variant."""
        record = self.run_job("--explain", "--instruments", instrument, *arguments, **more)
        spans = self.spans_by_variant(record)
        self.assertEqual(set(spans), {"none", instrument}, record["variants"])
        return spans["none"], spans[instrument]

    def overlaps(self, instrument, *arguments, both=True, **more):
        """The control's lanes overlap, and so do the instrument's where both is true."""
        seen = []
        for _ in range(LOOKS):
            none, other = self.explained(instrument, *arguments, **more)
            seen.append((overlap(none), overlap(other)))
            if seen[-1][0] > 0.5 and (seen[-1][1] > 0.5 or not both):
                return other
        self.fail(f"{instrument}: overlap without and with it, {LOOKS} times: {seen}")

    def serialises(self, instrument, *arguments, most=0.1, **more):
        """The control's lanes overlap and the instrument's never do."""
        other = self.overlaps(instrument, *arguments, both=False, **more)
        self.assertLess(overlap(other), most)

    def judged(self, record_path="record.json"):
        done = emulate(CONFOUND, "judge", self.path(record_path), "--json", "-", options=())
        return json.loads(done.stdout)

    # ---- what is said ----

    def test_everything_says_that_the_gpu_is_emulated_and_what_is_assumed(self):
        record = self.run_job("--instruments", "sync")
        self.assertIs(record["simulated"], True)
        self.assertRegex(record["device"]["driver"], r"^Intel driver \d+\.\d+\.\d+.* on an emulated GPU$")
        facts = record["device"]["facts"]
        self.assertIn("assumption-1", facts)
        self.assertEqual(record["data_check"]["result"], "unsupported")
        self.assertIn("only copies were checked", record["data_check"]["text"])
        for words in ("(simulated)", "on an emulated GPU", "not verified on hardware", "modelled"):
            self.assertIn(words, " ".join(self.done.stdout.split()).replace("Not verified", "not verified"))
        report = emulate(CONFOUND, "report", self.path("record.json"), "--format", "markdown")
        self.assertEqual(report.returncode, 0, report)
        for words in ("on an emulated GPU", "ot verified on hardware"):
            self.assertIn(words, " ".join(report.stdout.split()))
        self.assertIs(self.judged()["simulated"], True)

    def test_an_emulated_gpu_is_listed_and_never_taken_by_itself(self):
        done = emulate(CONFOUND, "devices")
        self.assertIn("level-zero:0", done.stdout)
        self.assertIn("(emulated)", done.stdout)
        self.assertNotIn("using level-zero", done.stdout)

    # ---- the story ----

    def test_timestamps_of_both_lanes_serialise_what_overlaps_without_them(self):
        for direct, changes in DIRECT.items():
            for submit in ("ab", "ba"):
                with self.subTest(direct_submission=direct, submit=submit):
                    self.serialises("timing", "--set", f"order.submit={submit}", changes=changes)

    def test_the_stamps_are_on_the_compute_engine_and_copies_wait_for_them(self):
        none, timing = self.explained("timing")
        self.assertEqual({s["engine"] for s in none if s["what"] == "h2d"}, {"bcs0"})
        self.assertFalse([s for s in none if s["what"].startswith("record")])
        stamps = [s for s in timing if s["what"].startswith("record")]
        self.assertEqual({s["engine"] for s in stamps}, {"ccs0"})
        self.assertEqual({(s["lane"], s["index"], s["what"]) for s in stamps},
                         {(lane, i, side) for lane in (0, 1) for i in range(COUNT)
                          for side in ("record before", "record after")})

    def test_events_that_the_driver_puts_on_the_operations_engine_do_not(self):
        for instrument in sorted(HARMLESS):
            with self.subTest(instrument=instrument):
                self.overlaps(instrument)

    def test_an_appended_signal_with_timestamps_serialises(self):
        self.serialises("timing-signal", most=0.2)

    def test_timestamps_of_the_kernels_alone_are_harmless(self):
        self.overlaps("timing", "--set", "instruments.on=b")

    def test_without_the_hint_the_control_serialises_and_nobody_is_blamed(self):
        record = self.run_job("--explain", "--instruments", "timing", "--set", "device.streams=no-offload")
        none = self.spans_by_variant(record)["none"]
        self.assertEqual({s["engine"] for s in none if s["what"] == "h2d"}, {"ccs0"})
        self.assertLess(overlap(none), 0.1)
        self.assertEqual(record["data_check"]["result"], "unsupported")

    def test_taking_both_waits_away_takes_the_effect_away(self):
        """With stamps on the copies alone, behind one long kernel, either of two assumed waits holds the stamps up. (With
        stamps on both lanes it is the driver's own semaphores, which no assumption can take away.)"""
        job = ("--set", "order.submit=b-then-a", "--set", "instruments.on=a", "--set", "lane.b.count=1", "--set",
               "lane.b.trips=1040000")
        away = ("--set", "waits.stall=no", "--set", "waits.barrier=no")
        for options in ((), away[:2], away[2:]):
            with self.subTest(options=options):
                self.serialises("timing", *job, most=0.2, options=options)
        self.overlaps("timing", *job, options=away)
        facts = self.run_job("--instruments", "timing", *job, options=away)["device"]["facts"]
        self.assertEqual([facts[f"taken-away-{i}"] for i in (1, 2)], ["stall", "barrier"])
        self.assertIn("odelled waits that were taken away", self.done.stdout)

    def test_the_host_judges_the_same_or_not_at_all(self):
        for submit in ("ab", "ba"):
            with self.subTest(submit=submit):
                record = self.run_job("--instruments", "sync timing timing-event", "--set", f"order.submit={submit}",
                                      rounds=24, small=())
                self.assertTrue(all(v["armed"] for v in record["variants"] if v["role"] == "instrument"))
                for v in self.judged()["variants"]:
                    effect = (v["effect"] or {}).get("verdict")
                    if v["name"] in TIMING:
                        self.assertIn(effect, ("confounded", "inconclusive"), v)
                        self.assertIn(v["reading"], ("serialises", "inconclusive", "partial"), v)
                    elif v["name"] in HARMLESS:
                        self.assertIn(effect, ("clear", "inconclusive"), v)
                    elif v["name"] == "one-queue":
                        self.assertIn(v["reading"], ("serialises", "inconclusive"), v)

    # ---- every way ----

    def test_every_instrument_is_armed_on_every_kind_of_stream(self):
        instruments = "sync timing sync-signal timing-event timing-signal tracing-layer host-sync"
        for way in ("streams=offload", "streams=no-offload", "streams=split", "streams=queues", "events=pool",
                    "memory=pageable"):
            with self.subTest(way=way):
                record = self.run_job("--instruments", instruments, "--set", f"device.{way}")
                for v in record["variants"]:
                    # This driver completes an appended event of a plain pool without a timestamp: on a regular list
                    # always, on an immediate one the first time.
                    unstamped = v["name"] == "timing-signal" and way in ("streams=queues", "events=pool")
                    wanted = not unstamped
                    if v["role"] in ("instrument", "reference"):
                        self.assertIs(v["armed"], wanted, v)
                self.assertEqual(record["data_check"]["result"], "unsupported")

    def test_lanes_that_depend_on_each_other_bring_the_right_bytes(self):
        for a, b in (("h2d", "d2h"), ("h2d", "kernel"), ("d2h", "h2d")):
            with self.subTest(a=a, b=b):
                job = ["--set", f"lane.a.op={a}", "--set", f"lane.b.op={b}", "--set", "lane.a.count=6", "--set",
                       "lane.b.count=6", "--set", "lane.a.bytes=1MiB"]
                if b != "kernel":
                    job += ["--set", "lane.b.bytes=1MiB"]
                depends = [] if a == "d2h" else ["--set", "order.depends=each"]
                record = self.run_job("--instruments", "sync timing-event", *job, *depends, small=())
                self.assertIn(record["data_check"]["result"], ("ok", "unsupported"), record["data_check"])

    def test_the_length_of_a_kernel_is_calibrated(self):
        record = self.run_job("--instruments", "sync", small=())
        lane = record["job"]["lanes"][1] if "lanes" in record["job"] else record["job"]["b"]
        self.assertFalse(lane["given"], lane)
        self.assertGreater(lane["length"], 10000, lane)

    def test_the_validation_layer_reports_nothing(self):
        # Not ZE_ENABLE_HANDLE_LIFETIME: loader 1.32 then refuses what is appended to any immediate list.
        changes = {"ZE_ENABLE_VALIDATION_LAYER": "1", "ZE_ENABLE_PARAMETER_VALIDATION": "1",
                   "ZEL_ENABLE_LOADER_LOGGING": "1", "ZEL_LOADER_LOG_CONSOLE": "1", "ZEL_LOADER_LOGGING_LEVEL": "warn"}
        record = self.run_job("--instruments", "sync timing sync-signal timing-event timing-signal", changes=changes)
        self.assertTrue(all(v["armed"] for v in record["variants"] if v["role"] == "instrument"))
        for words in ("error", "invalid", "leak", "warning"):
            self.assertNotIn(words, self.done.stderr.lower())

    def test_wrapped_handles_work(self):
        record = self.run_job("--instruments", "sync timing tracing-layer",
                              changes={"ZE_ENABLE_LOADER_INTERCEPT": "1"})
        self.assertTrue(all(v["armed"] for v in record["variants"] if v["role"] == "instrument"))

    def test_without_an_emulator_there_is_one_line_and_4(self):
        import subprocess
        done = subprocess.run([CONFOUND, "run", "--device", "level-zero"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "CONFOUND_ZE_LIBRARY": "/nowhere/libze_loader.so.1"}, check=False)
        self.assertEqual(done.returncode, 4, done)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done)


if __name__ == "__main__":
    main()
