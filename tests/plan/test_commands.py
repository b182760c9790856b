#!/usr/bin/env python3
"""plan init, claim, accept, act, retract and show: what they write, and what they refuse."""

import json
import os
import unittest

import repository
from repository import PlanTest, changed, measured


@repository.program.needs_program
@repository.needs_git
class Init(PlanTest):
    def test_it_makes_a_folder_with_an_index_and_can_be_repeated(self):
        self.assertTrue(os.path.isdir(self.path("plan/evidence")))
        self.assertIn("# The plan", self.text("plan/README.md"))
        self.write("plan/README.md", "mine\n" + self.text("plan/README.md") + "also mine\n")
        self.claim("copies overlap", "--verdict", "overlaps")
        before = self.snapshot()
        self.assertIn("it is there", self.passes("plan", "init").out)
        self.assertEqual(self.snapshot(), before)
        self.assertTrue(before["plan/README.md"].startswith(b"mine\n"))
        self.assertTrue(before["plan/README.md"].endswith(b"also mine\n"))

    def test_without_a_plan_every_command_says_how_to_make_one(self):
        os.rename(self.path("plan"), self.path("else"))
        for command in (("claim", "x", "--verdict", "overlaps"), ("accept", "1"), ("act", "1", "--work", "w"),
                        ("show",), ("check",)):
            self.usage(*command, says="there is no plan here; 'confound plan init' makes one")

    def test_any_folder_of_the_repository_will_do(self):
        os.makedirs(self.path("src/deep"))
        self.confounded()
        cwd = self.path("src/deep")
        path = self.claim("copies overlap", "--evidence", "../../plan/evidence/offload.json", cwd=cwd)
        self.assertIn("path: plan/evidence/offload.json", self.text(path))
        self.passes("plan", "accept", "1", cwd=cwd)
        self.passes("plan", "check", cwd=cwd)
        self.assertIn("accepted", self.passes("plan", "show", cwd=cwd).out)


