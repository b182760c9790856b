#!/usr/bin/env python3
"""`confound run` and `judge` from outside, on the simulated device: what they decide, print and return."""

import hashlib
import json
import os
import pty
import sys
import threading
import unicodedata

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402
from program import ns_of_ms, variants_of  # noqa: E402

COPY_OFFLOAD = ("--device", "sim", "--model", "copy-offload")
TWO_READY = "[model]\nname = two-ready\n[engine compute]\nruns = kernel\n[engine copy]\nruns = copy\n"
ONE_RING = "[model]\nname = one-ring\n[engine all]\norder = ring\nruns = kernel copy\n"
OWN_TAGS = "[event timing]\nlowering = command\nengine = own\ncost_ns = 50us\n"
TAGS_ON_COMPUTE = "[event timing]\nlowering = command\nengine = compute\ncost_ns = 2000\n"
RINGS = ("[model]\nname = rings\n[engine compute]\norder = ring\nruns = kernel\n"
         "[engine copy]\norder = ring\nruns = copy\n")
# Each record crosses to an idle engine: alone, a lane waits half its time, and the other lane fills the gaps.
TAGS_ELSEWHERE = ("[model]\nname = tags-elsewhere\n[engine all]\nruns = kernel h2d\n[engine tags]\nruns = d2d\n"
                  "[event timing]\nlowering = command\nengine = tags\ncost_ns = 500us\n")


def job(count=16, ns="1ms", order="", instruments="", a="h2d", b="kernel", b_ns=None):
    return (f"[job]\ndevice = sim\n[lane a]\nop = {a}\ncount = {count}\nns = {ns}\n"
            f"[lane b]\nop = {b}\ncount = {count}\nns = {b_ns or ns}\n[order]\n{order}\n[instruments]\n{instruments}\n")


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class RunTest(program.ProgramTest):
    def judgement(self, *arguments, **keywords):
        return self.passes("run", *arguments, "--seed", "1", "--json", "-", "-q", **keywords).json()

    def modelled(self, model, job_text=None, *arguments):
        self.write("model.ini", model)
        self.write("job.ini", job_text or job())
        return self.judgement("job.ini", "--device", "sim", "--model", "model.ini", *arguments)


