# SPDX-License-Identifier: Apache-2.0
"""Names follow the host's /etc/resolv.conf and /etc/hosts while a box runs. The
files are the test's own, bound over the host's in a mount namespace."""
import contextlib
import select
import socket
import subprocess
import threading
import time

import pytest

import netlab
from egresslab import PYTHON
from lab import cordon_path
from netdns import NameServer, Zone

PATIENCE = 15   # seconds; egress asks for files that are 3 s old

# In the box: the answer of the proxy for each name of a line.
ASK = """
import socket, sys
for line in sys.stdin:
    name = line.strip()
    with socket.create_connection(("127.0.0.1", 3128)) as s:
        s.sendall(f"CONNECT {name}:80 HTTP/1.1\\r\\nHost: {name}:80\\r\\n\\r\\n"
                  .encode())
        print(s.makefile().readline().split()[1], flush=True)
"""


class Server(NameServer):
    """At the port that resolv.conf means."""

    def __init__(self, address, **names):
        self.zone, self.asked, self.lock = Zone(), [], threading.Lock()
        self.zone.names = {f"{n}.test": where for n, where in names.items()}
        self.udp = socket.socket(type=socket.SOCK_DGRAM)
        self.udp.bind((address, 53))
        threading.Thread(target=self.serve_udp, daemon=True).start()


@pytest.fixture(scope="module")
def servers(world):
    """One that knows nothing, and one of another network."""
    return (Server("127.0.0.2"),
            Server("127.0.0.3", moved=netlab.PLACES["allowed"]))


class Box:
    def __init__(self, lab, server, **network):
        self.resolv = lab.file("resolv.conf", f"nameserver {server}\n", 0o644)
        self.hosts = lab.file("hosts", "127.0.0.1 localhost\n", 0o644)
        policy = lab.policy(network={
            "mode": "filtered", "allow": ["moved.test", "listed.test"],
            **network})
        bind = (f"mount --bind {self.resolv} /etc/resolv.conf && "
                f"mount --bind {self.hosts} /etc/hosts && exec \"$@\"")
        self.p = subprocess.Popen(
            ["unshare", "-Urm", "sh", "-c", bind, "sh", cordon_path(), "run",
             "-s", policy, "--", PYTHON, "-c", ASK], cwd=lab.work, env=lab.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def ask(self, name):
        self.p.stdin.write(name.encode() + b"\n")
        self.p.stdin.flush()
        ready, _, _ = select.select([self.p.stdout], [], [], 20)
        line = self.p.stdout.readline() if ready else b""
        assert line, self.p.stderr.read() if ready else "no answer"
        return line.decode().strip()

    def ask_until(self, name, answer, patience=PATIENCE):
        end = time.monotonic() + patience
        while (got := self.ask(name)) != answer and time.monotonic() < end:
            select.select([], [], [], 0.2)
        return got


@contextlib.contextmanager
def box(lab, server="127.0.0.2", **network):
    b = Box(lab, server, **network)
    try:
        yield b
    finally:
        b.p.kill()
        b.p.communicate()


def test_another_name_server_is_asked_in_the_same_box(lab, servers):
    old, new = servers
    with box(lab) as b:
        before = old.mark(), new.mark()
        assert b.ask("moved.test") == "502"
        assert old.since(before[0]) == ["moved.test"]
        # The control: without a change it stays so, and nobody else is asked.
        assert b.ask_until("moved.test", "200", patience=5) == "502"
        assert new.since(before[1]) == []
        b.resolv.write_text("nameserver 127.0.0.3\noptions timeout:1\n")
        assert b.ask_until("moved.test", "200") == "200"
        assert new.since(before[1]) == ["moved.test"]


def test_a_server_that_is_silent_gives_way_to_another(lab, servers):
    mute = socket.socket(type=socket.SOCK_DGRAM)
    with mute, box(lab, "127.0.0.4\noptions timeout:1 attempts:1") as b:
        mute.bind(("127.0.0.4", 53))
        assert b.ask("moved.test") == "502"
        b.resolv.write_text("nameserver 127.0.0.3\n")
        assert b.ask_until("moved.test", "200") == "200"


def test_names_of_hosts_come_and_go(lab, servers):
    with box(lab) as b:
        assert b.ask("listed.test") == "502"
        b.hosts.write_text(f"{netlab.PLACES['allowed'][0]} listed.test\n")
        assert b.ask_until("listed.test", "200") == "200"


def test_a_hosts_file_larger_than_a_message(lab, servers):
    with box(lab) as b:
        assert b.ask("listed.test") == "502"
        b.hosts.write_text("0.0.0.0 advertisement.test\n" * 100000 +
                           f"{netlab.PLACES['allowed'][0]} listed.test\n")
        assert b.ask_until("listed.test", "200") == "200"


def test_with_a_resolver_the_files_do_not_matter(lab, servers):
    _, new = servers
    with box(lab, resolver="127.0.0.2:53") as b:
        before = new.mark()
        assert b.ask("moved.test") == "502"
        b.resolv.write_text("nameserver 127.0.0.3\n")
        assert b.ask_until("moved.test", "200", patience=5) == "502"
        assert new.since(before) == []
