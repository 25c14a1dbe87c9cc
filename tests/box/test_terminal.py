# SPDX-License-Identifier: Apache-2.0
"""Signals, job control and terminals behave as without cordon."""
import fcntl
import os
import pty
import select
import signal
import struct
import termios

import pytest

from test_lifecycle import wait_line


class Terminal:
    """A person at a terminal: cordon (or a shell) runs on the other end."""

    def __init__(self, argv, env, cwd, rows=24, columns=80):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, env)
        self.resize(rows, columns)
        self.seen = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text)

    def expect(self, want, deadline=20):
        while want not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], deadline)
            assert ready, f"no {want!r} in {self.seen!r}"
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                data = b""
            assert data, f"end before {want!r}: {self.seen!r}"
            self.seen += data
        before, _, self.seen = self.seen.partition(want)
        return before

    def end(self):
        """The exit status, after reading whatever is left."""
        while True:
            try:
                if not os.read(self.fd, 4096):
                    break
            except OSError:
                break
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def terminal(lab):
    made = []

    def make(*argv, plain=False, **kw):
        argv = list(map(os.fspath, argv))
        if not plain:
            argv = [lab.cordon, "run", "--", *argv]
        t = Terminal(argv, {**lab.env, "TERM": "dumb"}, lab.work, **kw)
        made.append(t)
        return t

    yield make
    for t in made:
        try:
            os.kill(t.pid, signal.SIGKILL)
            os.waitpid(t.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def test_the_command_has_a_terminal(terminal):
    t = terminal("sh", "-c", "tty; test -t 0 && test -t 1 && echo yes")
    t.expect(b"/dev/")
    t.expect(b"yes")
    assert t.end() == 0


def test_T_177_size_and_resize(terminal):
    script = ("import os,signal\n"
              "def f(*a): print('now', *os.get_terminal_size(), flush=True)\n"
              "signal.signal(signal.SIGWINCH, f)\n"
              "print('size', *os.get_terminal_size(), flush=True)\n"
              "while True: signal.pause()\n")
    t = terminal("python3", "-u", "-c", script, rows=30, columns=100)
    t.expect(b"size ")
    t.resize(40, 132)
    t.expect(b"now 132 40")
    t.type(b"\x03")
    assert t.end() in (130, 1)


def test_T_177_control_c_reaches_the_command(terminal):
    t = terminal("sh", "-c", "trap 'echo caught; exit 5' INT; echo ready; "
                 "while :; do read x; done")
    t.expect(b"ready")
    t.type(b"\x03")
    t.expect(b"caught")
    assert t.end() == 5


def test_T_177_control_c_kills_what_does_not_catch_it(terminal):
    t = terminal("sh", "-c", "echo ready; exec cat")
    t.expect(b"ready")
    t.type(b"\x03")
    assert t.end() == 130


def test_T_177_control_z_and_fg(terminal, lab):
    """In a shell with job control, as a person does it."""
    t = terminal("bash", "--norc", "-i", plain=True)
    t.type(b"PS1='prompt> '\n")
    t.expect(b"\nprompt> ")
    t.type(f"'{lab.cordon}' run -- sh -c 'echo rea''dy; read x; "
           "echo got $x'\n".encode())
    t.expect(b"ready\r\n")
    t.type(b"\x1a")
    t.expect(b"Stopped")
    t.expect(b"prompt> ")
    t.type(b"fg\n")
    t.expect(b"run --")
    t.type(b"word\n")
    t.expect(b"got word")
    t.expect(b"prompt> ")
    t.type(b"exit 9\n")
    assert t.end() == 9


def test_end_of_file_from_the_keyboard(terminal):
    t = terminal("sh", "-c", "echo ready; cat; echo over")
    t.expect(b"ready")
    t.type(b"line\n\x04")
    t.expect(b"over")
    assert t.end() == 0


def test_terminal_is_restored(terminal, lab):
    """A command that leaves the terminal raw does not leave ours so."""
    t = terminal("bash", "--norc", "-i", plain=True)
    t.type(b"PS1='prompt> '; stty -a | head -9 > before\n")
    t.expect(b"\nprompt> ")
    t.type(f"'{lab.cordon}' run -- sh -c 'stty raw -echo; kill -9 $$'; "
           "stty -a | head -9 > after; echo do''ne\n".encode())
    t.expect(b"done")
    t.type(b"exit\n")
    t.end()
    assert (lab.work / "before").read_text() == \
        (lab.work / "after").read_text()


def test_exit_code_through_the_terminal(terminal):
    assert terminal("sh", "-c", "exit 17").end() == 17


def test_all_output_arrives_before_the_end(terminal):
    t = terminal("sh", "-c", "seq 1 20000")
    t.expect(b"\n20000\r\n")
    assert t.end() == 0


def test_big_paste_arrives(terminal):
    t = terminal("sh", "-c", "stty -echo -icanon; echo ready; "
                 "head -c 50000 | wc -c")
    t.expect(b"ready")
    sent = 0
    while sent < 50000:
        _, w, _ = select.select([], [t.fd], [], 20)
        assert w
        sent += os.write(t.fd, b"x" * min(1000, 50000 - sent))
    t.expect(b"50000")
    assert t.end() == 0


# -- without a terminal ------------------------------------------------------
@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "USR1", "QUIT"])
def test_signals_are_forwarded(lab, name):
    p = lab.spawn("sh", "-c", f"trap 'echo caught; exit 6' {name}; "
                  "echo ready; while :; do read x < /dev/null; done")
    wait_line(p.stdout, b"ready")
    p.send_signal(getattr(signal, "SIG" + name))
    wait_line(p.stdout, b"caught")
    assert p.wait(20) == 6


