# SPDX-License-Identifier: Apache-2.0
"""Addresses of the host itself, of which an interface may have several: what
leads to one leads to the host's services, whatever range it is from."""
import pytest

from egresslab import denials

FIRST, SECOND = "93.184.217.1", "93.184.217.2"
FIRST6, SECOND6 = "2606:2800:221::1", "2606:2800:221::2"
FORMS = ["transparent", "connect", "socks"]
GET = [{"request": "/"}, {"receive": "}\n"}]
NETWORKS = ["93.184.217.0/24", "93.184.217.2/31", "2606:2800:221::/64"]


@pytest.fixture(scope="module")
def numbered(world):
    places = [f"{a}/24 dev host0" for a in (FIRST, SECOND)]
    places += [f"{a}/64 dev host0" for a in (FIRST6, SECOND6)]
    world.lab.ip(*(f"addr add {p} nodad" if ":" in p else f"addr add {p}"
                   for p in places))
    world.servers.listen("http", 80, (FIRST, SECOND, FIRST6, SECOND6), True)
    world.zone.names.update({
        "first.test": [FIRST], "second.test": [SECOND],
        "first6.test": [FIRST6], "second6.test": [SECOND6]})
    yield
    # the second goes with the first
    world.lab.ip(*(f"addr del {p}" for p in reversed(places)))


NAMES = ["first.test", "second.test", "first6.test", "second6.test"]


def jobs(hosts, forms=FORMS):
    return [{"form": f, "host": h, "port": 80, "steps": GET}
            for h in hosts for f in forms]


@pytest.mark.parametrize("allow", [["*"], [*NAMES, *NETWORKS],
                                   ["*", "0.0.0.0/0", "::/0"]],
                         ids=["any", "network", "all"])
def test_a_name_that_leads_to_the_host_is_refused(net, numbered, allow):
    r = net.client(jobs(NAMES), allow=allow)
    for said in r.said:
        assert not said["bytes"] and said["end"] != "open", (said, r)
        if "status" in said:
            assert said["status"] == 403, (said, r)
            assert "resolved-address" in said["error"], (said, r)
    assert not net.hits, net.hits
    assert len(denials(r, "connect")) == len(r.said), r.events


def test_nor_is_the_address_itself(net, numbered):
    hosts = [FIRST, SECOND, f"[{FIRST6}]", f"[{SECOND6}]"]
    r = net.client(jobs(hosts), allow=NETWORKS)
    assert not any(said["bytes"] for said in r.said), r
    assert not net.hits, net.hits


@pytest.mark.parametrize("name,address", [("first.test", FIRST),
                                          ("second.test", SECOND),
                                          ("second6.test", f"[{SECOND6}]")])
def test_control_a_rule_for_that_very_address(net, numbered, name, address):
    r = net.client(jobs([name, address]), allow=[name, f"{address}:80"])
    for said in r.said:
        assert '"n": 1' in said["received"], (said, r)
    assert {h.where for h in net.hits} == {address.strip("[]")}, net.hits


def test_control_a_neighbour_is_no_address_of_the_host(net, numbered):
    """The world's, from a network that a rule names."""
    r = net.client(jobs(["four.test", "93.184.216.10"]),
                   allow=["four.test", "93.184.216.0/24"])
    for said in r.said:
        assert '"n": 1' in said["received"], (said, r)
