# SPDX-License-Identifier: Apache-2.0
"""The egress process: its cage, its death, rules that change, deadlines."""
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import time

import pytest

from egresslab import CLIENT, PYTHON

HOLD = f"""
import json, sys; sys.path.insert(0, {str(CLIENT.parent)!r})
import client
for line in sys.stdin:
    job = json.loads(line)
    if job == "forget": held = None; print("null", flush=True); continue
    if job == "more":
        try: held.s.sendall(b"again"); held.take(held.s.recv(100) or b"<end>")
        except OSError as e: held.said["end"] = type(e).__name__
        print(json.dumps(held.said), flush=True); continue
    held = client.Client(job)
    try:
        held.open()
        for step in job.get("steps", []):
            (word, how), = step.items(); getattr(held, "do_" + word)(how)
    except (OSError, client.Refused) as e: held.said["end"] = str(e) or "no"
    print(json.dumps(held.said), flush=True)
"""


class Held:
    """A box that does one job after the other, and keeps its connection."""

    def __init__(self, net, control=None, **kw):
        opts = ["--control-fd", str(control)] if control else []
        self.p = net.spawn(PYTHON, "-c", HOLD, opts=opts,
                           pass_fds=[control] if control else [], **kw)

    def job(self, what):
        self.p.stdin.write(json.dumps(what).encode() + b"\n")
        self.p.stdin.flush()
        return json.loads(self.line())

    def line(self, deadline=20):
        ready, _, _ = select.select([self.p.stdout], [], [], deadline)
        line = self.p.stdout.readline() if ready else b""
        assert line, self.p.stderr.read() if ready else "no answer"
        return line

    def close(self):
        self.p.kill()
        self.p.communicate()


@contextlib.contextmanager
def held(net, **kw):
    box = Held(net, **kw)
    try:
        yield box
    finally:
        box.close()


def children(pid):
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as f:
                yield from map(int, f.read().split())


def comm(pid):
    with open(f"/proc/{pid}/comm") as f:
        return f.read().strip()


def egress_of(p):
    found = [c for c in children(p.pid) if comm(c) == "cordon-egress"]
    assert len(found) == 1, [(c, comm(c)) for c in children(p.pid)]
    return found[0]


ECHO = {"form": "connect", "host": "allowed.test", "port": 7,
        "steps": [{"send": "\1x"}, {"receive": "x"}]}


