#!/usr/bin/env python3
"""`confound report`: the page in HTML as its bytes, and several records beside each other."""

import base64
import csv
import hashlib
import html.parser
import io
import json
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402

COPY_OFFLOAD = ("--device", "sim", "--model", "copy-offload", "--seed", "1")
VOID = {"meta", "br", "img", "link", "input", "hr", "base"}
ALLOWED = {"html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "div", "span", "p",
           "h1", "h2", "ul", "li", "dl", "dt", "dd", "b", "i", "pre", "code", "figure", "figcaption", "details", "summary",
           "table", "thead", "tbody", "tr", "th", "td", "button", "script"}


class Page(html.parser.HTMLParser):
    """A page's elements, its scripts and its policy; fails on an element that is not closed where it stands."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack, self.scripts, self.styles, self.policy, self.words, self.tags = [], [], [], None, [], []
        self.feed(text)
        self.close()
        assert not self.stack, self.stack

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"]
        if tag not in VOID:
            self.stack.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1][0] == tag, (tag, self.stack[-3:])
        self.stack.pop()

    def handle_data(self, data):
        tag = self.stack[-1] if self.stack else ("", {})
        if tag[0] == "script":
            self.scripts.append((tag[1].get("type"), data))
        elif tag[0] == "style":
            self.styles.append(data)
        else:
            self.words.append(data)

    def data(self):
        return json.loads("".join(text for kind, text in self.scripts if kind == "application/json"))

    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))


def source_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


class ReportTest(program.ProgramTest):
    def record(self, name="one", *arguments):
        self.passes("run", *(arguments or COPY_OFFLOAD), "-q", "-o", f"{name}.json")
        return f"{name}.json"

    def page(self, *records, name="page.html"):
        result = self.passes("report", *records, "--html", name)
        self.assertEqual(result.out, "")
        return Page(self.read(name).decode())


@program.needs_program
class PageTest(ReportTest):
    def test_it_needs_nothing_but_itself(self):
        page = self.page(self.record())
        self.assertLessEqual({tag for tag, _ in page.tags}, ALLOWED)
        for tag, attributes in page.tags:
            for name in attributes:
                self.assertFalse(name.startswith("on") or name in ("src", "href", "style"), (tag, name))
        self.assertLess(len(self.read("page.html")), 1_000_000)

    def test_the_policy_names_what_the_page_holds_and_nothing_else(self):
        page = self.page(self.record())
        rules = dict(rule.strip().split(" ", 1) for rule in page.policy.split(";"))
        own = [source_of(text) for kind, text in page.scripts if kind is None]
        self.assertEqual(rules["default-src"], "'none'")
        self.assertEqual(rules["script-src"].split(), own)
        self.assertEqual(rules["style-src"].split(), [source_of(text) for text in page.styles])
        self.assertEqual(set(rules), {"default-src", "script-src", "style-src", "base-uri", "form-action"})

    def test_what_is_drawn_is_what_was_judged(self):
        path = self.record("one", "--device", "sim", "--model", "noisy", "--seed", "3")
        judgement = self.passes("judge", path, "--json", "-").json()
        record = self.page(path).data()["records"][0]
        self.assertEqual(len(record["variants"]), len(judgement["variants"]))
        for number, judged in enumerate(judgement["variants"]):
            drawn = record["variants"][number]
            points = [p[0] for p in record["rounds"]["overlap"][number]]
            self.assertEqual(drawn["name"], judged["name"])
            self.assertEqual(len(points), judgement["rounds"])
            self.assertAlmostEqual(statistics.median(points), float(judged["overlap"]["median"]), places=5)
            self.assertAlmostEqual(drawn["overlap"][0], float(judged["overlap"]["median"]), places=5)
            self.assertAlmostEqual(drawn["exposed"], float(judged["exposed_ms"]), places=4)

    def test_the_same_record_gives_the_same_page(self):
        path = self.record()
        self.page(path, name="a.html")
        self.page(path, name="b.html")
        self.assertEqual(self.read("a.html"), self.read("b.html"))

    def test_text_goes_beside_it_only_where_it_is_asked_for(self):
        path = self.record()
        both = self.passes("report", path, "--html", "page.html", "--format", "markdown")
        self.assertTrue(both.out.startswith("### confound: confounded"))
        alone = self.passes("report", path, "--html", "-")
        self.assertTrue(alone.out.startswith("<!DOCTYPE html>"))
        self.passes("report", path, "--html", "page.html", "-o", "text.txt")
        self.assertIn(b"CONFOUNDED", self.read("text.txt"))

    def test_places_that_would_be_lost_are_refused(self):
        path = self.record()
        before = self.read(path)
        for arguments, text in ((("--html", path), "it is the record itself"),
                                (("--html", "-", "--format", "text"), "both go to standard output"),
                                (("--html", "x", "-o", "x"), "both go to x"),
                                (("--html", "no/such/folder.html"), "no/such/folder.html")):
            result = self.confound("report", path, *arguments)
            self.assertEqual((result.status, result.out), (2, ""), arguments)
            self.assertIn(text, result.err)
            self.assertEqual(result.err.count("\n"), 1)
        self.assertEqual(self.read(path), before)

    def test_a_long_record_is_thinned_and_says_so(self):
        record = json.loads(self.read(self.record()))
        first = record["rounds"][0]
        record["rounds"] = [dict(first, round=n + 1) for n in range(3000)]
        record["settings"]["max_rounds"] = 3000
        self.write("long.json", json.dumps(record))
        page = self.page("long.json")
        rounds = page.data()["records"][0]["rounds"]
        self.assertEqual(rounds["count"], 3000)
        self.assertLessEqual(len(rounds["overlap"][0]), 600)
        self.assertGreaterEqual(len(rounds["overlap"][0]) * rounds["per"], 3000)
        self.assertTrue(all(len(point) == 3 and point[1] <= point[0] <= point[2] for point in rounds["overlap"][0]))
        self.assertIn("3000 rounds are drawn as", page.text())
        self.assertIn("The first 200 of 3000 rounds", page.text())

    def test_a_set_has_a_page(self):
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "-q")
        page = self.page("set.json")
        self.assertIn("All processes say confounded", page.text())
        self.assertEqual([p["label"] for p in page.data()["set"]["points"]], ["process 1", "process 2"])


@program.needs_program
class ManyTest(ReportTest):
    def two(self):
        return self.record("h200"), self.record("other", "--device", "sim", "--model", "own")

    def test_records_are_compared_by_name(self):
        out = self.passes("report", *self.two()).out
        self.assertRegex(out, r"(?m)^h200 +1\.00 +0\.000 +overlaps +0\.00 = +-1\.00 ! +CONFOUNDED$")
        self.assertRegex(out, r"(?m)^other .* clear$")
        self.assertIn("timing: confounded in h200; clear in other.", out)
        self.assertIn("h200: model copy-offload under a virtual clock, no driver;", re.sub(r"\s+", " ", out))
        self.assertNotIn("not of the same work", out)

    def test_records_are_listed_as_in_a_sentence_and_what_is_confounded_comes_first(self):
        out = self.passes("report", *self.two(), self.record("third", "--device", "sim", "--model", "own")).out
        answer = out[out.index("timing: "):].split("\n\n")[0].splitlines()
        self.assertEqual(answer, ["timing: confounded in h200; clear in other and third.",
                                  "sync: clear in h200, other and third."])

    def test_markdown_has_a_row_a_record(self):
        out = self.passes("report", *self.two(), "--format", "markdown").out
        self.assertEqual(len(re.findall(r"(?m)^\| (h200|other) \|", out)), 2)

    def test_csv_names_the_record_of_each_time(self):
        one, two = self.two()
        rows = list(csv.DictReader(io.StringIO(self.passes("report", one, two, "--format", "csv").out)))
        alone = list(csv.DictReader(io.StringIO(self.passes("report", one, "--format", "csv").out)))
        self.assertEqual([{k: v for k, v in row.items() if k != "record"} for row in rows if row["record"] == "h200"], alone)
        self.assertEqual({row["record"] for row in rows}, {"h200", "other"})

    def test_json_is_a_list_of_judgements(self):
        one, two = self.two()
        found = self.passes("report", one, two, "--format", "json").json()
        self.assertEqual(found, [self.passes("judge", path, "--json", "-").json() for path in (one, two)])

    def test_the_page_has_the_comparison_and_each_record(self):
        page = self.page(*self.two())
        data = page.data()
        self.assertEqual([p["label"] for p in data["set"]["points"]], ["h200", "other"])
        self.assertEqual(len(data["records"]), 2)
        self.assertIn("All of h200", page.text())

    def test_names_that_are_the_same_are_told_apart_by_their_folders(self):
        os.mkdir(self.path("a"))
        os.mkdir(self.path("b"))
        self.record("a/r")
        self.record("b/r")
        out = self.passes("report", "a/r.json", "b/r.json").out
        self.assertRegex(out, r"(?m)^a/r\.json ")
        self.assertRegex(out, r"(?m)^b/r\.json ")

    def test_a_hostile_name_turns_no_text_round(self):
        one, two = self.two()
        os.rename(self.path(two), self.path("o\u202eher.json"))
        self.assertNotIn("\u202e", self.page(one, "o\u202eher.json").text())

    def test_a_hostile_name_leaves_no_row_of_markdown(self):
        """Neither a file's name nor a variant's breaks a row, turns text round or reaches a terminal."""
        hostile = "o\u202e\x1b[31m\n| x"
        plain = self.record()
        record = json.loads(self.read(plain))
        record["variants"][2]["name"] = hostile
        for name in (hostile, "- list"):
            self.write(f"{name}.json", json.dumps(record))
        out = self.passes("report", "--format", "markdown", "--", plain, f"{hostile}.json", "- list.json").out
        self.assertNotRegex(out, "[\u202e\x1b]")
        rows = [line for line in out.splitlines() if line.startswith("|")]
        self.assertEqual(len(rows), 5, out)
        self.assertEqual({len(re.findall(r"(?<!\\)\|", row)) for row in rows}, {rows[1].count("|")}, out)
        self.assertNotRegex(out, r"(?m)^(- )?- list")

    def test_other_work_is_said_to_be_other_work(self):
        one = self.record()
        two = self.record("pair", "kernel-kernel", "--device", "sim", "--model", "own")
        self.assertIn("not of the same work", re.sub(r"\s+", " ", self.passes("report", one, two).out))

    def test_what_can_not_be_compared_is_refused(self):
        one = self.record()
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "-q")
        for arguments, text in (((one, "set.json"), "set.json: it is a set"), ((one, "none.json"), "none.json"),
                                (("-", "-"), "can be one record only"), ((one, one, "--html", one), "the record itself")):
            result = self.confound("report", *arguments)
            self.assertEqual((result.status, result.out), (2, ""), arguments)
            self.assertIn(text, result.err)

    def test_no_document_may_say_that_it_is_a_comparison(self):
        self.passes("run", *COPY_OFFLOAD, "--processes", "2", "-o", "set.json", "-q")
        document = json.loads(self.read("set.json"))
        document.update(kind="records", key="record")
        self.write("set.json", json.dumps(document))
        result = self.confound("report", "set.json")
        self.assertEqual(result.status, 2)
        self.assertIn("processes, env or sweep", result.err)


if __name__ == "__main__":
    program.main()
