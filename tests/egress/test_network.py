# SPDX-License-Identifier: Apache-2.0
"""What a filtered network is: variables, loopback, datagrams, DNS, ports of the
host, published ports."""
import contextlib
import json
import select
import socket
import subprocess

import pytest

import netlab
from egresslab import (CLIENT, HOST_ECHO, HOST_HTTP, HOST_SIX, PYTHON)

END = [{"receive": "end"}]
GET = [{"request": "/"}, {"receive": "}\n"}]


@contextlib.contextmanager
def sniffer(net):
    """All that the world gets on its side of the wire, but for neighbours."""
    s = net.world.lab.in_world(lambda: socket.socket(
        socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3)))
    s.bind(("world0", 0))
    s.setblocking(False)
    seen = []
    yield seen
    with contextlib.suppress(BlockingIOError):
        while True:
            data, (_, protocol, kind, *_) = s.recvfrom(2048)
            neighbours = protocol == 0x86dd and data[6] in (0, 58) and \
                (data[6] == 0 or data[40] in range(130, 137) or
                 data[40] == 143)
            if kind != socket.PACKET_OUTGOING and not neighbours and \
                    protocol in (0x800, 0x86dd):
                seen.append(data[:48])
    s.close()


TRIES = {
    "curl": "curl -m 2 -s http://93.184.216.10/",
    "curl6": "curl -m 2 -s 'http://[2606:2800:220:1::10]/'",
    "dev-tcp": "exec 3<>/dev/tcp/93.184.216.10/80 && echo >&3",
    "ssh": "timeout 1 ssh -o ConnectTimeout=2 -o StrictHostKeyChecking=no "
           "-p 21 93.184.216.10 true",
    "nc": "busybox nc -w 2 93.184.216.10 80 </dev/null",
    "ping": "ping -c 1 -W 1 93.184.216.10",
    "udp": "echo x >/dev/udp/93.184.216.10/9",
    "udp6": f"{PYTHON} -c 'import socket; socket.socket(10, 2).sendto(b\"x\","
            " (\"2606:2800:220:1::10\", 443))'",
    "raw": f"{PYTHON} -c 'import socket; socket.socket(2, 3, 255)"
           ".sendto(bytes(40), (\"93.184.216.10\", 0))'",
    "packet": f"{PYTHON} -c 'import socket; s = socket.socket(17, 3);"
              " s.bind((\"host0\", 0)); s.send(bytes(60))'",
    "dns": "busybox nslookup allowed.test 93.184.216.10",
}
LEAVES = {"curl", "curl6", "dev-tcp", "ssh", "nc", "udp", "udp6", "dns"}


def test_T_090_control_these_acts_reach_the_world(net):
    for name in sorted(LEAVES):
        with sniffer(net) as seen:
            net.lab.host("bash", "-c", TRIES[name])
        assert seen, name


@pytest.mark.parametrize("how", TRIES)
def test_T_090_without_a_policy_nothing_leaves(net, how):
    with sniffer(net) as seen:
        r = net.lab.run("bash", "-c", TRIES[how])
    assert not seen and not net.hits, (seen, r)
    assert not r.ok or how in ("udp", "udp6"), r


@pytest.mark.parametrize("how", TRIES)
def test_with_rules_nothing_else_leaves(net, how):
    with sniffer(net) as seen:
        r = net.run("bash", "-c", TRIES[how], allow=["third.test"])
    assert not seen and not net.hits, (seen, r)


# -- environment -----------------------------------------------------------
def test_T_101_proxy_variables_are_exact(net):
    r = net.run("env", allow=["allowed.test"])
    env = dict(line.split("=", 1) for line in r.lines if "=" in line)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        for key in (name, name.upper()):
            assert env.get(key) == "http://127.0.0.1:3128", (key, r)
    for key in ("no_proxy", "NO_PROXY"):
        assert env.get(key) == "localhost,127.0.0.1,::1", (key, r)
    plain = net.lab.run("env")
    assert "_proxy=" not in plain.out.lower(), plain


def test_variables_of_the_host_do_not_lead_elsewhere(net):
    env = {**net.lab.env, "HTTP_PROXY": "http://10.9.9.9:1", "no_proxy": "*",
           "GIT_PROXY_COMMAND": "false"}
    r = net.run("env", allow=["allowed.test"], env=env)
    assert "10.9.9.9" not in r.out and "no_proxy=*" not in r.out, r


