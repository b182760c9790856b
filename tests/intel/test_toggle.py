"""confound exec --toggle timing inside a Level Zero program, on Intel's driver and the emulated GPU. In real time: a busy
machine may leave a verdict open, but never give the wrong one."""

import json
import os

from intel import BUILD, CONFOUND, KERNELS, IntelTest, emulate, main

MIB = 1 << 20
PROGRAM = os.path.join(BUILD, "stub", "inject", "level-zero-loaded")


class Toggle(IntelTest):
    def beside(self, spans):
        """How many copies of a megabyte overlap a kernel, by the engines' schedule."""
        with open(spans, encoding="utf-8") as lines:
            spans = [json.loads(line) for line in lines]
        kernels = [s for s in spans if s["kind"] == "kernel"]
        copies = [s for s in spans if s["kind"] == "copy" and s["reads_bytes"] == MIB]
        self.assertGreaterEqual(len(copies), 30)
        return sum(any(c["begin_ns"] < k["end_ns"] and k["begin_ns"] < c["end_ns"] for k in kernels) for c in copies)

    def toggled(self, mode, steps=60, rounds=3):
        """The record and the judgement; copies beside a kernel, alone and toggled."""
        names = [self.path(f"{name}-{mode}") for name in ("alone", "spans", "record", "kept")]
        alone = emulate(PROGRAM, "5", "3000", mode, KERNELS, options=["--spans", names[0]])
        self.assertIn(" 0 complaints", self.ends_well(alone))
        done = emulate(CONFOUND, "exec", "--toggle", "timing", "--rounds", str(rounds), "--min-rounds", str(rounds),
                       "--keep", names[3], "-o", names[2], "--", PROGRAM, str(steps), "3000", mode, KERNELS,
                       options=["--spans", names[1]])
        self.ends_well(done)
        with open(os.path.join(names[3], "out"), encoding="utf-8") as out:
            self.assertRegex(out.read(), rf"^{steps} steps, \d+ times, 0 complaints\n$")
        judged = json.loads(emulate(CONFOUND, "judge", names[2], "--json", "-").stdout)
        with open(names[2], encoding="utf-8") as file:
            record = json.load(file)
        self.assertEqual(len(record["rounds"]), rounds)
        stripped = next(v for v in record["variants"] if v["name"] == "stripped")
        self.assertEqual((stripped["armed"], stripped["armed_count"]), (True, 2 * rounds))
        effect = next(v for v in judged["variants"] if v["name"] == "stripped")["effect"]
        return effect, self.beside(names[0]), self.beside(names[1])

    def test_global_timestamps_cost_the_overlap_and_stripped_steps_have_it_back(self):
        effect, alone, toggled = self.toggled("stamps", 180, 16)
        self.assertEqual(alone, 0)
        self.assertGreater(toggled, 20)
        self.assertIn((effect["verdict"], effect["direction"]), (("confounded", "faster"), ("inconclusive", None)))

    def test_the_copies_own_timestamp_events_cost_none(self):
        effect, alone, _ = self.toggled("events", 180, 16)
        self.assertGreater(alone, 0)
        self.assertNotEqual(effect["verdict"], "confounded")

    def test_answers_and_data_survive_on_the_driver(self):
        for mode in ("signals", "counter", "fresh"):
            with self.subTest(mode):
                self.toggled(mode)


if __name__ == "__main__":
    main()
