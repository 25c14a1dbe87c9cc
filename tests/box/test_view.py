# SPDX-License-Identifier: Apache-2.0
"""What a box sees besides files: views, streams, descriptors, devices."""
import os
import subprocess

import pytest

from test_files import deny


def test_minimal_view_shows_only_what_is_granted(lab):
    f = lab.file("outside/f", "f\n")
    g = lab.file("outside/granted/g", "g\n")
    p = lab.policy(filesystem={"view": "minimal",
                               "allow_read": [str(g.parent)]})
    assert lab.run("cat", f).ok                                 # host view
    assert not lab.run("cat", f, policy=p).ok
    assert lab.run("cat", g, policy=p).out == "g\n"
    assert lab.sh("echo hi > made && cat made && pwd", policy=p).ok
    r = lab.run("ls", lab.base, policy=p)
    assert "home" not in r.lines and "policies" not in r.lines, r


def test_standard_input_that_is_a_directory_is_refused(lab):
    fd = os.open(lab.outside, os.O_RDONLY)
    try:
        lab.refuses("standard input", "directory", stdin=fd)
    finally:
        os.close(fd)
    with open("/dev/null") as f:
        lab.starts(stdin=f)


def test_reopen_stdin_for_writing_fails(lab):
    """Landlock alone stops this: the mount behind it is the caller's."""
    f = lab.file("outside/in", "old\n")
    script = ["sh", "-c", "echo evil >> /proc/self/fd/0; echo evil > /dev/stdin"]
    with open(f) as inp:
        lab.host(*script, stdin=inp)
    assert "evil" in f.read_text()                              # control
    f.write_text("old\n")
    with open(f) as inp:
        lab.run(*script, stdin=inp)
    assert f.read_text() == "old\n"


def test_output_redirected_to_a_file_works(lab):
    out = lab.outside / "log"
    with open(out, "w") as f:
        r = lab.run("echo", "logged", stdout=f)
    assert r.ok and out.read_text() == "logged\n"


def test_inherited_descriptors_are_closed(lab):
    f, token = lab.secret("outside/f")
    fd, d = os.open(f, os.O_RDWR), os.open(lab.outside, os.O_RDONLY)
    script = ("import os\nfor n in range(3, 300):\n"
              " try: os.fstat(n); print('open', n)\n"
              " except OSError: pass\n")
    try:
        keep = {"pass_fds": (fd, d)}
        assert f"open {fd}" in lab.host("python3", "-c", script, **keep).out
        r = lab.run("python3", "-c", script, **keep)
        assert r.ok and r.out == "", r
    finally:
        os.close(fd)
        os.close(d)


def test_descriptors_of_a_plain_command(lab):
    r = lab.sh("ls /proc/self/fd | tr '\\n' ' '")
    assert r.out == "0 1 2 3 ", r       # 3 is the directory ls reads


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6755])
def test_set_id_bits_cannot_be_left_behind(lab, mode):
    f = lab.work / "tool"
    script = f"cp /bin/true tool && chmod {mode:o} tool"
    assert lab.host("sh", "-c", script).ok and f.stat().st_mode & 0o6000
    f.unlink()
    lab.sh(script)
    assert not f.exists() or not f.stat().st_mode & 0o6000


def test_dev_is_minimal(lab):
    names = set(lab.run("ls", "/dev").out.split())
    allowed = {"null", "zero", "full", "random", "urandom", "tty", "ptmx",
               "pts", "shm", "fd", "stdin", "stdout", "stderr", "console",
               "mqueue", "core"}
    assert {"null", "zero", "urandom", "tty", "pts"} <= names
    assert names <= allowed, names - allowed
    assert lab.sh("echo x > /dev/null && head -c4 /dev/urandom >/dev/null").ok


def test_run_and_sys_show_nothing_of_the_host(lab):
    r = lab.run("ls", "-A", "/run")
    assert set(r.out.split()) <= {"cordon", "user", "lock"}, r
    r = lab.sh("find /sys -writable -type f 2>/dev/null | head -3")
    assert r.out == "", r


def test_big_directory_of_denies_keeps_order(lab):
    """A hundred rules at once, each holds."""
    tokens = [lab.secret(f"work/s{i}/k") for i in range(100)]
    p = deny(lab, *[f.parent for f, _ in tokens])
    r = lab.sh("cat s*/k", policy=p)
    assert "SECRET" not in r.out, r
    assert subprocess.run(["cat", tokens[0][0]], text=True,
                          capture_output=True).stdout
