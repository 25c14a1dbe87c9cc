# SPDX-License-Identifier: Apache-2.0
"""Descriptors and memory of the processes around a box: what the command must
not share, what they must not keep, and what they do when there are few."""
import os
import resource
import socket

import pytest

from egresslab import HOST_HTTP
from test_lifecycle import ECHO, egress_of, held

OPTIONS = ["--control-fd", "--events-fd"]
ALLOW = ["--allow-domain", "allowed.test"]


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    yield theirs
    ours.close()
    theirs.close()


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_a_stream_of_the_command_is_not_for_events_or_control(lab, pair,
                                                              option, stream):
    """By its number, and as another descriptor of the same file."""
    number = ["stdin", "stdout", "stderr"].index(stream)
    marker = lab.work / "marker"
    for fd in (number, pair.fileno()):
        r = lab.run("touch", marker, opts=[option, str(fd), *ALLOW],
                    pass_fds=[pair.fileno()], **{stream: pair})
        assert r.code == 125 and not marker.exists(), r
        if stream != "stderr":
            assert option in r.err, r
    lab.starts(opts=[option, str(pair.fileno()), *ALLOW],      # control
               pass_fds=[pair.fileno()])


@pytest.mark.parametrize("option", OPTIONS)
def test_nor_is_one_that_is_passed(lab, pair, option):
    same, other = os.dup(pair.fileno()), os.memfd_create("other")
    try:
        for passed in (pair.fileno(), same):
            lab.refuses(option, opts=[option, str(pair.fileno()), "--pass-fd",
                                      str(passed), *ALLOW],
                        pass_fds=[pair.fileno(), passed])
        lab.starts(opts=[option, str(pair.fileno()), "--pass-fd", str(other),
                         *ALLOW], pass_fds=[pair.fileno(), other])
    finally:
        os.close(same)
        os.close(other)


@pytest.mark.parametrize("option", OPTIONS)
def test_nor_a_file_that_was_opened_twice(lab, option):
    f = lab.file("outside/f", "")
    with open(f) as read, open(f, "a") as write:
        fds = [read.fileno(), write.fileno()]
        lab.refuses(option, opts=[option, str(fds[1]), "--pass-fd",
                                  str(fds[0]), *ALLOW], pass_fds=fds)
        lab.refuses(option, opts=[option, str(fds[1]), *ALLOW], stdin=read,
                    pass_fds=fds)


# -- what egress keeps -----------------------------------------------------
def test_egress_keeps_nothing_of_the_caller_s_environment(net):
    token = "TOKEN-" + os.urandom(12).hex()
    net.lab.env["CALLERS_TOKEN"] = token
    with held(net, allow=["allowed.test:7"]) as box:
        assert box.job(ECHO)["received"] == "\1x"
        kept = {}
        for pid in (box.p.pid, egress_of(box.p)):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    kept[pid] = f.read()
            except PermissionError:     # which nobody but root has
                assert os.geteuid(), pid
        if not os.geteuid():
            assert token.encode() in kept[box.p.pid]            # control
        assert token.encode() not in kept.get(egress_of(box.p), b"")


# -- few descriptors, and commands that are none ---------------------------
def test_few_descriptors_end_in_an_error_or_work(net):
    policy = net.policy(["allowed.test"], host_ports=list(range(9000, 9020)))
    codes = {}
    for most in (*range(8, 72, 3), 49, 256):
        r = net.lab.run("true", policy=policy, timeout=10,
                        preexec_fn=lambda most=most: resource.setrlimit(
                            resource.RLIMIT_NOFILE, (most, most)))
        codes[most] = r.code
        assert r.code in (0, 125), (most, r)
        assert r.ok or r.err.startswith("cordon: "), (most, r)
    assert codes[256] == 0 and codes[8] == 125, codes


@pytest.mark.parametrize("command,code", [("no-such-command", 127),
                                          ("/etc/passwd", 126), ("true", 0)])
def test_a_command_that_cannot_start_says_so_each_time(net, command, code):
    policy = net.policy(["allowed.test"], host_ports=[HOST_HTTP])
    runs = [net.lab.run(command, policy=policy) for _ in range(20)]
    assert [r.code for r in runs] == [code] * 20, runs
    assert not code or all(command in r.err for r in runs), runs


# -- a box that asks a lot -------------------------------------------------
FLOOD = r"""
import os, resource, select, socket, struct
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
held = [os.dup(0) for _ in range(1000)]
for _ in range(300):
    if not os.fork(): select.select([], [], [])
if os.fork(): select.select([], [], [])
s = socket.socket(2, 2); s.connect(("10.0.0.1", 53))
print("flood", flush=True)
for i in range(1 << 30):
    s.send(struct.pack(">HHHHHH", i & 0xffff, 0x100, 1, 0, 0, 0) + b"\5" +
           b"%05d" % (i % 90000) + b"\5other\4test\0\0\1\0\1")
    select.select([], [], [], 0.01)
"""


def test_the_time_limit_holds_while_refusals_are_looked_into(net):
    """Whose question it was costs a look at all descriptors of the box."""
    policy = net.lab.policy(network={
        "mode": "filtered", "allow": ["allowed.test"],
        "resolver": net.world.dns.at}, limits={"open_files": 4096})
    r = net.lab.run("/usr/bin/python3", "-c", FLOOD, policy=policy,
                    opts=["--timeout", "2s", "--json"], timeout=25)
    assert r.out == "flood\n", r
    assert r.code == 124, r
    assert r.outcome()["wall_ns"] < 5e9, r
