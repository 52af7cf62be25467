"""Tests of testing/dependencies: ranges of versions, licences, and rows of advisories."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
PATH = str(pathlib.Path(__file__).with_name("dependencies"))
LOADER = importlib.machinery.SourceFileLoader("dependencies", PATH)
dependencies = importlib.util.module_from_spec(importlib.util.spec_from_loader("dependencies", LOADER))
LOADER.exec_module(dependencies)

ROWS = [("RUSTSEC-1", "one", "vulnerability", ">= 1.2.3, < 2.0.0;>= 2.0.4", "< 1.1.0"), ("RUSTSEC-2", "two", "notice", "", "")]


class Dependencies(unittest.TestCase):
    def test_ranges_hold_as_those_of_cargo(self):
        inside = [
            (">= 1.2.3", "1.2.3"), ("^0.2.3", "0.2.9"), ("~1.2", "1.2.9"), ("= 1.0.0", "1.0.0"), ("1.2", "1.9.0"),
            ("< 0.3.0", "0.3.0-rc.1"), ("^0.0.3", "0.0.3"), ("*", "9.9.9"), ("^0", "0.9.1"),
            ("> 1.0.0-alpha.2", "1.0.0-alpha.10"), ("= 1.0", "1.0.7"), ("1.2.*", "1.2.5"),
        ]
        outside = [
            (">= 1.2.3", "1.2.2"), ("^0.2.3", "0.3.0"), ("~1.2", "1.3.0"), ("^1", "2.0.0"), ("^0.0.3", "0.0.4"),
            ("^0", "1.0.0"), ("= 1.0.0", "1.0.1"), ("> 1.0.0", "1.0.0-rc.1"),
        ]
        for requirement, version in inside:
            self.assertTrue(dependencies.holds(requirement, version), f"{requirement} {version}")
        for requirement, version in outside:
            self.assertFalse(dependencies.holds(requirement, version), f"{requirement} {version}")

    def test_licences_are_expressions(self):
        allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"]
        for good in ["MIT", "MIT/GPL-3.0", "(GPL-3.0 OR MIT) AND Zlib", "Apache-2.0 WITH LLVM-exception"]:
            self.assertTrue(dependencies.is_allowed(good, allowed), good)
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR Zlib) AND GPL-3.0", "Apache-2.0"]:
            self.assertFalse(dependencies.is_allowed(bad, allowed), bad)

    def test_advisories_name_versions_that_have_the_hole(self):
        for version, count in [("1.0.9", 0), ("1.1.0", 1), ("1.2.3", 0), ("2.0.0", 1), ("2.0.4", 0)]:
            found, _ = dependencies.advisories({"one": [version]}, ROWS, {})
            self.assertEqual(len(found), count, version)
        self.assertEqual(dependencies.advisories({"one": ["1.1.0"]}, ROWS, {"RUSTSEC-1": "why"})[0], [])
        self.assertEqual(len(dependencies.advisories({}, ROWS, {"RUSTSEC-1": "why"})[0]), 1)
        found, notes = dependencies.advisories({"two": ["3.0.0"]}, ROWS, {})
        self.assertEqual((found, len(notes)), ([], 1))

    def test_a_second_version_needs_a_reason(self):
        self.assertEqual(len(dependencies.check_versions({"a": ["1", "2"]}, {})), 1)
        self.assertEqual(len(dependencies.check_versions({"a": ["1"]}, {"a": "why"})), 1)
        self.assertEqual(dependencies.check_versions({"a": ["1", "2"]}, {"a": "why"}), [])

    def test_the_kept_rows_can_be_read(self):
        rows, _ = dependencies.stored()
        self.assertGreater(len(rows), 1000)
        for _, _, _, patched, unaffected in rows:
            for part in filter(None, ";".join([patched, unaffected]).replace(";", ",").split(",")):
                dependencies.holds(part, "1.0.0")


if __name__ == "__main__":
    unittest.main()
