# SPDX-License-Identifier: Apache-2.0
"""Bytes between a client and a server where one of them does not do what is
usual: an early answer, urgent data, half an answer, a preface in between."""
import contextlib
import fcntl
import hashlib
import os
import select
import socket
import struct
import threading
import time

import pytest

from client import pattern
from egresslab import PYTHON
from test_lifecycle import (ECHO, comm, controlled, egress_of, held, tell)
from test_network import published, reaches

SIOCOUTQ = 0x5411
TICK = os.sysconf("SC_CLK_TCK")
FORMS = ["transparent", "connect", "socks"]


def eventually(true, deadline=10):
    """For what the kernel counts and tells nobody."""
    end = time.monotonic() + deadline
    while not true():
        assert time.monotonic() < end
        threading.Event().wait(0.01)


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def idles(pid, seconds=1.0):
    """Less than a tenth of a CPU."""
    life, before = os.pidfd_open(pid), cpu_ticks(pid)
    ended, _, _ = select.select([life], [], [], seconds)
    os.close(life)
    assert not ended, "cordon-egress has ended"
    assert cpu_ticks(pid) - before <= 0.1 * seconds * TICK


# -- an answer before all was said -----------------------------------------
ANSWER = 150_000
UPLOAD = r"""
import select, socket, sys
whole = 0
for _ in range(8):
    s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)
    s.sendall(b"\0go"); got = 0
    try:
        for _ in range(40): s.sendall(b"x" * 65536)
    except OSError: pass
    select.select([], [], [], float(sys.argv[4]))
    try:
        while data := s.recv(65536): got += len(data)
    except OSError: pass
    s.close(); whole += got == int(sys.argv[3])
print(whole)
"""


@pytest.fixture(scope="module")
def early(world):
    """Answers what nobody has finished to ask, and leaves."""
    def serve(c, hit):
        hit.add(c.recv(3))
        c.sendall(pattern(ANSWER))
        queued = lambda: struct.unpack("i", fcntl.ioctl(    # noqa: E731
            c, SIOCOUTQ, bytes(4)))[0]
        eventually(lambda: not queued())
        # what it has not read makes the end a reset

    world.servers.serve_early = serve
    return world.servers.listen("early", 0, ("0.0.0.0",))


@pytest.mark.parametrize("pause", ["0", "0.1"])
def test_an_early_answer_arrives_whole(net, early, pause):
    """Also if the client reads it long after the server has gone."""
    r = net.run(PYTHON, "-c", UPLOAD, "four.test", str(early), str(ANSWER),
                pause, allow=[f"four.test:{early}"])
    assert r.out == "8\n", r


# -- urgent data -----------------------------------------------------------
URGENT = r"""
import socket, sys
s = socket.create_connection(("allowed.test", 9), 10)
s.sendall(b"\0\1\2" * int(sys.argv[1])); print("sent", flush=True); input()
s.send(b"x", socket.MSG_OOB); s.send(b"yyyy"); print("urgent", flush=True)
input(); s.shutdown(1); print(s.recv(100).decode(), end="", flush=True)
input()
"""


@pytest.mark.parametrize("times", [10, 700_000], ids=["short", "long"])
def test_urgent_data_stops_nothing(net, times):
    """Its byte is not passed on, and what follows is."""
    sent = b"\0\1\2" * times
    p = net.spawn(PYTHON, "-c", URGENT, str(times), allow=["allowed.test:9"])
    try:
        def line(order=None):
            if order:
                p.stdin.write(order)
                p.stdin.flush()
            ready, _, _ = select.select([p.stdout], [], [], 20)
            return p.stdout.readline() if ready else b""

        assert line() == b"sent\n"
        eventually(lambda: net.hits)
        hit, = net.hits
        eventually(lambda: hit.bytes == len(sent))
        assert line(b"\n") == b"urgent\n"
        eventually(lambda: hit.bytes == len(sent) + 4)
        idles(egress_of(p))
        want = hashlib.sha256(sent + b"yyyy").hexdigest()
        assert line(b"\n").decode() == f"{len(sent) + 4} {want}\n"
    finally:
        p.kill()
        p.communicate()


# -- what made it spin -----------------------------------------------------
PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
ONE = "GET /one HTTP/1.1\r\nHost: allowed.test\r\n\r\n"


@pytest.mark.parametrize("steps", [
    [{"send": PREFACE}], [{"send": ONE + PREFACE}],
    [{"send": ONE}, {"receive": "/one"}, {"send": PREFACE}]],
    ids=["first", "behind a request", "after an answer"])
