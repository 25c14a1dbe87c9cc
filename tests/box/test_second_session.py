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


def test_other_names_of_read_only_files_are_read_only(lab):
    lab.repository()
    for name in (".mcp.json", "locked", ".git/config"):
        f = lab.work / name
        if not f.exists():
            f.write_text("one\n")
        os.link(f, lab.work / ("link-" + name.replace("/", "-")))
    for link in ("link-.mcp.json", "link-locked", "link-.git-config"):
        before = (lab.work / link).read_text()
        r = lab.sh(f"echo evil >> {link}", opts=["--deny-write", "locked"])
        assert r.code != 0 and (lab.work / link).read_text() == before, link
    # control: a file with two names that no rule is about
    (lab.work / "free").write_text("one\n")
    os.link(lab.work / "free", lab.work / "free2")
    assert lab.sh("echo two >> free2").code == 0
