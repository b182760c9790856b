#!/usr/bin/env python3
"""`confound devices`: what is there, what each can do, why a backend is absent, and what auto takes."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import program  # noqa: E402


@program.needs_program
class DevicesTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.listed = self.passes("devices", "--json").json()
        self.backends = {backend["name"]: backend for backend in self.listed}

    def test_every_backend_is_there_with_its_devices_or_the_reason_why_not(self):
        self.assertLessEqual({"cuda", "opencl", "sim", "soft"}, set(self.backends))
        for backend in self.listed:
            self.assertEqual(backend["because"] is None, backend["usable"])
            if not backend["usable"]:
                self.assertEqual(backend["devices"], [])
                self.assertTrue(backend["because"])
            for number, device in enumerate(backend["devices"]):
                self.assertEqual(device["name"], f"{backend['name']}:{number}")
                self.assertIn(device["kind"], ("gpu", "cpu", "accelerator", "software"))

    def test_exactly_one_is_what_auto_takes_and_a_line_says_why(self):
        taken = [backend for backend in self.listed if backend["default"]]
        self.assertEqual(len(taken), 1)
        self.assertEqual([b["name"] for b in self.listed if b["auto"]], [taken[0]["name"]])
        self.assertTrue(taken[0]["why"])
        marked = [d["name"] for b in self.listed for d in b["devices"] if d["auto"]]
        self.assertEqual(marked, [taken[0]["auto"]] if taken[0]["devices"] else [])

    def test_instruments_are_those_that_the_backend_offers(self):
        names = {name: {i["name"] for i in backend["instruments"]} for name, backend in self.backends.items()}
        for offered in names.values():
            self.assertLessEqual({"sync", "timing", "host-sync"}, offered)
            self.assertNotIn("one-queue", offered)
        self.assertIn("profiling-queue", names["opencl"])
        self.assertNotIn("profiling-queue", names["sim"] | names["cuda"])
        self.assertEqual({n for n in names["sim"] if n.startswith("cupti")}, set())

    def test_settings_have_values_that_a_job_takes(self):
        settings = {s["name"]: s["values"] for s in self.backends["opencl"]["settings"]}
        self.assertEqual(settings["memory"], ["pinned", "pageable"])
        refused = self.confound("run", "--device", "opencl", "--set", "device.memory=borrowed")
        self.assertIn("pinned or pageable", refused.err)

    def test_an_absent_loader_is_explained(self):
        absent = self.passes("devices", env={"OCL_ICD_VENDORS": self.folder, "OCL_ICD_FILENAMES": None}).out
        self.assertIn("auto", absent)
        if self.backends["cuda"]["usable"]:
            self.skipTest("there is a CUDA driver here")
        self.assertRegex(absent, r"absent +no CUDA driver")

    def test_the_text_fits_80_columns_and_marks_what_auto_takes(self):
        out = self.passes("devices").out
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        for backend in self.listed:
            self.assertIn(backend["name"], out)
            for device in backend["devices"]:
                self.assertIn(device["name"] + (" *" if device["auto"] else ""), out)


if __name__ == "__main__":
    program.main()
