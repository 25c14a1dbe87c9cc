# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces: the host that cordon runs on, and the world.

The process itself becomes the host: it leaves the machine's network for a new
one, with a user namespace around it where it is not root, so that nothing here
needs a privilege or meets what else runs. A veth pair leads to the world,
which has public, private and cloud addresses, so that a rule about them can
be seen to matter. Programs that the tests start have no capability: they lose
them at exec, as the user keeps his uid.
"""
import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import threading

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN = 47, 2, 12
LIBC = ctypes.CDLL(None, use_errno=True)

# name: addresses. What a rule must name, and what none may need to.
PLACES = {
    "allowed": ["93.184.216.10", "2606:2800:220:1::10"],
    "other": ["93.184.216.20", "2606:2800:220:1::20"],
    "third": ["93.184.216.30", "2606:2800:220:1::30"],
    "private": ["10.9.9.9", "fd99::9"],
    "shared": ["100.64.3.3"],
    "cloud": ["169.254.169.254", "100.100.100.200"],
}
HOST4, HOST6 = "172.30.0.1", "fd77::1"
WORLD4, WORLD6 = "172.30.0.2", "fd77::2"
SILENT6 = "2606:2800:220:1::dead"   # packets to it vanish


def check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter():
    """Leaves the machine's network, once, before there is a second thread."""
    uid, gid = os.getuid(), os.getgid()
    alone = CLONE_NEWNET if uid == 0 else CLONE_NEWNET | CLONE_NEWUSER
    check(LIBC.unshare(alone), "unshare")
    if uid:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"),
                           ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w") as f:
                f.write(text)


def keep_net_admin():
    """Between fork and exec: ip(8) needs what exec would take."""
    if os.getuid() == 0:
        return
    head = struct.pack("Ii", 0x20080522, 0)
    data = ctypes.create_string_buffer(24)
    check(LIBC.capget(head, data), "capget")
    words = list(struct.unpack("6I", data.raw))
    words[2] |= 1 << CAP_NET_ADMIN      # inheritable
    check(LIBC.capset(head, struct.pack("6I", *words)), "capset")
    check(LIBC.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0,
                     0), "prctl")


class Netlab:
    """Made after enter(); close() is the end of the process."""

    def __init__(self):
        self.world = self.new_namespace()
        self.open_ports()
        self.ip("link set lo up",
                "link add host0 type veth peer name world0",
                f"link set world0 netns /proc/self/fd/{self.world}",
                f"addr add {HOST4}/30 dev host0",
                f"addr add {HOST6}/64 dev host0 nodad", "link set host0 up",
                f"route add default via {WORLD4}",
                f"-6 route add default via {WORLD6}")
        lines = ["link set lo up", f"addr add {WORLD4}/30 dev world0",
                 f"addr add {WORLD6}/64 dev world0 nodad",
                 "link set world0 up", f"-6 route add blackhole {SILENT6}"]
        lines += [f"addr add {a}/{128 if ':' in a else 32} dev lo"
                  for addresses in PLACES.values() for a in addresses]
        self.ip(*lines, before=self.enter_world)
        self.in_world(self.open_ports)

    @staticmethod
    def open_ports():
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w") as f:
            f.write("0")

    @staticmethod
    def new_namespace():
        """A descriptor of a network namespace that nothing else holds."""
        found = []

        def make():
            check(LIBC.unshare(CLONE_NEWNET), "unshare")
            found.append(os.open("/proc/thread-self/ns/net", os.O_RDONLY))
            fcntl.ioctl(socket.socket(), 0x8914, struct.pack(
                "16sh", b"lo", 1).ljust(40, b"\0"))

        t = threading.Thread(target=make)
        t.start()
        t.join()
        return found[0]

    def enter_world(self):
        check(LIBC.setns(self.world, CLONE_NEWNET), "setns")

    def in_world(self, function, *args):
        """Calls it in the world: a socket stays where it was made."""
        found = []

        def run():
            self.enter_world()
            try:
                found.append((function(*args), None))
            except Exception as e:
                found.append((None, e))

        t = threading.Thread(target=run)
        t.start()
        t.join()
        value, error = found[0]
        if error:
            raise error
        return value

    def ip(self, *lines, before=None):
        def prepare():
            if before:
                before()
            keep_net_admin()

        for line in lines:
            done = subprocess.run(["ip", *line.split()], text=True,
                                  capture_output=True, preexec_fn=prepare,
                                  pass_fds=[self.world])
            assert not done.returncode, (line, done.stderr)

    def start_in_world(self, argv, **kw):
        """A program that serves there."""
        return subprocess.Popen(argv, preexec_fn=self.enter_world, **kw)
