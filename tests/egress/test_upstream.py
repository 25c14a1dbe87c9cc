# SPDX-License-Identifier: Apache-2.0
"""network.upstream_proxy: what is allowed goes through it, what is denied does
not even get there."""
import pytest

FORMS = ["transparent", "connect", "socks"]
GET = [{"request": "/"}, {"receive": "}\n"}]


@pytest.fixture(scope="module")
def proxy(world):
    """On the host's loopback, as a company's local proxy."""
    return world.servers.listen("proxy", 0, ("127.0.0.1",), True)


def via(port):
    return {"upstream_proxy": f"http://127.0.0.1:{port}"}


@pytest.mark.parametrize("form", [*FORMS, "http"])
def test_T_099_allowed_goes_through_it(net, proxy, form):
    r = net.client({"form": form, "host": "allowed.test", "port": 80,
                    "steps": GET}, allow=["allowed.test"],
                   network=via(proxy))
    assert '"n": 1' in r.said["received"], r
    kinds = [h.kind for h in net.hits]
    assert kinds.count("proxy") == 1, net.hits
    hit = next(h for h in net.hits if h.kind == "proxy")
    assert hit.note.startswith("CONNECT ") and hit.note.endswith(":80"), hit


@pytest.mark.parametrize("form", FORMS)
def test_T_099_denied_never_reaches_it(net, proxy, form):
    r = net.client([{"form": form, "host": h, "port": p,
                     "steps": [{"receive": "end"}]} for h, p in
                    (("other.test", 80), ("third.test", 443),
                     ("allowed.test", 8080), ("93.184.216.20", 80))],
                   allow=["*", "allowed.test"], network=via(proxy),
                   deny=["other.test", "third.test"])
    assert all(s["stage"] != "open" or s["end"] in ("reset", "eof")
               for s in r.said), r
    assert not net.hits, net.hits


@pytest.mark.parametrize("form", FORMS)
def test_T_099_tls_is_held_to_its_name_before(net, proxy, form):
    r = net.client({"form": form, "host": "allowed.test", "port": 443,
                    "steps": [{"hello": {"name": "other.test"}},
                              {"receive": "end"}]},
                   allow=["allowed.test"], network=via(proxy))
    assert not any(h.kind == "tls" and h.bytes for h in net.hits), net.hits
    assert r.said["bytes"] <= 7 or "421" in r.said["received"], r
    r = net.client({"form": form, "host": "allowed.test", "port": 443,
                    "steps": [{"tls": "allowed.test"}, *GET]},
                   allow=["allowed.test"], network=via(proxy))
    assert '"n": 1' in r.said["received"], r


def test_T_099_unreachable_is_502(net):
    r = net.client([{"form": f, "host": "allowed.test", "port": 80,
                     "steps": GET} for f in ("connect", "http", "socks",
                                             "transparent")],
                   allow=["allowed.test"], network=via(1))
    assert r.said[0]["status"] == 502, r
    assert r.said[1]["received"].startswith("HTTP/1.1 502"), r
    assert r.said[2]["socks"] in (1, 3, 4, 5), r
    assert r.said[3]["end"] in ("reset", "eof"), r
    assert not net.hits, net.hits


def test_T_099_its_refusal_is_502(net, proxy):
    """It does not know the name and says 503; that is not our refusal."""
    r = net.client({"form": "connect", "host": "mute.test", "port": 99},
                   allow=["mute.test:99"], network=via(proxy))
    assert r.said["status"] == 502, r


def test_T_099_early_data_is_kept_in_both_directions(net, proxy):
    r = net.client({"form": "connect", "host": "allowed.test", "port": 7,
                    "early": "\1first words", "steps": [
                        {"receive": "first words"}]},
                   allow=["allowed.test:7"], network=via(proxy))
    assert "first words" in r.said["received"], r
    # the banner comes in the same segment as the proxy's answer
    for form in FORMS:
        r = net.client({"form": form, "host": "allowed.test", "port": 21,
                        "steps": [{"receive": "\r\n"}]},
                       allow=["allowed.test:21"], network=via(proxy))
        assert "220 banner" in r.said["received"], (form, r)


@pytest.mark.parametrize("form", FORMS)
def test_T_098_half_close_through_it(net, proxy, form):
    r = net.client({"form": form, "host": "allowed.test", "port": 9,
                    "steps": [{"pattern": 1 << 20}, {"end": 1},
                              {"receive": "end"}]},
                   allow=["allowed.test:9"], network=via(proxy))
    assert r.said["received"].startswith(f"{1 << 20} "), r


def test_names_are_not_resolved_where_a_proxy_does_it(net, proxy):
    """A host behind a proxy has often no DNS for what is outside."""
    r = net.client({"form": "connect", "host": "allowed.test", "port": 80,
                    "steps": GET}, allow=["allowed.test"],
                   network={**via(proxy), "resolver": "127.0.0.1:1"})
    assert '"n": 1' in r.said["received"], r


@pytest.mark.parametrize("url", ["socks5://127.0.0.1:1", "https://a.test:1",
                                 "http://a.test:0", "http://a b:1",
                                 "http://a.test:1/path", "nonsense"])
def test_bad_proxies_stop_the_start(net, url):
    net.lab.refuses(policy=net.policy(["a.test"], upstream_proxy=url))


def test_control_a_good_one_starts(net):
    net.lab.starts(policy=net.policy(["a.test"],
                                     upstream_proxy="http://127.0.0.1:1"))