@pytest.mark.parametrize("form", FORMS)
def test_a_preface_on_port_80_ends_its_connection_alone(net, form, steps):
    with held(net, allow=["allowed.test", "allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        egress = egress_of(box.p)
        said = box.job({"form": form, "host": "allowed.test", "port": 80,
                        "timeout": 5, "steps": [*steps, {"receive": "end"}]})
        assert "timed out" not in said["end"], said
        assert not any(b"PRI" in h.got for h in net.hits), net.hits
        idles(egress, 0.5)
        assert box.job(ECHO)["received"] == "\1x"


@pytest.fixture(scope="module")
def half_a_proxy(world):
    """Begins its answer, ends its direction, and stays."""
    def serve(c, hit):
        hit.add(c.recv(4096))
        c.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        c.shutdown(socket.SHUT_WR)
        while data := c.recv(4096):
            hit.add(data)

    world.servers.serve_half_a_proxy = serve
    return world.servers.listen("half_a_proxy", 0, ("127.0.0.1",), True)


def test_half_an_answer_of_the_upstream_proxy_is_502(net, half_a_proxy):
    job = {"form": "connect", "host": "allowed.test", "port": 80,
           "timeout": 5}
    with held(net, allow=["allowed.test"], network={
            "upstream_proxy": f"http://127.0.0.1:{half_a_proxy}"}) as box:
        for _ in range(3):
            said = box.job(job)
            assert said.get("status") == 502, said
        idles(egress_of(box.p), 0.5)


# -- rules that change while it is on its way ------------------------------
@pytest.fixture
def busy(net):
    """A port of the world whose queue is full: who comes waits."""
    def listen():
        s = socket.socket()
        s.bind(("93.184.216.10", 0))
        s.listen(0)
        return s

    listener = net.world.lab.in_world(listen)
    listener.setblocking(False)
    port = listener.getsockname()[1]
    queue = []
    for _ in range(4):
        queue.append(socket.socket())
        queue[-1].setblocking(False)
        queue[-1].connect_ex(("93.184.216.10", port))
    eventually(lambda: waiting(port) >= 1)
    yield port, listener
    for s in [listener, *queue]:
        s.close()


def waiting(port):
    """How many on the host have asked to connect and were not answered."""
    with open("/proc/thread-self/net/tcp") as f:
        return sum(line.split()[2].endswith(f":{port:04X}") and
                   line.split()[3] == "02" for line in f)


@pytest.mark.parametrize("stays", [True, False])
def test_T_102_a_change_spares_what_is_dialling_and_stays_allowed(net, busy,
                                                                 stays):
    port, listener = busy
    rule = f"four.test:{port}"
    before = waiting(port)
    with controlled(net, allow=[rule]) as box:
        box.p.stdin.write(b'{"form": "connect", "host": "four.test", "port": '
                          b'%d, "timeout": 20}\n' % port)
        box.p.stdin.flush()
        eventually(lambda: waiting(port) > before)
        allow = [rule if stays else "other.test"]
        assert tell(box, network={"allow": allow}, cut=True)["ok"]
        held_open = []

        def answered():
            with contextlib.suppress(BlockingIOError):
                while True:
                    held_open.append(listener.accept())
            return select.select([box.p.stdout], [], [], 0)[0]

        if stays:
            eventually(answered, 15)
        said = box.line()
        assert (b'"stage": "open"' in said) == stays, said


# -- the process that makes sockets inside ---------------------------------
def test_a_published_port_does_not_stay_dead(net):
    """Without cordon-inside none of its connections can be made: the next
    one ends the box, which says so."""
    with published(net, ["9110:8000"]) as p:
        assert reaches("127.0.0.1", 9110)
        inside = [int(d) for d in os.listdir("/proc") if d.isdigit() and
                  below(int(d), p.pid) and comm(d) == "cordon-inside"]
        assert len(inside) == 1, inside
        os.kill(inside[0], 9)
        reaches("127.0.0.1", 9110)
        assert p.wait(10) not in (0, None)
        assert b"network" in p.stderr.read()


def below(pid, ancestor):
    with contextlib.suppress(OSError):
        while pid > 1:
            with open(f"/proc/{pid}/stat") as f:
                pid = int(f.read().rpartition(")")[2].split()[1])
            if pid == ancestor:
                return True
    return False
