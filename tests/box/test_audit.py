# SPDX-License-Identifier: Apache-2.0
"""T-176: what happened is in the audit log, and the log is as it was written."""
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import subprocess

import pytest

from events import parse
from lab import DEADLINE

PLANT = "echo x > .mcp.json"    # refused in every profile


@pytest.fixture(autouse=True)
def empty_log(lab):
    """Root's log is not in the lab's home."""
    shutil.rmtree(lab.audit, ignore_errors=True)


def records(lab, kind=None):
    """All of them, as the files have them."""
    found = []
    for f in sorted(lab.audit.glob("*.jsonl")):
        found += parse(f.read_bytes())
    return [e for e in found if kind in (None, e["event"])]


def verify(lab):
    r = lab.cli("audit", "verify", "--json")
    assert r.code in (0, 1), r
    got = json.loads(r.out)
    assert got["whole"] == (r.code == 0), r
    return got


def is_whole(lab):
    got = verify(lab)
    assert got["whole"], got
    return True


def limited(size):
    """No file can grow beyond @size, as if the disk were full."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def must(**kw):
    return {"audit": {"on_error": "stop"}, **kw}


# -- what is in it -----------------------------------------------------------
def test_T_176_start_end_and_denial_are_recorded(lab):
    r = lab.sh(PLANT + "; exit 3", "$1", "a b", opts=["--json"])
    assert r.code == 3, r
    started, denied, ended = records(lab)
    assert started["event"] == "started" and ended["event"] == "ended"
    assert started["argv"] == ["sh", "-c", PLANT + "; exit 3", "sh", "$1",
                               "a b"]
    assert {e["sandbox"] for e in (started, denied, ended)} == \
        {r.outcome()["sandbox"]}
    assert denied["what"] == "create" and denied["comm"] == "sh"
    assert denied["target"] == str(lab.work / ".mcp.json")
    assert denied["rule"] == "protected" and denied["origin"] == "built-in"
    assert denied["hint"] and denied["pid"] > 0 and denied["count"] == 1
    assert (ended["outcome"], ended["exit_code"], ended["denials"]) == \
        ("exit", 3, 1)
    assert is_whole(lab)


def test_T_176_refused_names_and_connections_are_recorded(lab):
    script = ("import socket\n"
              "try: socket.getaddrinfo('denied.test', 443)\n"
              "except OSError: pass\n"
              "s = socket.create_connection(('127.0.0.1', 3128))\n"
              "s.sendall(b'CONNECT other.test:443 HTTP/1.1\\r\\n"
              "Host: other.test:443\\r\\n\\r\\n')\n"
              "print(s.recv(100))\n")
    r = lab.run("/usr/bin/python3", "-c", script,
                opts=["--allow-domain", "allowed.test"])
    assert r.ok and "403" in r.out, r
    denied = {e["what"]: e for e in records(lab, "denied")}
    assert denied["dns"]["target"] == "denied.test", denied
    assert denied["dns"]["op"] == "resolve"
    assert denied["connect"]["target"] == "other.test:443", denied
    assert all(e["rule"] and e["hint"] and e["why"] for e in denied.values())


def test_a_command_that_never_started_is_recorded(lab):
    r = lab.run("no-such-command")
    assert r.code == 127, r
    (ended,) = records(lab)
    assert (ended["outcome"], ended["exit_code"]) == ("setup", 127)
    assert "no-such-command" in ended["why"]


def test_T_176_learning_is_recorded(lab):
    """The log is made by it, and hidden from what is learned from."""
    script = PLANT + f"; ls {lab.audit}; exit 3"
    r = lab.cli("learn", "--", "sh", "-c", script)
    assert r.code == 3 and r.out == "", r
    started, *denied, ended = records(lab)
    assert started["event"] == "started" and ended["event"] == "ended"
    assert started["argv"] == ["sh", "-c", script] and ended["exit_code"] == 3
    assert [e["event"] for e in denied].count("denied") >= 1
    assert is_whole(lab)


def test_learning_stops_without_a_log_too(lab):
    """audit.on_error: stop"""
    policy = lab.policy(**must())
    argv = ["learn", "-s", policy, "--", "echo", "ran"]
    r = lab.cli(*argv)
    assert r.ok and "ran" in r.out, r
    r = lab.cli(*argv, preexec_fn=limited(1))
    assert r.code == 125 and "ran" not in r.out, r
    assert "audit log" in r.err and "on_error: stop" in r.err, r


def test_T_176_files_are_the_users_alone(lab):
    old = os.umask(0)
    try:
        assert lab.run("true").ok
    finally:
        os.umask(old)
    assert oct(lab.audit.stat().st_mode) == "0o40700"
    files = list(lab.audit.iterdir())
    assert len(files) >= 2 and all(
        oct(f.stat().st_mode) == "0o100600" for f in files), files
    lab.audit.chmod(0o755)
    assert lab.run("true").ok
    assert oct(lab.audit.stat().st_mode) == "0o40700"


def test_denials_without_end_are_a_bounded_number_of_lines(lab):
    r = lab.sh("i=0; while [ $i -lt 1000 ]; do " + PLANT +
               "; i=$((i+1)); done 2>/dev/null")
    assert r.ok and "1000 times" in r.err, r
    denied = records(lab, "denied")
    assert [e["count"] for e in denied] == [*range(1, 11), 100, 1000]
    (ended,) = records(lab, "ended")
    assert (ended["denials"], ended["unlisted"]) == (1000, 988)


# -- the box does not get there -----------------------------------------------
def test_the_log_is_hidden_from_the_first_run_on(lab):
    """Also when it did not exist, and when the home directory is writable."""
    assert not lab.audit.exists()
    look = (f"ls -A {lab.audit}; cat {lab.audit}/*; "
            f"echo x >> {lab.audit}/head; echo x > {lab.state}/x; "
            f"mv {lab.state} {lab.state}-away; rm -rf {lab.state}; "
            f"test ! -e {lab.state}-away")
    opts = [] if lab.home in lab.state.parents else \
        ["--allow-write", lab.state.parent]
    for _ in range(2):
        r = lab.sh(look, cwd=lab.home, opts=opts)
        assert r.code == 0 and r.out == "", r
        assert lab.audit.is_dir() and is_whole(lab)
        # No warning that something appeared while the command ran.
        assert "appeared" not in r.err, r
    # the control: outside it is there, and readable
    control = lab.host("sh", "-c", f"cat {lab.audit}/*")
    assert control.ok and control.out.count("started") == 2, control


def test_no_process_of_the_box_holds_the_log_open(lab):
    p = lab.spawn("sh", "-c", PLANT + "; echo ready; cat",
                  opts=["-s", lab.policy(**must(network={
                      "mode": "filtered", "allow": ["allowed.test"]}))])
    try:
        assert p.stdout.readline() == b"ready\n"
        own = [f"/proc/{p.pid}/fd"]
        tree = subprocess.run(["pgrep", "-P", str(p.pid)], text=True,
                              capture_output=True).stdout.split()
        assert len(tree) >= 2, tree     # box init and egress
        for fds in own + [f"/proc/{pid}/fd" for pid in tree]:
            try:
                names = os.listdir(fds)
            except PermissionError:     # undumpable
                continue
            for fd in names:
                try:
                    to = os.readlink(f"{fds}/{fd}")
                except OSError:
                    continue
                assert str(lab.audit) not in to, (fds, to)
    finally:
        p.stdin.close()
        p.wait(DEADLINE)


# -- many at once, and the worst moments --------------------------------------
def test_T_176_fifty_runs_at_once(lab):
    runs = [lab.spawn("sh", "-c", PLANT) for _ in range(50)]
    for p in runs:
        p.communicate(timeout=120)
        assert p.returncode == 2, p.args
    assert is_whole(lab)
    by_box = {}
    for e in records(lab):
        by_box.setdefault(e["sandbox"], []).append(e["event"])
    assert len(by_box) == 50
    assert all(v == ["started", "denied", "ended"] for v in by_box.values())


def test_T_176_supervisor_is_killed(lab):
    p = lab.spawn("sh", "-c", "echo ready; cat")
    assert p.stdout.readline() == b"ready\n"
    # Told after the command was let go: what is refused comes later.
    while not records(lab, "started"):
        os.sched_yield()
    p.kill()
    p.wait(DEADLINE)
    assert [e["event"] for e in records(lab)] == ["started"]
    assert is_whole(lab)
    assert lab.run("true").ok
    assert is_whole(lab) and len(records(lab)) == 3


def test_T_176_a_line_that_was_cut_is_mended(lab):
    assert lab.run("true").ok
    (day,) = lab.audit.glob("*.jsonl")
    with day.open("a") as f:
        f.write('{"ts":"2026-')
    got = verify(lab)
    assert got["whole"] and "cut off" in got["note"], got
    assert lab.run("true").ok
    got = verify(lab)
    assert got["whole"] and not got["note"] and got["records"] == 5, got
    (notice,) = records(lab, "noticed")
    assert notice["target"] == '{"ts":"2026-' and "cut off" in notice["why"]


def test_T_176_a_full_disk_lets_the_command_go_on(lab):
    assert lab.run("true").ok
    size = max(f.stat().st_size for f in lab.audit.iterdir())
    r = lab.sh(PLANT + "; exit 5", preexec_fn=limited(size + 300))
    assert r.code == 5, r
    assert r.err.count("the audit log lacks") == 1, r
    assert is_whole(lab)
    before = len(records(lab))
    # the control: with room, all is recorded again
    assert lab.run("true").ok
    assert is_whole(lab) and len(records(lab)) == before + 2


def test_a_lock_that_is_never_given_back_does_not_hold_up_a_box(lab):
    assert lab.run("true").ok
    with (lab.audit / "head").open() as head:
        fcntl.flock(head, fcntl.LOCK_EX)
        r = lab.sh("; ".join([PLANT] * 5) + "; exit 5", timeout=15)
        assert r.code == 5 and "lock" in r.err and "7 records" in r.err, r
    assert lab.run("true").ok
    assert is_whole(lab) and len(records(lab)) == 4


@pytest.mark.only_root
def test_T_176_a_disk_that_is_really_full(lab):
    """A tmpfs of some pages, in the mount namespace of the tests."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "small",
                    lab.state], check=True)
    try:
        script = "; ".join([PLANT] * 8)
        codes = []
        for _ in range(12):
            r = lab.sh(script + "; exit 5", opts=["--json"])
            codes.append(r.code)
            full = any("audit log" in w for w in r.outcome()["warnings"])
        assert codes == [5] * 12 and full, (codes, r)
        assert is_whole(lab)
        lab.refuses("audit log", "on_error: stop", policy=must())
    finally:
        subprocess.run(["umount", lab.state], check=True)
    lab.starts(policy=must())


