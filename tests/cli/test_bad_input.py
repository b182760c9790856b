#!/usr/bin/env python3
"""Bad input, bad usage and files that cannot be written: one clear line, the right status, nothing lost."""

import json
import os
import resource
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

JOB = """[job]
device = sim
[lane a]
op = h2d
count = 4
ns = 1ms
[lane b]
op = kernel
count = 4
ns = 1ms
[order]
submit = ab
depends = no
prefetch = 0
batch = 1
[instruments]
use = sync timing
where = both
on = both
"""
MODEL = """[model]
name = mine
contention = 1
queue_depth = 0
blocking_copy = no
[engine compute]
order = ring
width = 1
runs = kernel
[engine copy]
order = ready
queues = 0
rate = 25000000000
latency_ns = 0
runs = copy
[event timing]
lowering = command
engine = compute
cost_ns = 2000
host_ns = 0
[host]
copy_ns = 0
kernel_ns = 0
"""
RUN = ("--device", "sim", "--model", "model.ini", "--seed", "1", "-q")


def replaced(text, line, instead):
    """text with one line replaced, and that line's number."""
    lines = text.splitlines()
    assert lines.count(line) == 1 or line in ("count = 4", "ns = 1ms"), line
    number = lines.index(line)
    lines[number] = instead
    return "\n".join(lines) + "\n", number + 1


class BadInputTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("job.ini", JOB)
        self.write("model.ini", MODEL)

    def refuses(self, *arguments, status=2, says=(), **keywords):
        """One line on standard error, nothing on standard output, that status."""
        result = self.confound(*arguments, **keywords)
        shown = f"{' '.join(map(str, arguments))}: {result}"
        self.assertEqual(result.status, status, shown)
        self.assertEqual(result.out, "", shown)
        self.assertRegex(result.err, r"\Aconfound: [^\n]+\n\Z", shown)
        self.assertNotRegex(result.err, r": :|::|\(null\)|  ", shown)
        for pattern in (says,) if isinstance(says, str) else says:
            self.assertRegex(result.err, pattern, shown)
        return result


