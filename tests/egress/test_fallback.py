# SPDX-License-Identifier: Apache-2.0
"""A kernel without nftables: one listener per port of the rules instead of one
for all, and the same promises. And steps that fail under a filtered network.
CORDON_FAULTS names a build with -Dfaults=true, which can be told to fail;
CORDON_STEPS lists where (tests/run reads it from the sources)."""
import os

import pytest

from egresslab import PYTHON
from lab import TREE
from test_cases import CASES, test_case as run_case
from test_clients import BARE

# A port that no rule names has no listener there, so nobody tells of it.
ELSEWHERE = {"port-not-in-rule", "tcp-rule-other-port", "denied-port",
             "literal-without-rule", "any-no-address"}
NAMES = [n for n, c in CASES.items() if "transparent" in c.get(
    "forms", ["transparent"]) and n.startswith((
        "allowed", "not-allowed", "denied", "any", "port", "server", "sni",
        "host-", "literal", "place", "half-close-both", "reset"))
    and n not in ELSEWHERE]
STEPS = os.environ.get("CORDON_STEPS", "").split()


@pytest.fixture
def faulty(net):
    net.lab.cordon = os.environ.get("CORDON_FAULTS") or str(
        TREE / "build-faults/src/cmd/cordon")
    return net


@pytest.fixture
def plain(faulty):
    faulty.lab.env["CORDON_FAULT"] = "tproxy"
    return faulty


@pytest.mark.parametrize("step", STEPS)
def test_step_that_fails_stops_the_start(faulty, step):
    policy = faulty.policy(["allowed.test"], publish=["9200:80"],
                           host_ports=[8900])
    faulty.lab.env["CORDON_FAULT"] = step
    faulty.lab.refuses(step, policy=policy)
    del faulty.lab.env["CORDON_FAULT"]
    faulty.lab.starts(policy=policy)    # the port is free again, too


@pytest.mark.parametrize("name", NAMES)
def test_case(plain, name):
    run_case(plain, name)


def test_control_it_is_another_way(plain):
    """Other listeners inside: the fault does what it should."""
    argv = ["sh", "-c", "cat /proc/net/tcp6 | awk '$4 == \"0A\"' | wc -l"]
    without = plain.run(*argv, allow=["allowed.test", "allowed.test:8080"])
    del plain.lab.env["CORDON_FAULT"]
    usual = plain.run(*argv, allow=["allowed.test", "allowed.test:8080"])
    assert int(without.out) > int(usual.out), (without, usual)


def test_unlisted_ports_and_datagrams_are_refused_at_once(plain):
    steps = [{"receive": "end"}]
    r = plain.client([{"form": f, "host": "allowed.test", "port": p,
                       "steps": steps} for f in ("transparent4",
                                                 "transparent6")
                      for p in (22, 8080, 65000)], allow=["allowed.test"])
    assert all(s["end"] == "reset" and s["took"] < 1 for s in r.said), r
    assert not plain.hits
    r = plain.run(PYTHON, "-c", "import socket\n"
                  "s = socket.socket(2, 2); s.settimeout(2)\n"
                  "s.connect(('93.184.216.10', 443)); s.send(b'x')\n"
                  "try: s.recv(1)\n"
                  "except OSError as e: print(e.errno)\n",
                  allow=["allowed.test"])
    assert r.out == "111\n", r


def test_a_program_without_proxy_variables(plain):
    r = plain.run(*BARE, "curl", "-sSf", "-m", "10", "--cacert",
                  plain.world.ca, "https://allowed.test/",
                  allow=["allowed.test"])
    assert r.ok and '"n": 1' in r.out, r