def test_a_log_that_cannot_be_made(lab):
    """Nothing is lost but the log; with on_error: stop nothing runs."""
    if os.geteuid() == 0:
        lab.audit.write_text("in the way")
    else:
        lab.state.parent.mkdir(parents=True)
        lab.state.write_text("in the way")
    try:
        r = lab.run("true")
        assert r.ok and "not in the audit log" in r.err, r
        assert r.err.count("\n") == 1, r
        lab.refuses("audit log", "audit.on_error: stop", policy=must())
    finally:
        (lab.audit if os.geteuid() == 0 else lab.state).unlink()
    assert lab.starts(policy=must()).err == ""


def test_on_error_stop_does_not_start_the_command(lab):
    assert lab.run("true").ok
    lab.refuses("audit log", "on_error: stop", policy=must(),
                preexec_fn=limited(0))
    r = lab.run("true", policy=must(), opts=["--json"], preexec_fn=limited(0))
    assert r.code == 125 and r.outcome()["outcome"] == "setup", r
    assert "audit log" in r.outcome()["error"]
    lab.starts(policy=must())
    assert is_whole(lab)


def test_on_error_stop_ends_the_box_while_it_runs(lab):
    assert lab.run("true").ok
    size = max(f.stat().st_size for f in lab.audit.iterdir())
    script = f"exec 2>/dev/null; while :; do {PLANT}; read x; done"
    r = lab.sh(script, policy=must(), opts=["--json"], stdin=None,
               input="\n" * 100000, preexec_fn=limited(size + 1200))
    assert r.code == 137 and r.outcome()["outcome"] == "killed", r
    assert any("on_error: stop" in w for w in r.outcome()["warnings"]), r
    assert is_whole(lab)


