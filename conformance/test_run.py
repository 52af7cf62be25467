"""Tests of run.py with a program that prints what deqp-vk prints: `python3 -m unittest conformance/test_run.py`."""

import importlib.util
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

RUN = pathlib.Path(__file__).resolve().parent / "run.py"
spec = importlib.util.spec_from_file_location("conformance_run", RUN)
run = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run)

# Cases say in their names what becomes of them.
PROGRAM = """#!/usr/bin/env python3
import os, sys, time
options = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
for case in open(options["--deqp-caselist-file"]).read().split():
    print(f"Test case '{case}'..", flush=True)
    if "crash" in case:
        os.abort()
    if "hang" in case:
        time.sleep(60)
    verdict = next((v for v in ["NotSupported", "Fail"] if v in case), "Pass")
    print(f"  {verdict} (said of {case})", flush=True)
"""


class Sample(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.program = self.path / "deqp-vk"
        self.program.write_text(PROGRAM)
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        (self.path / "driver.json").write_text("{}")

    def tearDown(self):
        self.folder.cleanup()

    def sample(self, cases, *more):
        (self.path / "cases.txt").write_text("\n".join(cases))
        command = [sys.executable, RUN, "sample", "--deqp", self.program, "--icd", self.path / "driver.json"]
        command += ["--cases", self.path / "cases.txt", "--out", self.path / "out", *more]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        return done, run.read_results(self.path / "out")

    def test_a_crash_costs_only_its_case(self):
        cases = ["dEQP-VK.a.one", "dEQP-VK.a.crash", "dEQP-VK.b.two", "dEQP-VK.b.NotSupported"]
        done, results = self.sample(cases)
        verdicts = {case: result.verdict for case, result in results.items()}
        self.assertEqual(verdicts, dict(zip(cases, ["Pass", "Crash", "Pass", "NotSupported"])))
        self.assertEqual(done.returncode, 1)
        self.assertIn("Crash: dEQP-VK.a.crash", done.stdout)

    def test_a_case_without_end_is_ended(self):
        _, results = self.sample(["dEQP-VK.a.hang", "dEQP-VK.a.one"], "--case-seconds", "1")
        self.assertEqual(results["dEQP-VK.a.hang"].verdict, "Timeout")
        self.assertEqual(results["dEQP-VK.a.one"].verdict, "Pass")

    def test_what_has_a_result_is_not_run_again(self):
        self.assertEqual(self.sample(["dEQP-VK.a.one"])[0].returncode, 0)
        done, _ = self.sample(["dEQP-VK.a.one"])
        self.assertEqual((done.returncode, done.stderr), (2, "error: no case is left to run\n"))

    def test_waived_failures_are_no_failures(self):
        waived = "dEQP-VK.mesh_shader.nv.in_out.all_types.permutation_Fail"
        done, _ = self.sample([waived])
        self.assertEqual(done.returncode, 0)
        self.assertIn("Waiver", done.stdout)
        self.assertEqual(self.sample(["dEQP-VK.mesh_shader.nv.Fail"])[0].returncode, 1)

    def test_an_absent_driver_is_an_error(self):
        (self.path / "driver.json").unlink()
        done, _ = self.sample(["dEQP-VK.a.one"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such driver", done.stderr)


class Logs(unittest.TestCase):
    def test_results_and_broken_ends_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "TestResults-x86_64-1-of-1.qpa"
            log.write_text(
                "#beginTestCaseResult dEQP-VK.a\n"
                '<Result StatusCode="Pass">fine</Result>\n'
                "#endTestCaseResult\n"
                "#beginTestCaseResult dEQP-VK.b\n"
                "#terminateTestCaseResult Timeout\n"
                "#beginTestCaseResult dEQP-VK.c\n"
            )
            verdicts = {case: result.verdict for case, result in run.read_log(log).items()}
        self.assertEqual(verdicts, {"dEQP-VK.a": "Pass", "dEQP-VK.b": "Timeout", "dEQP-VK.c": "Crash"})


if __name__ == "__main__":
    unittest.main()
