"""No room includes what the map does not allow it, and the check sees a planted include that does."""

import os
import re
import shutil
import tempfile
import unittest

import layers

ROOT = os.environ["CONFOUND_SOURCE"]
MEASURING = {"model", "device", "workload", "instrument", "run"}
JUDGING = {"record", "stats", "verdict", "report", "plan"}


class Map(unittest.TestCase):
    def test_no_include_breaks_the_map(self):
        self.assertEqual(layers.violations(ROOT), [])

    def test_the_map_names_the_rooms(self):
        rooms = layers.read_map(ROOT)
        self.assertLessEqual(MEASURING | JUDGING | {"base", "api", "cli"}, set(rooms))
        self.assertEqual(rooms["base"], set())

    def test_the_map_that_people_read_is_the_one_that_is_enforced(self):
        rooms = layers.read_map(ROOT)
        with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `(?:src/)?(\w+)/` \|.*\| ([^|]+) \|$", file.read(), re.MULTILINE)
        said = {room: set(may.split()) for room, may in rows}
        said["base"] = set()
        said["api"] = set(rooms) - {"api", "cli", "plan", "toggle", "inject", "emulator"}
        said["cli"] = set(rooms) - {"cli", "inject", "emulator"}
        self.assertEqual(said, rooms)

    def test_nothing_flows_back(self):
        rooms = layers.read_map(ROOT)
        for room in rooms:
            self.assertNotIn(room, layers.reach(rooms, room), "a circle")

    def test_what_judges_reaches_no_device(self):
        rooms = layers.read_map(ROOT)
        for room in JUDGING:
            self.assertEqual(layers.reach(rooms, room) & MEASURING, set(), room)


class Planted(unittest.TestCase):
    """In a copy of the tree, so that what is planted is all that is wrong."""

    def setUp(self):
        self.copy = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.copy)
        shutil.copy(os.path.join(ROOT, "CMakeLists.txt"), self.copy)
        shutil.copytree(os.path.join(ROOT, "src"), os.path.join(self.copy, "src"))
        shutil.copytree(os.path.join(ROOT, "emulator"), os.path.join(self.copy, "emulator"))
        self.before = layers.violations(self.copy)

    def plant(self, path, text):
        target = os.path.join(self.copy, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        return [line for line in layers.violations(self.copy) if line not in self.before]

    def seen(self, path, text, words):
        found = self.plant(path, text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(f"{path}:2: ", found[0])
        self.assertIn(words, found[0])

    def test_stats_with_a_device_is_seen(self):
        self.seen("src/stats/planted.c", '\n#include "device/device.h"\n', "stats may not include device")

    def test_the_model_with_a_header_in_a_subfolder_is_seen(self):
        self.seen("src/model/deep/planted.h", '\n#include "device/sim/solve.h"\n', "model may not include device")

    def test_the_emulator_with_the_queueing_model_is_seen(self):
        self.seen("emulator/planted.c", '\n#include "model/model.h"\n', "emulator may not include model")

    def test_a_device_with_the_emulator_is_seen(self):
        self.seen("src/device/planted.c", '\n#include "emulator/kernel.h"\n', "device may not include emulator")

    def test_angle_brackets_hide_nothing(self):
        self.seen("src/verdict/planted.c", "\n#  include <run/run.h>\n", "verdict may not include run")

    def test_dots_hide_nothing(self):
        self.seen("src/record/planted.c", '\n#include "../run/run.h"\n', "not by ..")

    def test_a_room_with_the_public_api_is_seen(self):
        self.seen("src/base/planted.c", "\n#include <confound/confound.h>\n", "base may not include the public API")

    def test_a_folder_that_is_no_room_is_seen(self):
        found = self.plant("src/attic/planted.c", "int x;\n")
        self.assertEqual(found, ["src/attic: no room in CMakeLists.txt has that name"])

    def test_an_allowed_include_is_not_seen(self):
        self.assertEqual(self.plant("src/stats/planted.c", '#include "base/text.h"\n#include <math.h>\n'), [])


if __name__ == "__main__":
    unittest.main()