# -- looking into it ------------------------------------------------------------
def test_audit_prints_what_was_asked_for(lab):
    assert lab.sh(PLANT + "; exit 3").code == 3
    assert lab.run("true").ok
    r = lab.cli("audit")
    assert r.ok and len(r.lines) == 6, r    # the denial has two
    assert "denied create" in r.out and "exit 3, 1 refused" in r.out
    first = records(lab)[0]["sandbox"]
    for opts, n in (([], 5), (["--kind", "denied"], 1),
                    (["--kind", "started,ended"], 4),
                    (["--sandbox", first], 3), (["--limit", "2"], 2),
                    (["--since", "1h"], 5), (["--until", "1h"], 0),
                    (["--since", "2020-01-01", "--kind", "ended"], 2),
                    (["--until", "2020-01-01T10:00"], 0)):
        r = lab.cli("audit", "--json", *opts)
        assert r.ok and len(parse(r.out)) == n, (opts, r)
    for bad, word in ((["--kind", "x"], "mask-lost"), (["--since", "x"], "1h"),
                      (["--limit", "0"], "limit"), (["x"], "x")):
        assert lab.cli("audit", *bad).refused(word, code=2)


def test_audit_without_a_log(lab):
    r = lab.cli("audit")
    assert r.ok and r.out == "", r
    assert verify(lab)["records"] == 0 and not lab.audit.exists()