@repository.program.needs_program
@repository.needs_git
class Claim(PlanTest):
    def test_a_record_gives_verdict_lanes_and_scope(self):
        path = self.claim("copies overlap with kernels", "--evidence", self.confounded())
        self.assertEqual(path, "plan/0001-copies-overlap-with-kernels.md")
        text = self.text(path)
        self.assertEqual(self.field(path, "id"), "0001-copies-overlap-with-kernels")
        self.assertEqual(self.field(path, "claim"), '"copies overlap with kernels"')
        self.assertEqual(self.field(path, "about"), "overlap")
        self.assertEqual(self.field(path, "status"), "proposed")
        self.assertEqual(self.field(path, "verdict"), "overlaps")
        self.assertIn("lanes:\n  a: \"16 x h2d\"\n  b: \"16 x kernel\"\n", text)
        self.assertIn("  simulated: true\n", text)
        self.assertIn(f"- kind: record\n  path: plan/evidence/offload.json\n"
                      f"  sha256: {self.sha256('plan/evidence/offload.json')}\n  variant: none\n", text)
        self.assertIn("work: []\nretraction: null\n---\n\n# copies overlap with kernels\n", text)

    def test_the_variant_that_was_read_gives_the_verdict(self):
        result = self.passes("plan", "claim", "copies serialise", "--evidence", self.confounded(), "--variant", "timing")
        path = result.out.strip()
        self.assertEqual(self.field(path, "verdict"), "serialises")
        self.assertEqual(self.field(path, "about"), "serialisation")
        self.assertIn("  variant: timing\n", self.text(path))
        self.assertIn("read-from-confounded", result.err)
        self.assertIn("control-contradicts", result.err)

    def test_a_verdict_that_is_given_stands(self):
        path = self.claim("copies overlap in part", "--evidence", self.confounded(), "--verdict", "partial", "--about",
                          "speed")
        self.assertEqual(self.field(path, "verdict"), "partial")
        self.assertEqual(self.field(path, "about"), "speed")

    def test_a_trace_is_recorded_as_it_was(self):
        result = self.passes("plan", "claim", "copies serialise", "--verdict", "serialises", "--source", self.trace(),
                             "--acted-on", "defer the copies", "--since", "2026-10-01")
        path = result.out.strip()
        text = self.text(path)
        self.assertEqual(self.field(path, "status"), "acted-on")
        self.assertIn(f"- kind: trace\n  path: trace.json\n  sha256: {self.sha256('trace.json')}\nwork:\n"
                      "- what: \"defer the copies\"\n  since: 2026-10-01\n  state: begun\n", text)
        self.assertIn("warning: acted on without an uninstrumented control", result.err)

    def test_with_nothing_it_is_recorded_as_proposed(self):
        path = self.claim("copies serialise", "--verdict", "serialises")
        self.assertEqual(self.field(path, "status"), "proposed")
        self.assertIn("evidence: []\n", self.text(path))

    def test_what_is_missing_or_wrong_is_one_line_and_makes_nothing(self):
        record, trace = self.confounded(), self.trace()
        self.usage("claim", "x", says="without a record the verdict is missing")
        self.usage("claim", "x", "--source", trace, says="without a record the verdict is missing")
        self.usage("claim", "x", "--verdict", "slow", says="--verdict: 'slow' is not")
        self.usage("claim", " ", "--verdict", "overlaps", says="the claim: it is empty")
        self.usage("claim", "x" * 1001, "--verdict", "overlaps", says="longer than 1000 bytes")
        self.usage("claim", "x", "--verdict", "overlaps", "--since", "2026-01-01", says="--acted-on")
        self.usage("claim", "x", "--verdict", "overlaps", "--acted-on", "w", "--since", "soon",
                   says="--since: 'soon' is not a day such as 2026-01-31")
        self.usage("claim", "x", "--verdict", "overlaps", "--variant", "sync", says="--evidence RECORD")
        self.usage("claim", "x", "--evidence", record, "--variant", "loud",
                   says="has no variant 'loud'; it has none, none-again, sync, timing or one-queue")
        self.usage("claim", "x", "--evidence", trace, says="trace.json: it is no record:")
        self.usage("claim", "x", "--evidence", "absent.json", says="absent.json: No such file")
        self.usage("claim", "x", "--evidence", "plan", says="plan: ")

    def test_numbers_go_on_from_the_highest(self):
        self.claim("first", "--verdict", "overlaps")
        self.write("plan/0041-by-hand.md", self.text("plan/0001-first.md").replace("0001-first", "0041-by-hand"))
        self.assertEqual(self.claim("next", "--verdict", "overlaps"), "plan/0042-next.md")
        self.write("plan/0050-broken.md", "no front matter\n")
        self.assertEqual(self.claim("more", "--verdict", "overlaps"), "plan/0051-more.md")

    def test_today_is_the_day_of_the_source_date_epoch(self):
        env = {"SOURCE_DATE_EPOCH": "1767225599"}
        path = self.claim("x", "--verdict", "overlaps", "--acted-on", "w", env=env)
        self.assertIn("since: 2025-12-31\n", self.text(path))
        result = self.confound("plan", "claim", "y", "--verdict", "overlaps", "--acted-on", "w",
                               env={"SOURCE_DATE_EPOCH": "soon"})
        self.assertEqual(result.status, 2)

    def test_a_day_that_is_yet_to_come_is_refused(self):
        record = self.confounded()
        self.usage("claim", "x", "--verdict", "overlaps", "--acted-on", "w", "--since", "2999-01-01",
                   says="--since: 2999-01-01 is yet to come; today is 20")
        self.claim("copies overlap", "--evidence", record)
        self.usage("act", "1", "--work", "w", "--since", "2999-01-01", says="--since: 2999-01-01 is yet to come")
        self.claim("copies serialise", "--evidence", record, "--variant", "timing")
        self.usage("retract", "2", "--evidence", record, "--because", "b", "--date", "2999-01-01",
                   says="--date: 2999-01-01 is yet to come")
        act = ("plan", "act", "1", "--work", "w", "--since")
        env = {"SOURCE_DATE_EPOCH": "1767225599"}
        result = self.confound(*act, "2026-01-01", env=env)
        self.assertEqual(result.status, 2)
        self.assertEqual(result.err, "confound: --since: 2026-01-01 is yet to come; today is 2025-12-31 (UTC)\n")
        self.passes(*act, "2025-12-31", env=env)


