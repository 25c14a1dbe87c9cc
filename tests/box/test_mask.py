# SPDX-License-Identifier: Apache-2.0
"""Secrets in the output are blotted out (T-174): presets, patterns of the
policy, however they are written, through pipes, files and a terminal; and all
else of the output stays as it is."""
import os
import select
import signal
import subprocess

import pytest

from test_lifecycle import wait_line
from test_terminal import Terminal

TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
KEY = "sk-abcdefghij0123456789"
MASK = ["--mask", "github", "--mask", "openai"]

# Writes its arguments, each by a write(2) of its own.
PIECES = ("import os, sys\n"
          "for piece in sys.argv[2:]: os.write(int(sys.argv[1]), "
          "piece.encode())")


def pieces(lab, *words, fd=1, opts=MASK, **kw):
    return lab.run("python3", "-c", PIECES, str(fd), *words, opts=opts, **kw)


def test_presets_blot_out_their_secrets(lab):
    """T-174 presets"""
    text = f"a {TOKEN} b {KEY}\n"
    assert lab.host("printf", "%s", text).out == text           # control
    assert lab.run("printf", "%s", text).out == text            # not asked for
    r = lab.run("printf", "%s", text, opts=MASK)
    assert r.ok and r.out == "a ghp_*** b sk-***\n", r


def test_patterns_of_the_policy(lab):
    """T-174 custom"""
    p = lab.policy(output={"mask": {
        "presets": ["aws_key"],
        "patterns": [r"(?i)(?keep=5)pass\w*\s*[=:]\s*\S+", r"\bcard-\d{4}"]}})
    r = lab.run("printf", "%s", "Password: hunter2 card-1234 "
                "AKIAIOSFODNN7EXAMPLE", policy=p)
    assert r.out == "Passw*** *** AKIA***", r


def test_split_over_writes(lab):
    """T-174 chunk split: byte by byte and at every place"""
    r = pieces(lab, *f"x {TOKEN} {KEY}\n")
    assert r.out == "x ghp_*** sk-***\n", r
    words = []
    for cut in range(1, len(TOKEN)):
        words += [TOKEN[:cut], TOKEN[cut:] + "\n"]
    assert pieces(lab, *words).lines == ["ghp_***"] * (len(TOKEN) - 1)


def test_several_in_a_line_and_no_newline_at_the_end(lab):
    """T-174 several per line, last line without newline"""
    r = pieces(lab, f"{KEY},{KEY} ", f"{TOKEN}|{TOKEN}")
    assert r.out == "sk-***,sk-*** ghp_***|ghp_***", r


def test_ordinary_output_stays(lab):
    """T-174 no false positives"""
    text = ("task-runner-abcdefghijklmnopqrstuvwxyz\ndisk-usage-0123456789abc"
            "defghij\nsk-learn ghp_ ghp_short\n")
    every = [*MASK, *sum((["--mask", m] for m in (
        "anthropic", "aws_key", "aws_secret", "bearer")), [])]
    r = lab.run("cat", opts=every, input=text)
    assert r.ok and r.out == text, r


def test_standard_error_is_looked_at_too(lab):
    r = pieces(lab, f"{TOKEN}\n", fd=2)
    assert r.err == "ghp_***\n" and r.out == "", r


def test_output_and_error_of_one_file_keep_their_order(lab):
    script = "for i in 1 2 3; do echo out$i; echo err$i >&2; done"
    r = lab.sh(script, opts=MASK, stderr=subprocess.STDOUT)
    assert r.lines == ["out1", "err1", "out2", "err2", "out3", "err3"], r


def test_a_file_as_output(lab):
    with open(lab.base / "out", "w") as out:
        assert pieces(lab, f"{TOKEN}\n", stdout=out).ok
    assert (lab.base / "out").read_text() == "ghp_***\n"


def test_bytes_that_are_no_text_pass(lab):
    data = os.urandom(1 << 20).replace(b"sk-", b"...").replace(b"gh", b"..")
    (lab.work / "data").write_bytes(data)
    with open(lab.base / "out", "wb") as out:
        assert lab.run("cat", "data", opts=MASK, stdout=out).ok
    assert (lab.base / "out").read_bytes() == data


def test_without_masks_the_command_has_the_callers_files(lab):
    script = "readlink /proc/self/fd/1"
    here, there = os.pipe()
    os.close(here)
    try:
        plain = lab.sh(script + " >&2", stdout=there).err
        relayed = lab.sh(script + " >&2", opts=MASK, stdout=there).err
    finally:
        os.close(there)
    assert plain.startswith("pipe:") and relayed.startswith("pipe:")
    # stderr, which both print to, shows whose it is
    assert lab.sh("test -p /dev/stdout", stdout=subprocess.DEVNULL).code == 1
    assert lab.sh("test -p /dev/stdout", opts=MASK,
                  stdout=subprocess.DEVNULL).ok


@pytest.mark.parametrize("script,code", [("exit 7", 7), ("kill -9 $$", 137),
                                         ("no-such-command", 127)])
def test_the_exit_code_is_the_commands(lab, script, code):
    assert lab.sh(script).code == code                          # control
    assert lab.sh(f"echo {TOKEN}; {script}", opts=MASK).code == code