def test_what_a_box_says_does_not_reach_the_terminal(lab):
    name = "\x1b]0;x\x07\n{\"event\":\"denied\"}"
    assert lab.run("sh", "-c", "exit 0", name).ok
    assert records(lab, "started")[0]["argv"][-1] == name
    for opts in ([], ["--json"]):
        r = lab.cli("audit", *opts)
        assert r.ok and "\x1b" not in r.out and "\x07" not in r.out, r
        assert len(r.lines) == 2, r


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x85", "\ufeff", "\u202e"])
def test_no_name_makes_a_line_of_the_log(lab, odd):
    """Arguments, names of files, and what a rule refused."""
    policy = lab.policy(exec={"deny": ["git push"]})
    name = f"a{odd}2001-01-01 made up"
    r = lab.sh('git push "$1"; echo x > "/etc/$1"; exit 0', name, policy=policy)
    assert r.ok, r
    shown = lab.cli("audit")
    assert shown.ok and "made up" in shown.out and odd not in shown.out, shown
    said = [x for x in r.err.split("\n") if x.startswith("cordon: ")]
    assert said and not any(odd in x for x in said), r
    # As Python and YAML see lines.
    assert not any(line.startswith("2001") for line in shown.out.splitlines())
    assert records(lab, "started")[0]["argv"][-1] == name    # control


@pytest.mark.parametrize("tamper, words", [
    (lambda t: [*t[:1], t[1].replace(".mcp", ".mcq"), *t[2:]],
     ["line 2 was changed"]),
    (lambda t: [t[0], *t[2:]], ["line 2", "record 2 is missing before it"]),
    (lambda t: [t[1], t[0], *t[2:]], ["line 2 is out of order"]),
    (lambda t: t[:-1], ["record 5 is missing at the end"]),
    (lambda t: [*t, "made up\n"], ["line 6 is not a record"]),
], ids=["changed", "removed", "swapped", "cut", "added"])
def test_T_176_tampering_is_found(lab, tamper, words):
    assert lab.sh(PLANT + "; exit 3").code == 3
    assert lab.run("true").ok
    assert is_whole(lab)
    (day,) = lab.audit.glob("*.jsonl")
    lines = day.read_text().splitlines(keepends=True)
    assert len(lines) == 5
    day.write_text("".join(tamper(lines)))
    r = lab.cli("audit", "verify")
    assert r.code == 1 and "BROKEN" in r.out, r
    for word in [day.name, *words]:
        assert word in r.out, r
    day.write_text("".join(lines))
    assert is_whole(lab)


def test_T_176_a_removed_file_is_found(lab):
    assert lab.run("true").ok
    (day,) = lab.audit.glob("*.jsonl")
    day.unlink()
    r = lab.cli("audit", "verify")
    assert r.code == 1 and day.name in r.out and "missing" in r.out, r
    (lab.audit / "head").unlink()
    assert is_whole(lab)    # nothing says that there ever was one


# -- --events FILE ---------------------------------------------------------------
def test_events_file_is_appended_to_and_private(lab):
    file = lab.outside / "events"
    for n in (3, 6):
        assert lab.sh(PLANT + "; exit 3", opts=["--events", file]).code == 3
        assert len(parse(file.read_bytes())) == n
    assert oct(file.stat().st_mode) == "0o100600"
    r = lab.sh(f"echo x >> {file}", opts=["--events", file])
    assert not r.ok and "made up" not in file.read_text(), r


def test_events_file_below_tmp_is_not_that_of_the_box(lab):
    file = f"/tmp/cordon-events-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        r = lab.sh(f"echo x > {file}", opts=["--events", file])
        assert r.ok, r
        with open(file, "rb") as f:
            assert len(parse(f.read())) == 2
    finally:
        os.unlink(file)


