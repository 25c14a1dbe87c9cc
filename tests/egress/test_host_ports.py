# SPDX-License-Identifier: Apache-2.0
"""Ports of the host's loopback that a policy opens: each way to say them, and
network.deny, which comes before."""
import pytest

from egresslab import HOST_HTTP, denials

GET = [{"request": "/"}, {"receive": "}\n"}]
OPEN = {"host_ports": [HOST_HTTP]}
HOSTS = ["localhost", "127.0.0.1", "[::1]", "host.cordon.internal"]
JOBS = [(f, h) for f in ("transparent", "connect", "socks") for h in HOSTS] + \
    [("http", "host.cordon.internal")]


def jobs(which=JOBS):
    return [{"form": f, "host": h, "port": HOST_HTTP, "steps": GET}
            for f, h in which]


def reached(said):
    return '"n": 1' in said["received"]


def test_each_name_of_the_host_leads_there_in_each_form(net):
    r = net.client(jobs(), network=OPEN)
    assert all(map(reached, r.said)), [
        (j, s) for j, s in zip(JOBS, r.said) if not reached(s)]
    assert {h.where for h in net.hits} <= {"127.0.0.1", "::1"}, net.hits
    assert not net.asked and not denials(r), (net.asked, r.events)


@pytest.mark.parametrize("rule", [
    "host.cordon.internal", "127.0.0.1", "::1", "localhost", "127.0.0.0/8",
    f"127.0.0.1:{HOST_HTTP}", f"host.cordon.internal:{HOST_HTTP}"])
def test_a_deny_rule_binds_it(net, rule):
    r = net.client(jobs(), network=OPEN, deny=[rule])
    assert not any(map(reached, r.said)), r
    assert not any(h.bytes for h in net.hits), net.hits
    for (form, _), said in zip(JOBS, r.said):
        if form == "connect":
            assert said["status"] == 403, (said, r)
            assert "blocked-by-denylist" in said["error"], (said, r)
    found = denials(r, "connect")
    assert len(found) >= len(JOBS) - 3, found   # a name may be refused before
    assert all(rule in e["rule"] for e in found), found


@pytest.mark.parametrize("rule", ["127.0.0.1:1", "other.test",
                                  "host.cordon.internal:1", "10.0.0.0/8"])
def test_control_other_deny_rules_do_not(net, rule):
    r = net.client(jobs(), network=OPEN, deny=[rule])
    assert all(map(reached, r.said)), r
