# SPDX-License-Identifier: Apache-2.0
"""Nothing outlives a run, nothing is left behind, many runs share a place."""
import contextlib
import json
import os
import select
import signal
import socket
import subprocess

import pytest

from events import parse as parse_events

SOAK = os.environ.get("CORDON_SOAK") == "1"
soak = pytest.mark.soak


def wait_line(stream, want, deadline=20):
    """Reads until a line holds @want; fails at the deadline."""
    got = b""
    while want not in got:
        ready, _, _ = select.select([stream], [], [], deadline)
        assert ready, f"no {want!r} in {got!r}"
        data = os.read(stream.fileno(), 4096)
        assert data, f"end of file before {want!r}: {got!r}"
        got += data
    return got


def wait_eof(fd, deadline=10):
    """The other end of a pipe is gone when it reads as ended."""
    while True:
        ready, _, _ = select.select([fd], [], [], deadline)
        assert ready, "a process of the box still holds the pipe"
        if not os.read(fd, 4096):
            return


def live_box(lab, script="echo ready; exec cat", **kw):
    p = lab.spawn("sh", "-c", script, **kw)
    wait_line(p.stdout, b"ready")
    return p


DAEMON = ("(setsid sh -c 'trap \"\" TERM HUP INT; echo ready; "
          "while :; do read x < /dev/zero; done' &) ; ")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_death_of_the_supervisor_ends_the_box(lab, how):
    before = lab.tree()
    r, w = os.pipe()
    p = lab.spawn("sh", "-c", DAEMON + "trap '' TERM; echo ready; cat",
                  stdout=subprocess.PIPE, stderr=w)
    os.close(w)
    wait_line(p.stdout, b"ready")
    for _ in range(100):        # the second SIGTERM that arrives escalates
        p.send_signal(how)
        try:
            p.wait(0.2)
            break
        except subprocess.TimeoutExpired:
            continue
    assert p.returncode is not None
    wait_eof(p.stdout.fileno())
    wait_eof(r)
    os.close(r)
    p.stdin.close()
    assert lab.tree() == before


def test_leftovers_end_with_the_command(lab):
    p = lab.spawn("sh", "-c", DAEMON + "exit 3")
    assert p.wait(20) == 3
    wait_eof(p.stdout.fileno())


def test_T_034_nothing_visible_on_the_host_meanwhile_or_afterwards(lab):
    lab.repository()
    opts = ["--deny-write", lab.work / ".mcp.json", "--allow-write", lab.home]
    before = lab.tree()
    p = live_box(lab, opts=opts)
    assert lab.tree() == before
    p.kill()
    p.wait(20)
    wait_eof(p.stdout.fileno())
    assert lab.tree() == before


ABSENT = [("work", ".mcp.json"), ("work", ".vscode/tasks.json"),
          ("work", ".git/hooks/x"), ("work", ".cordon.yaml"),
          ("work", ".envrc"), ("home", ".bashrc"), ("home", ".zshenv"),
          ("home", ".gitconfig"), ("home", ".ssh/authorized_keys"),
          ("home", ".config/git/config")]
CREATE = {
    "open": 'echo x > "$1"', "mkdir": 'mkdir "$1"',
    "rename": 'echo x > t.tmp; mv t.tmp "$1"', "link": 'echo x > t; ln t "$1"',
    "symlink": 'ln -s /etc/hostname "$1"', "fifo": 'mkfifo "$1"',
    "python": 'python3 -c "open(\'$1\', \'w\').write(\'x\')"',
    "cp": 'cp /etc/hostname "$1"',
}


@pytest.mark.parametrize("root,name", ABSENT)
def test_T_033_absent_protected_names_cannot_be_created(lab, root, name):
    lab.repository()
    path = lab.base / root / name
    opts = ["--allow-write", lab.home]
    for how, act in CREATE.items():
        r = lab.sh(f'mkdir -p "$(dirname "$1")"; {act}', path, opts=opts)
        assert not path.exists() and not path.is_symlink(), (how, r)
    # control: a name that nobody protects
    other = path.parent / "plain-name"
    if path.parent.exists() and ".git" not in name and ".ssh" not in name:
        assert lab.sh('echo x > "$1"', other, opts=opts).ok


@pytest.mark.parametrize("how", CREATE)
def test_T_033_deny_write_of_a_name_that_does_not_exist(lab, how):
    path = lab.work / "later"
    assert lab.sh(CREATE[how], path).ok and os.path.lexists(path)   # control
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink()
    r = lab.sh(CREATE[how], path, opts=["--deny-write", path])
    assert not r.ok and not os.path.lexists(path), r
    assert "later" in r.err, r      # the report names it


def test_T_033_host_may_create_it_meanwhile_and_nothing_is_lost(lab):
    path = lab.work / "later"
    p = live_box(lab, "echo ready; read x; cat later; echo evil >> later; "
                 "echo done; cat", opts=["--deny-write", path])
    path.write_text("of the host\n")
    p.stdin.write(b"go\n")
    p.stdin.flush()
    wait_line(p.stdout, b"done")
    p.stdin.close()
    p.wait(20)
    assert path.read_text() == "of the host\n"


def test_report_and_json_name_what_was_refused(lab):
    r = lab.sh("echo x > .mcp.json")
    assert not r.ok
    assert ".mcp.json" in r.err and "cordon: " in r.err, r
    r = lab.sh("echo x > .mcp.json; mkdir .vscode; exit 7", opts=["--json"])
    out = r.outcome()
    assert out["outcome"] == "exit" and out["exit_code"] == 7, out
    targets = {os.path.basename(d["target"]) for d in out["denials"]}
    assert targets == {".mcp.json", ".vscode"}, out
    assert all(d["rule"] and d["remedy"] for d in out["denials"]), out


