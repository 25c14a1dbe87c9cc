# SPDX-License-Identifier: Apache-2.0
"""Many connections, slow ones, broken ones: nothing leaks, nothing spins."""
import contextlib
import json
import os
import pathlib
import resource
import select
import time

import pytest

from egresslab import PYTHON
from test_lifecycle import egress_of

LOAD = pathlib.Path(__file__).parent / "load.py"
TICK = os.sysconf("SC_CLK_TCK")
ALLOW = [f"allowed.test:{p}" for p in (7, 13, 14, 19, 25)]
FORMS = ["transparent", "connect", "socks"]


def usual_limit():
    """Of a login; what the world needs for itself is more."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most))


class Loaded:
    """A box that opens connections as it is told; its egress is watched."""

    def __init__(self, net, **network):
        policy = net.lab.policy(
            network={"mode": "filtered", "allow": ALLOW,
                     "resolver": net.world.dns.at, **network},
            limits={"open_files": 8192})
        self.p = net.lab.spawn(PYTHON, LOAD, opts=["-s", policy],
                               preexec_fn=usual_limit)
        self.ask(do="open", n=1, form="transparent", port=7)
        self.ask(do="close")
        self.pid = egress_of(self.p)
        self.life = os.pidfd_open(self.pid)

    def ask(self, deadline=30, **order):
        self.p.stdin.write(json.dumps(order).encode() + b"\n")
        self.p.stdin.flush()
        ready, _, _ = select.select([self.p.stdout], [], [], deadline)
        line = self.p.stdout.readline() if ready else b""
        assert line, self.p.stderr.read() if ready else "no answer"
        return json.loads(line)

    def fds(self):
        """Root may count them; the user asks for their number."""
        try:
            return len(os.listdir(f"/proc/{self.pid}/fd"))
        except PermissionError:
            return os.stat(f"/proc/{self.pid}/fd").st_size

    def rss_kib(self):
        with open(f"/proc/{self.pid}/statm") as f:
            return int(f.read().split()[1]) * 4

    def cpu_ticks(self):
        with open(f"/proc/{self.pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def settles(self, count, deadline=15):
        """The number of descriptors comes back to this."""
        end = time.monotonic() + deadline
        while self.fds() > count:
            assert time.monotonic() < end, (self.fds(), count)
            self.lives(0.02)

    def lives(self, seconds):
        """Time passes, and it is still there."""
        ended, _, _ = select.select([self.life], [], [], seconds)
        assert not ended, "cordon-egress has ended"

    def idles(self, seconds=1.0):
        """Less than 3 % of a CPU, whatever state the connections are in."""
        before = self.cpu_ticks()
        self.lives(seconds)
        spent = self.cpu_ticks() - before
        assert spent <= max(2, 0.03 * seconds * TICK), spent


@contextlib.contextmanager
def loaded(net, **network):
    box = Loaded(net, **network)
    try:
        yield box
    finally:
        net.world.servers.release.set()
        net.world.servers.release.clear()
        box.p.kill()
        box.p.communicate()
        os.close(box.life)


@pytest.mark.parametrize("form", FORMS)
def test_a_thousand_at_once(net, form):
    with loaded(net) as box:
        fds, rounds = box.fds(), []
        for _ in range(2):
            said = box.ask(do="open", n=1000, form=form, port=7)
            assert said["ok"] == 1000, said
            assert box.fds() > fds + 1900
            said = box.ask(do="echo")
            assert said["ok"] == 1000, said
            box.ask(do="close")
            box.settles(fds)
            rounds.append(box.rss_kib())
        assert rounds[1] - rounds[0] < 1024, rounds     # no leak
        assert rounds[1] < 64 * 1024, rounds


def test_T_098_more_than_the_limit_are_told_so(net):
    with loaded(net) as box:
        fds = box.fds()
        said = box.ask(do="open", n=2048, form="idle", port=0)
        assert said["ok"] == 2048, said
        said = box.ask(do="open", n=1, form="connect", port=7)
        assert said["ok"] == 0 and "503" in said["first"], said
        box.ask(do="close")
        box.settles(fds)
        said = box.ask(do="open", n=5, form="connect", port=7)
        assert said["ok"] == 5 and box.ask(do="echo")["ok"] == 5, said


@pytest.mark.parametrize("form", FORMS)
def test_resets_of_clients_leave_nothing(net, form):
    with loaded(net) as box:
        fds = box.fds()
        for _ in range(3):
            assert box.ask(do="open", n=200, form=form, port=19)["ok"] == 200
            box.ask(do="reset")
            box.settles(fds)
        assert box.ask(do="open", n=1, form=form, port=7)["ok"] == 1
        assert box.ask(do="echo")["ok"] == 1


def test_resets_of_servers_leave_nothing(net):
    with loaded(net) as box:
        fds = box.fds()
        assert box.ask(do="open", n=200, form="connect", port=25)["ok"] == 200
        said = box.ask(do="echo", size=10)
        assert said["ok"] == 0 and "timeout" not in said["first"], said
        box.ask(do="close")
        box.settles(fds)


def test_readers_that_do_not_read_are_waited_for(net):
    """Back-pressure: what nobody takes is not taken from the server either."""
    with loaded(net) as box:
        fds = box.fds()
        assert box.ask(do="open", n=50, form="connect", port=19)["ok"] == 50
        sizes = []
        for _ in range(200):        # until nothing moves any more
            sizes.append(sum(h.bytes for h in net.hits))
            if len(sizes) > 10 and sizes[-1] == sizes[-10]:
                break
            box.lives(0.05)
        assert sizes[-1] == sizes[-10], sizes[-3:]
        assert box.rss_kib() < 40 * 1024, box.rss_kib()
        box.idles()
        box.ask(do="close")
        box.settles(fds)


def test_nothing_spins(net):
    """Idle, half-closed by either side, unread: time passes, CPU does not."""
    with loaded(net) as box:
        box.idles()
        for form in FORMS:      # open, and nobody speaks
            assert box.ask(do="open", n=30, form=form, port=7)["ok"] == 30
        box.idles()
        for form in FORMS:      # the client has ended, the server has not
            assert box.ask(do="open", n=30, form=form, port=14)["ok"] == 30
        box.ask(do="half")
        box.idles()
        box.ask(do="close")
        for form in FORMS:      # the server has ended, the client has not
            assert box.ask(do="open", n=3, form=form, port=13)["ok"] == 3
        assert box.ask(do="read", size=10 << 20)["ok"] == 9
        box.idles()


def test_memory_is_small(net):
    with loaded(net) as box:
        assert box.rss_kib() < 8 * 1024, box.rss_kib()


@pytest.mark.soak
def test_ten_thousand_one_after_the_other(net):
    with loaded(net) as box:
        fds = box.fds()
        sizes = []
        for _ in range(40):
            for form in FORMS:
                said = box.ask(do="open", n=100, form=form, port=7)
                assert said["ok"] == 100, said
            assert box.ask(do="echo", size=20000)["ok"] == 300
            box.ask(do="close")
            box.settles(fds)
            sizes.append(box.rss_kib())
        assert sizes[-1] - sizes[10] < 512, sizes
