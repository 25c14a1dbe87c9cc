# SPDX-License-Identifier: Apache-2.0
"""What a box leaves behind must not open the next one."""
import os

import pytest


@pytest.mark.skipif(os.geteuid() == 0, reason="root enters any directory")
def test_a_closed_directory_stops_the_next_start(lab):
    """Nothing could be said about names in it, and a box could reopen it."""
    closed = lab.work / ".claude"
    closed.mkdir()
    assert lab.sh("chmod 0 .claude").code == 0
    r = lab.sh("chmod 700 .claude; echo evil > .claude/settings.json")
    closed.chmod(0o700)
    assert r.code == 125 and ".claude" in r.err, r
    assert os.listdir(closed) == []
    # control: an open one is no obstacle
    assert lab.sh("true").code == 0


def test_a_git_directory_cannot_be_moved_away(lab):
    lab.repository()
    for act in ("mv .git .g2", "mv .git/info .git/i2"):
        assert lab.sh(act).code != 0, act
    # control: a directory that leads to nothing protected can be moved
    (lab.work / "plain").mkdir()
    assert lab.sh("mv plain moved").code == 0
