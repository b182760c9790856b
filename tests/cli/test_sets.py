#!/usr/bin/env python3
"""Sets of runs: --processes, --vary-env and --sweep, each run in a fresh process with a record of its own."""

import csv
import hashlib
import html
import io
import json
import os
import re
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

COPY_OFFLOAD = ("--device", "sim", "--model", "copy-offload")
WAIT_S = 60

# Copies by their size: 1 MiB takes 0.9765625 ms.
SIZED = """[model]
name = sized
[engine ccs]
order = ring
runs = kernel
[engine bcs]
order = ring
runs = copy
rate = 1073741824
[event sync]
lowering = none
[event timing]
lowering = command
engine = ccs
cost_ns = 2us
"""
JOB = """[job]
device = sim
model = model.ini
[lane a]
op = h2d
count = 16
bytes = 1MiB
[lane b]
op = kernel
count = 16
ns = 1ms
"""


class SetTest(program.ProgramTest):
    def document(self, name="set.json"):
        return json.loads(self.read(name))

    def records(self, document):
        return [json.loads(self.read(member["path"])) for member in document["members"]]

    def sized(self, extra=""):
        self.write("model.ini", SIZED + extra)
        self.write("job.ini", JOB)


@program.needs_program
class ProcessesTest(SetTest):
    def test_each_process_has_a_record_and_the_common_verdict_is_theirs(self):
        result = self.passes("run", *COPY_OFFLOAD, "--processes", "3", "--seed", "7", "-o", "set.json")
        document = self.document()
        self.assertEqual((document["schema"], document["kind"], document["verdict"], document["because"]),
                         ("confound.set/1", "processes", "confounded", "agreed"))
        self.assertEqual([m["path"] for m in document["members"]], ["set-1.json", "set-2.json", "set-3.json"])
        for member in document["members"]:
            digest = hashlib.sha256(self.read(member["path"])).hexdigest()
            self.assertEqual(member["record"], f"sha256:{digest}")
            self.assertEqual((member["state"], member["judgement"]["verdict"]), ("done", "confounded"))
            own = self.passes("judge", member["path"], "--json", "-").json()
            self.assertEqual(own["record"], member["record"])
        self.assertIn("All processes say confounded", result.out)
        self.assertRegex(result.out, r"(?m)^process 2 +1\.00 +0\.000 +overlaps +0\.00 = +-1\.00 ! +CONFOUNDED$")

    def test_orders_differ_between_processes_and_come_from_one_seed(self):
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "--seed", "7", "-o", "one.json", "-q")
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "--seed", "7", "-o", "two.json", "-q")
        one, two = self.document("one.json"), self.document("two.json")
        seeds = [m["seed"] for m in one["members"]]
        self.assertEqual(seeds, [m["seed"] for m in two["members"]])
        self.assertEqual(len(set(seeds)), 2)
        self.assertEqual([r["seed"] for r in self.records(one)], seeds)
        orders = [[r["order"] for r in record["rounds"]] for record in self.records(one)]
        self.assertNotEqual(orders[0], orders[1])

    def test_the_exit_status_follows_the_common_verdict(self):
        for expected, status in (("confounded", 0), ("clear", 1), ("inconclusive", 1)):
            result = self.confound("run", *COPY_OFFLOAD, "--processes", "2", "--expect", expected, "-o",
                                   f"{expected}.json", "-q")
            self.assertEqual(result.status, status, result)

    def test_processes_that_do_not_agree_are_inconclusive(self):
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "-q")
        self.passes("run", "--device", "sim", "--model", "own", "-o", "set-2.json", "-q")
        document = self.document()
        document["members"][1]["record"] = f"sha256:{hashlib.sha256(self.read('set-2.json')).hexdigest()}"
        self.write("set.json", json.dumps(document))
        judged = self.confound("judge", "set.json", "--json", "-", "--expect", "confounded")
        self.assertEqual(judged.status, 3)
        document = json.loads(judged.out)
        self.assertEqual((document["verdict"], document["because"]), ("inconclusive", "disagrees"))
        timing = [v for v in document["groups"][0]["variants"] if v["name"] == "timing"][0]
        self.assertEqual(timing["effect"], "inconclusive")
        self.assertEqual((timing["delta"]["least"], timing["delta"]["most"]), (-1, 0))
        self.assertIn("do not agree", re.sub(r"\s+", " ", self.passes("judge", "set.json").out))

    def test_a_record_that_is_gone_leaves_no_common_answer(self):
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "-q")
        os.remove(self.path("set-1.json"))
        judged = self.passes("judge", "set.json", "--json", "-").json()
        self.assertEqual((judged["verdict"], judged["because"], judged["complete"]),
                         ("inconclusive", "lacks-members", False))
        self.assertRegex(self.passes("judge", "set.json").out, r"(?m)^1 of 2 processes came to an end, so there is")

    def test_a_record_that_has_changed_is_named_and_refused(self):
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "-q")
        before = self.read("set.json")
        self.passes("run", "--device", "sim", "--model", "own", "-o", "other.json", "-q")
        for changed in (self.read("other.json"), self.read("set-2.json") + b"\n", b"{"):
            self.write("set-2.json", changed.decode())
            for command in (("judge", "set.json"), ("report", "set.json"), ("run", "--resume", "set.json"),
                            ("judge", "set.json", "--json", "judged.json")):
                result = self.confound(*command)
                self.assertEqual((result.status, result.out), (2, ""), (changed[:20], command))
                self.assertRegex(result.err, r"\Aconfound: set-2\.json: has changed since set\.json [^\n]+\n\Z")
        self.assertEqual(self.read("set.json"), before)
        self.assertFalse(os.path.exists(self.path("judged.json")))

    def test_a_clear_with_nothing_to_remove_is_marked_and_said_to_be_no_evidence(self):
        result = self.passes("run", "--device", "sim", "--model", "one-engine", "--processes", "2", "-o", "set.json")
        text = re.sub(r"\s+", " ", result.out)
        self.assertRegex(result.out, r"(?m)^process 2 +0\.00 +16\.000 +serialises +0\.00 \* +0\.00 \* +clear\*$")
        self.assertIn("All processes say clear*.", text)
        self.assertIn("timing: clear*, effect 0.00", text)
        self.assertIn("* There was nothing to remove: the control itself serialises. This is no evidence of "
                      "harmlessness.", text)
        self.assertIn("no evidence of harmlessness", re.sub(r"\s+", " ", self.passes("judge", "set.json").out))
        self.assertIn("clear\\*", self.passes("report", "set.json", "--format", "markdown").out)
        other = self.passes("run", "--device", "sim", "--model", "own", "--processes", "2", "-o", "own.json").out
        self.assertIn("clear", other)
        self.assertNotIn("clear*", other)
        self.assertNotIn("no evidence", other)

    def test_an_output_that_is_no_regular_file_is_refused(self):
        os.mkfifo(self.path("pipe"))
        os.symlink("/dev/null", self.path("link"))
        for output in ("pipe", "link", "-", "/dev/null"):
            result = self.confound("run", *COPY_OFFLOAD, "--processes", "2", "-o", output, "-q")
            self.assertEqual(result.status, 2, result)
            self.assertRegex(result.err, rf"\Aconfound: {output}: is no regular file[^\n]+\n\Z")
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "pipe"])
        self.assertFalse(os.path.exists("/dev/null-1.json"))

    def test_a_failing_process_is_reported_with_what_it_said(self):
        job = JOB.replace("device = sim", "device = cuda:7").replace("model = model.ini\n", "")
        self.write("job.ini", job)
        if "no CUDA driver" not in self.passes("devices").out:
            self.skipTest("there is a CUDA driver here")
        result = self.confound("run", "job.ini", "--processes", "2", "-o", "set.json")
        self.assertEqual(result.status, 4, result)
        document = self.document()
        self.assertEqual([m["state"] for m in document["members"]], ["failed", "failed"])
        self.assertEqual(document["verdict"], "inconclusive")
        self.assertIn("no CUDA driver", document["members"][0]["why"])
        self.assertIn("failed (exit 4)", result.out)

    def test_options_of_the_environment_reach_every_process_once(self):
        env = {"CONFOUND_DEVICE": "sim", "CONFOUND_MODEL": "own", "CONFOUND_PROCESSES": "2", "CONFOUND_OUTPUT": "set.json",
               "CONFOUND_SET": "lane.a.count=4", "CONFOUND_QUIET": "yes"}
        self.passes("run", env=env)
        self.assertEqual(sorted(os.listdir(self.folder)), ["set-1.json", "set-2.json", "set.json"])
        for record in self.records(self.document()):
            self.assertEqual(record["job"]["lanes"][0]["count"], 4)

    def test_json_and_csv_go_where_they_are_sent(self):
        result = self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "--json", "-", "--csv", "t.csv")
        self.assertEqual(result.out_bytes, self.read("set.json"))
        rows = list(csv.DictReader(io.StringIO(self.read("t.csv").decode())))
        self.assertEqual(len(rows), 2 * 5)
        timing = [row for row in rows if row["variant"] == "timing"]
        self.assertEqual([(r["process"], r["effect"], r["delta"], r["record"]) for r in timing],
                         [("1", "confounded", "-1.0", "set-1.json"), ("2", "confounded", "-1.0", "set-2.json")])
        self.assertEqual(self.confound("run", *COPY_OFFLOAD, "--csv", "-").status, 2)

    def test_report_reads_the_set_again(self):
        text = self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json").out
        self.assertEqual(self.passes("report", "set.json").out, text)
        self.assertEqual(self.passes("report", "set.json", "--format", "json").out_bytes, self.read("set.json"))
        self.assertIn("| process 1 |", self.passes("report", "set.json", "--format", "markdown").out)
        self.assertIn("kind,key,value", self.passes("report", "set.json", "--format", "csv").out)