# -- inside ----------------------------------------------------------------
IN_BOX = r"""
import socket, threading
for family, bind, to in ((2, "127.0.0.1", "127.0.0.1"), (10, "::1", "::1"),
                         (2, "0.0.0.0", "127.0.0.1"),
                         (2, "127.0.0.5", "127.0.0.5"),
                         (10, "::", "::1")):
    s = socket.socket(family); s.setsockopt(1, 2, 1)
    s.bind((bind, 8000)); s.listen(5)
    c = socket.create_connection((to, 8000), 5)
    a, peer = s.accept()
    c.sendall(b"ping"); a.sendall(a.recv(4)); print(c.recv(4), bind)
    a.close(); c.close(); s.close()
u = socket.socket(2, 2); u.bind(("127.0.0.1", 8001))
v = socket.socket(2, 2); v.sendto(b"datagram", ("127.0.0.1", 8001))
u.settimeout(5); print(u.recv(64))
"""


def test_servers_of_the_box_work_on_its_loopback(net):
    r = net.run(PYTHON, "-c", IN_BOX, allow=["allowed.test"])
    assert r.ok and r.out.count("ping") == 5 and "datagram" in r.out, r
    assert not net.asked and not net.hits


def test_the_proxy_ports_cannot_be_taken_over(net):
    r = net.run(PYTHON, "-c", "import socket\n"
                "for p in (3128, 1080, 53):\n"
                "    s = socket.socket()\n"
                "    s.setsockopt(1, 2, 1); s.setsockopt(1, 15, 1)\n"
                "    try: s.bind(('127.0.0.1', p)); s.listen(); print(p)\n"
                "    except OSError as e: print('no', e.errno)\n",
                allow=["allowed.test"])
    assert r.ok and r.out.count("no") == 3, r


UDP = r"""
import errno, socket, sys, time
for family, to in ((2, "93.184.216.10"), (10, "2606:2800:220:1::10"),
                   (2, "8.8.8.8"), (2, sys.argv[1])):
    for port in (443, 9):
        s = socket.socket(family, 2); s.settimeout(3); began = time.monotonic()
        try:
            s.connect((to, port)); s.send(b"quic"); s.recv(1)
            print("answer", to, port)
        except TimeoutError: print("timeout", to, port)
        except OSError as e:
            print("refused" if time.monotonic() - began < 0.5 else "late",
                  to, port, errno.errorcode[e.errno])
"""


def test_datagrams_are_refused_at_once(net):
    """QUIC falls back only if it is told; nothing leaves."""
    with sniffer(net) as seen:
        r = net.run(PYTHON, "-c", UDP + "", "198.18.0.1",
                    allow=["allowed.test", "93.184.216.0/24"])
    assert r.ok and r.out.count("refused") == 8, r
    assert not seen, seen


def test_unlisted_ports_are_reset_at_once(net):
    jobs = [{"form": f, "host": "allowed.test", "port": p, "steps": END}
            for f in ("transparent4", "transparent6") for p in (22, 81, 65000)]
    jobs += [{"form": "transparent", "host": h, "port": 22, "steps": END}
             for h in ("93.184.216.10", "2606:2800:220:1::10", "8.8.8.8",
                       "198.18.77.77")]
    r = net.client(jobs, allow=["allowed.test"])
    for said in r.said:
        assert said["end"] in ("reset", "eof", "error"), (said, r)
        assert said["took"] < 0.5, (said, r)
    assert not net.hits


def test_forbidden_socks_commands(net):
    """BIND and UDP ASSOCIATE: reply 7, command not supported."""
    jobs = [{"form": "socks", "host": "allowed.test", "port": 80,
             "command": c} for c in (2, 3, 9)]
    r = net.client(jobs, allow=["allowed.test"])
    assert [s.get("socks") for s in r.said] == [7, 7, 7], r
    assert not net.hits


def test_both_proxy_ports_take_both_protocols(net):
    code = f"""
import sys; sys.path.insert(0, {str(CLIENT.parent)!r})
import client
client.PROXY, client.SOCKS = client.SOCKS, client.PROXY
for form in ("connect", "http", "socks"):
    said = client.Client({{"form": form, "host": "allowed.test", "port": 80,
        "steps": [{{"request": "/"}}, {{"receive": '"n": 1'}}]}}).run()
    print(said["end"], said["bytes"] > 100)
"""
    r = net.run(PYTHON, "-c", code, allow=["allowed.test"])
    assert r.lines == ["open True"] * 3, r