def test_events_file_that_the_command_could_write_is_refused(lab):
    lab.refuses("--events", "can write", opts=["--events", "events"])
    lab.refuses("--events", "can write",
                opts=["--events", lab.work / "events"])
    (lab.outside / "link").symlink_to(lab.work / "x")
    lab.refuses("--events", opts=["--events", lab.outside / "link"])
    (lab.work / "a").touch()
    os.link(lab.work / "a", lab.outside / "b")
    lab.refuses("--events", "names", opts=["--events", lab.outside / "b"])
    with (lab.outside / "out").open("a") as out:
        lab.refuses("--events", opts=["--events", lab.outside / "out"],
                    stdout=out)
    lab.starts(opts=["--events", lab.outside / "c"])


@pytest.mark.parametrize("size", [10, 3000])
def test_a_denial_with_a_long_argument_is_told(lab, size):
    """A pipe takes 4096 bytes at once: the line is cut to that."""
    r, w = os.pipe()
    with os.fdopen(r, "rb") as f:
        with os.fdopen(w, "wb"):
            got = lab.run("python3", "-c", "import os, sys\n"
                          "os.execv('/bin/ls', ['ls', 'no', 'x' * "
                          "int(sys.argv[1])])", str(size),
                          policy={"exec": {"deny": ["ls no"]}},
                          opts=["--events-fd", str(w), "--json"],
                          pass_fds=[w])
        (denied,) = [e for e in parse(f.read()) if e["event"] == "denied"]
    assert not [w for w in got.outcome()["warnings"] if "lost" in w], got
    assert denied["what"] == "exec" and denied["argv"][:2] == ["ls", "no"]
    assert denied.get("argv_more") == (1 if size == 3000 else None), denied


def test_lost_events_are_told(lab):
    r, w = os.pipe()
    try:
        got = lab.sh("i=0; while [ $i -lt 500 ]; do " + PLANT +
                     "; i=$((i+1)); done 2>/dev/null",
                     opts=["--events-fd", str(w), "--json"], pass_fds=[w])
        lost = [w for w in got.outcome()["warnings"] if "lost" in w]
        n = int(lost[0].split()[0])
        os.close(w)
        w = -1
        with os.fdopen(r, "rb") as f:
            r = -1
            assert len(parse(f.read())) == 502 - n
    finally:
        for fd in (r, w):
            if fd >= 0:
                os.close(fd)


FLOOD = """
import os
open('ready', 'w').close()
for i in range(20000):
    try:
        open(f'{i}.seal', 'w')
        print('made', i)
    except PermissionError:
        pass
with open('done', 'w') as f:
    f.write('x')
input()
"""


@pytest.mark.parametrize("slow", [True, False])
def test_refusals_that_could_not_be_told_are_counted(lab, slow):
    """Who reads them stands still while there are too many."""
    done = lab.work / "done"
    os.mkfifo(done)
    path = lab.policy(filesystem={"deny_write": ["**/*.seal"], "strict": True})
    log = lab.base / "flood.ndjson"
    p = lab.spawn("sh", "-c", f"echo up; read x; exec python3 -c \"{FLOOD}\"",
                  opts=["-s", path, "--events", log], text=True)
    assert p.stdout.readline() == "up\n"
    if slow:
        os.kill(p.pid, signal.SIGSTOP)
    p.stdin.write("go\n")
    p.stdin.flush()
    assert done.read_text() == "x"      # nobody waited for the reader
    os.kill(p.pid, signal.SIGCONT)
    out, err = p.communicate("go\n", timeout=60)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    told = sum(e["event"] == "denied" for e in events)
    said = re.search(r"(\d+) refusals? w\w+ not told", err)
    lost = int(said[1]) if said else 0
    assert told + lost == 20000 and "made" not in out, (told, lost, err[-999:])
    assert events[-1]["denials"] == 20000, events[-1]
    assert lost > 10000 if slow else lost < 20000


def test_a_limit_that_ends_the_box_is_told(lab):
    r = lab.run("sleep", "60", opts=["-t", "200ms"])
    assert r.code == 124, r
    seen = [json.loads(s) for s in lab.cli("audit", "--json").out.splitlines()]
    assert [(e["event"], e.get("rule")) for e in seen[-2:]] == [
        ("limit-hit", "limits.wall_time"), ("ended", None)], seen