@program.needs_program
class EmulatedTest(SetTest):
    FIRST, SECOND, AWAY = "a <wait> keeps all", "copies move 2 GB/s", "stall"

    def test_what_an_emulated_device_assumes_stands_in_every_form_of_a_set_once(self):
        for name, facts in (("one.json", {"assumption-1": self.FIRST}),
                            ("two.json", {"assumption-1": self.FIRST, "assumption-2": self.SECOND,
                                          "taken-away-1": self.AWAY})):
            self.passes("run", *COPY_OFFLOAD, "-o", name)
            record = json.loads(self.read(name))
            record["device"]["facts"] = {**record["device"].get("facts", {}), **facts}
            self.write(name, json.dumps(record))
        self.passes("report", "one.json", "two.json", "--html", "page.html")
        for form in ("text", "markdown", "html"):
            with self.subTest(form=form):
                shown = (self.read("page.html").decode().split("</section>")[0] if form == "html" else
                         self.passes("report", "one.json", "two.json", "--format", form).out)
                shown = " ".join(html.unescape(shown).replace("\\", "").replace("**", "").split())
                said = f"Not verified on hardware: {self.FIRST}; {self.SECOND}."
                self.assertEqual(shown.count(said), 1, shown[:3000])
                self.assertEqual(shown.count(f"Modelled waits that were taken away: {self.AWAY}."), 1)

    def emulated(self, name):
        self.passes("run", *COPY_OFFLOAD, "-o", name)
        record = json.loads(self.read(name))
        record["device"]["facts"] = {**record["device"].get("facts", {}), "emulated": "bmg: emulated Intel GPU"}
        self.write(name, json.dumps(record))

    def shown(self, form, *records):
        """The report as one line, without marks of its form."""
        text = self.passes("report", *records, "--html", "-").out if form == "html" else \
            self.passes("report", *records, "--format", form).out
        text = re.sub(r"(?s)<(style|script).*?</\1>|<[^>]*>", " ", text) if form == "html" else text
        return " ".join(html.unescape(text).replace("\\", "").replace("**", "").split())

    def test_a_vendors_driver_on_an_emulated_gpu_is_no_device_built_to_show_the_effect(self):
        self.emulated("one.json")
        self.emulated("two.json")
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "-q")
        for member in ("set-1.json", "set-2.json"):
            self.emulated(member)
        document = json.loads(self.read("set.json"))
        for member in document["members"]:
            member["record"] = "sha256:" + hashlib.sha256(self.read(member["path"])).hexdigest()
        self.write("set.json", json.dumps(document))
        for records in (["one.json"], ["one.json", "two.json"], ["set.json"]):
            for form in ("text", "markdown", "html"):
                with self.subTest(records=records, form=form):
                    shown = self.shown(form, *records)
                    self.assertIn("the driver is the vendor's own, the engines are modelled", shown)
                    self.assertNotIn("self-test", shown)
        self.passes("run", *COPY_OFFLOAD, "-o", "plain.json")
        for form in ("text", "markdown", "html"):
            shown = self.shown(form, "one.json", "plain.json")
            self.assertIn("the driver is the vendor's own", shown)
            self.assertIn("self-test", shown)

    def test_a_set_of_devices_that_assume_nothing_says_nothing_of_it(self):
        for name in ("one.json", "two.json"):
            self.passes("run", *COPY_OFFLOAD, "-o", name)
        self.assertNotIn("Not verified on hardware", self.passes("report", "one.json", "two.json").out)


