# SPDX-License-Identifier: Apache-2.0
"""cases/*.yaml: one promise each, in every form that a client can ask in.

    about:    the promise
    ids:      of the acceptance catalogue
    allow, deny, network:   of the policy; network: other keys of it
    targets:  HOST:PORT, or several
    forms:    transparent, connect, http (absolute form), socks (name), socks4,
              socks6 (address); transparent4, transparent6 (that family)
    steps:    of client.py, once the connection is there
    expect:   reached   the steps end as they should; `received` is in what came
              refused   before it opens; `why` is the code of the refusal
              cut       it opens, then ends, or an error of ours is the answer;
                        the server gets nothing
              failed    nobody refuses, but the other end is not there
              closed    bytes of the server, then `end` (eof, reset)
    where:    address that must be reached, and no other
    asked:    names that may be asked outside; none where refused, else any
    status:   where it is not 403 (502 where it failed)
    events:   false where the client itself gives up, which is no denial
    within:   seconds; a refusal takes less than two anyway
    control:  HOST:PORT to try outside with the same steps, by default the
              first target; false where outside it cannot work
    only:     {FORM: {…}} replaces keys for that form
"""
import hashlib
import pathlib

import pytest
import yaml

from client import pattern
from egresslab import denials

CASES = {p.stem: yaml.safe_load(p.read_text()) for p in
         sorted((pathlib.Path(__file__).parent / "cases").glob("*.yaml"))}
ALL_FORMS = ["transparent", "connect", "socks", "socks4", "socks6"]
TLS_ALERT = "\x15\x03\x01\x00\x02\x02\x31"    # fatal, access denied
KEYS = {"about", "ids", "allow", "deny", "network", "targets", "forms",
        "steps", "expect", "where", "asked", "status", "within",
        "control", "only", "received", "why", "end", "early", "absent",
        "opts", "events"}


def split(target):
    host, _, port = target.rpartition(":")
    return host, int(port)


def targets_of(case):
    found = case["targets"]
    return [split(t) for t in (found if isinstance(found, list) else [found])]


@pytest.mark.parametrize("name", CASES)
def test_case_file_is_well_formed(name):
    case = CASES[name]
    assert set(case) <= KEYS, set(case) - KEYS
    assert case["about"] and case["expect"] in CHECKS


@pytest.mark.parametrize("name", CASES)
def test_case(net, name):
    """All forms in one box, one after the other."""
    case = CASES[name]
    tries = [({**case, **case.get("only", {}).get(form, {})}, form, target)
             for form in case.get("forms", ALL_FORMS)
             for target in targets_of(case)]
    jobs = [{"form": form, "host": host, "port": port,
             "early": c.get("early", ""),
             "timeout": 3 if c["expect"] == "refused" else 12,
             "steps": c.get("steps") or [{"receive": "end"}]}
            for c, form, (host, port) in tries]
    if case.get("control") is not False:
        control(net, case, jobs)
    r = net.client(jobs, allow=case.get("allow", []),
                   deny=case.get("deny", []), network=case.get("network"),
                   opts=case.get("opts", []), timeout=90)
    assert r.ok, r
    for (c, form, target), said in zip(tries, r.said):
        r.argv = [form, *target, said]      # what a failure shows
        CHECKS[case["expect"]](net, c, form, said, r)
        assert said["took"] < case.get("within", 8), r
    if case["expect"] in ("refused", "cut") and case.get("events") is not False:
        assert len(denials(r)) >= len(jobs), (r.events, r)
        assert all(e["target"] and e["rule"] for e in denials(r)), r.events
    if "where" in case:
        places = {h.where.replace("::ffff:", "") for h in net.hits}
        wanted = case["where"]
        wanted = wanted if isinstance(wanted, list) else [wanted]
        assert places and places <= set(wanted), (net.hits, r)
    if "asked" in case:
        assert set(net.asked) <= set(case["asked"]), (net.asked, r)


def control(net, case, jobs):
    """Outside, what is tried here succeeds: a refusal is cordon's."""
    if isinstance(case.get("control"), str):
        host, port = split(case["control"])
        jobs = [{**jobs[0], "host": host, "port": port}]
    for job in {(j["host"], j["port"]): j for j in jobs}.values():
        # a foreign name is for the server to judge: it need not answer
        steps = job["steps"] if case["expect"] == "reached" else []
        said = net.outside({**job, "steps": steps})
        assert said["stage"] == "open", said
        if case["expect"] == "reached":
            assert case.get("received", "") in said["received"], said


def check_reached(net, case, form, said, r):
    assert said["stage"] == "open" and said["end"] in ("open", "eof"), r
    assert case.get("received", "") in said["received"], r
    assert case.get("absent", "\0absent") not in said["received"], r
    assert net.hits, r
    for size in [s["duplex"] for s in case["steps"] if "duplex" in s]:
        want = hashlib.sha256(pattern(size)).hexdigest()    # intact both ways
        assert said["sha"] == want and said["bytes"] == size, r
        net.world.servers.wait(lambda: all(h.ended for h in net.hits))
        assert all(h.note == want for h in net.hits), net.hits


def check_refused(net, case, form, said, r):
    assert not net.hits, (net.hits, r)
    if "asked" not in case:
        assert not net.asked, (net.asked, r)
    if form in ("connect", "http"):
        status, error, body = refusal(said)
        assert status == case.get("status", 403), r
        assert case["why"] in error, r
        assert len(body.split()) > 4, r
    elif said["stage"] == "proxy":
        assert said.get("socks") == 2, r
    else:
        assert said["stage"] in ("resolve", "connect", "open"), r
        assert said["end"] in ("no name", "reset", "eof"), r
        assert said["bytes"] == 0, r
    assert said["took"] < 2, r


def refusal(said):
    """Status, X-Proxy-Error and body of an answer of ours, in either form."""
    if said.get("status", 200) != 200:
        return said["status"], said["error"] or "", said.get("body", "")
    head, _, body = said["received"].partition("\r\n\r\n")
    lines = head.split("\r\n")
    error = [s.split(":", 1)[1].strip() for s in lines
             if s.lower().startswith("x-proxy-error:")]
    return (int(lines[0].split(" ")[1]) if " " in lines[0] else 0,
            error[0] if error else "", body)


def check_cut(net, case, form, said, r):
    assert not any(h.bytes for h in net.hits), (net.hits, r)
    if said["received"] == TLS_ALERT:
        assert any("hello" in s for s in case["steps"]), r
    elif said["bytes"] and "status" in case:
        assert refusal(said)[0] == case["status"], r
    else:
        assert not said["bytes"] and form != "http", r
        assert said["end"] in ("eof", "reset", "tls"), r


def check_failed(net, case, form, said, r):
    if form in ("connect", "http"):
        assert refusal(said)[0] == case.get("status", 502), r
    elif said["stage"] == "proxy":
        assert said.get("socks") in (1, 3, 4, 5), r
    else:
        assert said["end"] in ("reset", "eof", "error", "no name"), r
    assert not denials(r), r.events


def check_closed(net, case, form, said, r):
    assert said["stage"] == "open", r
    assert case.get("received", "") in said["received"], r
    assert case.get("absent", "\0absent") not in said["received"], r
    ends = case["end"] if isinstance(case["end"], list) else [case["end"]]
    assert said["end"] in ends, r


CHECKS = {"reached": check_reached, "refused": check_refused,
          "cut": check_cut, "failed": check_failed, "closed": check_closed}