@program.needs_program
class DecisionsTest(RunTest):
    def test_tags_on_the_compute_ring_are_confounded_and_sync_is_clear(self):
        judgement = self.judgement(*COPY_OFFLOAD)
        self.assertEqual(judgement["schema"], "confound.judgement/1")
        self.assertEqual((judgement["verdict"], judgement["valid"], judgement["simulated"]),
                         ("confounded", True, True))
        variants = variants_of(judgement)
        self.assertLessEqual({"none", "none-again", "sync", "timing", "one-queue"}, set(variants))
        none, timing, sync = variants["none"], variants["timing"], variants["sync"]
        self.assertEqual([ns_of_ms(none[k]) for k in ("a_ms", "b_ms", "ab_ms")], [16_000_000] * 3)
        self.assertEqual((none["overlap"]["median"], none["reading"], none["role"]), (1, "overlaps", "control"))
        self.assertIsNone(none["effect"])
        self.assertEqual(ns_of_ms(timing["ab_ms"]), 32_128_000)
        self.assertEqual((timing["overlap"]["median"], timing["reading"]), (0, "serialises"))
        effect = timing["effect"]
        self.assertEqual((effect["verdict"], effect["direction"], effect["flips"], effect["measurable"]),
                         ("confounded", "removes", True, True))
        self.assertEqual((sync["effect"]["verdict"], sync["effect"]["flips"]), ("clear", False))
        self.assertEqual(variants["none-again"]["effect"]["verdict"], "clear")
        self.assertTrue(timing["armed"] and sync["armed"])
        self.assertEqual(variants["one-queue"]["reading"], "serialises")
        self.assertTrue(variants["one-queue"]["reference_ok"])

    def test_the_built_in_job_is_sixteen_copies_beside_sixteen_kernels_of_one_ms(self):
        self.write("job.ini", job())
        mine, built_in = self.judgement("job.ini", *COPY_OFFLOAD), self.judgement(*COPY_OFFLOAD)
        for ours, theirs in zip(mine["variants"], built_in["variants"]):
            self.assertEqual([ours[k] for k in ("name", "a_ms", "b_ms", "ab_ms", "reading")],
                             [theirs[k] for k in ("name", "a_ms", "b_ms", "ab_ms", "reading")])

    def test_one_engine_for_all_serialises_everywhere_and_blames_no_instrument(self):
        judgement = self.modelled(ONE_RING)
        self.assertEqual(judgement["verdict"], "clear")
        variants = variants_of(judgement)
        self.assertEqual({v["reading"] for v in judgement["variants"]}, {"serialises"})
        for name in ("sync", "timing"):
            self.assertEqual(variants[name]["effect"]["verdict"], "clear")
            self.assertIn("nothing-to-remove", variants[name]["because"])

    def test_a_slow_but_harmless_instrument_is_clear_and_slows(self):
        judgement = self.modelled(TWO_READY + OWN_TAGS)
        self.assertEqual(judgement["verdict"], "clear")
        timing = variants_of(judgement)["timing"]
        self.assertEqual((timing["effect"]["verdict"], timing["effect"]["slows"]), ("clear", True))
        self.assertEqual(float(timing["slowdown"]["ab"]), 1.1)
        self.assertFalse(variants_of(judgement)["sync"]["effect"]["slows"])

    def test_a_host_bound_job_reads_host_bound_and_decides_no_effect(self):
        judgement = self.modelled(RINGS + TAGS_ON_COMPUTE + "[host]\ncopy_ns = 1.5ms\nkernel_ns = 4us\n")
        self.assertEqual(judgement["verdict"], "inconclusive")
        variants = variants_of(judgement)
        self.assertEqual(variants["none"]["reading"], "host-bound")
        for name in ("sync", "timing"):
            self.assertEqual(variants[name]["effect"]["verdict"], "inconclusive")
            self.assertIn("host-bound", variants[name]["because"])

    def test_a_host_that_waits_for_each_copy_is_not_host_bound(self):
        judgement = self.modelled(RINGS.replace("name = rings", "name = rings\nblocking_copy = yes"))
        self.assertEqual(variants_of(judgement)["none"]["reading"], "overlaps")

    def test_a_sticky_instrument_is_found(self):
        judgement = self.modelled(RINGS + TAGS_ON_COMPUTE + "sticky = yes\n")
        reasons = set(judgement["invalid_because"]).union(*(v["because"] for v in judgement["variants"]))
        self.assertIn("sticky", reasons)
        self.assertNotEqual(judgement["verdict"], "clear")

    def test_an_instrument_that_never_armed_is_inconclusive(self):
        judgement = self.modelled(RINGS + TAGS_ON_COMPUTE + "arm_late_ignored = yes\n")
        timing = variants_of(judgement)["timing"]
        self.assertIs(timing["armed"], False)
        self.assertEqual(timing["effect"]["verdict"], "inconclusive")
        self.assertIn("not-armed", timing["because"])
        self.assertEqual(judgement["verdict"], "inconclusive")

    def test_an_instrument_that_fakes_overlap_is_confounded_and_adds(self):
        judgement = self.modelled(TAGS_ELSEWHERE)
        self.assertEqual(judgement["verdict"], "confounded")
        effect = variants_of(judgement)["timing"]["effect"]
        self.assertEqual((effect["verdict"], effect["direction"], effect["flips"]), ("confounded", "adds", True))

    def test_a_pipeline_of_one_is_ill_conditioned(self):
        judgement = self.modelled(RINGS, job(count=1, ns="10ms", order="depends = each"))
        self.assertEqual(judgement["best"], 0)
        self.assertEqual(variants_of(judgement)["none"]["reading"], "ill-conditioned")

    def test_a_pipeline_is_read_against_its_own_best(self):
        judgement = self.modelled(RINGS, job(count=2, ns="10ms", order="depends = each"))
        self.assertEqual(judgement["best"], 0.5)
        self.assertEqual(variants_of(judgement)["none"]["reading"], "overlaps")

    def test_contention_reads_as_partial_overlap(self):
        slower = RINGS.replace("name = rings", "name = rings\ncontention = 0.75")
        self.assertEqual(variants_of(self.modelled(slower, job(count=10)))["none"]["reading"], "partial")

    def test_one_seed_gives_the_same_walls_and_another_order_changes_nothing_on_sim(self):
        judgements = [self.passes("run", *COPY_OFFLOAD, "--seed", seed, "--json", "-", "-q").json()
                      for seed in ("7", "7", "8")]
        for judgement in judgements:
            del judgement["record"]
        self.assertEqual(judgements[0], judgements[1])
        self.assertEqual(judgements[0], judgements[2])

    def test_a_value_that_is_set_changes_the_job(self):
        judgement = self.judgement(*COPY_OFFLOAD, "--set", "lane.a.count=8", "--set", "lane.b.ns=2ms", "--set",
                                   "lane.b.count=4")
        none = variants_of(judgement)["none"]
        self.assertEqual([ns_of_ms(none[k]) for k in ("a_ms", "b_ms", "ab_ms")], [8_000_000] * 3)

    def test_a_value_that_is_set_changes_the_model(self):
        judgement = self.judgement(*COPY_OFFLOAD, "--set", "event.timing.engine=own")
        self.assertEqual(ns_of_ms(variants_of(judgement)["timing"]["ab_ms"]), 16_064_000)
        self.assertEqual(judgement["verdict"], "clear")

    def test_instruments_named_on_the_command_line_are_the_ones_on_trial(self):
        names = set(variants_of(self.judgement(*COPY_OFFLOAD, "--instruments", "sync")))
        self.assertIn("sync", names)
        self.assertNotIn("timing", names)
        self.assertLessEqual({"none", "none-again", "one-queue"}, names)

    def test_more_instruments_can_be_put_on_trial(self):
        variants = variants_of(self.judgement(*COPY_OFFLOAD, "--instruments", "sync,timing,host-sync"))
        self.assertEqual(variants["host-sync"]["reading"], "serialises")
        self.assertEqual(variants["host-sync"]["effect"]["verdict"], "confounded")

    def test_rounds_bound_the_run(self):
        self.assertEqual(self.judgement(*COPY_OFFLOAD, "--rounds", "15", "--min-rounds", "15")["rounds"], 15)
        self.assertLess(self.judgement(*COPY_OFFLOAD)["rounds"], 120)

    def test_too_few_rounds_decide_nothing(self):
        judgement = self.judgement(*COPY_OFFLOAD, "--rounds", "3", "--min-rounds", "3")
        self.assertEqual(judgement["verdict"], "inconclusive")

    def test_a_design_that_pays_is_found_in_one_interleaved_run(self):
        self.write("model.ini", RINGS)
        self.write("one.ini", job(order="depends = each\nsubmit = a-then-b"))
        self.write("two.ini", job(order="depends = each", ns="0.8ms"))
        judgement = self.judgement("one.ini", "--against", "two.ini", "--device", "sim", "--model", "model.ini")
        against = judgement["against"]
        self.assertEqual(against["verdict"], "faster")
        self.assertAlmostEqual(float(against["ab_change"]["median"]), -0.2, delta=1e-9)

    def sentence(self, *arguments):
        return " ".join(self.passes("run", "--device", "sim", "--seed", "1", *arguments).out.split())

    def test_a_sticky_instrument_leaves_no_finding_about_the_device(self):
        out = self.sentence("--model", "sticky")
        self.assertIn("INCONCLUSIVE", out)
        self.assertNotIn("Finding", out)
        self.assertNotIn("is missing", out)

    def test_lanes_too_unlike_for_a_reading_still_have_nothing_to_remove(self):
        for job_ in (("--model", "one-engine", "--set", "lane.a.count=3"),
                     ("--set", "order.depends=each", "--set", "lane.a.count=1", "--set", "lane.b.count=1")):
            with self.subTest(job_):
                self.assertIn("no evidence that", self.sentence(*job_))

    def test_contention_is_not_called_one_after_the_other(self):
        out = self.sentence("--model", "contention", "--set", "model.contention=0.5")
        self.assertIn("slow each other down", out)
        self.assertNotIn("run one after the other", out)

    def test_a_design_that_does_less_work_is_said_to(self):
        self.write("whole.ini", job(count=16))
        self.write("half.ini", job(count=8))
        self.assertIn("do not do the same work", self.sentence("whole.ini", "--against", "half.ini"))
        self.assertNotIn("do not do the same work", self.sentence("whole.ini", "--against", "whole.ini"))

    def test_the_judgement_does_not_go_over_the_record(self):
        for name in ("s.json", "./s.json"):
            result = self.confound("run", *COPY_OFFLOAD, "-o", "s.json", "--json", name, "-q")
            self.assertEqual(result.status, 2, result)