@program.needs_program
class VaryTest(SetTest):
    def test_the_variable_is_set_in_the_process_alone(self):
        env = {"CUDA_DEVICE_MAX_CONNECTIONS": "32"}
        self.passes("run", *COPY_OFFLOAD, "--vary-env", "CUDA_DEVICE_MAX_CONNECTIONS=1,2,", "-o", "set.json", "-q",
                    env=env)
        document = self.document()
        seen = {m["value"]: r["environment"].get("CUDA_DEVICE_MAX_CONNECTIONS")
                for m, r in zip(document["members"], self.records(document))}
        self.assertEqual(seen, {"1": "1", "2": "2", "": None})

    def test_a_variable_that_nobody_knows_is_recorded_too(self):
        self.passes("run", *COPY_OFFLOAD, "--vary-env", "MY_SETTING=x,y", "-o", "set.json", "-q")
        document = self.document()
        self.assertEqual({m["value"] for m in document["members"]},
                         {r["environment"]["MY_SETTING"] for r in self.records(document)})

    def test_values_are_interleaved_at_random_each_once_before_any_again(self):
        orders = set()
        for seed in range(6):
            self.passes("run", *COPY_OFFLOAD, "--rounds", "1", "--min-rounds", "1", "--vary-env", "X=1,2,3",
                        "--processes", "2", "--seed", seed, "-o", f"{seed}.json", "-q")
            values = [m["value"] for m in self.document(f"{seed}.json")["members"]]
            self.assertEqual(sorted(values[:3]), ["1", "2", "3"])
            self.assertEqual(sorted(values[3:]), ["1", "2", "3"])
            orders.add(tuple(values))
        self.assertGreater(len(orders), 2)

    def test_each_value_is_judged_on_its_own_and_shown_in_the_order_given(self):
        result = self.passes("run", *COPY_OFFLOAD, "--vary-env", "X=b,a,,c", "-o", "set.json")
        document = self.document()
        self.assertEqual([g["value"] for g in document["groups"]], ["b", "a", "", "c"])
        self.assertEqual({g["verdict"] for g in document["groups"]}, {"confounded"})
        self.assertIsNone(document["verdict"])
        rows = re.findall(r"(?m)^(\S+) +1\.00 ", result.out)
        self.assertEqual(rows, ["b", "a", "(unset)", "c"])

    def test_what_is_no_variable_is_refused(self):
        for bad in ("1X=2", "X", "=1", "X=1,1", "CONFOUND_SEED=1,2", "A-B=1"):
            result = self.confound("run", *COPY_OFFLOAD, "--vary-env", bad, "-o", "set.json")
            self.assertEqual(result.status, 2, bad)
            self.assertRegex(result.err, r"\Aconfound: --vary-env[^\n]+\n\Z")
        self.assertEqual(os.listdir(self.folder), [])


