# SPDX-License-Identifier: Apache-2.0
"""A server may ask for a second ClientHello (RFC 8446, 4.1.4): it is held to
the name as the first is."""
import pytest

from client import hello
from egresslab import denials
from netservers import CHUNK, handshake_missing, tls_context
from test_lifecycle import ECHO, egress_of, held

RANDOM = bytes.fromhex(
    "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
RETRY = (b"\x16\x03\x03\x00\x2c\x02\x00\x00\x28\x03\x03" + RANDOM +
         b"\x00\x13\x01\x00\x00\x00")
CHANGE_CIPHER = b"\x14\x03\x03\x00\x01\x01"
WARNING = b"\x15\x03\x03\x00\x02\x01\x5a"    # user_canceled, which goes on
EARLY_DATA = b"\x17\x03\x03\x00\x05early"
FIRST, SAME, FOREIGN = (hello("allowed.test"), hello("allowed.test", 50),
                        hello("other.test"))
FORMS = ["transparent", "connect", "socks"]
PORTS = [443, 8443]
ALLOW = ["allowed.test", "allowed.test:8443", "allowed.test:7"]
ALERT = "\x15\x03\x01\x00\x02\x02\x31"     # fatal, access denied


def handshake_records(data):
    found = b""
    while len(data) >= 5:
        size = 5 + int.from_bytes(data[3:5], "big")
        if data[0] == 0x16:
            found += data[:size]
        data = data[size:]
    return found


@pytest.fixture
def retrying(net, monkeypatch):
    """Hellos of the tests are answered with a wish for another."""
    def serve(c, hit):
        data = b""
        while handshake_missing(data):
            data += (more := c.recv(CHUNK))
            hit.add(more)
            if not more:
                return
        c.sendall(RETRY)
        data = data[len(FIRST):]
        while handshake_missing(handshake_records(data)):
            data += (more := c.recv(CHUNK))
            hit.add(more)
            if not more:
                return
        c.sendall(b"the second came")

    monkeypatch.setattr(net.world.servers, "serve_hello", serve)
    return net


def text(*parts):
    return b"".join(parts).decode("latin-1")


def job(form, port, *steps):
    return {"form": form, "host": "allowed.test", "port": port,
            "steps": [*steps, {"receive": "end"}]}


ONE_BY_ONE = [{"send": text(FIRST)}, {"receive": len(RETRY)}]
WAYS = {
    "after the answer": lambda second: [*ONE_BY_ONE, {"send": text(second)}],
    "in one segment": lambda second: [{"send": text(FIRST, second)}],
    "behind a change of ciphers": lambda second: [
        *ONE_BY_ONE, {"send": text(CHANGE_CIPHER, second)}],
    "in one segment, behind a change of ciphers": lambda second: [
        {"send": text(FIRST, CHANGE_CIPHER, second)}],
    "behind early data": lambda second: [
        {"send": text(FIRST, CHANGE_CIPHER, EARLY_DATA)},
        {"receive": len(RETRY)}, {"send": text(CHANGE_CIPHER, second)}],
    "behind a warning": lambda second: [
        *ONE_BY_ONE, {"send": text(WARNING, second)}],
    "byte by byte": lambda second: [
        *ONE_BY_ONE, {"send_bytewise": text(CHANGE_CIPHER, second)}],
    "in small records": lambda second: [
        *ONE_BY_ONE, {"send": text(hello("other.test", records=20)
                                   if second is FOREIGN else
                                   hello("allowed.test", 50, 20))}],
}


@pytest.mark.parametrize("way", WAYS)
def test_T_094_a_second_hello_with_another_name(retrying, way):
    r = retrying.client([job(f, p, *WAYS[way](FOREIGN)) for f in FORMS
                         for p in PORTS], allow=ALLOW)
    for said in r.said:
        assert said["stage"] == "open", (said, r)
        assert "the second came" not in said["received"], (said, r)
        assert said["end"] in ("eof", "reset"), (said, r)
        assert said["took"] < 5, (said, r)
    assert len(retrying.hits) == len(r.said), retrying.hits
    assert not any(b"other.test" in h.got for h in retrying.hits), \
        retrying.hits
    assert len(denials(r, "connect")) == len(r.said), r.events
    assert all("other.test" in e["rule"] for e in denials(r)), r.events


def test_T_094_the_client_is_told(retrying):
    """Nothing of the alert is lost: the answer came whole before it."""
    r = retrying.client([job(f, 443, *WAYS["after the answer"](FOREIGN))
                         for f in FORMS], allow=ALLOW)
    for said in r.said:
        assert said["received"] == text(RETRY) + ALERT, (said, r)
        assert said["end"] == "eof", (said, r)


@pytest.mark.parametrize("way", WAYS)
def test_control_a_second_hello_with_the_same_name(retrying, way):
    r = retrying.client([job(f, p, *WAYS[way](SAME)) for f in FORMS
                         for p in PORTS], allow=ALLOW)
    for said in r.said:
        assert "the second came" in said["received"], (said, r)
    assert not denials(r), r.events


@pytest.mark.parametrize("form", FORMS)
def test_its_refusal_ends_one_session_once(retrying, form):
    """Also when the client has gone meanwhile: what is served afterwards is
    served apart, and nothing spins."""
    steps = WAYS["after the answer"](FOREIGN)
    with held(retrying, allow=ALLOW) as box:
        assert box.job(ECHO)["received"] == "\1x"
        life = egress_of(box.p)
        for _ in range(25):
            box.job(job(form, 443, *steps, {"end": 1}))
            box.job(job(form, 443, {"send": text(FIRST, FOREIGN)},
                        {"end": 1}))
        for _ in range(25):
            assert box.job(ECHO)["received"] == "\1x"
            assert "again" in box.job("more")["received"]
        assert egress_of(box.p) == life


# -- real handshakes -------------------------------------------------------
def s_client(net, *options):
    return net.run(
        "openssl", "s_client", "-connect", "allowed.test:443", "-servername",
        "allowed.test", "-CAfile", net.world.ca, "-verify_return_error",
        "-msg", "-ign_eof", *options, allow=ALLOW,
        input="GET / HTTP/1.1\r\nHost: allowed.test\r\n"
              "Connection: close\r\n\r\n")


def hellos(r):
    return sum("ClientHello" in line and line.startswith(">>>")
               for line in r.lines)


@pytest.fixture
def other_group(net, monkeypatch):
    """A server with one group, for which no client sends a share unasked."""
    context = tls_context(net.world.dir / "cert.pem",
                          net.world.dir / "key.pem")
    context.set_ecdh_curve("secp384r1")
    monkeypatch.setattr(net.world.servers, "tls", context)
    return net


PROXY = ["-proxy", "127.0.0.1:3128"]


@pytest.mark.parametrize("proxy", [[], PROXY], ids=["direct", "proxy"])
def test_a_real_retry_works(other_group, proxy):
    r = s_client(other_group, *proxy)
    assert hellos(r) == 2 and '"n": 1' in r.out, r
    assert not denials(r), r.events


@pytest.mark.parametrize("proxy", [[], ["-x", "http://127.0.0.1:3128"]],
                         ids=["direct", "proxy"])
def test_a_real_retry_works_with_curl(other_group, proxy):
    r = other_group.run("env", "-i", "curl", "-sSf", "-m", "10", "--cacert",
                        other_group.world.ca, *proxy,
                        "https://allowed.test/", allow=ALLOW)
    assert r.ok and '"n": 1' in r.out, r


@pytest.mark.parametrize("version", ["-tls1_2", "-tls1_3"])
@pytest.mark.parametrize("proxy", [[], PROXY], ids=["direct", "proxy"])
def test_an_ordinary_handshake_works(net, version, proxy):
    r = s_client(net, version, *proxy)
    assert hellos(r) == 1 and '"n": 1' in r.out, r
    assert not denials(r), r.events
