"""A git repository with a plan in it, and records to put there: made by the program, or changed by hand."""

import copy
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org",
}


def needs_git(test):
    return unittest.skipUnless(shutil.which("git"), "git is not installed")(test)


@functools.lru_cache(maxsize=None)
def measured(model, *options):
    """The bytes of a record of a simulated model; measured once a process."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "record.json")
        result = program.run("run", "--device", "sim", "--model", model, "--seed", "7", "-o", path, "-q", *options,
                             cwd=folder)
        if not os.path.exists(path):
            raise AssertionError(str(result))
        with open(path, "rb") as file:
            return file.read()


def changed(record, change):
    """A record with something in it changed by hand."""
    document = copy.deepcopy(json.loads(record))
    change(document)
    return json.dumps(document).encode()


def as_real(document, device="Arc B580", driver="1.6.1", created=None):
    """As if it had been measured on a GPU."""
    document["simulated"] = False
    document["device"]["backend"] = "level-zero"
    document["device"]["name"] = device
    document["device"]["driver"] = driver
    if created:
        document["created"] = created


class PlanTest(program.ProgramTest):
    """A test in a fresh repository that has a plan."""

    git = True

    def setUp(self):
        super().setUp()
        if self.git:
            self.run_git("init", "-q", "-b", "main")
        self.passes("plan", "init")

    def run_git(self, *arguments, status=0):
        done = subprocess.run(["git", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={**os.environ, **GIT_ENVIRONMENT}, check=False)
        self.assertEqual(done.returncode, status, f"git {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def commit(self, message="change"):
        self.run_git("add", "-A")
        self.run_git("commit", "-q", "--allow-empty", "-m", message)

    def put_record(self, name, record):
        path = f"plan/evidence/{name}"
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        self.write(path, record)
        return path

    def confounded(self, name="offload.json"):
        """Timing serialises, the control overlaps."""
        return self.put_record(name, measured("copy-offload"))

    def serialising(self, name="engine.json"):
        """The control serialises, and no instrument can be blamed."""
        return self.put_record(name, measured("one-engine"))

    def overlapping(self, name="own.json"):
        """Everything overlaps, and no instrument disturbs."""
        return self.put_record(name, measured("own"))

    def trace(self):
        return self.write("trace.json", '{"traceEvents": []}\n')

    def claim(self, sentence, *options, **keywords):
        """The path of a new claim."""
        return self.passes("plan", "claim", sentence, *options, **keywords).out.strip()

    def refused(self, *arguments, rule=None, says=None):
        """What a command that exits with 1 said; nothing has changed."""
        before = self.snapshot()
        result = self.confound("plan", *arguments)
        self.assertEqual(result.status, 1, str(result))
        self.assertEqual(self.snapshot(), before, "a refused command changed something")
        if rule:
            self.assertIn(f"{rule}: ", result.err)
        if says:
            self.assertIn(says, result.err)
        return result.err

    def usage(self, *arguments, says):
        before = self.snapshot()
        result = self.confound("plan", *arguments)
        self.assertEqual(result.status, 2, str(result))
        self.assertEqual(len(result.err.splitlines()), 1, result.err)
        self.assertIn(says, result.err)
        self.assertEqual(self.snapshot(), before)
        return result.err

    def snapshot(self):
        """Every file of the repository but git's own, with its bytes."""
        files = {}
        for folder, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name != ".git"]
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        files[os.path.relpath(path, self.folder)] = file.read()
        return files

    def text(self, path):
        return self.read(path).decode()

    def edit(self, path, old, new):
        text = self.text(path)
        self.assertIn(old, text)
        self.write(path, text.replace(old, new, 1))

    def field(self, path, key):
        """The plain value of a key of the front matter."""
        return re.search(rf"^{key}: (.*)$", self.text(path), re.MULTILINE).group(1)

    def check(self, *arguments, **keywords):
        """The gate's findings as JSON, and its exit status."""
        result = self.confound("plan", "check", "--format", "json", *arguments, **keywords)
        self.assertIn(result.status, (0, 1), str(result))
        document = json.loads(result.out)
        self.assertEqual(document["schema"], "confound.plan-check/1")
        self.assertEqual(document["passed"], result.status == 0)
        self.assertEqual(result.status, 1 if document["errors"] else 0)
        return document

    def rules(self, document, level=None, suppressed=False):
        return sorted({f["rule"] for f in document["findings"]
                       if level in (None, f["level"]) and (f["suppressed_because"] is not None) == suppressed})

    def errors(self, *arguments, **keywords):
        return self.rules(self.check(*arguments, **keywords), "error")

    def warnings(self, *arguments, **keywords):
        return self.rules(self.check(*arguments, **keywords), "warning")

    def finding(self, rule, *arguments):
        found = [f for f in self.check(*arguments)["findings"] if f["rule"] == rule]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def sha256(self, path):
        return hashlib.sha256(self.read(path)).hexdigest()


main = program.main
