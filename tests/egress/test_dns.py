# SPDX-License-Identifier: Apache-2.0
"""The name server of the box: allowed names get addresses that stand for them,
no other name exists, and nobody outside is asked for either."""
import ipaddress
import json
import struct

import pytest

from egresslab import DNS_OP, PYTHON, denials

FAKE = [ipaddress.ip_network("198.18.0.0/15"),
        ipaddress.ip_network("fd63:6f72:646e::/96")]
SERVERS = ["127.0.0.1", "::1", "127.0.0.53", "8.8.8.8", "1.1.1.1",
           "2001:4860:4860::8888", "10.9.9.9", "192.168.1.1"]

ASK = r"""
import json, socket, struct, sys
def question(name, kind, number=7):
    labels = b"".join(bytes([len(x)]) + x.encode("latin-1")
                      for x in name.split(".") if x)
    return struct.pack(">HHHHHH", number, 0x100, 1, 0, 0, 0) + labels + \
        b"\0" + struct.pack(">HH", kind, 1)
for how, server, name, kind in json.loads(sys.argv[1]):
    six = ":" in server
    try:
        s = socket.socket(10 if six else 2, 1 if how == "tcp" else 2)
        s.settimeout(4); s.connect((server, 53))
        data = question(name, kind)
        if how == "tcp":
            s.sendall(struct.pack(">H", len(data)) + data)
            got = s.recv(4096)[2:]
        else:
            s.send(data); got = s.recv(4096)
        print(got.hex(), flush=True)
    except OSError as e:
        print("error %s" % e, flush=True)
"""
A, NS, MX, TXT, AAAA, HTTPS, ANY = 1, 2, 15, 16, 28, 65, 255


class Answer:
    def __init__(self, line):
        assert not line.startswith("error"), line
        data = bytes.fromhex(line)
        self.id, flags, _, count, _, _ = struct.unpack(">HHHHHH", data[:12])
        self.response, self.code = bool(flags & 0x8000), flags & 15
        at = data.index(b"\0", 12) + 5
        self.addresses = []
        for _ in range(count):
            assert data[at] & 0xc0, data
            kind, _, self.ttl, size = struct.unpack(">HHIH",
                                                    data[at + 2:at + 12])
            value = data[at + 12:at + 12 + size]
            if kind in (A, AAAA):
                self.addresses.append(ipaddress.ip_address(value))
            at += 12 + size

    def fake(self):
        return len(self.addresses) == 1 and any(
            self.addresses[0] in n for n in FAKE if
            n.version == self.addresses[0].version)


def ask(net, *questions, **kw):
    kw.setdefault("allow", ["allowed.test", "*.sub.allowed.test"])
    r = net.run(PYTHON, "-c", ASK, json.dumps(questions), **kw)
    assert r.ok, r
    return [Answer(line) for line in r.lines], r


@pytest.mark.parametrize("how", ["udp", "tcp"])
def test_every_name_server_is_ours(net, how):
    """Also one that a program has built in."""
    got, r = ask(net, *[(how, s, "allowed.test", k) for s in SERVERS
                        for k in (A, AAAA)])
    assert all(a.response and a.code == 0 and a.fake() for a in got), r
    assert len({a.addresses[0] for a in got}) == 2, r   # always the same
    assert not net.asked, net.asked


@pytest.mark.parametrize("how", ["udp", "tcp"])
def test_denied_names_do_not_exist_and_are_not_asked_for(net, how):
    names = ["other.test", "sub.allowed.test", "exfil-data.other.test",
             "gone.test", "com", "xallowed.test", "allowed.test.other.test"]
    got, r = ask(net, *[(how, "8.8.8.8", n, k) for n in names
                        for k in (A, AAAA)])
    assert all(a.code == 3 and not a.addresses for a in got), r
    assert not net.asked, net.asked
    found = denials(r, DNS_OP)
    assert {e["target"].split(":")[0] for e in found} == set(names), found


def test_nor_is_an_allowed_name_before_it_is_connected_to(net):
    got, _ = ask(net, ("udp", "127.0.0.1", "allowed.test", A))
    assert got[0].fake() and not net.asked, net.asked


def test_denied_by_name(net):
    got, r = ask(net, ("udp", "127.0.0.1", "other.test", A),
                 ("udp", "127.0.0.1", "third.test", A), allow=["*"],
                 deny=["other.test"])
    assert [a.code for a in got] == [3, 0], r


def test_case_and_final_dot_make_no_other_name(net):
    got, r = ask(net, *[("udp", "127.0.0.1", n, A) for n in
                        ("allowed.test", "ALLOWED.test", "allowed.TEST.")])
    assert len({a.addresses[0] for a in got}) == 1, r


@pytest.mark.parametrize("kind", [NS, MX, TXT, HTTPS, 10, 33, 257])
def test_other_types_have_no_data(net, kind):
    """HTTPS records would lead around the name; TXT and NULL carry tunnels."""
    got, r = ask(net, ("udp", "127.0.0.1", "allowed.test", kind),
                 ("udp", "127.0.0.1", "other.test", kind))
    assert got[0].code in (0, 4, 5) and not got[0].addresses, r
    assert got[1].code in (3, 4, 5), r
    assert not net.asked, net.asked


def test_names_that_are_none(net):
    names = ["a b.allowed.test", "\xff.sub.allowed.test",
             "x" * 63 + ".sub.allowed.test", "a_b.sub.allowed.test",
             "a\0b.sub.allowed.test"]
    got, r = ask(net, *[("udp", "127.0.0.1", n, A) for n in names])
    assert [a.code for a in got][2] == 0, r     # long is no fault
    assert all(got[i].code in (1, 3, 5) for i in (0, 1, 4)), r
    assert not net.asked, net.asked


def test_addresses_that_nobody_was_given_lead_nowhere(net):
    r = net.client([{"form": f, "host": h, "port": 80,
                     "steps": [{"receive": "end"}]}
                    for f, h in (("transparent", "198.18.200.200"),
                                 ("transparent", "fd63:6f72:646e::77:7777"),
                                 ("connect", "198.18.200.200"),
                                 ("socks", "198.18.200.200"))],
                   allow=["*", "0.0.0.0/0", "::/0"])
    assert all(s["end"] in ("reset", "refused", "eof") for s in r.said), r
    assert not net.hits and not net.asked


def test_libc_resolves_by_it(net):
    r = net.run("getent", "ahosts", "allowed.test", allow=["allowed.test"])
    assert r.ok and "198.18." in r.out and "fd63:6f72:646e:" in r.out, r
    r = net.run("getent", "ahosts", "other.test", allow=["allowed.test"])
    assert r.code == 2 and not net.asked, r


def test_localhost_and_own_names(net):
    for name in ("localhost", "host.cordon.internal"):
        r = net.run("getent", "ahosts", name, allow=["allowed.test"],
                    network={"host_ports": [8900]})
        assert r.ok, r
        addresses = {line.split()[0] for line in r.lines}
        if name == "localhost":
            assert addresses <= {"127.0.0.1", "::1"}, r
    assert not net.asked, net.asked
