# SPDX-License-Identifier: Apache-2.0
"""Every step of the set-up made to fail: exit 125, the step named, the
command's marker file absent, nothing left. Needs a build with -Dfaults=true;
CORDON_STEPS lists the steps (tests/run reads them from the sources)."""
import os

import pytest

from lab import HOST_NETWORK

STEPS = os.environ.get("CORDON_STEPS", "").split()


def test_there_are_steps():
    assert len(STEPS) > 5


@pytest.mark.parametrize("step", STEPS)
def test_step_that_fails_stops_the_run(lab, step):
    lab.env["CORDON_FAULT"] = step
    r = lab.refuses(step)
    assert "fault" in r.err, r
    r = lab.refuses(step, opts=HOST_NETWORK)
    del lab.env["CORDON_FAULT"]
    lab.starts()                        # control: without the fault


@pytest.mark.parametrize("step", STEPS)
def test_json_names_the_step_too(lab, step):
    lab.env["CORDON_FAULT"] = step
    r = lab.run("touch", lab.work / "marker", opts=["--json"])
    out = r.outcome()
    assert r.code == 125 and out["outcome"] == "setup", r
    assert step in out["error"] and not (lab.work / "marker").exists(), out


def test_unknown_step_changes_nothing(lab):
    lab.env["CORDON_FAULT"] = "no-such-step"
    lab.starts()
