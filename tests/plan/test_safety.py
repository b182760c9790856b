#!/usr/bin/env python3
"""Links, huge files, full disks, two commands at once: nothing is lost and nothing outside is touched."""

import concurrent.futures
import os
import re
import resource
import signal
import stat
import unittest

import repository
from repository import PlanTest, measured


@repository.program.needs_program
@repository.needs_git
class Links(PlanTest):
    def setUp(self):
        super().setUp()
        folder = repository.tempfile.TemporaryDirectory(prefix="confound-outside-")
        self.addCleanup(folder.cleanup)
        self.outside = folder.name
        with open(os.path.join(self.outside, "record.json"), "wb") as file:
            file.write(measured("own"))

    def outside_is_untouched(self):
        self.assertEqual(os.listdir(self.outside), ["record.json"])
        with open(os.path.join(self.outside, "record.json"), "rb") as file:
            self.assertEqual(file.read(), measured("own"))

    def test_a_record_outside_of_the_repository_is_refused(self):
        self.usage("claim", "x", "--evidence", os.path.join(self.outside, "record.json"),
                   says="it lies outside of the repository")
        self.usage("claim", "x", "--evidence", os.path.relpath(os.path.join(self.outside, "record.json"), self.folder),
                   says="it lies outside of the repository")
        os.symlink(os.path.join(self.outside, "record.json"), self.path("plan/evidence/link.json"))
        self.usage("claim", "x", "--evidence", "plan/evidence/link.json", says="it lies outside of the repository")
        self.usage("quote", "plan/evidence/link.json", "--figure", "rate", says="it lies outside of the repository")

    def test_a_link_within_the_repository_names_what_it_leads_to(self):
        self.overlapping()
        os.symlink("plan/evidence/own.json", self.path("short.json"))
        path = self.claim("x", "--evidence", "short.json")
        self.assertIn("path: plan/evidence/own.json", self.text(path))

    def test_evidence_that_became_a_link_is_not_followed(self):
        record = self.overlapping()
        self.claim("x", "--evidence", record)
        os.remove(self.path(record))
        os.symlink(os.path.join(self.outside, "record.json"), self.path(record))
        self.assertEqual(self.errors(), ["evidence-unreadable"])
        self.refused("accept", "1", rule="evidence-unreadable", says="it is a link")

    def test_a_folder_that_became_a_link_is_not_followed(self):
        record = self.overlapping()
        self.claim("x", "--evidence", record)
        self.commit()
        os.rename(self.path("plan/evidence"), self.path("moved"))
        os.symlink("../moved", self.path("plan/evidence"))
        result = self.confound("plan", "check")
        self.assertEqual(result.status, 2)
        self.assertIn("plan/evidence: it is a link", result.err)

    def test_a_plan_that_is_a_link_is_no_plan(self):
        os.rename(self.path("plan"), self.path("else"))
        os.symlink(self.outside, self.path("plan"))
        for command in (("init",), ("claim", "x", "--verdict", "overlaps"), ("show",), ("check",)):
            result = self.confound("plan", *command)
            self.assertEqual(result.status, 2, command)
            self.assertIn("it is a link", result.err)
        self.outside_is_untouched()

    def test_a_claim_that_is_a_link_is_neither_read_nor_written(self):
        path = self.claim("x", "--evidence", self.overlapping())
        target = os.path.join(self.outside, "record.json")
        os.remove(self.path(path))
        os.symlink(target, self.path(path))
        self.assertEqual(self.errors(), ["claim-unreadable"])
        self.usage("accept", "1", says="it is a link")
        self.outside_is_untouched()

    def test_an_index_that_is_a_link_is_not_written_through(self):
        os.remove(self.path("plan/README.md"))
        os.symlink(os.path.join(self.outside, "record.json"), self.path("plan/README.md"))
        self.assertEqual(self.confound("plan", "claim", "x", "--verdict", "overlaps").status, 2)
        self.outside_is_untouched()

    def test_devices_and_pipes_are_not_waited_for(self):
        os.mkfifo(self.path("plan/0001-pipe.md"))
        os.mkfifo(self.path("plan/evidence/pipe.json"))
        self.assertEqual(self.errors(), ["claim-unreadable"])
        self.usage("claim", "x", "--evidence", "plan/evidence/pipe.json", says="no regular file")

    def test_a_worktree_has_a_plan_of_its_own(self):
        self.commit()
        self.run_git("worktree", "add", "-q", self.path("tree"))
        self.claim("x", "--verdict", "overlaps", cwd=self.path("tree"))
        self.assertTrue(os.path.exists(self.path("tree/plan/0001-x.md")))
        self.assertFalse(os.path.exists(self.path("plan/0001-x.md")))
        self.passes("plan", "check", "--against", "HEAD", cwd=self.path("tree"))