@program.needs_program
class SweepTest(SetTest):
    def values(self, sweep):
        self.sized()
        self.passes("run", "job.ini", "--rounds", "1", "--min-rounds", "1", "--sweep", sweep, "-o", "set.json", "-q")
        return [g["value"] for g in self.document()["groups"]]

    def test_points_of_a_range_lie_in_even_ratios(self):
        self.assertEqual(self.values("lane.a.bytes=256KiB..1MiB"), ["256KiB", "512KiB", "1MiB"])
        self.assertEqual(self.values("lane.a.bytes=16KiB..64MiB"),
                         ["16KiB", "64KiB", "256KiB", "1MiB", "4MiB", "16MiB", "64MiB"])
        self.assertEqual(len(self.values("lane.a.bytes=64..64MiB")), 9)
        self.assertEqual(self.values("lane.b.ns=100us..1ms:3"), ["100us", "316us", "1ms"])
        self.assertEqual(self.values("lane.a.count=1..3:6"), ["1", "2", "3"])
        self.assertEqual(self.values("run.margin=0.05..0.2"), ["0.05", "0.1", "0.2"])
        self.assertEqual(self.values("lane.a.bytes=100KiB..300KiB"), ["100KiB", "200KiB", "300KiB"])
        self.assertEqual(self.values("lane.a.count=8,2"), ["8", "2"])

    def test_walls_at_each_point_are_those_of_the_model(self):
        self.sized()
        self.passes("run", "job.ini", "--sweep", "lane.b.ns=500us..2ms", "-o", "set.json", "--csv", "t.csv", "-q")
        rows = [r for r in csv.DictReader(io.StringIO(self.read("t.csv").decode())) if r["variant"] == "none"]
        self.assertEqual([(r["value"], float(r["number"]), float(r["b_ms"]), r["record"]) for r in rows],
                         [("500us", 5e5, 8, "set-001.json"), ("1ms", 1e6, 16, "set-002.json"),
                          ("2ms", 2e6, 32, "set-003.json")])

    def test_the_size_under_which_the_host_is_the_limit_is_said(self):
        self.sized("[host]\ncopy_ns = 400us\nkernel_ns = 400us\n")
        result = self.passes("run", "job.ini", "--set", "lane.b.ns=200us", "--sweep", "lane.a.bytes=64KiB..4MiB", "-o",
                             "set.json")
        document = self.document()
        limit = document["host_limit"]
        readings = {g["value"]: g["variants"][0]["reading"] for g in document["groups"]}
        self.assertEqual(limit["at"], [v for v, reading in readings.items() if reading == "host-bound"])
        self.assertEqual((limit["at"][0], limit["until"]), ("64KiB", limit["at"][-1]))
        self.assertNotIn("4MiB", limit["at"])
        self.assertIn(f"Up to lane.a.bytes = {limit['until']} the host is the limit",
                      re.sub(r"\s+", " ", result.out))

    def test_the_point_at_which_an_instrument_starts_to_matter_is_said(self):
        result = self.passes("run", "--device", "sim", "--model", "fakes-overlap", "--sweep",
                             "event.timing.cost_ns=1us..1ms:7", "-o", "set.json")
        document = self.document()
        effects = [[v["effect"] for v in g["variants"] if v["name"] == "timing"][0] for g in document["groups"]]
        first = effects.index("confounded")
        self.assertEqual(effects, ["clear"] * first + ["confounded"] * (7 - first))
        self.assertGreater(first, 1)
        sync, timing = document["matters"]
        self.assertEqual((timing["name"], timing["from"], timing["at"], timing["open"]),
                         ("timing", document["values"][first], document["values"][first:], True))
        self.assertEqual((sync["at"], sync["from"]), ([], None))
        text = re.sub(r"\s+", " ", result.out)
        # The control of this model serialises: what is clear there is no evidence, and does not count.
        self.assertIn("timing: confounded at every point of event.timing.cost_ns that counts: "
                      f"{', '.join(timing['at'])}. Not counted is event.timing.cost_ns = "
                      f"{', '.join(document['values'][:first])}: clear*.", text)
        self.assertIn("sync: clear* at every point of event.timing.cost_ns.", text)
        self.assertIn("The host is the limit at no point", text)

    def test_an_instrument_that_the_first_point_lacks_is_shown_too(self):
        result = self.passes("run", *COPY_OFFLOAD, "--sweep", "instruments.use=sync,timing", "-o", "set.json")
        self.assertRegex(result.out, r"(?m)^instruments\.use +timing\nsync +- +\ntiming +-1\.00 !$")
        self.assertRegex(result.out, r"(?m)^sync +1\.00 .* 0\.00 = +clear$")
        self.assertRegex(result.out, r"(?m)^timing +1\.00 .* - +CONFOUNDED$")
        self.assertRegex(result.out, r"(?m)^sync: clear with instruments\.use = sync\.")
        self.assertRegex(result.out, r"(?m)^timing: confounded with instruments\.use = timing\.")
        markdown = self.passes("report", "set.json", "--format", "markdown").out
        self.assertIn("| reads as | sync | timing | verdict |", markdown)
        self.assertRegex(markdown, r"(?m)^\| timing \|.*\| -  \| -1\.00 .* confounded \| CONFOUNDED \|$")

    def test_what_no_process_could_run_is_refused_before_the_first(self):
        self.sized()
        for bad in ("lane.a.bytes=1..0", "lane.a.bytes", "x=1..2", "lane.a.bytes=1KiB..2ms", "lane.a.count=1,1",
                    "lane.a.count=1,x", "lane.a.nonsense=1..3", "lane.a.bytes=64..128:1", "lane.a.bytes=0..64"):
            result = self.confound("run", "job.ini", "--sweep", bad, "-o", "set.json")
            self.assertEqual(result.status, 2, bad)
            self.assertRegex(result.err, r"\Aconfound: [^\n]+\n\Z")
        for more in (("--margin", "0.1", "--sweep", "run.margin=0.05,0.2"), ("--vary-env", "A=1", "--sweep", "a.b=1,2"),
                     ("--processes", "100", "--sweep", "lane.a.count=1..200:200")):
            self.assertEqual(self.confound("run", "job.ini", *more, "-o", "set.json").status, 2, more)
        self.assertEqual(sorted(os.listdir(self.folder)), ["job.ini", "model.ini"])


