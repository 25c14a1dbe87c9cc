# SPDX-License-Identifier: Apache-2.0
"""Files that the command is given open: what was given for reading is not
written, although the mount behind a descriptor is the caller's."""
import os

import pytest

REOPEN = "echo evil >> /proc/self/fd/{}"


def hook(lab):
    lab.repository()
    return lab.file("work/.git/hooks/pre-commit", "old\n"), []


def locked(lab):
    return lab.file("work/locked", "old\n"), ["--deny-write", "locked"]


def locked_below(lab):
    f = lab.file("work/a/dir/f", "old\n")
    return f, ["--deny-write", f.parent]


def matched(lab):
    return lab.file("work/a/x.lock", "old\n"), ["--deny-write", "**/*.lock"]


def hidden(lab):
    return lab.file("work/key", "old\n"), ["--deny-read", "key"]


def named_twice(lab):
    f = lab.file("work/.mcp.json", "old\n")
    os.link(f, lab.work / "alias")
    return lab.work / "alias", []


def protected(lab):
    return lab.file("work/.mcp.json", "old\n"), []


KEPT = [protected, hook, locked, locked_below, matched, hidden, named_twice]


@pytest.mark.parametrize("kept", KEPT, ids=lambda k: k.__name__)
def test_a_kept_file_in_the_workspace_is_not_given(lab, kept):
    f, opts = kept(lab)
    script = ["sh", "-c", REOPEN.format(0)]
    with open(f) as inp:
        lab.refuses("standard input", str(f), "pipe", opts=opts, stdin=inp)
        assert lab.run(*script, opts=opts, stdin=inp).code == 125
        assert f.read_text() == "old\n"
        assert lab.host(*script, stdin=inp).ok
        assert "evil" in f.read_text()                          # control
    f.write_text("old\n")
    r = lab.run("cat", opts=opts, input=f.read_text())          # the remedy
    assert r.ok and r.out == "old\n", r


@pytest.mark.parametrize("kept", [protected, hook], ids=lambda k: k.__name__)
def test_nor_as_another_descriptor(lab, kept):
    f, opts = kept(lab)
    free = lab.file("work/free", "old\n")
    script = ["sh", "-c", REOPEN.format("$0")]
    for flags in (os.O_RDONLY, os.O_PATH):
        fd = os.open(f, flags)
        opts = ["--pass-fd", str(fd)]
        try:
            lab.refuses(f"descriptor {fd}", str(f), "pipe", opts=opts,
                        pass_fds=[fd])
            free.write_text("old\n")
            os.close(fd)
            assert os.open(free, flags) == fd
            r = lab.run(*script, str(fd), opts=opts, pass_fds=[fd])
            assert r.ok and "evil" in free.read_text(), r       # control
        finally:
            os.close(fd)
    assert f.read_text() == "old\n"


def test_what_may_be_written_may_be_given(lab):
    """A file of the workspace, one elsewhere, and one open for writing."""
    free = lab.file("work/free", "old\n")
    with open(free) as inp:
        assert lab.sh(REOPEN.format(0), stdin=inp).ok
    assert "evil" in free.read_text()
    outside = lab.file("outside/f", "old\n")
    with open(outside) as inp:
        assert lab.run("cat", stdin=inp).out == "old\n"
        assert not lab.sh(REOPEN.format(0), stdin=inp).ok
    assert outside.read_text() == "old\n"
    f, _ = protected(lab)
    with open(f, "r+") as inp, open(f, "a") as out:
        assert lab.sh("echo more >&0", stdin=inp).ok
        assert lab.sh("echo more", stdout=out).ok


def test_a_file_without_a_name_may_be_given(lab):
    """As shells do for a here-document."""
    f, _ = protected(lab)
    with open(f) as inp:
        os.link(f, lab.outside / "other")
        f.unlink()
        lab.refuses("standard input", str(f), stdin=inp)
        (lab.outside / "other").unlink()
        assert lab.run("cat", stdin=inp).out == "old\n"


def test_a_file_that_lost_its_name_is_not_given(lab):
    """It has another, which the box could not reach by itself."""
    f = lab.file("work/free", "old\n")
    other = lab.outside / "other"
    with open(f) as inp:
        lab.starts(stdin=inp)                                   # control
        os.link(f, other)
        f.unlink()
        lab.refuses("standard input", str(f), "pipe", stdin=inp)


def test_a_name_that_only_looks_deleted(lab):
    f = lab.file("work/x (deleted)", "old\n")
    lab.file("work/x", "old\n")
    with open(f) as inp:
        lab.refuses("standard input", str(f), opts=["--deny-write", f], stdin=inp)
        lab.starts(opts=["--deny-write", "x"], stdin=inp)


def test_explain_is_given_nothing(lab):
    f, _ = protected(lab)
    with open(f) as inp:
        r = lab.cli("explain", "write", "x", stdin=inp)
        assert r.ok and "allowed" in r.out, r
        r = lab.cli("plan", stdin=inp)
        assert not r.ok and "standard input" in r.err, r


@pytest.mark.only_root
@pytest.mark.parametrize("kept", [protected, hook, locked_below],
                         ids=lambda k: k.__name__)
def test_another_mount_of_the_workspace_is_no_way_around(lab, kept):
    f, opts = kept(lab)
    free = lab.file("work/free", "old\n")
    again = lab.base / "again"
    again.mkdir()
    script = ('mount --bind "$1" "$2" && f=$3 && shift 3 && '
              'exec "$@" <"$f"')

    def through(f, *argv):
        return lab.host("unshare", "-m", "sh", "-c", script, "sh", lab.work,
                        again, again / f.relative_to(lab.work), *argv)

    cordon = [lab.cordon, "run", *opts, "--", "sh", "-c", REOPEN.format(0)]
    through(f, *cordon).refused("standard input", "pipe")
    assert f.read_text() == "old\n"
    assert through(free, *cordon).ok and "evil" in free.read_text()
    assert through(f, *cordon[-3:]).ok and "evil" in f.read_text()  # control
