#!/usr/bin/env python3
"""Pages of `confound report --html` in a real browser: charts are there with the right marks, respond to the mouse and
the keyboard, nothing complains, and no text of a record is more than text. Screenshots are kept in the build's folder
screenshots/. Records of the soft device are measured in real time."""

import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, HERE)
import browser  # noqa: E402
import program  # noqa: E402

COPY_OFFLOAD = ("--device", "sim", "--model", "copy-offload", "--seed", "1")
DEMANDED = os.environ.get("CONFOUND_BROWSER") == "demanded"  # CI: no browser is a failure, not a skip
SCREENSHOTS = os.path.join(os.environ.get("CONFOUND_BUILD", "."), "screenshots")
DRAWN = """Array.from(document.querySelectorAll('figure.chart')).every(
  (f) => f.dataset.drawn || !f.checkVisibility({contentVisibilityAuto: true}))"""
# Texts of a chart that lie on each other, ["chart: one | other", …]. A pixel and a half may be shared.
COLLISIONS = """Array.from(document.querySelectorAll('figure.chart')).flatMap((figure) => {
  const boxes = Array.from(figure.querySelectorAll('svg text')).filter((t) => t.textContent.trim())
    .map((t) => ({text: t.textContent, box: t.getBoundingClientRect()})).filter((t) => t.box.width);
  const found = [];
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const tall = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (wide > 1.5 && tall > 3.5) found.push(figure.dataset.chart + ': ' + a.text + ' | ' + b.text);
  }));
  return found;
})"""
# Marks that are drawn outside the chart's own picture.
OUTSIDE = """Array.from(document.querySelectorAll('figure.chart svg')).flatMap((svg) => {
  const all = svg.getBoundingClientRect();
  return Array.from(svg.querySelectorAll('[class*=mark-] path, [class*=mark-] text, [class*=mark-] line'))
    .filter((m) => !m.closest('.role-frame') && m.classList.value !== 'background' && m.classList.value !== 'foreground')
    .map((m) => m.getBoundingClientRect())
    .filter((b) => b.width + b.height > 0 && (b.right > all.right + 1 || b.left < all.left - 1 ||
                                              b.top < all.top - 1 || b.bottom > all.bottom + 1)).length;
}).reduce((a, b) => a + b, 0)"""
HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 2\">'\"&lt;\u202etxt\u2066\u0007\u001b[31m`"


def marks(chart, name, of="path"):
    return f"document.querySelectorAll('figure[data-chart={chart}] .{name} {of}').length"