def replace_on_host(path, text):
    new = path.with_name("new-version")
    new.write_text(text)
    os.replace(new, path)


def test_mask_returns_after_the_host_replaced_the_file(lab):
    f, token = lab.secret("work/.secret")
    p = live_box(lab, "echo ready; while read x; do cat .secret 2>&1; "
                 "echo end; done", opts=["--deny-read", f])
    replace_on_host(f, "SECRET-second\n")
    # the re-mask takes a fraction of a millisecond: ask until it holds
    for _ in range(100):
        p.stdin.write(b"go\n")
        p.stdin.flush()
        got = wait_line(p.stdout, b"end")
        if b"SECRET" not in got:
            break
    assert b"SECRET" not in got
    p.stdin.close()
    p.wait(20)


def test_deny_write_returns_after_the_host_replaced_the_file(lab):
    f = lab.file("work/locked", "one\n")
    p = live_box(lab, "echo ready; while read x; do "
                 "(echo evil >> locked) 2>/dev/null && echo wrote; "
                 "echo end; done", opts=["--deny-write", f])
    replace_on_host(f, "two\n")
    for _ in range(100):
        p.stdin.write(b"go\n")
        p.stdin.flush()
        got = wait_line(p.stdout, b"end")
        if b"wrote" not in got:
            break
    assert b"wrote" not in got
    p.stdin.close()
    p.wait(20)


def parallel(lab, count):
    lab.repository()
    before = lab.tree()
    opts = ["--deny-write", lab.work / "later"]
    boxes = [lab.spawn("sh", "-c", "echo x > later; echo x > .mcp.json; "
                       "echo ready; read go; echo fine", opts=opts)
             for _ in range(count)]
    try:
        for p in boxes:
            wait_line(p.stdout, b"ready", 120)
        assert lab.tree() == before     # all of them live: nothing shows
        for p in boxes:
            p.stdin.write(b"go\n")
            p.stdin.close()
        good = sum(b"fine" in p.stdout.read() and p.wait(60) == 0
                   for p in boxes)
        assert good == count
    finally:
        for p in boxes:
            p.kill()
            p.wait()
            for stream in (p.stdin, p.stdout, p.stderr):
                with contextlib.suppress(OSError):
                    stream.close()
    assert lab.tree() == before


def test_parallel_boxes_on_one_workspace(lab):
    parallel(lab, 20)


@soak
def test_soak_200_parallel_boxes_on_one_workspace(lab):
    parallel(lab, 200)


@soak
def test_soak_kill_at_random_points(lab):
    """SIGKILL of the supervisor while it starts: nothing is left."""
    lab.repository()
    before = lab.tree()
    for i in range(500):
        r, w = os.pipe()
        p = lab.spawn("cat", stdout=w, stderr=subprocess.DEVNULL)
        os.close(w)
        select.select([], [], [], (i % 50) / 5000)
        p.kill()
        p.wait(20)
        wait_eof(r)
        os.close(r)
        p.stdin.close()
    assert lab.tree() == before


@soak
def test_soak_a_thousand_runs_in_a_row(lab):
    mounts = open("/proc/self/mountinfo").read()
    for _ in range(1000):
        assert lab.run("true").ok
    assert open("/proc/self/mountinfo").read() == mounts


def test_mounts_of_the_host_do_not_change(lab):
    before = open("/proc/self/mountinfo").read()
    p = live_box(lab)
    assert open("/proc/self/mountinfo").read() == before
    p.stdin.close()
    p.wait(20)
    assert open("/proc/self/mountinfo").read() == before


def test_events_are_lines_of_json(lab):
    r, w = os.pipe()
    p = lab.spawn("sh", "-c", "echo x > .mcp.json; exit 4",
                  opts=["--events-fd", str(w)], pass_fds=(w,))
    os.close(w)
    data = b""
    while chunk := os.read(r, 65536):
        data += chunk
    os.close(r)
    assert p.wait(20) == 4
    events = parse_events(data)
    assert events, "no events"
    text = json.dumps(events)
    assert ".mcp.json" in text and '"exit_code": 4' in text, events


def test_events_descriptor_is_not_the_commands(lab):
    r, w = os.pipe()
    p = lab.spawn("ls", "/proc/self/fd", opts=["--events-fd", str(w)],
                  pass_fds=(w,))
    os.close(w)
    out, _ = p.communicate(timeout=20)
    os.close(r)
    assert out.split() == [b"0", b"1", b"2", b"3"], out
    r = lab.run("true", opts=["--events-fd", "99"])
    r.refused("99")


def test_nested_run_is_refused_and_says_so(lab):
    r = lab.run(lab.cordon, "run", "--", "true")
    assert r.code == 125 and "inside" in r.err.lower(), r


@pytest.mark.only_root
def test_a_socket_where_the_box_cannot_go_does_not_end_it(lab):
    """Another user's sockets come and go."""
    lab.base.chmod(0o755)
    other = lab.base / "other"
    other.mkdir(mode=0o700)
    os.chown(other, 54321, 54321)

    def bind():
        s = socket.socket(socket.AF_UNIX)
        s.bind(str(other / "s"))
        return s

    first = bind()
    box = lab.spawn("sh", "-c", "echo up; read x; sleep 0.4; echo $x")
    assert box.stdout.readline() == b"up\n"
    os.unlink(other / "s")
    second = bind()
    out, err = box.communicate(b"done\n", timeout=30)
    first.close(), second.close()
    assert (box.returncode, out) == (0, b"done\n"), err