@program.needs_program
class JudgeTest(RunTest):
    def test_judge_gives_the_same_bytes_as_the_run_and_names_the_record(self):
        self.passes("run", *COPY_OFFLOAD, "-o", "record.json", "--json", "judgement.json", "-q")
        again = self.passes("judge", "record.json", "--json", "-")
        self.assertEqual(again.out_bytes, self.read("judgement.json"))
        self.assertEqual(again.json()["record"], "sha256:" + hashlib.sha256(self.read("record.json")).hexdigest())
        self.passes("judge", "record.json", "--json", "third.json")
        self.assertEqual(self.read("third.json"), self.read("judgement.json"))
        self.assertEqual(self.passes("report", "record.json", "--format", "json").out_bytes, again.out_bytes)

    def test_judge_reads_standard_input(self):
        self.passes("run", *COPY_OFFLOAD, "-o", "record.json", "--json", "judgement.json", "-q")
        with open(self.path("record.json"), "rb") as file:
            again = self.passes("judge", "-", "--json", "-", stdin=file)
        self.assertEqual(again.out_bytes, self.read("judgement.json"))

    def test_another_margin_can_change_the_verdict(self):
        self.write("job.ini", job(order="depends = each\nprefetch = 1", instruments="on = a\nwhere = after"))
        self.passes("run", "job.ini", *COPY_OFFLOAD, "-o", "record.json", "-q")  # timing removes 0.0625
        loose, strict = (self.passes("judge", "record.json", "--margin", margin, "--json", "-").json()
                         for margin in ("0.1", "0.05"))
        self.assertEqual(float(strict["settings"]["margin"]), 0.05)
        self.assertEqual(variants_of(loose)["timing"]["effect"]["verdict"], "clear")
        self.assertEqual(variants_of(strict)["timing"]["effect"]["verdict"], "confounded")

    def test_a_record_says_that_it_is_simulated(self):
        self.passes("run", *COPY_OFFLOAD, "-o", "record.json", "-q")
        record = json.loads(self.read("record.json"))
        self.assertEqual(record["schema"], "confound.record/1")
        self.assertIn(b'"simulated": true', self.read("record.json"))
        self.assertFalse(os.path.exists(self.path("record.json.part")))

    def test_every_format_of_a_report(self):
        self.passes("run", *COPY_OFFLOAD, "-o", "record.json", "-q")
        text = self.passes("report", "record.json").out
        self.assertEqual(text, self.passes("report", "record.json", "--format", "text").out)
        self.assertIn("CONFOUNDED", text)
        self.assertIn("quote this", text)
        markdown = self.passes("report", "record.json", "--format", "markdown").out
        self.assertRegex(markdown, r"(?m)^\|")
        rows = self.passes("report", "record.json", "--format", "csv").out.splitlines()
        self.assertEqual(rows[0].split(",")[:3], ["round", "process", "variant"])
        rounds = self.passes("judge", "record.json", "--json", "-").json()["rounds"]
        self.assertEqual(len(rows) - 1, rounds * 5 * 3 * 3)
        self.passes("report", "record.json", "--format", "markdown", "-o", "report.md")
        self.assertEqual(self.read("report.md").decode(), markdown)