@program.needs_program
class JobTest(BadInputTest):
    # line of JOB, what stands there instead, what the message says
    BAD_LINES = [
        ("count = 4", "cuont = 4", "cuont.*count"),
        ("prefetch = 0", "prefecth = 1", "prefecth.*prefetch"),
        ("[order]", "[ordre]", "ordre.*order"),
        ("[lane b]", "[lane c]", "lane c"),
        ("ns = 1ms", "ns = 1 parsec", "1 parsec"),
        ("ns = 1ms", "ns = 1MiB", "1MiB"),
        ("ns = 1ms", "ns = 1m", "1m"),
        ("ns = 1ms", "ns = 99999999999999999999", "99999999999999999999"),
        ("ns = 1ms", "ns = 18446744073709551616", "18446744073709551616"),
        ("ns = 1ms", "ns = 9223372036854775807s", "9223372036854775807s"),
        ("ns = 1ms", "ns = 0.5ns", "0.5ns"),
        ("ns = 1ms", "ns = -1ms", "-1ms"),
        ("ns = 1ms", "ns = 1e6", "1e6"),
        ("ns = 1ms", "ns = nan", "nan"),
        ("ns = 1ms", "ns =", "ns"),
        ("ns = 1ms", "bytes = 4parsec", "4parsec"),
        ("ns = 1ms", "bytes = 17179869184GiB", "17179869184GiB"),
        ("count = 4", "count = -1", "-1"),
        ("count = 4", "count = 0", "count"),
        ("count = 4", "count = 4.5", "4.5"),
        ("count = 4", "count = 0x10", "0x10"),
        ("count = 4", "count = 18446744073709551616", "18446744073709551616"),
        ("count = 4", "count = four", "four"),
        ("op = h2d", "op = h2h", "h2h.*h2d"),
        ("op = kernel", "op = kernal", "kernal.*kernel"),
        ("submit = ab", "submit = abba", "abba.*ab"),
        ("depends = no", "depends = every", "every.*each"),
        ("batch = 1", "batch = 0", "batch"),
        ("batch = 1", "batch = -1", "-1"),
        ("where = both", "where = around", "around.*before.*after.*both"),
        ("on = both", "on = c", "a.*b.*both"),
        ("use = sync timing", "use = sync timming", "timming.*timing"),
        ("use = sync timing", "use = sync sync", "sync"),
        ("depends = no", "what is this", r"key = value|section|header"),
        ("depends = no", "[lane a", r"\]"),
        ("depends = no", "submit = ab", "submit"),  # twice
        ("op = h2d", "op = " + "h" * 5000, "."),
        ("depends = no", "dep\x01ends = no", "."),
    ]

    def test_a_bad_line_is_named_with_what_is_accepted(self):
        for line, instead, says in self.BAD_LINES:
            with self.subTest(instead[:60]):
                text, number = replaced(JOB, line, instead)
                self.write("job.ini", text)
                self.refuses("run", "job.ini", *RUN, says=(rf"job\.ini:{number}: ", says))

    def test_a_job_that_cannot_run_is_refused_with_its_line(self):
        late = JOB.replace("submit = ab\ndepends = no", "submit = ba\ndepends = each")
        self.write("job.ini", late)
        self.refuses("run", "job.ini", *RUN, says=r"job\.ini:\d+: .*b\[0\].*a\[0\]")
        self.write("job.ini", late.replace("submit = ba", "submit = b-then-a"))
        self.refuses("run", "job.ini", *RUN, says=r"job\.ini:\d+: ")
        self.write("job.ini", late.replace("prefetch = 0", "prefetch = 1"))
        self.passes("run", "job.ini", *RUN)

    def test_an_order_that_takes_no_prefetch_refuses_one(self):
        for key in ("prefetch = 2", "batch = 2"):
            text = JOB.replace("submit = ab", "submit = a-then-b")
            text, number = replaced(text, "prefetch = 0" if key.startswith("prefetch") else "batch = 1", key)
            self.write("job.ini", text)
            self.refuses("run", "job.ini", *RUN, says=rf"job\.ini:{number}: ")

    def test_a_set_value_is_checked_like_a_line(self):
        for value, says in (("lane.a.cuont=4", "cuont.*count"), ("lane.a.count=-4", "-4"), ("lane.a.count", "="),
                            ("count=4", "count"), ("lane.a.ns=1parsec", "1parsec"), ("lain.a.count=4", "lain"),
                            ("model.contention=2", "contention"), ("", "."), ("=", "=")):
            with self.subTest(value):
                self.refuses("run", "job.ini", *RUN, "--set", value, says=says)

    def test_a_setting_is_refused_with_what_each_device_accepts(self):
        self.write("settings.ini", "[device]\nstreams = nope\n")
        for arguments, where in ((["settings.ini"], r"settings\.ini:2"), (["--set", "device.streams=nope"], "--set device.streams")):
            self.refuses("run", *arguments, "--device", "sim",
                         says=where + r": \[device\] streams = nope; accepted: non-blocking, blocking or legacy \(cuda\); "
                                      r"offload, no-offload, split or queues \(level-zero\)\n$")

    def test_a_job_that_is_not_text_is_refused(self):
        for name, data in (("nul", b"[job]\ndevice = sim\n\0\n"), ("binary", bytes(range(256)) * 20),
                           ("utf-16", JOB.encode("utf-16")), ("half", JOB.encode()[:15] + b"\xff\xfe")):
            with self.subTest(name):
                self.write("job.ini", data)
                self.refuses("run", "job.ini", *RUN, says=r"job\.ini:\d+: ")

    def test_a_job_that_cannot_be_read_is_refused(self):
        self.refuses("run", "absent.ini", *RUN, says="absent.ini")
        os.mkdir(self.path("folder.ini"))
        self.refuses("run", "folder.ini", *RUN, says="folder.ini")
        self.refuses("run", "defualt", *RUN, says="defualt.*default")

    def test_control_characters_of_a_file_do_not_reach_the_terminal(self):
        text, _ = replaced(JOB, "op = h2d", "op = \x1b[31mred\x07")
        self.write("job.ini", text)
        self.assertNotRegex(self.refuses("run", "job.ini", *RUN).err, "[\x1b\x07]")

    def test_a_job_in_bytes_needs_a_rate(self):
        text, _ = replaced(JOB, "ns = 1ms", "bytes = 4MiB")
        self.write("job.ini", text)
        self.passes("run", "job.ini", *RUN)
        self.write("model.ini", MODEL.replace("rate = 25000000000\n", ""))
        self.refuses("run", "job.ini", *RUN, says=("rate", r"\.ini:\d+: "))


