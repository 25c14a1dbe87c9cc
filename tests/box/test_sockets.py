# SPDX-License-Identifier: Apache-2.0
"""Unix sockets: the box has its own, and of the host those that are named.

T-061. A socket that the host binds while the box runs is judged when it is
connected to, whatever name leads to it.
"""
import contextlib
import json
import os
import select
import socket
import subprocess

import pytest

TYPES = {"stream": socket.SOCK_STREAM, "seqpacket": socket.SOCK_SEQPACKET,
         "dgram": socket.SOCK_DGRAM}

# A process in the box (or outside, as the control) that does what it is told:
# one expression of Python per line, answered by one line.
PLAY = """
import errno, os, socket, sys
def connect(path, kind=socket.SOCK_STREAM):
    s = socket.socket(socket.AF_UNIX, kind)
    s.connect(path)
    return s
def bind(path, kind=socket.SOCK_STREAM):
    s = socket.socket(socket.AF_UNIX, kind)
    s.bind(path)
    if kind != socket.SOCK_DGRAM:
        s.listen()
    return s
kept = []
def keep(value):
    kept.append(value)
    return value
print('ready', flush=True)
for line in sys.stdin:
    try:
        said = eval(line)
        print('ok' if isinstance(said, socket.socket) or said is None
              else said, flush=True)
    except OSError as e:
        print(errno.errorcode[e.errno], flush=True)
"""


class Player:
    def __init__(self, process):
        self.process = process
        assert self.line() == "ready", process.stderr.read()

    def line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], 30)
        assert ready, "no answer"
        return self.process.stdout.readline().decode().strip()

    def __call__(self, expression):
        self.process.stdin.write(expression.encode() + b"\n")
        self.process.stdin.flush()
        return self.line()

    def end(self):
        """What cordon said."""
        _, err = self.process.communicate(timeout=30)
        return err.decode()