class BrowserTest(program.ProgramTest):
    page = None

    @classmethod
    def setUpClass(cls):
        executable = browser.find()
        if not executable and DEMANDED:
            raise AssertionError("no Chromium or Chrome is on the path, and this run demands one")
        if executable and program.PROGRAM:
            os.makedirs(SCREENSHOTS, exist_ok=True)
            cls.page = browser.Browser(executable)
            cls.addClassCleanup(cls.page.close)

    def setUp(self):
        super().setUp()
        if not self.page:  # in each test, so that each is counted
            self.skipTest("no Chromium or Chrome is on the path (Debian: chromium)")

    def record(self, name, *arguments):
        self.passes("run", *arguments, "-q", "-o", f"{name}.json")
        return f"{name}.json"

    def show(self, name, *records, **view):
        """Writes the page of records and opens it."""
        self.passes("report", *records, "--html", f"{name}.html")
        self.page.open(self.path(f"{name}.html"), **view)
        self.page.wait_for(DRAWN)
        return self.page

    def picture(self, name):
        self.page.screenshot(os.path.join(SCREENSHOTS, f"{name}.png"))

    def assert_sound(self):
        """Nothing complains, no text lies on another, nothing is drawn outside, no line is wider than the window."""
        self.assertEqual(self.page.complaints, [])
        self.assertEqual(self.page.run(COLLISIONS), [])
        self.assertEqual(self.page.run(OUTSIDE), 0)
        wide, window = self.page.run("[document.documentElement.scrollWidth, window.innerWidth]")
        self.assertLessEqual(wide, window)

    def center(self, selector):
        box = self.page.run(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
          e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const b = e.getBoundingClientRect();
          return [b.left + b.width / 2, b.top + b.height / 2]; }})()""")
        return box

    def tip(self):
        return self.page.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")


@program.needs_program
class RecordTest(BrowserTest):
    def test_every_chart_has_a_mark_for_every_number(self):
        path = self.record("sim", *COPY_OFFLOAD)
        record = json.loads(self.read(path))
        rounds, variants = len(record["rounds"]), len(record["variants"])
        page = self.show("sim", path)
        expected = {
            ("overlap", "pick-rounds"): rounds * variants, ("overlap", "pick-medians"): variants,
            ("overlap", "pick-seen"): 1, ("effect", "pick-effects"): 3,
            ("times", "pick-ab"): variants, ("times", "pick-exposed"): variants,
            ("slowdown", "pick-slowdowns"): 3 * (variants - 1), ("rounds", "pick-rounds"): rounds * variants,
            ("order", "pick-cells"): rounds * variants * 3,
        }
        for (chart, name), count in expected.items():
            self.assertEqual(page.run(marks(chart, name)), count, (chart, name))
        self.assertEqual(page.run(marks("overlap", "see-bands")), 3 * variants)
        self.assert_sound()

    def test_the_first_screen_says_what_changed_and_whether_to_believe_it(self):
        page = self.show("first", self.record("sim", *COPY_OFFLOAD))
        texts = page.run("""Array.from(document.querySelectorAll('.word, h1, .believe, [data-chart=overlap] h2'))
          .filter((e) => e.getBoundingClientRect().bottom < window.innerHeight).map((e) => e.innerText)""")
        seen = "\n".join(texts)
        for needed in ("CONFOUNDED", "simulated", "Timing events are the serialisation", "all controls passed",
                       "says nothing about anyone's GPU", "Which variant changed the answer?"):
            self.assertIn(needed, seen)

    def test_the_mouse_shows_what_is_under_it(self):
        page = self.show("hover", self.record("sim", *COPY_OFFLOAD))
        for chart, name, text in (("overlap", "pick-medians", "by the host's clock"), ("effect", "pick-effects", "margin"),
                                  ("times", "pick-ab", "exposed"), ("order", "pick-cells", "round 1, place 1")):
            x, y = self.center(f"figure[data-chart={chart}] .{name} path")
            page.point_at(1, 1)
            page.point_at(x, y)
            page.wait_for("!document.getElementById('tip').hidden")
            self.assertIn(text, self.tip())
        self.assert_sound()

    def test_the_keyboard_reaches_every_mark(self):
        page = self.show("keys", self.record("sim", *COPY_OFFLOAD))
        page.run("document.querySelector('figure[data-chart=effect] .plot').focus()")
        said = []
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp", "Home", "End"):
            page.key(key)
            self.assertEqual(self.tip(), page.run("document.getElementById('live').textContent"))
            self.assertFalse(page.run("document.getElementById('ring').hidden"))
            said.append(self.tip().split(":")[0])
        self.assertEqual(said, ["sync", "timing", "none-again", "none-again", "timing", "sync", "none-again"])
        page.key("Escape")
        self.assertEqual(self.tip(), "")
        stops = []
        page.run("document.activeElement.blur()")
        for _ in range(60):
            page.key("Tab")
            stops.append(page.run("(document.activeElement.closest('figure') || {dataset: {}}).dataset.chart || ''"))
        self.assertLessEqual({"overlap", "effect", "times", "slowdown", "rounds", "order"}, set(stops))

    def test_every_chart_has_its_numbers_as_a_table_and_a_name(self):
        page = self.show("tables", self.record("sim", *COPY_OFFLOAD))
        found = page.run("""Array.from(document.querySelectorAll('figure.chart')).map((f) => [f.dataset.chart,
          f.querySelectorAll('table tbody tr').length, f.querySelectorAll('th[scope=row]').length,
          f.querySelector('.plot').getAttribute('aria-label').length, f.querySelector('.plot').tabIndex])""")
        self.assertEqual(len(found), 6)
        for chart, rows, named, label, index in found:
            self.assertGreater(rows, 2, chart)
            self.assertEqual(named, rows, chart)
            self.assertGreater(label, 40, chart)
            self.assertEqual(index, 0, chart)

    def test_both_themes_and_a_narrow_window(self):
        path = self.record("sim", *COPY_OFFLOAD)
        colors = set()
        for dark in (False, True):
            for width in (360, 820, 1280):
                page = self.show("themes", path, width=width, dark=dark)
                self.assert_sound()
                self.picture(f"record-{'dark' if dark else 'light'}-{width}")
            colors.add(page.run("getComputedStyle(document.body).backgroundColor"))
            x, y = self.center("#theme")
            page.click(x, y)
            colors.add(page.run("getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(colors), 2)

    def test_a_window_that_changes_its_width_is_drawn_again(self):
        page = self.show("resize", self.record("sim", *COPY_OFFLOAD), width=1280)
        before = page.run("document.querySelector('[data-chart=overlap]').dataset.drawn")
        page.resize(500, 900)
        page.wait_for(f"document.querySelector('[data-chart=overlap]').dataset.drawn !== '{before}'")
        page.wait_for("document.documentElement.scrollWidth <= window.innerWidth")
        self.assert_sound()

    def test_it_prints(self):
        page = self.show("print", self.record("sim", *COPY_OFFLOAD), dark=True)
        pdf = page.pdf()
        self.assertTrue(pdf.startswith(b"%PDF"))
        with open(os.path.join(SCREENSHOTS, "record.pdf"), "wb") as file:
            file.write(pdf)
        page.theme(True, media="print")
        self.assertEqual(page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")

    def test_a_variant_is_put_in_front_by_its_button(self):
        page = self.show("switch", self.record("sim", *COPY_OFFLOAD))
        x, y = self.center("figure[data-chart=order] .legend button:nth-child(3)")
        page.click(x, y)
        faint = "Array.from(document.querySelectorAll('.pick-cells path')).filter((p) => p.getAttribute('fill-opacity') === '0.08').length"
        cells = page.run(marks("order", "pick-cells"))
        page.wait_for(f"{faint} === {cells} * 4 / 5")
        self.assertEqual(page.run("document.querySelectorAll('[aria-pressed=true]').length"), 1)

    def test_the_soft_device_and_two_designs(self):
        self.show("soft", self.record("soft", "--device", "soft", "--seed", "1"))
        self.assert_sound()
        self.picture("soft")
        page = self.show("against", self.record("against", "kv-staging", "--device", "sim", "--against",
                                                "deferred-batched"))
        self.assertEqual(page.run(marks("against", "pick-ab")), 2)
        self.assert_sound()
        self.picture("against")


    def test_commands_of_two_variants_are_on_one_scale(self):
        path = self.record("explained", *COPY_OFFLOAD, "--explain")
        record = json.loads(self.read(path))
        names = [variant["name"] for variant in record["variants"]]
        shown = [s for s in record["spans"] if names[s["variant"]] in ("none", "timing")]
        self.assertGreater(len(shown), 60)
        for width in (360, 1280):
            page = self.show("explained", path, width=width)
            self.assertEqual(page.run(marks("timeline", "pick-spans")), len(shown))
            self.assertGreater(page.run(marks("timeline", "see-flows", "line")), 30)
            self.assert_sound()
            self.picture(f"explained-{width}")
        # Beside each other without timing events; one after the other with them.
        ends = page.run("""(() => { const b = Array.from(document.querySelectorAll('[data-chart=timeline] .pick-spans path'))
          .map((p) => p.getBoundingClientRect()); const middle = (Math.min(...b.map((x) => x.top)) +
          Math.max(...b.map((x) => x.bottom))) / 2; const most = (list) => Math.max(...list.map((x) => x.right));
          return [most(b.filter((x) => x.top < middle)), most(b.filter((x) => x.top > middle)),
                  Math.min(...b.map((x) => x.left))]; })()""")
        self.assertGreater((ends[1] - ends[2]) / (ends[0] - ends[2]), 1.9)
        x, y = self.center("figure[data-chart=timeline] .pick-spans path:last-child")
        page.point_at(1, 1)
        page.point_at(x, y)
        page.wait_for("!document.getElementById('tip').hidden")
        self.assertIn("waited for", self.tip())

    def test_what_an_instrument_saw_says_so_on_its_face(self):
        record = json.loads(self.read(self.record("sim", *COPY_OFFLOAD)))
        record["spans"] = [{"variant": 3, "begin_ns": n * 1000, "end_ns": n * 1000 + 900, "queued_ns": None, "engine": "lane a",
                            "stream": 0, "lane": 0, "index": n, "what": "h2d", "waited_for": None, "instrumented": True}
                           for n in range(16)]
        self.write("seen.json", json.dumps(record))
        page = self.show("seen", "seen.json")
        self.assertEqual(page.run(marks("timeline", "pick-spans")), 16)
        text = page.run("document.querySelector('[data-chart=timeline]').textContent")
        self.assertIn("(instrumented: not the verdict)", text)
        self.assertEqual(page.run("document.querySelectorAll('[data-chart=timeline] select').length"), 0)
        self.assertIn("Instrumented: taken from an instrument's timestamps", text)

    def test_of_more_than_two_variants_with_commands_two_are_chosen(self):
        record = json.loads(self.read(self.record("sim", *COPY_OFFLOAD)))
        record["spans"] = [{"variant": v, "begin_ns": n * 1000, "end_ns": n * 1000 + 900, "queued_ns": None, "engine": "bcs",
                            "stream": 0, "lane": 0, "index": n, "what": "h2d", "waited_for": None, "instrumented": False}
                           for v in (0, 2, 3) for n in range(v + 1)]
        self.write("three.json", json.dumps(record))
        page = self.show("three", "three.json")
        self.assertEqual(page.run(marks("timeline", "pick-spans")), 1 + 4)  # the control, and what changed most
        page.run("""(() => { const s = document.querySelectorAll('[data-chart=timeline] select')[1]; s.value = '2';
          s.dispatchEvent(new Event('change')); })()""")
        page.wait_for(f"{marks('timeline', 'pick-spans')} === 1 + 3")
        self.assert_sound()

    def test_whole_programs_under_whole_tools(self):
        self.passes("exec", "--arm", "same=env X=1", "--rounds", "12", "-q", "-o", "exec.json", "--", "true")
        for width in (360, 1280):
            page = self.show("exec", "exec.json", width=width)
            self.assertEqual(page.run(marks("values", "pick-medians")), 3)
            self.assertEqual(page.run(marks("values", "pick-rounds")), 36)
            self.assertEqual(page.run(marks("order", "pick-cells")), 36)
            self.assert_sound()
            self.picture(f"exec-{width}")


@program.needs_program
class ManyTest(BrowserTest):
    def test_a_sweep_is_drawn_against_its_key(self):
        self.write("model.ini", "[model]\nname = sized\n[engine ccs]\norder = ring\nruns = kernel\n[engine bcs]\n"
                                "order = ring\nruns = copy\nrate = 1073741824\n[event sync]\nlowering = none\n"
                                "[event timing]\nlowering = command\nengine = ccs\ncost_ns = 2us\n")
        self.write("job.ini", "[job]\ndevice = sim\nmodel = model.ini\n[lane a]\nop = h2d\ncount = 16\nbytes = 1MiB\n"
                              "[lane b]\nop = kernel\ncount = 16\nns = 1ms\n")
        path = self.record("sweep", "job.ini", "--sweep", "lane.a.bytes=64KiB,256KiB,1MiB,4MiB")
        for width, dark in ((1280, False), (360, True)):
            page = self.show("sweep", path, width=width, dark=dark)
            self.assertEqual(page.run(marks("sweep", "pick-points")), 4 * 5)
            self.assert_sound()
            self.picture(f"sweep-{width}")
        # Even ratios are even distances: the axis is logarithmic.
        xs = page.run("""Array.from(document.querySelectorAll('[data-chart=sweep] .pick-points path')).slice(0, 4)
          .map((p) => p.getBoundingClientRect().left)""")
        steps = [b - a for a, b in zip(xs, xs[1:])]
        self.assertLess(max(steps) - min(steps), 2)

    def test_records_beside_each_other_open_whole_on_demand(self):
        one, two = self.record("one", *COPY_OFFLOAD), self.record("two", "--device", "sim", "--model", "own")
        for width in (360, 1280):
            page = self.show("many", one, two, width=width)
            self.assertEqual(page.run(marks("many", "pick-runs")), 2 * 5)
            self.assertEqual(page.run(marks("many-effects", "pick-runs")), 2 * 3)
            self.assert_sound()
            self.picture(f"many-{width}")
        page.run("document.querySelector('details.record').open = true")
        page.wait_for(f"{marks('overlap', 'pick-medians')} === 5")
        page.wait_for(DRAWN)
        self.assert_sound()

    def test_processes_of_a_set(self):
        path = self.record("processes", *COPY_OFFLOAD, "--processes", "2")
        page = self.show("processes", path)
        self.assertEqual(page.run(marks("many", "pick-runs")), 2 * 5)
        self.assert_sound()


@program.needs_program
class HostileTest(BrowserTest):
    def hostile(self):
        """A record whose every free string is hostile, and as long as a name may be."""
        record = json.loads(self.read(self.record("sim", *COPY_OFFLOAD)))
        for number, variant in enumerate(record["variants"]):
            variant["name"] = f"{number}{HOSTILE}" if number else "none"
            variant["armed_how"] = HOSTILE
        record["device"].update(name=HOSTILE, driver=HOSTILE, facts={HOSTILE: HOSTILE})
        record["host"]["facts"] = {HOSTILE: HOSTILE}
        record["environment"] = {HOSTILE: HOSTILE}
        record["skipped"] = {HOSTILE: HOSTILE}
        record["job"].update(name=HOSTILE, text=HOSTILE + "\n" + HOSTILE)
        record["created"] = HOSTILE
        record["tool"] = {"version": HOSTILE, "build": HOSTILE}
        record["spans"] = [{"variant": v, "begin_ns": 0, "end_ns": 1000, "queued_ns": None, "engine": HOSTILE, "stream": 0,
                            "lane": 0, "index": 0, "what": HOSTILE, "waited_for": HOSTILE, "instrumented": True}
                           for v in (0, 3)]
        self.write("hostile.json", json.dumps(record))
        return "hostile.json"

    def test_text_of_a_record_is_text(self):
        path = self.hostile()
        for name, records in (("hostile", [path]), ("hostile-many", [path, path])):
            page = self.show(name, *records, width=1280)
            page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            page.wait_for(DRAWN)
            self.assertIsNone(page.run("window.hacked"))
            self.assertEqual(page.run("document.querySelectorAll('img, iframe, object, link, base').length"), 0)
            self.assertEqual(page.run("document.querySelectorAll('script').length"), 3)
            self.assertEqual(page.run("/[\\u202e\\u2066\\u0007\\u001b]/.test(document.documentElement.outerHTML)"), False)
            self.assertIn("window.hacked = 1", page.run("document.body.innerText"))
            self.assertEqual(page.complaints, [])
            self.picture(name)
        self.show("hostile", path, width=360)
        wide, window = self.page.run("[document.documentElement.scrollWidth, window.innerWidth]")
        self.assertLessEqual(wide, window)

    def test_the_policy_stops_what_is_not_the_page_s_own(self):
        """The twin: a script, a style and a picture that were put into the page afterwards do nothing and are told."""
        self.passes("report", self.record("sim", *COPY_OFFLOAD), "--html", "planted.html")
        planted = self.read("planted.html").replace(
            b"</main>", b"<script>window.planted = 1</script><p id=p style='width:7px' onclick='window.planted = 2'>x</p>"
                        b"<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='></main>")
        self.write("planted.html", planted)
        self.page.open(self.path("planted.html"))
        self.page.wait_for(DRAWN)
        self.page.run("document.getElementById('p').click()")
        self.assertIsNone(self.page.run("window.planted"))
        self.assertNotEqual(self.page.run("document.getElementById('p').offsetWidth"), 7)
        self.assertGreaterEqual(sum("Content Security Policy" in text for text in self.page.complaints), 4)

    def test_a_collision_of_texts_would_be_seen(self):
        """The twin of the check that no text lies on another."""
        page = self.show("twin", self.record("sim", *COPY_OFFLOAD))
        page.run("document.querySelectorAll('[data-chart=effect] svg text').forEach((t) => t.setAttribute('transform', ''))")
        self.assertNotEqual(page.run(COLLISIONS), [])


@program.needs_program
class LongTest(BrowserTest):
    def test_a_hundred_thousand_rounds_are_thinned_and_said_to_be(self):
        record = json.loads(self.read(self.record("sim", *COPY_OFFLOAD)))
        first, rounds = record["rounds"][0], 100_000
        record["rounds"] = "ROUNDS"
        record["settings"]["max_rounds"] = rounds
        first["round"] = "NUMBER"
        line = json.dumps(first)
        head, tail = json.dumps(record).split('"ROUNDS"')
        with open(self.path("long.json"), "w", encoding="utf-8") as file:
            file.write(head + "[")
            file.writelines((",\n" if n else "") + line.replace('"NUMBER"', str(n + 1)) for n in range(rounds))
            file.write("]" + tail)
        page = self.show("long", "long.json")
        self.assertLess(os.path.getsize(self.path("long.html")), 2_000_000)
        points = page.run(marks("rounds", "pick-rounds"))
        self.assertGreater(points, 1000)
        self.assertLess(points, 5000)
        self.assertIn("100000 rounds are drawn as", page.run("document.querySelector('[data-chart=rounds]').innerText"))
        page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        self.assertIn("The first 200 of 100000 rounds", page.run("document.querySelector('[data-chart=rounds]').innerText"))
        self.assert_sound()
        self.picture("long")


if __name__ == "__main__":
    program.main()