@program.needs_program
class ModelTest(BadInputTest):
    BAD_LINES = [
        ("contention = 1", "contension = 1", "contension.*contention"),
        ("contention = 1", "contention = 0", "contention"),
        ("contention = 1", "contention = 1.5", "1.5"),
        ("contention = 1", "contention = -0.5", "-0.5"),
        ("contention = 1", "contention = half", "half"),
        ("queue_depth = 0", "queue_depth = -1", "-1"),
        ("blocking_copy = no", "blocking_copy = maybe", "maybe.*yes.*no"),
        ("order = ring", "order = rng", "rng.*ring"),
        ("width = 1", "width = 0", "width"),
        ("width = 1", "width = -3", "-3"),
        ("width = 1", "width = 99999999999999999999", "99999999999999999999"),
        ("queues = 0", "queues = -1", "-1"),
        ("rate = 25000000000", "rate = 0", "rate"),
        ("rate = 25000000000", "rate = fast", "fast"),
        ("latency_ns = 0", "latency_ns = 3MiB", "3MiB"),
        ("runs = copy", "runs = cpoy", "cpoy.*copy"),
        ("runs = copy", "runs =", "runs"),
        ("lowering = command", "lowering = comand", "comand.*command"),
        ("engine = compute", "engine = comptue", "comptue.*compute"),
        ("cost_ns = 2000", "cost_ns = -1", "-1"),
        ("cost_ns = 2000", "cots_ns = 1", "cots_ns.*cost_ns"),
        ("host_ns = 0", "host_ns = 18446744073709551616", "18446744073709551616"),
        ("[event timing]", "[event timming]", "timming"),
        ("[engine copy]", "[motor copy]", "motor"),
        ("[host]", "[hots]", "hots.*host"),
        ("kernel_ns = 0", "kernel_ns = 1kg", "1kg"),
    ]

    def test_a_bad_line_is_named_with_what_is_accepted(self):
        for line, instead, says in self.BAD_LINES:
            with self.subTest(instead):
                text, number = replaced(MODEL, line, instead)
                self.write("model.ini", text)
                self.refuses("run", "job.ini", *RUN, says=(rf"model\.ini:{number}: ", says))

    def test_a_model_with_no_engine_for_an_operation_is_refused(self):
        self.write("model.ini", MODEL.replace("runs = copy", "runs = d2h"))
        self.refuses("run", "job.ini", *RUN, says=("h2d", "engine", r"\.ini:\d+: "))

    def test_a_model_without_engines_is_refused(self):
        for text in ("", "[model]\nname = nothing\n"):
            self.write("model.ini", text)
            self.refuses("run", "job.ini", *RUN, says=("model.ini", "engine"))

    def test_a_model_that_is_not_there_is_refused(self):
        self.refuses("run", "job.ini", "--device", "sim", "--model", "absent.ini", says="absent.ini")
        self.refuses("run", "job.ini", "--device", "sim", "--model", "copy-ofload", says="copy-ofload.*copy-offload")
        self.refuses("models", "copy-ofload", says="copy-ofload.*copy-offload")


