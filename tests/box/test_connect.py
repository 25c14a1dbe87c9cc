# SPDX-License-Identifier: Apache-2.0
"""connect(2) is done by box init: it waits for nobody, and TCP and UDP inside
are as they are outside."""
import select

import pytest

WAITING = """
import errno, os, signal, socket, struct, subprocess, sys, threading, time
family = getattr(socket, sys.argv[1])
s = socket.socket(family)
s.bind('full' if family == socket.AF_UNIX else ('127.0.0.1', 0))
s.listen(0)
where = s.getsockname()
held = []
def fill():
    while True:
        c = socket.socket(family)
        c.settimeout(0.3)
        held.append(c)
        try:
            c.connect(where)
        except OSError:
            return
fill()
waits = []
def wait():
    c = socket.socket(family)
    try:
        c.connect(where)
        waits.append('connected')
    except OSError as e:
        waits.append(errno.errorcode[e.errno])
threads = [threading.Thread(target=wait) for _ in range(8)]
for t in threads:
    t.start()
# Another process works on meanwhile.
start = time.monotonic()
subprocess.run(['sh', '-c', 'i=0; while [ $i -lt 200 ]; do : > f$i; '
                'i=$((i + 1)); done'], check=True)
print('files', len([f for f in os.listdir('.') if f[0] == 'f']) > 199,
      time.monotonic() - start < 10, waits)
# A signal ends a connect without a time limit; so does the limit.
signal.signal(signal.SIGALRM, lambda *_: 1 / 0)
signal.setitimer(signal.ITIMER_REAL, .2)
c = socket.socket(family)
try:
    c.connect(where)
except ZeroDivisionError:
    print('signal')
c = socket.socket(family)
c.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack('ll', 0, 200000))
start = time.monotonic()
try:
    c.connect(where)
except OSError as e:
    print(errno.errorcode[e.errno], time.monotonic() - start < 5)
# Who dies while it waits is gone.
pid = os.fork()
if pid == 0:
    socket.socket(family).connect(where)
    os._exit(0)
os.kill(pid, signal.SIGKILL)
print('killed', os.WTERMSIG(os.waitpid(pid, 0)[1]))
for c in held:
    c.close()
# As soon as the server takes them, all that wait are connected.
s.settimeout(20)
taken = []
while any(t.is_alive() for t in threads):
    taken.append(s.accept()[0])
    for t in threads:
        t.join(0.05)
print(sorted(set(waits)), len(waits))
"""


@pytest.mark.parametrize("family, limit", [("AF_UNIX", "EAGAIN"),
                                           ("AF_INET", "EINPROGRESS")])
def test_a_connect_that_waits_stops_nobody(lab, family, limit):
    want = ["files True True []", "signal", f"{limit} True", "killed 9",
            "['connected'] 8"]
    control = lab.host("python3", "-c", WAITING, family)
    assert control.lines == want, control
    for f in lab.work.iterdir():
        f.unlink()
    r = lab.run("python3", "-c", WAITING, family)
    assert r.lines == want, r


INET = """
import errno, select, socket
for family, name in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    s, dead = socket.socket(family), socket.socket(family)
    for end in s, dead:
        end.bind((name, 0))
    s.listen()
    for blocking in True, False:
        for port in s.getsockname()[1], dead.getsockname()[1]:
            c = socket.socket(family)
            c.setblocking(blocking)
            first = c.connect_ex((name, port))
            select.select([], [c], [], 5)
            then = c.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            print(blocking, [errno.errorcode.get(e, e) for e in (first, then)],
                  c.getblocking())
    u = socket.socket(family, socket.SOCK_DGRAM)
    u.bind((name, 0))
    v = socket.socket(family, socket.SOCK_DGRAM)
    v.connect(u.getsockname())
    v.send(b'datagram')
    print(u.recv(99))
    print(socket.create_connection((name, s.getsockname()[1]), 5).fileno() > 0)
"""


def test_tcp_and_udp_inside(lab):
    control = lab.host("python3", "-c", INET)
    assert control.ok and "ECONNREFUSED" in control.out, control
    r = lab.run("python3", "-c", INET)
    assert r.out == control.out, r


# Others share the socket, and set its time limit and O_NONBLOCK back to "for
# ever" while a connect to a full server is tried on it.
HELD = """
import os, signal, socket, struct, subprocess, sys
how = sys.argv[1]
s = socket.socket(socket.AF_UNIX)
s.bind('full')
s.listen(0)
held = [socket.socket(socket.AF_UNIX) for _ in range(3)]
for c in held:
    c.setblocking(False)
    c.connect_ex('full')
print('up', flush=True)
for turn in range(25):
    c = socket.socket(socket.AF_UNIX)
    group = []
    for who in range(3):
        pid = os.fork()
        if pid:
            group.append(pid)
            continue
        signal.alarm(20)
        never = struct.pack('ll', 0, 0)
        while who and how == 'limit':
            c.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, never)
        while who:
            c.setblocking(who == 1)
        while True:
            try:
                c.connect('full')
            except OSError:
                pass
    subprocess.run(['sh', '-c', 'i=0; while [ $i -lt 20 ]; do : > f$i; '
                    'i=$((i + 1)); done'], check=True, timeout=15)
    for pid in group:
        os.kill(pid, signal.SIGKILL)
    for pid in group:
        os.waitpid(pid, 0)
print('done', flush=True)
if sys.argv[2:]:
    if os.fork() == 0:
        while True:
            socket.socket(socket.AF_UNIX).connect('full')
    signal.pause()
"""


@pytest.mark.parametrize("how", ["limit", "flag"])
def test_nobody_makes_box_init_wait_for_ever(lab, how):
    control = lab.host("python3", "-c", HELD, how)
    assert control.lines == ["up", "done"], control
    lab.host("sh", "-c", "rm -f ./*")
    p = lab.spawn("python3", "-c", HELD, how, "stay", text=True)
    try:
        assert p.stdout.readline() == "up\n"
        ready, _, _ = select.select([p.stdout], [], [], 60)
        assert ready and p.stdout.readline() == "done\n", "it hangs"
        p.terminate()
        p.wait(timeout=20)
    finally:
        p.kill()
        p.communicate()