@program.needs_program
class ExpectTest(RunTest):
    def status(self, expected, *arguments):
        result = self.confound("run", *arguments, "--expect", expected, "-o", "record.json", "-q")
        judged = self.confound("judge", "record.json", "--expect", expected, "--json", "judgement.json")
        self.assertEqual(result.status, judged.status, f"{result}\n{judged}")
        return result.status

    def test_a_confounded_run(self):
        self.assertEqual(self.status("confounded", *COPY_OFFLOAD), 0)
        self.assertEqual(self.status("clear", *COPY_OFFLOAD), 1)
        self.assertEqual(self.status("inconclusive", *COPY_OFFLOAD), 1)

    def test_a_clear_run(self):
        clear = (*COPY_OFFLOAD, "--set", "event.timing.engine=own")
        self.assertEqual(self.status("clear", *clear), 0)
        self.assertEqual(self.status("confounded", *clear), 1)

    def test_an_inconclusive_run(self):
        few = (*COPY_OFFLOAD, "--rounds", "3", "--min-rounds", "3")
        self.assertEqual(self.status("inconclusive", *few), 0)
        self.assertEqual(self.status("clear", *few), 3)
        self.assertEqual(self.status("confounded", *few), 3)

    def test_a_failed_expectation_says_what_was_expected_and_found(self):
        result = self.confound("run", *COPY_OFFLOAD, "--expect", "clear", "--json", "-", "-q")
        self.assertEqual(result.status, 1)
        self.assertEqual(result.json()["verdict"], "confounded")
        self.assertRegex(result.err, "(?i)clear.*confounded")

    def test_without_an_expectation_any_verdict_is_0(self):
        self.passes("run", *COPY_OFFLOAD, "-q")
        self.passes("run", *COPY_OFFLOAD, "--rounds", "3", "--min-rounds", "3", "-q")