@program.needs_program
class RecordTest(BadInputTest):
    def setUp(self):
        super().setUp()
        self.passes("run", "job.ini", *RUN, "-o", "good.json", "--rounds", "12")
        self.good = self.read("good.json")

    def rejects(self, data, says="."):
        self.write("bad.json", data)
        for arguments in (("judge", "bad.json", "--json", "-"), ("report", "bad.json")):
            self.refuses(*arguments, says=(r"bad\.json:\d+: ", says))

    def tampered(self, change):
        record = json.loads(self.good)
        change(record)
        return json.dumps(record, indent=1)

    def test_a_record_that_was_cut_short_is_refused(self):
        for size in (1, 100, len(self.good) // 2, len(self.good) - 10):
            with self.subTest(size):
                self.rejects(self.good[:size])

    def test_an_empty_record_is_refused(self):
        for data in (b"", b"\n\n", b"   "):
            self.rejects(data, "empty|expected|end of file|JSON")

    def test_a_record_of_another_schema_is_refused_by_name(self):
        self.rejects(self.tampered(lambda r: r.update(schema="confound.record/2")),
                     "confound.record/2.*confound.record/1")
        self.rejects(self.tampered(lambda r: r.pop("schema")), "schema")
        self.rejects(self.tampered(lambda r: r.update(schema=1)), "schema")
        self.rejects('{"schema": "confound.judgement/1"}', "confound.judgement/1.*confound.record/1")

    def test_what_is_no_record_is_refused(self):
        for data in (b"[]", b"1", b"null", b"{}", b"[job]\n", b"\xff\xfe{}", b'{"schema": "confound.record/1"}',
                     b"[" * 100_000, b'{"schema": "confound.record/1", "schema": "confound.record/1"}'):
            with self.subTest(data[:40]):
                self.rejects(data)

    def test_a_tampered_record_is_refused(self):
        record = json.loads(self.good)
        self.assertEqual(len(record["rounds"]), 12)
        for name in sorted(record["rounds"][0]):
            with self.subTest(f"round without {name}"):
                if name in ("seen", "marks"):
                    continue  # may be absent
                self.rejects(self.tampered(lambda r, n=name: r["rounds"][3].pop(n)))
        with self.subTest("order is no permutation"):
            self.rejects(self.tampered(lambda r: r["rounds"][3]["order"].__setitem__(0, r["rounds"][3]["order"][1])))
        with self.subTest("order is cut short"):
            self.rejects(self.tampered(lambda r: r["rounds"][3]["order"].pop()))
        with self.subTest("two variants of one name"):
            self.rejects(self.tampered(lambda r: r["variants"][2].update(name=r["variants"][3]["name"])))
        with self.subTest("no variants"):
            self.rejects(self.tampered(lambda r: r.update(variants=[])))
        with self.subTest("a number for a text"):
            self.rejects(self.tampered(lambda r: r["variants"][1].update(name=7)))

    def test_a_time_that_cannot_be_is_refused(self):
        numbers = []

        def times(value, path=()):
            if isinstance(value, dict):
                for key, child in value.items():
                    times(child, path + (key,))
            elif isinstance(value, list):
                for index, child in enumerate(value):
                    times(child, path + (index,))
            elif isinstance(value, int) and value == 4_000_000:
                numbers.append(path)

        record = json.loads(self.good)
        times(record["rounds"][5])
        self.assertTrue(numbers)
        for instead in (-5, 2**53 + 1, 2**64, 1.5, "4", None, True):
            with self.subTest(instead):
                def change(r, value=instead):
                    place = r["rounds"][5]
                    for key in numbers[0][:-1]:
                        place = place[key]
                    place[numbers[0][-1]] = value
                self.rejects(self.tampered(change))

    def test_a_record_that_cannot_be_read_is_refused(self):
        os.mkdir(self.path("folder"))
        for name in ("absent.json", "folder"):
            self.refuses("judge", name, "--json", "-", says=name)
            self.refuses("report", name, says=name)

    def test_the_record_that_was_not_tampered_with_is_judged(self):
        self.write("same.json", self.tampered(lambda r: None))
        same = self.passes("judge", "same.json", "--json", "-").json()
        good = self.passes("judge", "good.json", "--json", "-").json()
        del same["record"], good["record"]
        self.assertEqual(same, good)


@program.needs_program
class UsageTest(BadInputTest):
    def test_bad_usage_is_one_line_and_2(self):
        for arguments, says in (
                (("rnu",), "rnu.*run"),
                (("run", "--devise", "sim"), "--devise.*--device"),
                (("run", "-x"), "-x"),
                (("run", "--rounds"), "--rounds"),
                (("run", "--rounds", "0"), "--rounds"),
                (("run", "--rounds", "-3"), "-3"),
                (("run", "--rounds", "many"), "many"),
                (("run", "--rounds", "99999999999999999999"), "99999999999999999999"),
                (("run", "--margin", "2"), "--margin"),
                (("run", "--margin", "nan"), "nan"),
                (("run", "--seed", "9007199254740992"), "--seed"),
                (("run", "--expect", "clean"), "clean.*clear"),
                (("run", "--color", "sometimes"), "sometimes.*auto.*always.*never"),
                (("run", "--quiet=yes"), "quiet"),
                (("run", "-q", "-v"), "(quiet|-q).*(verbose|-v)"),
                (("run", "job.ini", "job.ini"), "job.ini"),
                (("judge",), "record"),
                (("report",), "record"),
                (("report", "x.json", "--format", "pdf"), "pdf.*text.*markdown.*csv.*json"),
                (("judge", "x.json", "--device", "sim"), "--device"),
                (("help", "rnu"), "rnu.*run"),
                (("jobs", "defualt"), "defualt.*default"),
                (("run", "job.ini", "--device", "sim", "--instruments", "timming"), "timming.*timing"),
                (("run", "job.ini", "--device", "sim", "--instruments", ""), "instruments"),
                (("run", "job.ini", "--device", "sim", "--rounds", "12", "--min-rounds", "13"), "min-rounds|min_rounds"),
                (("run", "job.ini", *RUN, "--against", "absent.ini"), "absent.ini"),
                (("run", "job.ini", *RUN, "--resume", "absent.json"), "absent.json"),
        ):
            with self.subTest(" ".join(arguments)):
                self.refuses(*arguments, says=says)

    def test_a_bad_environment_variable_is_named(self):
        for name, value in (("CONFOUND_ROUNDS", "many"), ("CONFOUND_MARGIN", "9"), ("CONFOUND_EXPECT", "clean"),
                            ("CONFOUND_QUIET", "perhaps"), ("CONFOUND_SEED", "-1")):
            with self.subTest(name):
                self.refuses("run", "job.ini", "--device", "sim", env={name: value}, says=(name, value))

    def test_a_device_that_is_not_there_is_4(self):
        self.refuses("run", "job.ini", "--device", "smi", status=4, says="smi.*sim")
        self.refuses("run", "--device", "no-such-device", status=4, says="no-such-device")


@program.needs_program
class WriteTest(BadInputTest):
    def test_an_output_that_cannot_be_written_is_refused_before_anything_is_measured(self):
        os.mkdir(self.path("folder"))
        for name in ("absent/record.json", "folder", "job.ini/record.json"):
            with self.subTest(name):
                self.refuses("run", "job.ini", *RUN, "-o", name, says=name)
                self.refuses("run", "job.ini", *RUN, "-o", "record.json", "--json", name, says=name)
                self.assertFalse(os.path.exists(self.path("record.json.part")))

    def test_a_read_only_folder_is_refused(self):
        os.mkdir(self.path("folder"), 0o500)
        if os.access(self.path("folder"), os.W_OK):
            self.skipTest("this user may write everywhere")
        self.refuses("run", "job.ini", *RUN, "-o", "folder/record.json", says="folder/record.json")

    def test_a_full_device_is_an_error_and_not_a_success(self):
        self.passes("run", "job.ini", *RUN, "-o", "record.json")
        for arguments in (("run", "job.ini", *RUN, "--json", "-"), ("run", "job.ini", *RUN),
                          ("judge", "record.json", "--json", "-"), ("judge", "record.json"),
                          ("report", "record.json"), ("report", "record.json", "--format", "csv"), ("help",),
                          ("--version",), ("models",), ("jobs",), ("devices",)):
            with self.subTest(" ".join(arguments)), open("/dev/full", "wb") as full:
                self.refuses(*arguments, stdout=full)
        for arguments in (("judge", "record.json", "--json", "/dev/full"), ("report", "record.json", "-o", "/dev/full")):
            with self.subTest(" ".join(arguments)):
                self.refuses(*arguments, says="/dev/full")
                self.assertTrue(os.path.exists("/dev/full"))

    def test_a_reader_that_goes_away_is_no_crash(self):
        self.passes("run", "job.ini", *RUN, "-o", "record.json")
        process = program.start("report", "record.json", "--format", "csv", cwd=self.folder)
        self.addCleanup(program.stop, process)
        process.stdout.close()
        err = process.stderr.read()
        process.wait(program.TIMEOUT_S)
        process.stdout = None
        self.assertIn(process.returncode, (0, 2, -signal.SIGPIPE))
        self.assertLessEqual(len(err.splitlines()), 1)

    def limited(self, size_bytes, *arguments):
        """Runs with a limit on the size of any file: a disk that fills up."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))
        done = subprocess.run([program.PROGRAM, *arguments], cwd=self.folder, env=program.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=program.TIMEOUT_S, check=False,
                              preexec_fn=limit)
        return program.Result(done.returncode, done.stdout, done.stderr)

    def test_a_disk_that_fills_up_leaves_the_old_record_intact(self):
        self.passes("run", "job.ini", *RUN, "-o", "record.json")
        old = self.read("record.json")
        for size in (0, 1000, len(old) // 2, len(old) - 1):
            with self.subTest(size):
                result = self.limited(size, "run", "job.ini", *RUN, "-o", "record.json", "--json", "-")
                self.assertEqual(result.status, 2, result)
                self.assertRegex(result.err, r"\Aconfound: [^\n]+\n\Z")
                self.assertIn("record.json", result.err)
                self.assertEqual(result.out, "")
                self.assertEqual(self.read("record.json"), old)
        left = {name for name in os.listdir(self.folder) if "record.json" in name}
        self.assertLessEqual(left, {"record.json", "record.json.part"})

    def test_a_disk_that_fills_up_leaves_the_old_judgement_intact(self):
        self.passes("run", "job.ini", *RUN, "-o", "record.json", "--json", "judgement.json")
        old = self.read("judgement.json")
        result = self.limited(100, "judge", "record.json", "--json", "judgement.json")
        self.assertEqual(result.status, 2, result)
        self.assertEqual(self.read("judgement.json"), old)

    def test_a_refused_run_leaves_the_old_record_intact(self):
        self.write("record.json", "old\n")
        self.refuses("run", "absent.ini", *RUN, "-o", "record.json")
        self.write("job.ini", JOB.replace("count = 4", "count = -4"))
        self.refuses("run", "job.ini", *RUN, "-o", "record.json")
        self.assertEqual(self.read("record.json"), b"old\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["job.ini", "model.ini", "record.json"])


if __name__ == "__main__":
    program.main()