# -- rules -----------------------------------------------------------------
@pytest.mark.parametrize("rule", ["a -j ACCEPT", "a\nb", "a.test\r\n", "a b",
                                  "a;b", "http://a.test", "a.test:0",
                                  "a.test:65536", "a.test:x", "*a.test",
                                  "a.*.test", "", "a..test", "10.0.0.0/33",
                                  "10.0.0.1/8/8", "300.1.1.1", "0x7f.1",
                                  "a.test/path", "u@a.test", "a\0b",
                                  "-a.test", "$(id).test", "tcp://a.test"])
@pytest.mark.parametrize("key", ["allow", "deny"])
def test_T_104_injected_names_are_rejected(net, rule, key):
    rules = {"mode": "filtered", key: [rule]}
    net.lab.refuses(policy=net.lab.policy(network=rules))
    if "\0" not in rule:
        option = "--allow-domain" if key == "allow" else "--deny-domain"
        net.lab.refuses(opts=["--network", "filtered", option, rule])


def test_T_104_control_good_rules_start(net):
    net.lab.starts(policy=net.policy(
        ["a.test", "*.a.test", "**.b.test:8080", "10.0.0.0/8:5432",
         "[fd00::1]:80", "fd00::/8", "tcp://a.test:22", "*"],
        ["c.test:1", "192.168.0.0/16"]))


def test_options_do_what_keys_do(net):
    opts = ["--allow-domain", "allowed.test", "--resolver", net.world.dns.at,
            "--deny-domain", "other.test"]
    job = json.dumps([{"form": "connect", "host": h, "port": 80, "steps": []}
                      for h in ("allowed.test", "other.test")])
    r = net.lab.run(PYTHON, CLIENT, job, opts=opts)
    said = [json.loads(line) for line in r.lines]
    assert [s["end"] for s in said] == ["open", "refused"], r


def test_T_093_rebinding(net):
    """The resolver alternates between a public address and loopback; what was
    checked is what is connected to, and loopback never."""
    forms = ("connect", "socks", "transparent", "http")
    # an answer is kept for a second at least
    jobs = [{"form": f, "host": "rebind.test", "port": 80,
             "steps": GET + [{"wait": 1.1}] * (f == "http")}
            for f in forms * 3]
    r = net.client(jobs, allow=["rebind.test"])
    assert r.ok, r
    wheres = {h.where for h in net.hits}
    assert wheres <= {"93.184.216.10"}, (net.hits, r)
    assert wheres, r    # the control: some of them got through


@pytest.mark.parametrize("target,allow,deny", [
    ("allowed.test", ["allowed.test"], []),
    ("allowed.test:80", ["allowed.test"], []),
    ("allowed.test:8080", ["allowed.test"], []),
    ("other.test:80", ["allowed.test"], []),
    ("sub.allowed.test:80", ["*.allowed.test"], ["sub.allowed.test"]),
    ("93.184.216.10:80", ["*"], []),
    ("10.9.9.9:80", ["0.0.0.0/0"], []),
    ("10.9.9.9:80", ["10.0.0.0/8"], []),
    ("[2606:2800:220:1::10]:80", ["2606:2800:220:1::10"], []),
])
def test_explain_net_says_what_the_box_does(net, target, allow, deny):
    policy = net.policy(allow, deny)
    e = net.lab.cli("explain", "-s", policy, "net", target)
    host, _, port = target.rpartition(":") if ":" in target else (target, "",
                                                                  "443")
    r = net.client({"form": "connect", "host": host, "port": int(port)},
                   allow=allow, deny=deny)
    allowed = r.said["stage"] == "open"
    assert (e.code == 0) == allowed, (e, r)
    if not allowed:
        body = r.said["body"]
        assert any(rule in e.out + e.err for rule in [*allow, *deny, host]), e
        assert host.strip("[]") in body, r


# -- ports of the host -----------------------------------------------------
def test_T_096_listed_host_ports_are_reached_on_both_loopbacks(net):
    ports = [HOST_HTTP, HOST_SIX]
    places = [("127.0.0.1", HOST_HTTP), ("::1", HOST_HTTP),
              ("localhost", HOST_HTTP), ("host.cordon.internal", HOST_HTTP),
              ("127.0.0.1", HOST_SIX), ("host.cordon.internal", HOST_SIX)]
    jobs = [{"form": "transparent", "host": h, "port": p, "steps": GET}
            for h, p in places]
    jobs += [{"form": f, "host": "host.cordon.internal", "port": HOST_HTTP,
              "steps": GET} for f in ("connect", "http", "socks")]
    r = net.client(jobs, network={"host_ports": ports})
    for said in r.said:
        assert '"n": 1' in said["received"], (said, r)
    assert {h.where for h in net.hits} <= {"127.0.0.1", "::1"}, net.hits
    assert not net.asked, net.asked     # the name is ours, not the DNS's


