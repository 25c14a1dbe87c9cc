#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the plan of every case with the expected one.

    run.py PROGRAM [CASE...]        UPDATE=1 rewrites what is expected
"""
import difflib
import os
import pathlib
import subprocess
import sys

CASES = pathlib.Path(__file__).resolve().parent / "cases"


def run_case(program, case):
    done = subprocess.run([program, case / "policy.yaml", case / "world"],
                          text=True, capture_output=True)
    if done.returncode:
        return None, done.stderr
    return done.stdout, ""


def main():
    program, *names = sys.argv[1:]
    cases = [CASES / n for n in names] or sorted(
        p for p in CASES.iterdir() if p.is_dir())
    bad = 0
    for case in cases:
        got, error = run_case(program, case)
        expected = case / "plan.txt"
        if got is not None and os.environ.get("UPDATE") == "1":
            expected.write_text(got)
        want = expected.read_text() if expected.exists() else ""
        if got is not None and got == want and want:
            print(f"ok {case.name}")
            continue
        bad += 1
        print(f"not ok {case.name}")
        print("".join(difflib.unified_diff(
            want.splitlines(True), (got or error).splitlines(True),
            "expected", "got")))
    if not cases:
        print("no cases")
    return bool(bad or not cases)


if __name__ == "__main__":
    sys.exit(main())