@repository.program.needs_program
@repository.needs_git
class Sizes(PlanTest):
    def sparse(self, path, size):
        with open(self.path(path), "wb") as file:
            file.truncate(size)

    def test_huge_files_are_refused_without_being_read(self):
        record = self.overlapping()
        path = self.claim("x", "--evidence", record)
        self.sparse(record, 1 << 40)
        self.sparse("plan/0002-huge.md", 1 << 40)
        self.sparse("huge.md", 1 << 40)
        self.assertEqual(self.errors(), ["claim-unreadable", "evidence-unreadable"])
        self.run_git("add", "-N", "huge.md")
        self.assertIn("not-compared", self.warnings())
        for command in (("accept", os.path.basename(path), "--evidence", record), ("check", "huge.md")):
            result = self.confound("plan", *command)
            self.assertEqual(result.status, 2)
            self.assertIn("too large; at most", result.err)

    def test_a_claim_has_room_for_much_prose(self):
        path = self.claim("x", "--evidence", self.overlapping())
        prose = "word " * 100000
        self.write(path, self.text(path) + prose)
        self.passes("plan", "accept", "1")
        self.assertTrue(self.text(path).endswith(prose))

    def test_thousands_of_findings_do_not_break_it(self):
        figure = "1.000 ms <!-- confound: record=absent.json sha256=00 variant=none figure=ab_ms -->\n"
        self.write("d.md", figure * 3000)
        self.assertEqual(self.check("d.md")["errors"], 3000)


@repository.program.needs_program
@repository.needs_git
class Writes(PlanTest):
    def test_two_commands_at_once_lose_no_claim(self):
        record = self.overlapping()
        count = 24
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(self.confound, "plan", "claim", "copies overlap", "--evidence", record)
                    for _ in range(count)]
            results = [job.result() for job in jobs]
        self.assertEqual([result.status for result in results], [0] * count)
        paths = sorted(result.out.strip() for result in results)
        self.assertEqual(paths, [f"plan/{number:04d}-copies-overlap.md" for number in range(1, count + 1)])
        self.assertEqual(self.errors(), [])
        self.assertNotIn("index-stale", self.warnings())

    def test_two_decisions_at_once_are_both_kept(self):
        path = self.claim("copies overlap", "--evidence", self.overlapping())
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(self.confound, "plan", "act", "1", "--work", f"work {i}") for i in range(12)]
            self.assertEqual([job.result().status for job in jobs], [0] * 12)
        self.assertEqual(sorted(re.findall(r'what: "(work \d+)"', self.text(path))),
                         sorted(f"work {i}" for i in range(12)))

    def test_a_command_that_can_not_get_at_the_plan_says_so(self):
        import fcntl
        folder = os.open(self.path("plan"), os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            self.passes("plan", "check")  # who only reads waits for nobody
            self.usage("claim", "x", "--verdict", "overlaps", says="another command is changing the plan")
        finally:
            os.close(folder)

    def test_a_full_disk_leaves_the_old_file(self):
        path = self.claim("copies overlap", "--evidence", self.overlapping())
        before = self.snapshot()

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for command in (["accept", "1"], ["claim", "y", "--verdict", "overlaps"]):
            done = repository.subprocess.run([repository.program.PROGRAM, "plan", *command], cwd=self.folder,
                                             preexec_fn=no_room, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("cannot be written: File too large", done.stderr)
            self.assertEqual(self.snapshot(), before)
        self.assertEqual(self.field(path, "status"), "proposed")

    def test_a_file_keeps_its_mode(self):
        path = self.claim("copies overlap", "--evidence", self.overlapping())
        os.chmod(self.path(path), 0o640)
        self.passes("plan", "accept", "1")
        self.assertEqual(stat.S_IMODE(os.stat(self.path(path)).st_mode), 0o640)

    def test_the_gate_writes_nothing(self):
        self.claim("copies overlap", "--evidence", self.overlapping())
        self.commit()
        self.write("d.md", "x\n")

        def times():
            found = {}
            for folder, _, names in os.walk(self.folder):
                for name in [*names, "."]:
                    path = os.path.join(folder, name)
                    found[path] = os.lstat(path).st_mtime_ns
            return found
        before = times()
        for options in ((), ("--against", "HEAD"), ("--format", "sarif"), ("d.md",)):
            self.passes("plan", "check", *options)
        self.assertEqual(times(), before)

    def test_an_index_that_can_not_be_written_does_not_hide_the_plan(self):
        self.claim("copies overlap", "--evidence", self.overlapping())
        os.remove(self.path("plan/README.md"))
        os.mkdir(self.path("plan/README.md"))
        result = self.confound("plan", "show")
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("copies overlap", result.out)
        self.assertIn("the index was not renewed", result.err)


@repository.program.needs_program
class WithoutGit(PlanTest):
    git = False

    def test_a_folder_that_is_no_repository_has_a_plan_too(self):
        self.claim("copies overlap", "--evidence", self.overlapping())
        os.makedirs(self.path("deep/er"))
        self.passes("plan", "accept", "1", cwd=self.path("deep/er"))
        self.write("deep/page.md", "1.0 <!-- confound: x -->\n")
        self.assertEqual(self.errors(), ["figure-malformed"])
        self.usage("check", "--against", "HEAD", says="is no git repository")

    def test_init_says_what_can_not_be_found_here(self):
        self.assertIn("is no git repository", self.passes("plan", "init").err)


if __name__ == "__main__":
    repository.main()