@program.needs_program
class OutputTest(RunTest):
    def on_terminal(self, *arguments, env=None):
        """Standard output is a terminal; standard error is not."""
        master, slave = pty.openpty()
        chunks = []

        def drain():
            while True:
                try:
                    data = os.read(master, 65536)
                except OSError:
                    return
                if not data:
                    return
                chunks.append(data)

        thread = threading.Thread(target=drain)
        thread.start()
        try:
            result = self.confound(*arguments, env=env, stdout=slave)
        finally:
            os.close(slave)
            thread.join()
            os.close(master)
        result.out_bytes = b"".join(chunks)
        result.out = result.out_bytes.decode("utf-8", "replace")
        return result

    def test_json_on_standard_output_stands_alone(self):
        for extra in ((), ("-v",)):
            result = self.passes("run", *COPY_OFFLOAD, "--json", "-", *extra)
            self.assertEqual(result.json()["verdict"], "confounded")
            self.assertTrue(result.out.startswith("{") and result.out.endswith("}\n"))

    def test_a_piped_run_has_no_progress_line_and_no_colour(self):
        result = self.passes("run", *COPY_OFFLOAD)
        for text in (result.out, result.err):
            self.assertNotIn("\r", text)
            self.assertNotIn("\x1b", text)

    def test_the_table_has_80_columns_and_says_what_to_quote(self):
        for extra in ((), ("-v",)):
            result = self.passes("run", *COPY_OFFLOAD, *extra)
            self.assertEqual([line for line in result.out.splitlines() if columns(line) > 80], [])
        self.assertIn("quote this", result.out)
        self.assertIn("CONFOUNDED", result.out)
        for name in ("none", "sync", "timing", "one-queue"):
            self.assertRegex(result.out, rf"(?m)^\W*{name}\b")

    def test_exposed_time_stands_before_the_ratio(self):
        out = self.passes("run", *COPY_OFFLOAD).out
        header = next(line for line in out.splitlines() if "exposed" in line)
        self.assertLess(header.index("exposed"), header.index("overlap"))

    def test_without_utf_8_everything_is_ascii(self):
        for env in ({"LC_ALL": "C"}, {"LC_ALL": None, "LC_CTYPE": None, "LANG": None}):
            self.passes("run", *COPY_OFFLOAD, env=env).out_bytes.decode("ascii")

    def test_a_terminal_gets_colour_unless_no_color_says_otherwise(self):
        arguments = ("run", *COPY_OFFLOAD)
        self.assertIn("\x1b[", self.on_terminal(*arguments).out)
        self.assertNotIn("\x1b[", self.on_terminal(*arguments, env={"NO_COLOR": "1"}).out)
        self.assertIn("\x1b[", self.on_terminal(*arguments, env={"NO_COLOR": ""}).out)
        self.assertNotIn("\x1b[", self.on_terminal(*arguments, "--color", "never").out)
        self.assertNotIn("\x1b[", self.on_terminal(*arguments, env={"TERM": "dumb"}).out)

    def test_colour_can_be_forced_into_a_pipe(self):
        self.assertIn("\x1b[", self.passes("run", *COPY_OFFLOAD, "--color", "always").out)
        self.assertIn("\x1b[", self.passes("run", *COPY_OFFLOAD, "--color", "always", env={"NO_COLOR": "1"}).out)

    def test_quiet_prints_the_verdict_alone(self):
        loud, quiet = self.passes("run", *COPY_OFFLOAD), self.passes("run", *COPY_OFFLOAD, "-q")
        self.assertLess(len(quiet.out), len(loud.out))
        self.assertNotIn("one-queue", quiet.out)
        self.assertRegex(quiet.out, "(?i)timing")

    def test_without_a_device_a_line_says_which_was_taken_and_that_it_is_a_self_test(self):
        self.write("job.ini", "[lane a]\nop = h2d\ncount = 2\nns = 0.5ms\n[lane b]\nop = kernel\ncount = 2\nns = 0.5ms\n")
        listed = self.passes("devices", "--json").json()
        self.assertIsNotNone(listed)
        if "soft" not in self.passes("devices").out:
            self.skipTest("no soft device here")
        result = self.passes("run", "job.ini", "--rounds", "12", "--json", "judgement.json")
        if json.loads(self.read("judgement.json"))["simulated"]:
            self.assertIn("soft", result.out + result.err)
            self.assertIn("self-test", result.out + result.err)

    def test_where_the_record_is_stands_in_the_report(self):
        self.assertIn("mine.json", self.passes("run", *COPY_OFFLOAD, "-o", "mine.json").out)


