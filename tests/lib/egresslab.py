# SPDX-License-Identifier: Apache-2.0
"""The world with everything in it, and boxes that want to get there."""
import contextlib
import itertools
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from events import parse as parse_events
from lab import TREE

CLIENT = TREE / "tests/egress/client.py"
sys.path.insert(0, str(CLIENT.parent))

import netlab  # noqa: E402  (after the path is known)
from client import Client  # noqa: E402
from netdns import NameServer, Zone  # noqa: E402
from netservers import Servers, tls_context  # noqa: E402

PYTHON = "/usr/bin/python3"
MB10 = 10 << 20
DNS_OP = "resolve"      # of events; a connection is "connect"

# port: what serves there, at every address of the world
STREAMS = {7: "echo", 9: "sink", 13: "duplex", 14: "hold", 19: "pour",
           21: "banner", 25: "reset",
           27: "slow_writer", 28: "slow_reader", 80: "http", 443: "tls",
           8080: "http", 8443: "tls"}
CLOSED_PORT = 99
HOST_HTTP, HOST_ECHO, HOST_SIX = 8900, 8907, 8906


class World:
    """Made once; tests look at what was asked and what was reached."""

    def __init__(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        netlab.enter()
        self.lab = netlab.Netlab()
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="cordon-egress-",
                                                 dir=base_dir()))
        self.dir.chmod(0o755)
        self.zone = self.make_zone()
        self.make_certificates()
        self.servers = Servers(self.lab, tls_context(self.dir / "cert.pem",
                                                     self.dir / "key.pem"))
        for port, kind in STREAMS.items():
            self.servers.listen(kind, port)
        self.servers.listen("http", HOST_HTTP, ("127.0.0.1", "::1"), True)
        self.servers.listen("echo", HOST_ECHO, ("127.0.0.1", "::1"), True)
        self.servers.listen("http", HOST_SIX, ("::1",), True)
        for port in (80, 443):      # what a rebound name would reach
            self.servers.listen(STREAMS[port], port, ("127.0.0.1", "::1"),
                                True)
        self.servers.listen("http", 80, (netlab.HOST4, netlab.HOST6), True)
        self.dns = NameServer(self.zone)
        self.servers.upstream_names = {
            name: found[0] for name, found in self.zone.names.items()
                if isinstance(found, list) and found}

    @staticmethod
    def make_zone():
        zone = Zone()
        p = netlab.PLACES
        asked = itertools.count()

        def rebound():
            """Each lookup, of both types, is told the other address."""
            return [[p["allowed"][0]], ["127.0.0.1"]][next(asked) // 2 % 2]

        zone.names = {
            "allowed.test": p["allowed"], "sub.allowed.test": p["allowed"],
            "deep.sub.allowed.test": p["allowed"],
            "notallowed.test": p["other"], "other.test": p["other"],
            "third.test": p["third"], "xn--bcher-kva.test": p["allowed"],
            "four.test": [p["allowed"][0]], "six.test": [p["allowed"][1]],
            "private.test": [p["private"][0]],
            "private6.test": [p["private"][1]],
            "shared.test": p["shared"], "cloud.test": [p["cloud"][0]],
            "cloud2.test": [p["cloud"][1]],
            "loop.test": ["127.0.0.1"], "loop6.test": ["::1"],
            "mapped.test": ["::ffff:127.0.0.1"], "zero.test": ["0.0.0.0"],
            "nat64.test": ["64:ff9b::7f00:1"], "sixtofour.test":
            ["2002:7f00:1::1"], "multicast.test": ["224.0.0.1"],
            "own.test": [netlab.HOST4], "own6.test": [netlab.HOST6],
            "mixed.test": [p["private"][0], p["allowed"][0]],
            "eyeballs.test": [netlab.SILENT6, p["allowed"][0]],
            "silent.test": [netlab.SILENT6],
            "host.cordon.internal": p["other"],
            "rebind.test": rebound,
            "truncated.test": p["allowed"], "forged.test": p["allowed"],
            "localhost": p["other"], "empty.test": [],
        }
        zone.aliases = {"alias.test": "allowed.test",
                        "alias2.test": "alias.test",
                        "inward.test": "private.test"}
        zone.tempers = {"mute.test": "mute", "failure.test": "failure",
                        "truncated.test": "truncated", "forged.test": "forged"}
        return zone

    def make_certificates(self):
        """A CA, and one certificate for every name of the world."""
        d = self.dir
        names = [f"DNS:{n}" for n in [*self.zone.names, *self.zone.aliases]]
        names += [f"IP:{a}" for places in netlab.PLACES.values()
                  for a in places]
        (d / "ext").write_text(f"subjectAltName={','.join(names)}\n")
        for argv in (
                "req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=ca "
                "-keyout ca.key -out ca.pem",
                "req -newkey rsa:2048 -nodes -subj /CN=server "
                "-keyout key.pem -out cert.csr",
                "x509 -req -in cert.csr -CA ca.pem -CAkey ca.key "
                "-CAcreateserial -days 3650 -extfile ext -out cert.pem"):
            subprocess.run(["openssl", *argv.split()], cwd=d, check=True,
                           capture_output=True)
        self.ca = d / "ca.pem"
        for f in d.iterdir():
            f.chmod(0o644)


def base_dir():
    return os.environ.get("CORDON_TEST_BASE") or os.path.expanduser("~")


class Net:
    """One test's box and what it did to the world."""

    def __init__(self, lab, world):
        self.lab, self.world = lab, world
        self.asked0, self.hits0 = world.dns.mark(), world.servers.mark()

    @property
    def asked(self):
        """Names that somebody asked the name server outside for."""
        return self.world.dns.since(self.asked0)

    @property
    def hits(self):
        return self.world.servers.since(self.hits0)

    def forget(self):
        self.asked0 = self.world.dns.mark()
        self.hits0 = self.world.servers.mark()

    def policy(self, allow=(), deny=(), **more):
        network = {"mode": "filtered", "allow": list(allow),
                   "deny": list(deny), "resolver": self.world.dns.at, **more}
        return self.lab.policy(network=network)

    def run(self, *argv, allow=(), deny=(), opts=(), network=None, **kw):
        """A box with these rules; events are in the result."""
        policy = self.policy(allow, deny, **(network or {}))
        with self.events() as (fd, events):
            r = self.lab.run(*argv, policy=policy, pass_fds=[fd],
                             opts=["--events-fd", str(fd), *opts], **kw)
        r.events = events
        return r

    @staticmethod
    @contextlib.contextmanager
    def events():
        """A file for --events-fd, read when the box has ended."""
        found = []
        with tempfile.TemporaryFile() as f:
            yield f.fileno(), found
            f.seek(0)
            found += parse_events(f.read())

    def client(self, job, **kw):
        """client.py inside; what it said is in the result."""
        jobs = job if isinstance(job, list) else [job]
        for j in jobs:
            j.setdefault("ca", str(self.world.ca))
        r = self.run(PYTHON, str(CLIENT), json.dumps(jobs), **kw)
        r.said = [json.loads(line) for line in r.lines]
        assert len(r.said) == len(jobs), r
        if not isinstance(job, list):
            r.said = r.said[0]
        return r

    def outside(self, job):
        """The control: the same client on the host, directly."""
        job = {**job, "ca": str(self.world.ca), "form": "transparent"}
        found = self.world.zone.find(job["host"].lower().rstrip("."))
        steps = [dict(s) for s in job.get("steps", [])]
        for s in steps:     # direct means origin form and the name in it
            if "request" in s:
                how = s["request"]
                how = {"path": how} if isinstance(how, str) else dict(how)
                how.setdefault("host", job["host"])
                s["request"] = how
        job = {**job, "host": found[0] if found else job["host"],
               "steps": steps}
        before = self.world.servers.mark()
        said = Client(job).run()
        if said["stage"] == "open":
            new = self.world.servers.since
            self.world.servers.wait(lambda: new(before) and all(
                h.ended for h in new(before)))
        self.forget()
        return said

    def spawn(self, *argv, allow=(), deny=(), opts=(), network=None, **kw):
        policy = self.policy(allow, deny, **(network or {}))
        return self.lab.spawn(*argv, opts=["-s", policy, *opts], **kw)


def denials(result, op=None):
    return [e for e in result.events if e["event"] == "denied" and
            (op is None or e.get("op") == op)]