def test_one_process_outside_and_none_inside(net):
    with held(net, allow=["allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        egress_of(box.p)
    r = net.run("sh", "-c", "cat /proc/[0-9]*/comm; ls /run /tmp; "
                "cat /proc/net/unix", allow=["allowed.test"])
    assert "cordon-egress" not in r.out, r


def status(pid, key):
    with open(f"/proc/{pid}/status") as f:
        return next(line.split()[1] for line in f if
                    line.startswith(key + ":"))


def test_it_is_caged(net):
    with held(net, allow=["allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        pid = egress_of(box.p)
        assert status(pid, "Seccomp") == "2"
        assert status(pid, "NoNewPrivs") == "1"
        assert int(status(pid, "CapEff"), 16) == 0
        assert int(status(pid, "CapPrm"), 16) == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGABRT])
def test_its_death_ends_the_box(net, how):
    with held(net, allow=["allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        os.kill(egress_of(box.p), how)
        assert box.p.wait(10) != 0
        assert b"network" in box.p.stderr.read()


def test_it_ends_with_the_supervisor(net):
    box = Held(net, allow=["allowed.test:7"])
    assert box.job(ECHO)["received"] == "\1x"
    pid = egress_of(box.p)
    fd = os.pidfd_open(pid)
    box.close()
    ready, _, _ = select.select([fd], [], [], 10)
    os.close(fd)
    assert ready, "cordon-egress outlives its supervisor"


def test_it_ends_with_the_command(net):
    p = net.spawn(PYTHON, "-c", "input()", allow=["allowed.test"])
    deadline = time.monotonic() + 10
    while not [c for c in children(p.pid) if comm(c) == "cordon-egress"]:
        assert time.monotonic() < deadline
    fd = os.pidfd_open(egress_of(p))
    p.communicate(b"\n")
    assert p.returncode == 0
    ready, _, _ = select.select([fd], [], [], 5)
    os.close(fd)
    assert ready


def test_T_098_connections_end_with_the_box(net):
    """Cancellation closes: the server sees the end."""
    with held(net, allow=["allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        hit, = [h for h in net.hits if h.port == 7]
        assert not hit.ended
    net.world.servers.wait(lambda: hit.ended)


def test_T_098_no_socket_path_is_left(net):
    before = set(os.listdir("/tmp")) | set(os.listdir("/run"))
    with held(net, allow=["allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        assert set(os.listdir("/tmp")) | set(os.listdir("/run")) <= \
            before | {n for n in os.listdir("/tmp") if "cordon" not in n}


# -- rules that change -----------------------------------------------------
@contextlib.contextmanager
def controlled(net, **kw):
    ours, theirs = socket.socketpair()
    try:
        with held(net, control=theirs.fileno(), **kw) as box:
            box.control = ours
            yield box
    finally:
        ours.close()
        theirs.close()


def tell(box, **what):
    box.control.settimeout(10)
    box.control.sendall(json.dumps(what).encode() + b"\n")
    line = b""
    while not line.endswith(b"\n"):
        data = box.control.recv(4096)
        assert data, line
        line += data
    return json.loads(line)


def get(host, form="connect"):
    return {"form": form, "host": host, "port": 80,
            "steps": [{"request": "/"}, {"receive": '"n": 1'}]}


@pytest.mark.parametrize("form", ["connect", "socks", "transparent"])
def test_T_102_new_rules_hold_for_new_connections(net, form):
    with controlled(net, allow=["allowed.test"]) as box:
        assert '"n": 1' in box.job(get("allowed.test", form))["received"]
        assert not box.job(get("other.test", form))["bytes"]
        assert tell(box, network={"allow": ["other.test"], "deny": []}) == {
            "ok": True}
        assert '"n": 1' in box.job(get("other.test", form))["received"]
        assert not box.job(get("allowed.test", form))["bytes"]
        assert tell(box, network={"allow": ["*"],
                                  "deny": ["other.test"]})["ok"]
        assert not box.job(get("other.test", form))["bytes"]
        assert '"n": 1' in box.job(get("allowed.test", form))["received"]


def test_T_102_established_ones_live_on_or_are_cut(net):
    with controlled(net, allow=["allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        assert tell(box, network={"allow": [], "deny": []})["ok"]
        assert "again" in box.job("more")["received"]
        assert tell(box, network={"allow": [], "deny": []}, cut=True)["ok"]
        said = box.job("more")
        assert "againagain" not in said["received"], said
        assert "<end>" in said["received"] or said["end"] != "open", said


def test_T_102_cut_spares_what_is_still_allowed(net):
    with controlled(net, allow=["allowed.test:7", "other.test"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        assert tell(box, network={"allow": ["allowed.test:7"], "deny": []},
                    cut=True)["ok"]
        assert "again" in box.job("more")["received"]


@pytest.mark.parametrize("line", [
    b"nonsense\n", b"{}\n", b'{"network": 1}\n', b"[]\n",
    b'{"network": {"allow": ["a b"]}}\n', b'{"netwrk": {}}\n',
    b'{"network": {"allow": [1]}}\n', b'{"network": {"mode": "host"}}\n',
    b"\0\n", b'{"network": {"allow": "a"}}\n'])
def test_a_bad_change_is_refused_and_the_old_rules_stay(net, line):
    with controlled(net, allow=["allowed.test"]) as box:
        assert '"n": 1' in box.job(get("allowed.test"))["received"]
        box.control.settimeout(10)
        box.control.sendall(line)
        answer = json.loads(box.control.recv(4096))
        assert answer.get("ok") is not True and len(str(answer)) > 15, answer
        assert '"n": 1' in box.job(get("allowed.test"))["received"]
        assert not box.job(get("other.test"))["bytes"]


def test_the_box_cannot_change_them(net):
    """The control descriptor is not inside."""
    with controlled(net, allow=["allowed.test"]) as box:
        fds = os.listdir(f"/proc/{box.p.pid}/fd")
        assert fds
    r = net.run("ls", "-l", "/proc/self/fd", allow=["allowed.test"])
    assert "socket:" not in r.out, r


# -- deadlines -------------------------------------------------------------
def test_silence_has_a_deadline(net):
    """All at once: a proxy client that says nothing, half a request, half a
    SOCKS greeting, half a ClientHello; each ends in 10 s, and none before."""
    code = """
import socket, time, select
p = ("127.0.0.1", 3128)
def dial(to, data=b"", read=0):
    s = socket.create_connection(to, 5)
    if data: s.sendall(data)
    if read: s.recv(read)
    return s
ends = {}
began = time.monotonic()
cs = {dial(p): "silent", dial(p, b"GET http://allo"): "request",
      dial(p, b"\\5\\1"): "greeting", dial(p, b"\\5\\1\\0", 2): "socks",
      dial(p, b"CONNECT allowed.test:443 HTTP/1.1\\r\\n"
              b"Host: allowed.test:443\\r\\n\\r\\n", 5): "no hello",
      dial(("allowed.test", 443)): "transparent",
      dial(("allowed.test", 443), b"\\x16\\x03\\x01\\x01\\x00"): "half hello"}
while cs and time.monotonic() - began < 16:
    for s in select.select(list(cs), [], [], 1)[0]:
        try:
            if s.recv(4096): continue
        except OSError: pass
        ends[cs.pop(s)] = time.monotonic() - began
print(ends, list(cs.values()))
print(len(cs), min(ends.values()) > 8, max(ends.values()) < 13)
"""
    r = net.run(PYTHON, "-c", code, allow=["allowed.test"])
    assert r.lines[-1] == "0 True True", r
    assert not any(h.bytes for h in net.hits), net.hits


def test_the_proxy_of_one_box_is_not_another_s(net):
    """NP-26: nothing listens on the host, for whatever uid."""
    def listeners():
        out = subprocess.run(["ss", "-Hltnx"], text=True,
                             capture_output=True).stdout
        return sorted(line.split()[4] for line in out.splitlines())

    before = listeners()
    with held(net, allow=["allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        assert listeners() == before