def test_T_096_unlisted_host_ports_are_refused(net):
    places = [("127.0.0.1", HOST_ECHO), ("[::1]", HOST_ECHO),
              ("localhost", HOST_ECHO), ("host.cordon.internal", HOST_ECHO),
              ("host.cordon.internal", 80)]
    jobs = [{"form": f, "host": h, "port": p, "steps": END,
             "timeout": 2} for h, p in places
            for f in ("transparent", "connect", "socks")]
    r = net.client(jobs, network={"host_ports": [HOST_HTTP]}, allow=["*"])
    for job, said in zip(jobs, r.said):
        assert said["stage"] != "open" or said["end"] in ("eof", "reset"), (
            job, said)
    assert not net.hits, net.hits


# -- published ports -------------------------------------------------------
SERVE = r"""
import socket, sys
family, bind, port = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
s = socket.socket(family); s.setsockopt(1, 2, 1); s.bind((bind, port))
s.listen(); print("ready", flush=True)
while True:
    c, _ = s.accept()
    c.sendall(b"from the box"); d = c.recv(100); c.sendall(d); c.close()
"""


@contextlib.contextmanager
def published(net, what, family=2, bind="127.0.0.1", port=8000):
    p = net.spawn(PYTHON, "-c", SERVE, str(family), bind, str(port),
                  network={"publish": what}, stderr=subprocess.PIPE)
    try:
        ready, _, _ = select.select([p.stdout], [], [], 20)
        line = p.stdout.readline() if ready else b""
        assert line == b"ready\n", p.stderr.read()
        yield p
    finally:
        p.kill()
        p.communicate()


def reaches(address, port, lab=None):
    def dial():
        try:
            with socket.create_connection((address, port), 5) as s:
                s.settimeout(5)
                s.sendall(b"echo")
                got = b""
                while data := s.recv(100):
                    got += data
                return got == b"from the boxecho"
        except OSError:
            return False
    return lab.in_world(dial) if lab else dial()


def test_T_097_published_on_loopback_only(net):
    with published(net, ["8000"]):
        assert reaches("127.0.0.1", 8000)
        for address in (netlab.HOST4, netlab.HOST6, "::1", "127.0.0.2"):
            assert not reaches(address, 8000), address
        assert not reaches(netlab.HOST4, 8000, net.world.lab)


def test_T_097_other_port_outside(net):
    with published(net, ["9100:8000"]):
        assert reaches("127.0.0.1", 9100) and not reaches("127.0.0.1", 8000)


def test_T_097_explicit_address(net):
    with published(net, [f"{netlab.HOST4}:9101:8000"]):
        assert reaches(netlab.HOST4, 9101, net.world.lab)
        assert not reaches("127.0.0.1", 9101)
    with published(net, ["0.0.0.0:9102:8000"]):
        assert reaches(netlab.HOST4, 9102, net.world.lab)
        assert reaches("127.0.0.1", 9102)


def test_T_097_six(net):
    with published(net, ["[::1]:9103:8000"]):
        assert reaches("::1", 9103) and not reaches("127.0.0.1", 9103)


def test_T_097_a_server_that_is_on_six_inside(net):
    with published(net, ["9104:8000"], 10, "::1"):
        assert reaches("127.0.0.1", 9104)


def test_T_097_busy_port_stops_the_start(net):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 9105))
        s.listen()
        policy = net.policy(publish=["9105:8000"])
        net.lab.refuses("9105", policy=policy)
    net.lab.starts(policy=policy)


def test_T_097_port_ends_with_the_box(net):
    with published(net, ["9106:8000"]):
        assert reaches("127.0.0.1", 9106)
    assert not reaches("127.0.0.1", 9106)


def test_T_103_two_boxes_have_rules_of_their_own(net):
    """Beside a box that may go there, another may not."""
    with published(net, ["9107:8000"]):
        r = net.client([{"form": "connect", "host": h, "port": 80}
                        for h in ("other.test", "allowed.test")],
                       allow=["allowed.test"])
        assert [s["end"] for s in r.said] == ["refused", "open"], r
        assert reaches("127.0.0.1", 9107)