@repository.program.needs_program
@repository.needs_git
class Decide(PlanTest):
    def test_a_claim_that_the_control_bears_out_is_accepted_and_acted_on(self):
        path = self.claim("copies overlap", "--evidence", self.confounded())
        self.passes("plan", "accept", "1")
        self.assertEqual(self.field(path, "status"), "accepted")
        self.passes("plan", "act", "1", "--work", "raise the depth", "--work", "drop the barrier", "--since",
                    "2026-01-01")
        self.assertEqual(self.field(path, "status"), "acted-on")
        self.assertIn("work:\n- what: \"raise the depth\"\n  since: 2026-01-01\n  state: begun\n"
                      "- what: \"drop the barrier\"\n", self.text(path))
        self.usage("act", "1", "--work", "drop the barrier", says="already begun")
        self.passes("plan", "check")

    def test_a_trace_alone_is_no_control_until_a_run_agrees(self):
        path = self.claim("copies serialise", "--verdict", "serialises", "--source", self.trace())
        self.refused("accept", "1", rule="control-missing", says="a trace alone, and a trace is no control")
        self.refused("act", "1", "--work", "w", rule="control-missing")
        self.passes("plan", "act", "1", "--work", "w", "--evidence", self.serialising())
        self.assertEqual(self.field(path, "status"), "acted-on")
        self.assertIn("kind: trace", self.text(path))
        self.assertIn("path: plan/evidence/engine.json", self.text(path))
        self.passes("plan", "check")

    def test_a_confounded_instrument_is_contradicted_by_its_control(self):
        self.claim("copies serialise", "--evidence", self.confounded(), "--variant", "timing")
        said = self.refused("act", "1", "--work", "w", rule="control-contradicts",
                            says="the control 'none' of plan/evidence/offload.json reads 'overlaps'")
        self.assertIn("'timing', which is confounded", said)
        self.refused("accept", "1", rule="control-contradicts")

    def test_a_control_from_another_device_neither_bears_out_nor_contradicts(self):
        path = self.claim("copies serialise", "--evidence", self.confounded(), "--variant", "timing")
        for command in (("accept", "1"), ("act", "1", "--work", "w")):
            self.refused(*command, "--evidence", self.serialising(), rule="device-differs",
                         says="was taken on 'model one-engine under a virtual clock', the claim's scope is 'model "
                              "copy-offload under a virtual clock'")
        self.claim("copies serialise on one engine", "--evidence", self.serialising())
        self.refused("retract", "2", "--evidence", self.confounded(), "--because", "x", rule="device-differs")
        self.assertIn("scope:\n  device: \"model copy-offload under a virtual clock\"\n  simulated: true\n",
                      self.text(path))

    def test_a_control_of_other_lanes_neither_bears_out_nor_contradicts(self):
        engine = self.serialising()
        path = self.claim("copies serialise", "--evidence", engine)
        self.passes("plan", "act", "1", "--work", "defer")
        options = ("--set", "lane.a.op=d2h", "--set", "lane.a.count=3", "--set", "lane.b.count=5")
        other = self.put_record("d2h.json", measured("copy-offload", *options))
        says = "is of 3 x d2h beside 5 x kernel, the claim is about 16 x h2d beside 16 x kernel"
        self.refused("retract", "1", "--evidence", other, "--because", "x", "--work", "defer: withdrawn",
                     rule="lanes-differ", says=says)
        self.refused("accept", "1", "--evidence", other, rule="lanes-differ", says=says)

        def same_device(document):
            document["device"] = json.loads(measured("one-engine"))["device"]
        other = self.put_record("here.json", changed(measured("one-engine", *options), same_device))
        said = self.refused("act", "1", "--work", "w", "--evidence", other, rule="lanes-differ")
        self.assertNotIn("device-differs", said)
        text = self.text(path)
        self.edit(path, "lanes:\n  a: \"16 x h2d\"\n", "lanes:\n  a: \"the copies\"\n")  # not known: not compared
        self.passes("plan", "accept", "1", "--evidence", other)
        self.write(path, text)

    def test_lanes_of_another_length_are_the_same_lanes(self):
        self.claim("copies overlap", "--evidence", self.confounded())

        def longer(document):
            for lane in document["job"]["lanes"]:
                lane["length"] *= 2
        record = self.put_record("longer.json", changed(measured("copy-offload"), longer))
        self.passes("plan", "accept", "1", "--evidence", record)

    def test_a_control_on_a_later_driver_leaves_the_scope(self):
        real = self.put_record("real.json", changed(measured("own"), repository.as_real))
        path = self.claim("copies overlap", "--evidence", real)
        newer = self.put_record("new.json", changed(measured("own"), lambda d: repository.as_real(d, driver="1.7")))
        self.passes("plan", "accept", "1", "--evidence", newer)
        self.assertIn("scope:\n  device: \"Arc B580\"\n  driver: \"1.6.1\"\n", self.text(path))

    def test_where_the_scope_names_no_device_a_control_that_contradicts_the_last_is_named(self):
        path = self.claim("copies serialise", "--verdict", "serialises")
        self.passes("plan", "accept", "1", "--evidence", self.serialising())
        scope = "scope:\n  device: \"model one-engine under a virtual clock\"\n  simulated: true\n"
        self.edit(path, scope, "scope: simulated\n")
        other = self.confounded()
        item = f"- kind: record\n  path: {other}\n  sha256: {self.sha256(other)}\n  variant: timing\n"
        self.edit(path, "evidence:\n", "evidence:\n" + item)
        self.assertEqual(self.errors(), [])
        self.assertEqual(self.warnings(), ["controls-disagree", "evidence-untracked", "read-from-confounded"])

    def test_controls_of_one_device_that_contradict_each_other_support_nothing(self):
        def serial(document):
            document["device"] = json.loads(measured("copy-offload"))["device"]
        self.claim("copies serialise", "--evidence", self.confounded(), "--variant", "timing")
        other = self.put_record("other.json", changed(measured("one-engine"), serial))
        self.refused("accept", "1", "--evidence", other, rule="control-contradicts")

    def test_an_undecided_control_supports_and_contradicts_nothing(self):
        few = self.put_record("few.json", measured("copy-offload", "--rounds", "3"))
        self.claim("copies overlap", "--verdict", "overlaps")
        self.refused("accept", "1", "--evidence", few, rule="control-undecided", says="inconclusive")
        self.refused("retract", "1", "--evidence", few, "--because", "x", rule="retraction-unsupported")

    def test_nothing_left_to_remove_makes_no_instrument_harmless(self):
        self.claim("timing events are harmless", "--evidence", self.serialising(), "--variant", "timing", "--about",
                   "other")
        self.refused("accept", "1", rule="harmless-unsupported", says="nothing was left to remove")
        self.claim("timing events are harmless here", "--evidence", self.overlapping(), "--variant", "timing", "--about",
                   "other")
        self.passes("plan", "accept", "2")

    def test_an_instrumented_run_carries_no_claim_about_speed(self):
        self.claim("a step takes 16 ms", "--evidence", self.overlapping(), "--variant", "timing", "--about", "speed")
        self.refused("accept", "1", rule="speed-instrumented")
        self.claim("a step takes 16 ms", "--evidence", self.overlapping(), "--about", "speed")
        self.passes("plan", "accept", "2")

    def test_a_simulated_record_says_nothing_about_a_real_device(self):
        real = self.put_record("real.json", changed(measured("own"), repository.as_real))
        path = self.claim("copies overlap", "--evidence", real)
        self.assertIn("scope:\n  device: \"Arc B580\"\n  driver: \"1.6.1\"\n", self.text(path))
        self.claim("copies serialise", "--evidence", real, "--verdict", "serialises")
        self.refused("accept", "2", "--evidence", self.serialising(), rule="device-differs")
        self.refused("retract", "1", "--evidence", self.serialising(), "--because", "x", rule="record-simulated")

    def test_a_claim_without_a_scope_becomes_simulated_and_says_so(self):
        path = self.claim("copies serialise", "--verdict", "serialises")
        self.assertEqual(self.field(path, "scope"), "null")
        result = self.passes("plan", "accept", "1", "--evidence", self.serialising())
        self.assertIn("is of a simulated device", result.err)
        self.assertIn("  simulated: true\n", self.text(path))

    def test_a_changed_record_supports_nothing(self):
        record = self.serialising()
        self.claim("copies serialise", "--evidence", record)
        self.serialising("other.json")
        self.write(record, measured("own"))
        self.refused("accept", "1", rule="evidence-changed")
        self.usage("accept", "1", "--evidence", record, says="already names this file with another SHA-256")

    def test_the_prose_and_unknown_keys_stay_as_they_are(self):
        path = self.claim("copies serialise", "--evidence", self.serialising())
        prose = "---\n\nMy own words:\n\n---\n<!-- x -->\ttabs  \r\nno newline at the end"
        text = self.text(path)
        text = text[:text.index("---\n\n#")] + prose
        text = text.replace("status: proposed\n", "status: proposed # for now\nreviewers: [ann, bob]   # extra\n# note\n")
        self.write(path, text)
        self.passes("plan", "accept", "1")
        self.passes("plan", "act", "1", "--work", "w")
        def overlaps(document):
            document["device"] = json.loads(measured("one-engine"))["device"]
        record = self.put_record("other.json", changed(measured("own"), overlaps))
        self.passes("plan", "retract", "1", "--evidence", record, "--because", "b", "--work", "w: kept")
        after = self.text(path)
        self.assertTrue(after.endswith(prose))
        self.assertIn("\nreviewers: [ann, bob]   # extra\n# note\nverdict: serialises\n", after)

    def test_a_claim_is_named_by_id_number_file_or_beginning(self):
        self.claim("alpha beta", "--evidence", self.serialising())
        for name in ("1", "0001", "0001-alpha-beta", "0001-al", "0001-alpha-beta.md", "plan/0001-alpha-beta.md"):
            self.passes("plan", "show", name)
        for name in ("2", "alpha", "0001-x", "plan"):
            self.usage("show", name, says=f"there is no claim '{name}'")
        self.write("plan/0001-other.md", self.text("plan/0001-alpha-beta.md").replace("0001-alpha-beta", "0001-other"))
        self.usage("accept", "1", says="'1' means several claims: 0001-alpha-beta, 0001-other")
        self.passes("plan", "accept", "0001-o")