def test_signal_without_a_handler_ends_with_128_plus_n(lab):
    p = lab.spawn("sh", "-c", "echo ready; exec cat")
    wait_line(p.stdout, b"ready")
    p.terminate()
    assert p.wait(20) == 143


def test_T_177_second_signal_escalates(lab):
    p = lab.spawn("sh", "-c", "trap 'echo first' TERM; echo ready; "
                  "while :; do read x < /dev/null; done")
    wait_line(p.stdout, b"ready")
    p.terminate()
    wait_line(p.stdout, b"first")
    assert p.poll() is None             # the first one is the command's
    p.terminate()
    assert p.wait(20) == 137
    p.stdin.close()


def test_T_177_the_end_of_a_stopped_command(lab):
    p = lab.spawn("sh", "-c", "echo ready; kill -STOP $$; cat")
    wait_line(p.stdout, b"ready")
    p.kill()
    p.wait(20)
    while os.read(p.stdout.fileno(), 99):
        pass


def test_wall_time_is_124_and_ends_the_whole_tree(lab):
    p = lab.spawn("sh", "-c", "trap '' TERM; (trap '' TERM; "
                  "while :; do read x < /dev/zero; done) & "
                  "echo ready; wait", opts=["-t", "700ms", "--json"])
    wait_line(p.stdout, b"ready")
    assert p.wait(20) == 124
    while os.read(p.stdout.fileno(), 99):
        pass
    assert b'"outcome":"timeout"' in p.stderr.read().replace(b" ", b"")


def test_wall_time_does_not_touch_what_is_quicker(lab):
    r = lab.sh("exit 3", opts=["-t", "20s"])
    assert r.code == 3, r


def test_json_outcome_of_exit_and_signal(lab):
    out = lab.sh("exit 3", opts=["--json"]).outcome()
    assert (out["outcome"], out["exit_code"]) == ("exit", 3), out
    assert out["wall_ns"] > 0 and "usage" in out, out
    out = lab.sh("kill -SEGV $$", opts=["--json"]).outcome()
    assert (out["outcome"], out["signal"], out["exit_code"]) == \
        ("signal", 11, 139), out


def test_json_outcome_of_a_failed_start(lab):
    r = lab.run("true", opts=["--json", "-s", lab.base / "gone"])
    out = r.outcome()
    assert r.code == 125 and out["outcome"] == "setup", r
    assert "gone" in out["error"], out
    r = lab.run("no-such-thing", opts=["--json"])
    assert r.code == 127 and r.outcome()["exit_code"] == 127, r
