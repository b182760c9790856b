#!/usr/bin/env python3
"""plan check: each rule fires on what it is for, and not on a plan in order."""

import json
import os
import unittest

import repository
from repository import PlanTest, as_real, changed, measured


@repository.program.needs_program
@repository.needs_git
class Claims(PlanTest):
    def accepted(self, sentence, record, *options):
        path = self.claim(sentence, "--evidence", record, *options)
        self.passes("plan", "accept", os.path.basename(path))
        return path

    def test_a_plan_in_order_passes(self):
        self.accepted("copies overlap", self.confounded())
        self.accepted("copies serialise", self.serialising())
        self.commit()
        document = self.check("--against", "HEAD")
        self.assertEqual((document["findings"], document["claims"]), ([], 2))

    def test_findings_have_file_line_and_reason(self):
        path = self.claim("copies serialise", "--verdict", "serialises", "--acted-on", "w", "--since", "2026-01-01")
        result = self.confound("plan", "check")
        self.assertEqual(result.status, 1)
        line = self.text(path).splitlines().index("status: acted-on") + 1
        self.assertIn(f"{path}:{line}: error: ", result.out)
        self.assertIn("[control-missing]\n    no claim is acted on without an uninstrumented control", result.out)
        self.assertIn("1 error, 1 warning; 1 claim, ", result.out)

    def test_acted_on_without_a_control(self):
        self.claim("copies serialise", "--verdict", "serialises", "--acted-on", "w", "--since", "2026-01-01")
        self.commit()
        self.assertEqual(self.errors(), ["control-missing"])
        self.assertEqual(self.warnings(), ["work-before-control"])
        self.assertIn("'w' was begun on 2026-01-01, and there is no control",
                      self.finding("work-before-control")["text"])

    def test_work_that_began_before_its_control_stays_named(self):
        self.claim("copies serialise", "--verdict", "serialises", "--acted-on", "w", "--since", "2026-01-01")
        self.passes("plan", "accept", "1", "--evidence", self.serialising())
        self.commit()
        document = self.check()
        self.assertEqual(self.rules(document), ["work-before-control"])
        self.assertIn("the control is of 20", document["findings"][0]["text"])

    def test_a_proposed_claim_may_be_anything_but_its_instrument_is_named(self):
        self.claim("copies serialise", "--evidence", self.confounded(), "--variant", "timing")
        self.commit()
        document = self.check()
        self.assertEqual(self.rules(document), ["read-from-confounded"])
        self.assertIn("'timing', which is confounded", document["findings"][0]["text"])

    def test_work_makes_a_proposed_claim_an_acted_on_one(self):
        path = self.claim("copies serialise", "--verdict", "serialises", "--acted-on", "w")
        self.edit(path, "status: acted-on", "status: proposed")
        self.assertEqual(self.errors(), ["control-missing"])

    def test_a_status_written_by_hand_changes_nothing(self):
        path = self.claim("copies serialise", "--evidence", self.confounded(), "--variant", "timing")
        self.edit(path, "status: proposed", "status: accepted")
        self.assertEqual(self.errors(), ["control-contradicts"])
        self.assertIn("it was read from 'timing', which is confounded", self.finding("control-contradicts")["text"])

    def test_evidence_that_is_gone_changed_or_no_record(self):
        record = self.serialising()
        self.accepted("copies serialise", record)
        bytes_before = self.read(record)
        self.write(record, bytes_before + b"\n")
        self.assertEqual(self.errors(), ["control-missing", "evidence-changed"])
        os.remove(self.path(record))
        self.assertEqual(self.errors(), ["control-missing", "evidence-missing"])
        self.write(record, bytes_before)
        self.assertEqual(self.errors(), [])
        self.write(record, b"{}")
        self.edit("plan/0001-copies-serialise.md", repository.hashlib.sha256(bytes_before).hexdigest(),
                  self.sha256(record))
        self.assertEqual(self.errors(), ["control-missing", "evidence-unreadable"])

    def broken(self, change, model="copy-offload"):
        record = self.put_record("broken.json", changed(measured(model), change))
        path = self.claim("copies overlap", "--verdict", "overlaps", "--evidence", record)
        self.edit(path, "status: proposed", "status: accepted")
        return self.errors()

    def test_an_invalid_record(self):
        def unproven(document):
            document["variants"][0]["armed"] = None
        self.assertEqual(self.broken(unproven), ["control-missing", "record-invalid"])

    def drop(self, document, name):
        index = [v["name"] for v in document["variants"]].index(name)
        count = len(document["variants"])
        del document["variants"][index]
        for rounds in (document["warmup"], document["rounds"]):
            for one in rounds:
                one["order"] = [3 * (cell // 3 - (cell // 3 > index)) + cell % 3 for cell in one["order"]
                                if cell // 3 != index]
                one["seen"] = [seen for i, seen in enumerate(one["seen"]) if i != index]
                for cell in ("a", "b", "ab"):
                    for times in one[cell].values():
                        if isinstance(times, list) and len(times) == count:
                            del times[index]

    def test_a_record_without_its_reference(self):
        self.assertEqual(self.broken(lambda document: self.drop(document, "one-queue")),
                         ["control-missing", "controls-incomplete"])
        self.assertIn("has no reference (one-queue)", self.finding("controls-incomplete")["text"])

    def test_a_record_without_its_replica(self):
        self.assertEqual(self.broken(lambda document: self.drop(document, "none-again")),
                         ["control-missing", "controls-incomplete"])

    def test_rounds_that_share_their_order(self):
        def aligned(document):
            for one in document["rounds"]:
                one["order"] = sorted(one["order"])
        self.assertEqual(self.broken(aligned), ["control-missing", "not-interleaved"])

    def test_a_reference_that_can_not_see_serialisation(self):
        def blind(document):
            for rounds in (document["warmup"], document["rounds"]):
                for one in rounds:
                    for cell in ("a", "b", "ab"):
                        one[cell]["ns"][4] = one[cell]["ns"][0]
        self.assertEqual(self.broken(blind), ["control-missing", "reference-failed"])

    def test_a_margin_that_clears_everything_is_not_taken(self):
        record = self.put_record("wide.json", measured("copy-offload", "--margin", "0.99"))
        self.assertIn('"margin": 0.99', self.text(record))
        self.claim("copies serialise", "--evidence", record, "--variant", "timing")
        self.assertIn("read-from-confounded", self.warnings())

    def test_a_simulated_record_under_a_real_scope(self):
        path = self.accepted("copies serialise", self.serialising())
        self.edit(path, "  simulated: true\n", "")
        self.assertEqual(self.errors(), ["control-missing", "record-simulated"])
        self.write(path, self.text(path).replace("scope:\n  device: \"model one-engine under a virtual clock\"\n",
                                                 "scope: simulated\n"))
        self.assertEqual(self.errors(), [])

    def test_speed_read_from_an_instrument_and_harmlessness_from_nothing(self):
        path = self.claim("16 ms", "--evidence", self.overlapping(), "--variant", "timing", "--about", "speed")
        self.edit(path, "status: proposed", "status: accepted")
        self.assertEqual(self.errors(), ["speed-instrumented"])
        self.edit(path, "about: speed", "about: other")
        self.assertEqual(self.errors(), [])
        path = self.claim("harmless", "--evidence", self.serialising(), "--variant", "timing", "--about", "other")
        self.edit(path, "status: proposed", "status: accepted")
        self.assertEqual(self.errors(), ["harmless-unsupported"])

    def test_a_retraction_that_lacks_something(self):
        path = self.claim("copies serialise", "--verdict", "serialises", "--acted-on", "w")
        record = self.confounded()
        self.passes("plan", "retract", "1", "--evidence", record, "--because", "the events did it", "--work",
                    "w: withdrawn")
        whole = self.text(path)
        self.assertEqual(self.errors(), [])
        retraction = whole[whole.index("retraction:"):whole.index("---\n\n#")]
        for cut in ("  date: ", "  because: ", "  earlier-verdict: "):
            self.write(path, "".join(line for line in whole.splitlines(True) if not line.startswith(cut)))
            self.assertEqual(self.errors(), ["retraction-incomplete"], cut)
        self.write(path, whole.replace(retraction, "retraction: null\n"))
        self.assertEqual(self.errors(), ["retraction-incomplete"])
        self.write(path, whole.replace("    became: \"withdrawn\"\n", ""))
        self.assertIn("what became of 'w'", self.finding("retraction-incomplete")["text"])
        self.write(path, whole.replace("\nverdict: serialises", "\nverdict: partial"))
        self.assertEqual(self.errors(), ["verdict-edited"])

    def test_a_retraction_that_nothing_overturns(self):
        path = self.claim("copies serialise", "--verdict", "serialises")
        self.passes("plan", "retract", "1", "--evidence", self.confounded(), "--because", "b")
        other = self.serialising()
        text = self.text(path).replace("plan/evidence/offload.json", other)
        self.write(path, text.replace(self.sha256("plan/evidence/offload.json"), self.sha256(other)))
        self.assertEqual(self.errors(), ["device-differs", "retraction-unsupported"])
        self.edit(path, "model copy-offload under", "model one-engine under")
        self.assertEqual(self.errors(), ["retraction-unsupported"])

    def test_what_is_retracted_stays_as_a_suppressed_finding(self):
        self.claim("copies serialise", "--evidence", self.confounded(), "--variant", "timing", "--acted-on", "w",
                   "--since", "2026-01-01")
        self.assertEqual(self.errors(), ["control-contradicts"])
        self.passes("plan", "retract", "1", "--evidence", "plan/evidence/offload.json", "--because", "the events did it",
                    "--work", "w: withdrawn", "--date", "2026-11-05")
        self.commit()
        document = self.check()
        self.assertEqual(self.rules(document), [])
        self.assertEqual(self.rules(document, suppressed=True),
                         ["control-contradicts", "read-from-confounded", "work-before-control"])
        self.assertEqual({f["suppressed_because"] for f in document["findings"]},
                         {"retracted 2026-11-05: the events did it"})

    def test_a_superseded_claim_names_its_successor(self):
        path = self.accepted("copies overlap", self.confounded())
        self.edit(path, "status: accepted", "status: superseded")
        self.assertEqual(self.errors(), ["superseded-by-nothing"])
        self.edit(path, "retraction: null\n", "superseded-by: 0009-x\nretraction: null\n")
        self.assertEqual(self.errors(), ["superseded-by-nothing"])
        self.claim("copies overlap in full", "--evidence", self.confounded())
        self.edit(path, "0009-x", "0002-copies-overlap-in-full")
        self.assertEqual(self.errors(), [])
        self.edit(path, "0002-copies-overlap-in-full", "0001-copies-overlap")
        self.assertEqual(self.errors(), ["superseded-by-nothing"])

    def test_claims_that_can_not_be_read_or_told_apart(self):
        path = self.accepted("copies overlap", self.confounded())
        self.write("plan/0002-copy.md", self.text(path))
        self.assertEqual(self.errors(), ["id-twice"])
        self.write("plan/0002-copy.md", self.text(path).replace("id: 0001-copies-overlap", "id: 0001-copy"))
        self.assertEqual(self.rules(self.check(), "warning"), ["evidence-untracked", "index-stale", "number-shared"])
        self.write("plan/0002-copy.md", "---\nid: *a\n---\n")
        self.assertEqual(self.errors(), ["claim-unreadable"])
        self.assertEqual(self.finding("claim-unreadable")["line"], 2)
        self.write("plan/0002-copy.md", "a page that looks like a claim\n")
        self.assertEqual(self.errors(), ["claim-unreadable"])
        os.rename(self.path("plan/0002-copy.md"), self.path("plan/notes.md"))
        self.assertEqual(self.errors(), [])

    def test_a_driver_or_device_that_changed_since(self):
        old = self.put_record("old.json", changed(measured("own"), lambda d: as_real(d, created="2026-01-01T00:00:00Z")))
        path = self.accepted("copies overlap", old)
        self.commit()
        self.assertEqual(self.rules(self.check()), [])
        newer = changed(measured("own"), lambda d: as_real(d, driver="1.7", created="2026-06-01T00:00:00Z"))
        self.put_record("new.json", newer)
        self.assertEqual(self.rules(self.check()), ["stale"])
        self.assertIn("driver '1.7'", self.finding("stale")["text"])
        self.passes("plan", "accept", "1", "--evidence", "plan/evidence/new.json")
        self.assertIn("  driver: \"1.6.1\"\n", self.text(path))
        self.commit()
        self.assertEqual(self.rules(self.check()), [])
        self.put_record("third.json", changed(measured("own"), lambda d: as_real(d, device="Arc B770", driver="1.7",
                                                                                 created="2026-07-01T00:00:00Z")))
        self.assertIn("device 'Arc B770'", self.finding("stale")["text"])
        os.remove(self.path("plan/evidence/third.json"))
        self.edit(path, "driver: \"1.6.1\"", "driver: \"1.5\"")
        self.assertIn("its scope is the driver '1.5'", self.finding("stale")["text"])

    def test_evidence_that_is_not_in_git_and_an_old_index(self):
        self.accepted("copies overlap", self.confounded())
        self.assertEqual(self.warnings(), ["evidence-untracked"])
        self.run_git("add", "-A")
        self.assertEqual(self.warnings(), [])
        self.edit("plan/README.md", "| accepted |", "| acted-on |")
        self.assertEqual(self.warnings(), ["index-stale"])
        self.passes("plan", "show")
        self.assertEqual(self.warnings(), [])

    def test_a_record_between_processes_counts_as_one_within(self):
        self.put_record("between.json", changed(measured("own"), lambda d: d.update(design="between")))
        self.accepted("copies overlap", "plan/evidence/between.json")
        self.assertEqual(self.errors(), [])


@repository.program.needs_program
@repository.needs_git
class Against(PlanTest):
    """Nothing that was recorded is deleted or edited."""

    def setUp(self):
        super().setUp()
        self.record = self.confounded()
        self.path_1 = self.claim("copies serialise", "--evidence", self.record, "--variant", "timing", "--acted-on",
                                 "defer", "--since", "2026-10-01")
        self.passes("plan", "retract", "1", "--evidence", self.record, "--because", "the events did it", "--work",
                    "defer: withdrawn")
        self.path_2 = self.claim("copies overlap", "--evidence", self.record)
        self.passes("plan", "act", "2", "--work", "raise the depth")
        self.commit()
        self.assertEqual(self.errors("--against", "HEAD"), [])

    def against(self):
        return self.errors("--against", "HEAD")

    def test_a_claim_that_was_deleted(self):
        os.remove(self.path(self.path_1))
        self.passes("plan", "show")
        self.assertEqual(self.errors(), [])
        self.assertEqual(self.against(), ["claim-deleted"])
        finding = self.finding("claim-deleted", "--against", "HEAD")
        self.assertEqual(finding["path"], self.path_1)
        self.assertIn("'0001-copies-serialise' (retracted: copies serialise)", finding["text"])
        result = self.confound("plan", "check", "--against", "HEAD")
        self.assertEqual(result.status, 1)
        self.assertIn("0001-copies-serialise", result.out)

    def test_a_plan_that_was_deleted_as_a_whole(self):
        self.run_git("rm", "-q", "-r", "plan")
        document = self.check("--against", "HEAD")
        self.assertEqual(self.rules(document, "error"), ["claim-deleted", "evidence-deleted"])
        self.assertEqual([f["claim"] for f in document["findings"] if f["rule"] == "claim-deleted"],
                         ["0001-copies-serialise", "0002-copies-overlap"])

    def test_a_claim_that_was_emptied_or_moved_out(self):
        text = self.read(self.path_1)
        self.write(self.path_1, b"")
        self.assertEqual(self.against(), ["claim-unreadable"])
        self.write(self.path_1, text)
        os.makedirs(self.path("plan/attic"))
        os.rename(self.path(self.path_1), self.path("plan/attic/0001-copies-serialise.md"))
        self.assertEqual(self.against(), ["claim-deleted"])

    def test_a_claim_under_another_name_is_the_same_claim(self):
        os.rename(self.path(self.path_1), self.path("plan/0001-renamed.md"))
        self.assertEqual(self.against(), ["claim-deleted"])  # not yet: git add it
        self.run_git("add", "-A")
        self.assertEqual(self.against(), [])
        self.edit("plan/0001-renamed.md", "id: 0001-copies-serialise", "id: 0001-renamed")
        self.assertEqual(self.against(), ["claim-deleted"])

    def test_a_first_verdict_that_was_edited(self):
        self.edit(self.path_1, "\nverdict: serialises", "\nverdict: overlaps")
        self.edit(self.path_1, "earlier-verdict: serialises", "earlier-verdict: overlaps")
        self.assertIn("verdict-edited", self.against())
        self.assertIn("its first verdict was 'serialises', and is 'overlaps'",
                      self.finding("verdict-edited", "--against", "HEAD")["text"])

    def test_a_verdict_that_was_made_to_fit(self):
        path = self.claim("copies serialise again", "--verdict", "serialises")
        self.commit()
        self.edit(path, "verdict: serialises", "verdict: overlaps")
        self.passes("plan", "accept", "3", "--evidence", self.record)
        self.assertEqual(self.errors(), [])
        self.assertEqual(self.against(), ["verdict-edited"])

    def test_a_sentence_or_subject_that_was_edited(self):
        self.edit(self.path_2, 'claim: "copies overlap"', 'claim: "copies may overlap"')
        self.edit(self.path_2, "about: overlap", "about: other")
        self.assertEqual(self.against(), ["claim-edited"])

    def test_lanes_that_were_edited(self):
        text = self.text(self.path_2)
        lanes = "lanes:\n  a: \"16 x h2d\"\n  b: \"16 x kernel\"\n"
        self.assertIn(lanes, text)
        for now, says in ((lanes.replace("h2d", "d2h"), "its lane a was '16 x h2d', and is '16 x d2h'"),
                          (lanes.replace("16 x kernel", "8 x kernel"), "its lane b was '16 x kernel', and is '8 x kernel'"),
                          (lanes.replace("  a: \"16 x h2d\"\n", ""), "its lane a was '16 x h2d', and is 'none'")):
            self.write(self.path_2, text.replace(lanes, now))
            self.assertIn("claim-edited", self.against(), now)
            self.assertIn(says, self.finding("claim-edited", "--against", "HEAD")["text"])
        self.write(self.path_2, text.replace(lanes, "lanes: null\n"))
        self.assertEqual(self.against(), ["claim-edited"])

    def test_a_scope_that_was_edited(self):
        text = self.text(self.path_1)  # retracted, and not only what is acted on
        scope = "scope:\n  device: \"model copy-offload under a virtual clock\"\n  simulated: true\n"
        self.assertIn(scope, text)
        for now, says in ((scope.replace("model copy-offload", "model own"), "its scope was the device 'model copy-offload"),
                          (scope.replace("  simulated: true\n", ""), "its scope was simulated, and is real"),
                          ("scope: simulated\n", "its scope was the device 'model copy-offload")):
            self.write(self.path_1, text.replace(scope, now))
            self.assertIn("claim-edited", self.against(), now)
            self.assertIn(says, self.finding("claim-edited", "--against", "HEAD")["text"])
        real = self.put_record("real.json", changed(measured("own"), as_real))
        path = self.claim("copies overlap on it", "--evidence", real)
        self.commit()
        self.edit(path, "  driver: \"1.6.1\"\n", "  driver: \"1.7\"\n")
        self.write(self.path_1, text)
        self.assertEqual(self.against(), ["claim-edited"])

    def test_lanes_and_scope_that_a_command_filled_in_are_no_edit(self):
        first = self.claim("copies serialise again", "--verdict", "serialises")
        second = self.claim("copies serialise once more", "--verdict", "serialises")
        self.edit(second, "scope: null", "scope: simulated")
        self.commit()
        for path in (first, second):
            self.passes("plan", "accept", path, "--evidence", self.serialising())
            self.assertIn("scope:\n  device: \"model one-engine", self.text(path))
            self.assertIn("lanes:\n  a: \"16 x h2d\"\n", self.text(path))
        self.run_git("add", "-A")
        self.assertEqual(self.against(), [])

    def test_a_record_that_was_swapped(self):
        self.write(self.record, measured("copy-offload", "--rounds", "13"))
        errors = self.against()
        self.assertIn("evidence-changed", errors)
        self.assertIn("evidence-deleted", errors)
        self.assertEqual(self.finding("evidence-deleted", "--against", "HEAD")["path"], self.record)

    def test_a_record_that_was_swapped_with_its_hash(self):
        before = self.sha256(self.record)
        self.write(self.record, measured("copy-offload", "--rounds", "13"))
        for path in (self.path_1, self.path_2):
            self.write(path, self.text(path).replace(before, self.sha256(self.record)))
        self.assertEqual(self.errors(), [])
        self.assertEqual(self.against(), ["evidence-deleted", "evidence-edited", "retraction-edited"])

    def test_evidence_that_was_taken_out_or_read_from_another_variant(self):
        self.edit(self.path_1, "  variant: timing", "  variant: none")
        self.assertEqual(self.against(), ["evidence-edited"])
        self.edit(self.path_1, "  variant: none", "  variant: timing")
        text = self.text(self.path_2)
        self.write(self.path_2, text[:text.index("evidence:")] + "evidence: []\n" + text[text.index("work:"):])
        self.assertEqual(self.against(), ["control-missing", "evidence-edited"])

    def test_a_record_that_was_moved_is_still_there(self):
        os.makedirs(self.path("records"))
        os.rename(self.path(self.record), self.path("records/offload.json"))
        self.assertIn("evidence-deleted", self.against())
        for path in (self.path_1, self.path_2):
            self.write(path, self.text(path).replace(self.record, "records/offload.json"))
        self.assertEqual(self.against(), ["evidence-deleted"])  # not yet: git add it
        self.run_git("add", "-A")
        self.assertEqual(self.against(), [])

    def test_evidence_that_no_claim_names_is_kept_too(self):
        self.put_record("spare.json", measured("own"))
        self.commit()
        os.remove(self.path("plan/evidence/spare.json"))
        self.assertEqual(self.against(), ["evidence-deleted"])

    def test_a_retraction_that_was_edited_or_undone(self):
        text = self.text(self.path_1)
        self.edit(self.path_1, "because: \"the events did it\"", "because: \"nobody knows\"")
        self.assertEqual(self.against(), ["retraction-edited"])
        self.write(self.path_1, text.replace("became: \"withdrawn\"", "became: \"kept\""))
        self.assertEqual(self.against(), ["retraction-edited"])
        retraction = text[text.index("retraction:"):text.index("---\n\n#")]
        self.write(self.path_1, text.replace(retraction, "retraction: null\n").replace("status: retracted",
                                                                                       "status: proposed"))
        self.assertEqual(self.against(), ["control-contradicts", "retraction-edited", "status-undone"])

    def test_work_that_was_taken_out_or_dated_back(self):
        text = self.text(self.path_2)
        self.edit(self.path_2, "- what: \"raise the depth\"", "- what: \"something else\"")
        self.assertEqual(self.against(), ["work-edited"])
        self.write(self.path_2, text.replace("since: 20", "since: 21"))
        self.assertEqual(self.against(), ["work-edited"])
        self.write(self.path_2, text.replace("state: begun", "state: done"))
        self.assertEqual(self.against(), [])

    def test_a_status_that_was_undone(self):
        self.edit(self.path_2, "status: acted-on", "status: accepted")
        self.assertEqual(self.against(), ["status-undone"])

    def test_what_is_on_the_disk_but_not_in_git_is_gone_for_the_others(self):
        self.run_git("rm", "-q", "--cached", self.path_1, self.record)
        self.assertEqual(self.against(), ["claim-deleted", "evidence-deleted"])

    def test_what_was_added_since_is_free(self):
        self.claim("one more", "--verdict", "overlaps")
        self.put_record("more.json", measured("own"))
        self.passes("plan", "act", "2", "--work", "more work")
        self.assertEqual(self.against(), [])

    def test_any_revision_will_do_and_none_other(self):
        self.run_git("tag", "then")
        os.remove(self.path(self.path_1))
        self.commit()
        self.assertEqual(self.errors("--against", "HEAD"), [])
        for revision in ("then", "HEAD~1", "HEAD^{commit}^"):
            self.assertEqual(self.errors("--against", revision), ["claim-deleted"], revision)
        for revision in ("nowhere", "--output=x", "HEAD:plan", "", "-"):
            result = self.confound("plan", "check", f"--against={revision}")
            self.assertEqual(result.status, 2, revision)
        self.assertFalse(os.path.exists(self.path("x")))

    def test_before_the_first_commit_there_is_nothing_to_compare(self):
        folder = self.path("fresh")
        os.makedirs(folder)
        repository.subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        self.passes("plan", "init", cwd=folder)
        self.passes("plan", "check", "--against", "HEAD", cwd=folder)

    def test_without_git_it_says_so(self):
        tools = self.path("tools")
        os.makedirs(tools)
        result = self.confound("plan", "check", "--against", "HEAD", env={"PATH": tools})
        self.assertEqual(result.status, 2)
        self.assertEqual(result.err, "confound: --against: git was not found in PATH\n")
        result = self.confound("plan", "check", env={"PATH": tools})
        self.assertEqual(result.status, 0, str(result))

    def test_an_old_claim_that_could_not_be_read_is_named(self):
        self.write("plan/0009-old.md", "---\nid: *a\n---\n")
        self.commit()
        os.remove(self.path("plan/0009-old.md"))
        self.assertEqual(self.rules(self.check("--against", "HEAD"), "warning"), ["not-compared"])

    def test_a_shallow_checkout_without_that_commit_says_so(self):
        clone = self.path("clone")
        self.commit("one more")
        self.run_git("clone", "-q", "--depth", "1", "file://" + self.folder, clone)
        result = self.confound("plan", "check", "--against", "HEAD~1", cwd=clone)
        self.assertEqual(result.status, 2)
        self.assertIn("shallow clone", result.err)


@repository.program.needs_program
@repository.needs_git
class Merge(PlanTest):
    def branch(self, name, sentence):
        self.run_git("checkout", "-q", "-b", name, "main")
        self.claim(sentence, "--verdict", "overlaps")
        self.commit(name)

    def test_branches_that_each_add_a_claim_merge(self):
        self.commit("begin")
        self.branch("one", "copies overlap")
        self.branch("two", "kernels overlap")
        self.run_git("checkout", "-q", "main")
        self.run_git("merge", "-q", "one")
        self.run_git("merge", "-q", "-m", "merge", "two")
        for sentence in ("copies overlap", "kernels overlap"):
            self.assertIn(f"| {sentence} |", self.text("plan/README.md"))
        self.assertEqual(self.errors("--against", "HEAD"), [])
        self.assertEqual(self.warnings(), ["number-shared"])
        self.usage("accept", "1", says="means several claims")
        self.passes("plan", "show", "0001-kernels")
        self.passes("plan", "show")
        self.assertEqual(self.warnings(), ["number-shared"])

    def test_evidence_keeps_its_bytes_where_git_changes_line_ends(self):
        self.run_git("config", "core.autocrlf", "true")
        self.claim("copies overlap", "--evidence", self.confounded())
        self.commit()
        os.remove(self.path("plan/evidence/offload.json"))
        self.run_git("checkout", "--", ".")
        self.assertEqual(self.errors("--against", "HEAD"), [])


if __name__ == "__main__":
    repository.main()