@program.needs_program
class EnvironmentTest(RunTest):
    def test_options_can_come_from_the_environment(self):
        env = {"CONFOUND_DEVICE": "sim", "CONFOUND_MODEL": "copy-offload", "CONFOUND_JSON": "-", "CONFOUND_QUIET": "yes",
               "CONFOUND_SEED": "1"}
        one, two = (json.loads(result.out) for result in (
            self.passes("run", env=env), self.passes("run", *COPY_OFFLOAD, "--seed", "1", "--json", "-", "-q")))
        # The records say when they were made, so their hashes differ from one second to the next.
        self.assertNotEqual(one.pop("record"), "")
        two.pop("record")
        self.assertEqual(one, two)

    def test_the_command_line_wins_over_the_environment_and_both_over_the_job(self):
        self.write("job.ini", job(count=4).replace("device = sim", "device = soft\nmodel = nothing-like-this"))
        env = {"CONFOUND_DEVICE": "sim", "CONFOUND_MODEL": "no-such-model", "CONFOUND_EXPECT": "clear"}
        result = self.passes("run", "job.ini", "--model", "copy-offload", "--expect", "confounded", "--json", "-",
                             env=env)
        self.assertEqual(ns_of_ms(variants_of(result.json())["timing"]["ab_ms"]), 8_032_000)

    def test_the_record_goes_where_the_environment_says(self):
        self.passes("run", *COPY_OFFLOAD, "-q", env={"CONFOUND_OUTPUT": "elsewhere.json"})
        self.assertEqual(json.loads(self.read("elsewhere.json"))["schema"], "confound.record/1")


@program.needs_program
class HelpTest(RunTest):
    COMMANDS = ("run", "judge", "report", "devices", "models", "jobs", "help")

    def test_help_names_every_command(self):
        out = self.passes("help").out
        for command in self.COMMANDS:
            self.assertIn(command, out)
        self.assertEqual(self.passes("--help").out, out)

    def test_every_command_explains_itself_in_two_ways(self):
        for command in self.COMMANDS:
            one, two = self.passes("help", command), self.passes(command, "--help")
            self.assertEqual(one.out, two.out)
            self.assertTrue(one.out)
            self.assertEqual(one.err, "")

    def test_help_names_every_option_and_its_variable(self):
        out = self.passes("help", "run").out
        for option in ("--device", "--model", "--set", "--instruments", "--rounds", "--min-rounds", "--margin", "--seed",
                       "-o", "--json", "--expect", "--resume", "--against", "-q", "-v", "--color"):
            self.assertIn(option, out)
        self.assertIn("CONFOUND_DEVICE", out + self.passes("help").out)

    def test_help_fits_80_columns(self):
        for arguments in (("help",), *(("help", command) for command in self.COMMANDS)):
            self.assertEqual([line for line in self.passes(*arguments).out.splitlines() if columns(line) > 80], [])

    def test_version_is_one_line(self):
        self.assertRegex(self.passes("--version").out, r"\Aconfound \d+\.\d+\.\d+[^\n]*\n\Z")

    def test_devices_models_and_jobs_are_listed(self):
        devices = self.passes("devices").out
        self.assertIn("sim", devices)
        self.assertIn("soft", devices)
        self.assertIn("copy-offload", self.passes("models").out)
        self.assertIn("default", self.passes("jobs").out)

    def test_a_listed_model_and_job_can_be_printed_and_run(self):
        self.write("model.ini", self.passes("models", "copy-offload").out)
        self.write("job.ini", self.passes("jobs", "default").out)
        judgement = self.judgement("job.ini", "--device", "sim", "--model", "model.ini")
        self.assertEqual(ns_of_ms(variants_of(judgement)["timing"]["ab_ms"]), 32_128_000)


if __name__ == "__main__":
    program.main()