@contextlib.contextmanager
def player(lab, *opts, cwd=None, host=False):
    argv = ["python3", "-c", PLAY]
    if host:
        process = subprocess.Popen(argv, cwd=cwd or lab.work, env=lab.env,
                                   stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
    else:
        process = lab.spawn(*argv, opts=opts, cwd=cwd or lab.work)
    try:
        yield Player(process)
    finally:
        if process.poll() is None:
            process.communicate(timeout=30)


@contextlib.contextmanager
def server(path, kind="stream"):
    s = socket.socket(socket.AF_UNIX, TYPES[kind])
    s.bind(str(path))
    if kind != "dgram":
        s.listen(64)
    s.setblocking(False)
    with contextlib.closing(s):
        yield s
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def met(s):
    """Did anybody reach this server?"""
    try:
        if s.type == socket.SOCK_DGRAM:
            return bool(s.recv(9))
        s.accept()[0].close()
        return True
    except BlockingIOError:
        return False


def reach(path, kind):
    """Connects and says something, so that a datagram server is met too."""
    return f"connect({str(path)!r}, {int(TYPES[kind])}).send(b'x')"


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("where", ["work", "home", "outside"])
def test_T_061_a_late_host_socket_is_refused(lab, where, kind):
    path = getattr(lab, where) / "late"
    r, w = os.pipe()
    process = lab.spawn("python3", "-c", PLAY, opts=["--events-fd", str(w)],
                        pass_fds=(w,))
    os.close(w)
    play = Player(process)
    with server(path, kind) as s:
        assert play(reach(path, kind)) == "EACCES"
        assert play(reach(path, kind)) == "EACCES"
        assert not met(s)
        with player(lab, host=True) as outside:
            assert outside(reach(path, kind)) == "1"
            assert met(s)
    said = play.end()
    with open(r) as f:
        events = [json.loads(line) for line in f]
    denied = [e for e in events if e.get("target") == str(path)]
    assert len(denied) == 2, events
    assert "connect" in denied[0].values(), denied
    assert f"--unix-socket='{path}'" in denied[0].values(), denied
    # At once, and in the report at the end; not once per try.
    assert said.count(f"refused: connect {path}") == 1, said
    assert said.count(f"connect {path}, ") == 1, said
    assert f"--unix-socket='{path}'" in said, said


@pytest.mark.parametrize("kind", TYPES)
def test_T_061_a_named_socket_is_allowed_later(lab, kind):
    """By its own name, by a link to it, by its directory."""
    for path in lab.work / "late", lab.home / "late", lab.work / "d" / "late":
        path.parent.mkdir(exist_ok=True)
        for named in path, path.parent:
            with player(lab, "--unix-socket", str(named)) as play:
                with server(path, kind) as s:
                    assert play(reach(path, kind)) == "1", named
                    assert met(s)
                # and again, when the service was started anew
                with server(path, kind) as s:
                    assert play(reach(path, kind)) == "1", named
                    assert met(s)
                other = path.parent.parent / "other"
                with server(other, kind) as s:
                    assert play(reach(other, kind)) == "EACCES", named
                    assert not met(s)
    link = lab.outside / "link"
    link.symlink_to(lab.home)
    with player(lab, "--unix-socket", str(link / "late")) as play:
        with server(lab.home / "late", kind) as s:
            assert play(reach(lab.home / "late", kind)) == "1"
            assert play(reach(link / "late", kind)) == "1"
            assert met(s)


def test_T_061_a_directory_of_sockets_shows_those_there_at_the_start(lab):
    with server(lab.work / "s") as s, server(lab.home / "s") as other:
        with player(lab, "--unix-socket", str(lab.work)) as play:
            assert play(reach(lab.work / "s", "stream")) == "1"
            assert met(s)
            assert play(reach(lab.home / "s", "stream")) == "EACCES"
            assert not met(other)


def test_T_061_a_pattern_names_those_there_at_the_start(lab):
    with server(lab.work / "a.sock") as s, server(lab.work / "b.so") as other:
        with player(lab, "--unix-socket", str(lab.work / "*.sock")) as play:
            assert play("connect('a.sock')") == "ok"
            assert met(s)
            assert play("connect('b.so')") == "EACCES"
            assert not met(other)


def test_T_061_hidden_since_the_start_is_told(lab):
    with server(lab.work / "s") as s:
        with player(lab) as play:
            assert play("connect('s')") == "EACCES"
            assert play("open('mine', 'w').close()") == "ok"
            assert play("os.chmod('mine', 0)") == "ok"
            assert play("connect('mine')") == "EACCES"
            said = play.end()
        assert not met(s)
    assert f"refused: connect {lab.work}/s:" in said, said
    assert "mine" not in said, said


def test_T_061_nobody_is_bound(lab):
    """A file that a service left behind: programs make it anew."""
    with player(lab) as play:
        for name in "stale", "nothing":
            s = socket.socket(socket.AF_UNIX)
            s.bind(str(lab.work / name))
            s.close()
        os.unlink(lab.work / "nothing")
        assert play("connect('stale')") == "ECONNREFUSED"
        assert play("connect('nothing')") == "ENOENT"
        assert play("os.unlink('stale')") == "ok"
        assert play("keep(bind('stale'))") == "ok"
        assert play("connect('stale')") == "ok"
        assert "refused" not in play.end()


def test_T_061_every_name_of_a_host_socket(lab):
    sub = lab.work / "sub"
    sub.mkdir()
    with player(lab) as play, server(sub / "s") as s:
        # The control: each of these is a way to a socket of its own.
        for mine in "own", "sub/s":
            prefix = "own-" if mine == "own" else "host-"
            if mine == "own":
                assert play("keep(bind('own'))") == "ok"
            want = "ok" if mine == "own" else "EACCES"
            for act in (f"os.link({mine!r}, '{prefix}hard')",
                        f"os.symlink({mine!r}, '{prefix}sym')",
                        f"os.rename({mine!r}, '{prefix}moved')",
                        f"os.symlink('{prefix}moved', '{prefix}sym2')"):
                assert play(act) == "ok", act
            names = [prefix + n for n in ("hard", "moved", "sym2")]
            names += [f"/proc/self/cwd/{prefix}moved",
                      f"/proc/self/root{lab.work}/{prefix}moved",
                      f"sub/../{prefix}moved", f"{lab.work}/{prefix}hard"]
            for name in names:
                assert play(f"connect({name!r})") == want, name
            assert play(f"keep(os.open('{prefix}moved', os.O_PATH)) > 0") == \
                "True"
            assert play("connect('/proc/self/fd/%d' % kept[-1])") == want
            assert play("connect('/dev/fd/%d' % kept[-1])") == want
        # what was made for a moment and unlinked has no number that counts
        assert play("os.unlink('own-hard') or os.unlink('own-moved')") == "ok"
        with server(lab.work / "again") as again:
            assert play("connect('again')") == "EACCES"
            assert not met(again)
        assert not met(s)


def test_T_061_an_allowed_name_does_not_serve_another_socket(lab):
    """In a place that the box may write it chooses what has which name."""
    for name in "d", "e", "in":
        (lab.work / name).mkdir()
    opts = ["--unix-socket", str(lab.work / "named"),
            "--unix-socket", str(lab.work / "in")]
    with player(lab, *opts) as play, server(lab.work / "other") as s, \
            server(lab.work / "d" / "named") as s2:
        for act in ("os.rename('other', 'named')", "os.link('other', 'named')",
                    "os.link('other', 'in/x')", "os.rename('d', 'in/d')",
                    "os.rename('d', 'named')",
                    "os.rename('/proc/self/cwd/other', 'named')",
                    "os.symlink('other', 'l') or "
                    "os.link('l', 'in/x', src_dir_fd=os.open('.', 0))"):
            assert play(act) == "EACCES", act
        # Controls: an own socket and files may have the name, and other names
        # are free; a link leads to the other one.
        assert play("keep(bind('own'))") == "ok"
        assert play("os.rename('own', 'named')") == "ok"
        assert play("connect('named')") == "ok"
        assert play("os.unlink('named')") == "ok"
        assert play("open('f', 'w').close() or os.rename('f', 'in/f')") == "ok"
        assert play("os.mkdir('in/new') or os.rename('in/new', 'in/n')") == "ok"
        assert play("os.rename('e', 'e2')") == "ok"
        assert play("os.symlink('other', 'named')") == "ok"
        assert play("connect('named')") == "EACCES"
        assert play("os.rename('other', 'elsewhere')") == "ok"
        assert play("connect('elsewhere')") == "EACCES"
        assert not met(s) and not met(s2)


OWN = """
import array, os, select, socket, sys, threading
for name in 'work.sock', './sub/s', '/tmp/s', '/dev/shm/s', '/run/s', '\\0abs':
    for kind in socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM:
        for blocking in True, False:
            s = socket.socket(socket.AF_UNIX, kind)
            s.bind(name)
            if kind != socket.SOCK_DGRAM:
                s.listen()
            c = socket.socket(socket.AF_UNIX, kind)
            c.setblocking(blocking)
            c.connect(name)
            r, w = os.pipe()
            socket.send_fds(c, [b'here'], [w])
            a = s.accept()[0] if kind != socket.SOCK_DGRAM else s
            data, fds, _, _ = socket.recv_fds(a, 9, 1)
            os.write(fds[0], b'through')
            assert (data, os.read(r, 9)) == (b'here', b'through')
            shown = s.getsockname()
            assert os.fsencode(shown) == os.fsencode(name), shown
            assert c.getpeername() == shown
            for fd in fds[0], r, w:
                os.close(fd)
            for end in s, c, a:
                end.close()
            if name[0] != '\\0':
                os.unlink(name)
a, b = socket.socketpair()
a.send(b'pair')
assert b.recv(9) == b'pair'
# an answer goes to the address that a datagram came from
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind('asked')
c = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
c.bind(os.getcwd() + '/asking')
c.connect('asked')
c.send(b'q')
s.sendto(b'a', s.recvfrom(9)[1])
assert c.recv(9) == b'a'
print('done')
"""


@pytest.mark.parametrize("network", ["none", "host"])
def test_T_061_own_sockets_work(lab, network):
    (lab.work / "sub").mkdir()
    opts = ["--network", network, "--allow-degraded", "landlock_scopes"]
    r = lab.run("python3", "-c", OWN, opts=opts)
    assert r.out == "done\n" and "refused" not in r.err, r


def test_own_sockets_of_another_process(lab):
    """The box is one: who bound a socket does not matter, nor who dies."""
    script = """
import os, socket, subprocess, sys
s = socket.socket(socket.AF_UNIX)
s.bind('s')
s.listen()
pid = os.fork()
if pid == 0:
    c = socket.socket(socket.AF_UNIX)
    os.chdir('/')
    c.connect(sys.argv[1] + '/s')
    c.send(b'child')
    os._exit(0)
print(s.accept()[0].recv(9).decode(), os.waitpid(pid, 0)[1])
"""
    r = lab.run("python3", "-c", script, lab.work)
    assert r.out == "child 0\n", r


def test_names_of_own_sockets_are_judged(lab):
    with player(lab) as play:
        for name in ".mcp.json", "./.mcp.json", f"{lab.work}/.mcp.json", \
                "/proc/self/cwd/.mcp.json", ".MCP.json":
            assert play(f"keep(bind({name!r}))") == "EACCES", name
        assert not (lab.work / ".mcp.json").exists()
        (lab.work / "d").mkdir()
        assert play("os.symlink('.', 'here')") == "ok"
        assert play("keep(bind('here/.mcp.json'))") == "EACCES"
        # controls: other names, and the same elsewhere
        assert play("keep(bind('mcp.json'))") == "ok"
        assert play("keep(bind('d/.mcp.json'))") == "ok"
        said = play.end()
    assert f"create {lab.work}/.mcp.json" in said, said
    with player(lab, host=True) as outside:
        assert outside("keep(bind('.mcp.json'))") == "ok"


def test_modes_and_names_follow_the_caller(lab):
    with player(lab) as play:
        for mask in 0o000, 0o027, 0o077:
            assert play(f"os.umask({mask}) * 0 or keep(bind('m{mask}'))") == "ok"
            mode = (lab.work / f"m{mask}").stat().st_mode & 0o777
            assert mode == 0o777 & ~mask
        name = "n" * 100
        assert play(f"keep(bind({name!r}))") == "ok"
        assert play(f"kept[-1].getsockname() == {name!r}") == "True"
        assert play(f"connect({name!r})") == "ok"
        assert play(f"keep(bind({name!r}))") == "EADDRINUSE"
        assert play("keep(bind('no/where'))") == "ENOENT"
        assert play("connect('m0/x')") == "ENOTDIR"
        assert play("connect('m0', 2)") == "EPROTOTYPE"
        assert play("os.chmod('m0', 0) or connect('m0')") == "EACCES"
        assert "refused" not in play.end()


def test_more_sockets_than_are_remembered(lab):
    """Outside of private directories 256 at a time; those over do not count."""
    with player(lab) as play:
        assert play("[bind(f'over{i}').close() for i in range(300)][0]") == \
            "ok"
        assert play("len([keep(bind(f's{i}')) for i in range(256)])") == "256"
        assert play("connect('s0')") == play("connect('s255')") == "ok"
        assert play("keep(bind('more'))") == "ENOBUFS"
        assert not (lab.work / "more").exists()
        assert play("len([keep(bind(f'/tmp/s{i}')) for i in range(300)])") == \
            "300"
        assert play("connect('/tmp/s299')") == "ok"
        assert play("kept.pop(0).close()") == "ok"
        assert play("keep(bind('more'))") == "ok"
        assert play("connect('more')") == "ok"
        assert play("connect('s0')") == "ECONNREFUSED"


def test_a_caller_that_cannot_be_looked_at(lab):
    script = """
import ctypes, socket
assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0      # PR_SET_DUMPABLE
for family, name in ((socket.AF_UNIX, 's'), (socket.AF_INET, ('127.0.0.1', 0))):
    s, c = socket.socket(family), socket.socket(family)
    s.bind(name)
    s.listen()
    c.connect(s.getsockname())
    c.send(b'seen')
    print(s.accept()[0].recv(9).decode())
"""
    r = lab.run("python3", "-c", script)
    assert r.out == "seen\nseen\n", r


# Memory that another process shares holds the address, and a thread puts
# another socket at the number, while this one connects.
RACE = """
import ctypes, errno, mmap, os, socket, struct, sys, threading
refused, tries = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
s = socket.socket(socket.AF_UNIX)
s.bind('allow')
s.listen(100)
page = mmap.mmap(-1, 4096)
at = ctypes.addressof(ctypes.c_char.from_buffer(page))
names = [struct.pack('H', socket.AF_UNIX) + name.encode() + b'\\0'
         for name in ('allow', refused)]
assert len(names[0]) == len(names[1])
n = len(names[0])
page[:n] = names[0]
flipper = os.fork()
if flipper == 0:
    libc.prctl(1, 9, 0, 0, 0)       # PR_SET_PDEATHSIG
    while True:
        ctypes.memmove(at, names[1], n)
        ctypes.memmove(at, names[0], n)
over = False
def flip():
    inet = socket.socket()
    while not over:
        plain = socket.socket(socket.AF_UNIX)
        plain.setblocking(False)
        os.dup2(inet.fileno(), 99)
        os.dup2(plain.fileno(), 99)
        plain.close()
thread = threading.Thread(target=flip)
thread.start()
seen = {}
for i in range(tries):
    c = socket.socket(socket.AF_UNIX)
    c.setblocking(False)
    fd = c.fileno() if i % 2 else 99
    got = libc.syscall(42, fd, ctypes.c_void_p(at), n)
    what = errno.errorcode[ctypes.get_errno()] if got else 'ok'
    seen[what] = seen.get(what, 0) + 1
    c.close()
    s.setblocking(False)
    try:
        while True:
            s.accept()[0].close()
    except BlockingIOError:
        pass
over = True
thread.join()
os.kill(flipper, 9)
os.waitpid(flipper, 0)
print(seen.get('ok', 0), seen.get('EACCES', 0), seen)
"""


def test_RC_addresses_and_sockets_change_while_they_are_judged(lab):
    """10 000 tries: the host's server is never reached."""
    box = lab.spawn("sh", "-c", "echo up; read x; exec python3 -c \"$0\" \"$@\"",
                    RACE, "claws", "10000")
    assert box.stdout.readline() == b"up\n"
    with server(lab.work / "claws") as s:
        out, err = box.communicate(b"\n", timeout=120)
        assert box.returncode == 0, err
        ok, denied = map(int, out.split()[:2])
        assert ok > 100 and denied > 100, out
        assert not met(s)
        (lab.work / "allow").unlink()
        control = lab.host("python3", "-c", RACE, "claws", "1000", timeout=60)
        assert control.ok and met(s), control