def test_a_reader_that_is_gone_ends_the_command(lab):
    p = lab.spawn("sh", "-c", f"while :; do echo {TOKEN}; done", opts=MASK)
    assert b"ghp_***" in wait_line(p.stdout, b"\n")
    p.stdout.close()
    assert p.wait(20) == 128 + signal.SIGPIPE


def test_a_slow_reader_slows_the_command_down(lab):
    """Memory does not grow: the command waits for its reader."""
    p = lab.spawn("sh", "-c", "head -c 30000000 /dev/zero; echo done >&2",
                  opts=MASK)
    wait_for_bytes = os.read(p.stdout.fileno(), 1)
    assert wait_for_bytes
    ready, _, _ = select.select([p.stderr], [], [], 0.5)
    assert not ready, p.stderr.readline()       # it has not come to its end
    rss = int(next(line for line in open(f"/proc/{p.pid}/status")
                   if line.startswith("VmRSS")).split()[1])
    assert rss < 20000, rss
    rest = p.stdout.read()
    assert len(rest) == 30000000 - 1 and p.wait(20) == 0


def test_what_is_no_secret_is_not_held_back(lab):
    p = lab.spawn("sh", "-c", "printf 'name? '; read x; printf 'task? sk-'; "
                  "read x; echo end", opts=MASK)
    wait_line(p.stdout, b"name? ")
    p.stdin.write(b"\n")
    p.stdin.flush()
    wait_line(p.stdout, b"task? sk-")       # a beginning, after a while
    p.stdin.write(b"\n")
    p.stdin.flush()
    assert p.stdout.read() == b"end\n" and p.wait(20) == 0


def test_daemons_do_not_hold_the_end(lab):
    r = lab.sh(f"(sleep 1000; echo late) & printf {TOKEN}", opts=MASK)
    assert r.ok and r.out == "ghp_***", r


def test_much_output_arrives_whole(lab):
    n = 20000
    r = lab.sh(f"i=0; while [ $i -lt {n} ]; do echo $i {KEY}; i=$((i+1)); done",
               opts=MASK)
    assert r.lines == [f"{i} sk-***" for i in range(n)]


def test_time_limit_and_signals_still_work(lab):
    script = f"echo {TOKEN}; exec sleep 1000"
    r = lab.sh(script, opts=[*MASK, "--timeout", "500ms"])
    assert r.code == 124 and r.out == "ghp_***\n", r
    p = lab.spawn("sh", "-c", script, opts=MASK)
    wait_line(p.stdout, b"***")
    p.send_signal(signal.SIGTERM)
    assert p.wait(20) == 128 + signal.SIGTERM


def test_a_broken_pattern_stops_the_start_and_names_the_line(lab):
    p = lab.policy(text="version: 1\noutput:\n  mask:\n    patterns:\n"
                        "      - ok\n      - 'a(b'\n")
    lab.refuses("policy.yaml:6", "'a(b'", "'('", policy=p)
    lab.refuses("--mask-pattern", "longest", opts=["--mask-pattern", "a.*?b"],
                code=125)
    lab.refuses("nothing", opts=["--mask", "nothing"], code=125)
    lab.starts(opts=["--mask-pattern", "a.*b"])                 # control


def test_a_project_may_add_masks(lab):
    lab.file("work/.cordon.yaml",
             "version: 1\noutput: {mask: {presets: [github]}}\n")
    r = lab.run("echo", TOKEN)
    assert r.out == "ghp_***\n", r
    # and takes none away that the caller has
    lab.file("work/.cordon.yaml",
             "version: 1\noutput: {mask: {presets: {replace: []}}}\n")
    assert lab.run("echo", TOKEN, opts=MASK).out == "ghp_***\n"


# -- at a terminal -----------------------------------------------------------

@pytest.fixture
def terminal(lab):
    made = []

    def make(*argv):
        t = Terminal([lab.cordon, "run", *MASK, "--", *argv],
                     {**lab.env, "TERM": "dumb"}, lab.work)
        made.append(t)
        return t

    yield make
    for t in made:
        try:
            os.kill(t.pid, signal.SIGKILL)
            os.waitpid(t.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def test_a_terminal_shows_no_secret(lab, terminal):
    t = terminal("python3", "-c", PIECES, "1", "tty ", *TOKEN, "\n", KEY)
    seen = t.expect(b"sk-***")
    assert b"tty ghp_***\r\n" in seen and b"abc" not in seen
    assert t.end() == 0


def test_what_is_typed_is_echoed_and_masked(lab, terminal):
    t = terminal("sh", "-c", "echo ready; exec cat")
    t.expect(b"ready\r\n")  # before, the echo is not the box's
    t.type(b"task sk")
    t.expect(b"task sk")            # held for a moment, not for ever
    t.type(b"-" + KEY[3:].encode() + b" x\n")
    assert b"cdefghij" not in t.expect(b" x\r\n")
    t.expect(b"task sk-*** x\r\n")  # what cat writes comes in one piece
    t.type(b"\x04")
    assert t.end() == 0


def test_job_control_works_with_masks(lab, terminal):
    t = terminal("sh", "-c", "trap 'echo size $(stty size)' WINCH; echo up; "
                 "while :; do sleep 0.1; done")
    t.expect(b"up")
    t.resize(33, 99)
    t.expect(b"size 33 99")
    t.type(b"\x03")
    assert t.end() == 130