@program.needs_program
class GoOnTest(SetTest):
    def begin(self, *arguments):
        process = program.start("run", *COPY_OFFLOAD, "--set", "noise.iid=0.02", *arguments, cwd=self.folder)
        self.addCleanup(program.stop, process)
        return process

    def states(self):
        return [m["state"] for m in self.document()["members"]]

    def interrupted(self):
        """A sweep whose first point is quick and whose second would take very long, ended in the second."""
        process = self.begin("--sweep", "run.min_rounds=12,900000,24", "--set", "run.rounds=900000", "-o", "set.json")
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set.json")) and self.states()[0] == "done")
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set-002.json.part")) and
                                                 self.read("set-002.json.part").count(b'{"rounds"') > 3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_S)
        self.assertEqual(process.returncode, 0, err.decode())
        return out.decode()

    def test_ctrl_c_ends_after_the_round_and_keeps_what_is_there(self):
        out = self.interrupted()
        self.assertEqual(self.states(), ["done", "interrupted", "missing"])
        self.assertRegex(out, r"(?m)^900000 .* interrupted$")
        self.assertRegex(out, r"(?m)^24 .* not measured$")
        self.assertIn("confound run --resume set.json", out)
        self.assertTrue(json.loads(self.read("set-002.json"))["interrupted"])

    def test_resume_goes_on_with_what_is_missing_and_nothing_else(self):
        process = self.begin("--sweep", "lane.a.count=4,8,16", "--rounds", "40", "--min-rounds", "40", "-o", "set.json")
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set.json")) and self.states()[0] == "done")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
        before = self.read("set-001.json")
        states = self.states()
        refused = self.confound("run", *COPY_OFFLOAD, "--sweep", "lane.a.count=4,8,16", "-o", "set.json")
        if states != ["done"] * 3:
            self.assertEqual(refused.status, 2)
            self.assertIn("--resume set.json", refused.err)
        result = self.passes("run", "--resume", "set.json")
        self.assertEqual(self.states(), ["done"] * 3)
        self.assertEqual(self.read("set-001.json"), before)
        self.assertNotIn("1 of 3", result.err)
        document = self.document()
        self.assertTrue(document["complete"])
        self.assertEqual([len(r["rounds"]) for r in self.records(document)], [40] * 3)
        self.assertEqual([r["seed"] for r in self.records(document)], [m["seed"] for m in document["members"]])

    def test_a_point_that_was_cut_off_goes_on_from_its_rounds(self):
        self.interrupted()
        rounds = len(json.loads(self.read("set-002.json"))["rounds"])
        document = self.document()
        process = program.start("run", "--resume", "set.json", "-q", cwd=self.folder)
        self.addCleanup(program.stop, process)
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set-002.json.part")) and
                                                 self.read("set-002.json.part").count(b'{"rounds"') > rounds + 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
        record = json.loads(self.read("set-002.json"))
        now = self.document()["members"][1]
        self.assertEqual((now["state"], now["record"]),
                         ("interrupted", f"sha256:{hashlib.sha256(self.read('set-002.json')).hexdigest()}"))
        self.assertNotEqual(now["record"], document["members"][1]["record"])
        self.assertGreater(len(record["rounds"]), rounds)
        self.assertEqual({r["process"] for r in record["rounds"]}, {0, 1})
        self.assertEqual(record["seed"], document["members"][1]["seed"])

    def test_a_second_ctrl_c_ends_at_once_and_the_rounds_are_gone_on_with(self):
        process = self.begin("--processes", "2", "--rounds", "900000", "--min-rounds", "900000", "-o", "set.json")
        part = lambda: self.read("set-1.json.part").count(b'{"rounds"')  # noqa: E731
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set-1.json.part")) and part() > 3)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT_S)
        if process.returncode != 130:
            self.skipTest("the first signal ended the round before the second came")
        self.assertEqual(self.states(), ["interrupted", "missing"])

    def test_a_set_that_was_killed_takes_its_process_along_and_goes_on(self):
        process = self.begin("--processes", "2", "--rounds", "900000", "--min-rounds", "900000", "-o", "set.json")
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set-1.json.part")) and
                                                 self.read("set-1.json.part").count(b'{"rounds"') > 3)
        process.kill()
        process.communicate(timeout=WAIT_S)
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set-1.json")) and
                                                 not os.path.exists(self.path("set-1.json.part")))  # ended after its round, by itself
        self.assertTrue(json.loads(self.read("set-1.json"))["interrupted"])
        self.assertEqual(self.states(), ["missing", "missing"])
        rounds = len(json.loads(self.read("set-1.json"))["rounds"])
        process = program.start("run", "--resume", "set.json", "-q", cwd=self.folder)
        self.addCleanup(program.stop, process)
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set-1.json.part")) and
                                                 self.read("set-1.json.part").count(b'{"rounds"') > rounds + 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
        self.assertGreater(len(json.loads(self.read("set-1.json"))["rounds"]), rounds)

    def test_an_interrupted_point_whose_set_was_killed_goes_on_again(self):
        self.interrupted()
        rounds = len(json.loads(self.read("set-002.json"))["rounds"])
        process = program.start("run", "--resume", "set.json", "-q", cwd=self.folder)
        self.addCleanup(program.stop, process)
        self.wait_for("the set's files", lambda: os.path.exists(self.path("set-002.json.part")) and
                                                 self.read("set-002.json.part").count(b'{"rounds"') > rounds + 2)
        process.kill()
        process.communicate(timeout=WAIT_S)
        # Its process writes the record.
        self.wait_for("the set's files", lambda: not os.path.exists(self.path("set-002.json.part")))
        self.assertEqual(self.states(), ["done", "missing", "missing"])
        self.passes("judge", "set.json")

    def test_another_set_is_not_gone_on_with(self):
        self.passes("run", *COPY_OFFLOAD, "--sweep", "lane.a.count=4,8", "-o", "set.json", "-q")
        os.remove(self.path("set-002.json"))
        for other in (("--sweep", "lane.a.count=4,16"), ("--processes", "2"), ("--margin", "0.2"), ("--seed", "1")):
            result = self.confound("run", *COPY_OFFLOAD, *other, "--resume", "set.json")
            self.assertEqual(result.status, 2, other)
            self.assertIn("set.json was begun with other options", result.err)
        self.assertFalse(os.path.exists(self.path("set-002.json")))
        self.passes("run", *COPY_OFFLOAD, "--sweep", "lane.a.count=4,8", "--resume", "set.json", "-q")
        self.assertEqual(self.states(), ["done"] * 2)

    def test_a_job_that_changed_is_not_gone_on_with(self):
        self.sized()
        self.passes("run", "job.ini", "--processes", "2", "-o", "set.json", "-q")
        os.remove(self.path("set-2.json"))
        self.write("job.ini", JOB.replace("count = 16", "count = 8"))
        result = self.confound("run", "--resume", "set.json")
        self.assertEqual(result.status, 2)
        self.assertIn("has changed since the set was begun", result.err)

    def test_a_document_that_is_broken_is_one_line(self):
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "-q")
        whole = self.document()
        for change in ({"kind": "tower"}, {"members": []}, {"values": []}, {"seed": -1}, {"job": None}):
            self.write("broken.json", json.dumps({**whole, **change}, indent=2))
            for command in (("judge", "broken.json"), ("report", "broken.json"), ("run", "--resume", "broken.json")):
                result = self.confound(*command)
                self.assertEqual(result.status, 2, (change, command))
                self.assertRegex(result.err, r"\Aconfound: broken\.json:\d+: [^\n]+\n\Z")


if __name__ == "__main__":
    program.main()
