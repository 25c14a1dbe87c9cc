# SPDX-License-Identifier: Apache-2.0
"""Every refusal says who refused, why, and what would allow it."""
import json
import re

import pytest

from egresslab import DNS_OP, PYTHON, denials


def connect(host, port=443, form="connect", **more):
    return {"form": form, "host": host, "port": port, **more}


@pytest.mark.parametrize("allow,deny,host,port,why,word", [
    (["allowed.test"], [], "other.test", 443, "blocked-by-allowlist",
     "other.test"),
    (["*"], ["other.test"], "other.test", 443, "blocked-by-denylist",
     "other.test"),
    (["allowed.test"], [], "allowed.test", 8080, "port", "8080"),
    (["private.test"], [], "private.test", 443, "resolved-address",
     "10.9.9.9"),
])
def test_T_091_a_403_explains_itself(net, allow, deny, host, port, why, word):
    r = net.client(connect(host, port), allow=allow, deny=deny)
    said = r.said
    assert said["status"] == 403, r
    assert why in said["error"], r
    assert why.replace("blocked-by-", "") in said["phrase"], r  # curl shows it
    assert word in said["body"] and "cordon" in said["body"], r
    rule = (deny or allow)[0]
    if why != "blocked-by-allowlist":
        assert rule in said["body"], r
        assert "policy.yaml" in said["body"] or why == "resolved-address", r
    assert "\n" not in said["body"].strip() or "allow" in said["body"], r


def test_the_same_reason_in_each_form(net):
    forms = ["connect", "socks", "transparent", "http"]
    r = net.client([connect("other.test", 80, f, steps=[
        {"request": "/"}, {"receive": "end"}]) for f in forms],
        allow=["allowed.test"])
    http = r.said[3]["received"]
    assert http.startswith("HTTP/1.1 403") and "X-Proxy-Error" in http, r
    assert r.said[1]["socks"] == 2, r
    assert r.said[2]["end"] == "no name", r


def test_events_tell_who_where_and_why(net):
    r = net.client([connect("other.test"), connect("other.test", 80, "socks"),
                    connect("other.test", 80, "transparent"),
                    connect("93.184.216.10", 80, "transparent")],
                   allow=["allowed.test"], deny=["denied.test"])
    found = denials(r, "connect")
    targets = [e["target"] for e in found]
    for target in ("other.test:443", "other.test:80", "93.184.216.10:80"):
        assert target in targets, (target, found)
    names = [e["target"].split(":")[0] for e in denials(r, DNS_OP)]
    assert "other.test" in names, r.events
    for e in found:
        assert e["hint"] and "network.allow" in e["hint"] or \
            "--allow-domain" in e["hint"], e
        assert re.match(r"\d{4}-", e["ts"]), e


def test_a_question_has_no_port_to_allow(net):
    r = net.client([connect("other.test", 80, "transparent"),
                    connect("denied.test", 80, "transparent")],
                   allow=["allowed.test"], deny=["denied.test"])
    said = {e["target"]: e for e in denials(r, DNS_OP)}
    assert said["other.test"]["hint"] == \
        "--allow-domain=other.test, or network.allow: [other.test]", said
    assert said["denied.test"]["rule"].startswith(
        "denied.test is denied by network.deny"), said


@pytest.mark.parametrize("name,place", [
    ("loop.test", "127.0.0.1:9000"), ("loop6.test", "[::1]:9000")])
def test_the_remedy_is_the_address_that_a_name_leads_to(net, name, place):
    r = net.client(connect(name, 9000), allow=[f"{name}:9000"])
    e, = denials(r, "connect")
    assert "--allow-domain=" in e["hint"] and place in e["hint"], e
    r = net.client(connect(name, 9000), allow=[f"{name}:9000", place])
    assert not denials(r), r.events


@pytest.mark.parametrize("host", ["198.18.77.7", "fd63:6f72:646e::4d07"])
def test_what_stands_for_no_name_has_no_remedy(net, host):
    r = net.client(connect(host, 443, "transparent"),
                   allow=["allowed.test", "198.18.0.0/15", "fd00::/8"])
    e, = denials(r, "connect")
    assert "stands for no name" in e["rule"] and not e.get("hint"), e


def test_the_event_of_a_deny_rule_names_it(net):
    r = net.client(connect("other.test"), allow=["*"],
                   deny=["**.other.test"])
    e, = denials(r, "connect")
    assert "**.other.test" in e["rule"] and "policy.yaml" in e["rule"], e


ASK_AND_STAY = r"""
import select, socket
s = socket.create_connection(("127.0.0.1", 3128), 10)
s.sendall(b"CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n")
while s.recv(4096):
    pass
select.select([], [], [], 1)
"""


def test_the_event_names_the_program_where_known(net):
    """It is known as long as the program has its socket."""
    r = net.run(PYTHON, "-c", ASK_AND_STAY, allow=["allowed.test"])
    e, = denials(r, "connect")
    assert e["comm"].startswith("python3") and e["pid"] > 1, e


def test_no_event_for_what_is_allowed(net):
    r = net.client(connect("allowed.test", 80), allow=["allowed.test"])
    assert r.said["stage"] == "open" and not denials(r), r.events


def test_the_report_groups_and_counts(net):
    jobs = [connect("other.test") for _ in range(7)] + [connect("third.test")]
    r = net.client(jobs, allow=["allowed.test"])
    lines = [s for s in r.err.splitlines() if "connect other.test" in s]
    assert len(lines) == 1 and "7" in lines[0], r
    assert "third.test" in r.err and "allowed.test" not in r.err, r


def test_json_outcome_lists_denials(net):
    r = net.client([connect("other.test") for _ in range(3)],
                   allow=["allowed.test"], opts=["--json"])
    text = json.dumps(r.outcome())
    assert "other.test:443" in text, r


def test_the_report_says_how_many_more_json_lists(net):
    jobs = [connect(f"n{i}.test") for i in range(10)]
    r = net.client(jobs, allow=["allowed.test"])
    shown = [s for s in r.err.splitlines() if " connect n" in s]
    assert "and 3 more; --json lists them" in r.err and len(shown) == 7, r
    r = net.client(jobs, allow=["allowed.test"], opts=["--json"])
    assert len(r.outcome()["denials"]) == 10, r


def test_nothing_of_a_hostile_name_reaches_the_terminal(net):
    r = net.client([{"form": "socks", "host": "\x1b[31mred\n.allowed.test",
                     "port": 80}], allow=["*.allowed.test"])
    assert "\x1b" not in r.err, r
    assert all("\x1b" not in json.dumps(e, ensure_ascii=False)
               for e in r.events), r


def test_a_flood_of_refusals_stays_bounded(net):
    """Ten thousand questions of different names: no denial of service by the
    report, and the box works on."""
    code = """
import socket, struct
s = socket.socket(2, 2); s.connect(("127.0.0.1", 53)); s.settimeout(5)
for i in range(10000):
    n = b"n%d" % i
    s.send(struct.pack(">HHHHHH", i & 0xffff, 0x100, 1, 0, 0, 0) +
           bytes([len(n)]) + n + b"\\5other\\4test\\0\\0\\1\\0\\1")
    s.recv(512)
print(socket.getaddrinfo("allowed.test", 80)[0][4][0])
"""
    r = net.run(PYTHON, "-c", code, allow=["allowed.test"])
    assert r.ok and r.out.startswith(("198.18.", "fd63:")), r
    assert len(r.err) < 20000, len(r.err)
    assert not net.asked, len(net.asked)