@repository.program.needs_program
@repository.needs_git
class Retract(PlanTest):
    def setUp(self):
        super().setUp()
        self.wrong = self.claim("copies serialise", "--verdict", "serialises", "--source", self.trace(), "--acted-on",
                                "defer: the copies", "--since", "2026-10-01")
        self.record = self.confounded()

    def retract(self, *options):
        return self.passes("plan", "retract", "1", "--evidence", self.record, "--because", "the events did it", *options)

    def test_it_keeps_the_claim_and_names_all_that_it_must(self):
        self.retract("--work", "defer: the copies: withdrawn", "--date", "2026-11-05")
        text = self.text(self.wrong)
        self.assertEqual(self.field(self.wrong, "status"), "retracted")
        self.assertEqual(self.field(self.wrong, "verdict"), "serialises")
        self.assertIn("claim: \"copies serialise\"\n", text)
        self.assertIn(f"retraction:\n  date: 2026-11-05\n  earlier-verdict: serialises\n  overturned-by:\n"
                      f"    path: plan/evidence/offload.json\n    sha256: {self.sha256(self.record)}\n"
                      "  because: \"the events did it\"\n  work:\n  - what: \"defer: the copies\"\n"
                      "    became: \"withdrawn\"\n", text)
        self.passes("plan", "check")

    def test_it_is_refused_where_work_has_no_fate(self):
        said = self.refused("retract", "1", "--evidence", self.record, "--because", "x", rule="retraction-incomplete")
        self.assertIn("defer: the copies", said)
        self.usage("retract", "1", "--evidence", self.record, "--because", "x", "--work", "defer: withdrawn",
                   says="WHAT is 'defer: the copies'")
        self.usage("retract", "1", "--evidence", self.record, "--because", "x", "--work", "defer: the copies:  ",
                   says="what became of it: it is empty")
        self.usage("retract", "1", "--evidence", self.record, "--because", "x", "--work", "defer: the copies: a", "--work",
                   "defer: the copies: b", says="named twice")

    def test_it_is_refused_where_nothing_contradicts_the_claim(self):
        self.refused("retract", "1", "--evidence", self.serialising(), "--because", "x", "--work",
                     "defer: the copies: withdrawn", rule="retraction-unsupported", says="does not contradict")

        def unproven(document):
            document["variants"][0]["armed"] = None
        bad = self.put_record("bad.json", changed(measured("copy-offload"), unproven))
        self.refused("retract", "1", "--evidence", bad, "--because", "x", "--work", "defer: the copies: withdrawn",
                     rule="record-invalid")

    def test_reason_and_record_have_to_be_given(self):
        self.usage("retract", "1", "--evidence", self.record, says="--because")
        self.usage("retract", "1", "--because", "x", says="--evidence")
        self.usage("retract", "1", "--evidence", self.record, "--because", "", says="--because")

    def test_what_is_retracted_is_closed(self):
        self.retract("--work", "defer: the copies: withdrawn")
        self.refused("retract", "1", "--evidence", self.record, "--because", "x", says="retracted already")
        self.refused("accept", "1", "--evidence", self.serialising(), says="it is retracted")
        self.refused("act", "1", "--work", "w", says="it is retracted")

    def test_the_record_that_it_was_read_from_may_overturn_it(self):
        self.claim("copies serialise here", "--evidence", self.record, "--variant", "timing")
        self.passes("plan", "retract", "2", "--evidence", self.record, "--because", "its own control says so")
        self.assertEqual(self.text("plan/0002-copies-serialise-here.md").count("kind: record"), 1)

    def test_show_strikes_it_through_with_the_reason_beside_it(self):
        self.retract("--work", "defer: the copies: withdrawn", "--date", "2026-11-05")
        out = self.passes("plan", "show").out
        self.assertIn("RETRACTED 2026-11-05\n  ~~copies serialise~~\n  because       the events did it\n"
                      "  overturned by plan/evidence/offload.json\n", out)
        self.assertIn("defer: the copies, since 2026-10-01: withdrawn", out)
        self.assertIn("\033[9mcopies serialise\033[29m", self.passes("plan", "show", "--color", "always").out)
        out = self.passes("plan", "show", "--format", "markdown").out
        self.assertIn("~~copies serialise~~\n\n**Retracted 2026-11-05**: the events did it\n", out)
        claim = self.passes("plan", "show", "1", "--format", "json").json()["claims"][0]
        self.assertEqual((claim["status"], claim["verdict"], claim["retraction"]["because"]),
                         ("retracted", "serialises", "the events did it"))
        self.assertIn("| ~~copies serialise~~ | ~~serialises~~ (simulated) | retracted 2026-11-05: the events did it |",
                      self.text("plan/README.md"))

    def test_work_that_is_named_twice_has_one_fate(self):
        text = self.text(self.wrong)
        item = text[text.index("- what:"):text.index("retraction:")]
        self.write(self.wrong, text.replace(item, item + item.replace("2026-10-01", "2026-10-02")))
        self.retract("--work", "defer: the copies: withdrawn")
        self.passes("plan", "check")

    def test_an_index_that_lost_a_marker_is_made_anew_and_nothing_else_is_lost(self):
        page = self.text("plan/README.md")
        self.write("plan/README.md", page.replace("<!-- confound plan: end of index -->\n", "mine\n"))
        self.passes("plan", "show")
        self.passes("plan", "show")
        self.assertIn("\nmine\n", self.text("plan/README.md"))
        self.assertEqual(self.text("plan/README.md").count("end of index"), 1)
        self.assertNotIn("index-stale", self.warnings())

    def test_show_renews_the_index_and_leaves_the_rest(self):
        os.remove(self.path("plan/README.md"))
        self.passes("plan", "show")
        self.assertIn("| copies serialise |", self.text("plan/README.md"))


if __name__ == "__main__":
    repository.main()
