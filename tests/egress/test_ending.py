# SPDX-License-Identifier: Apache-2.0
"""Ends: of a box that has just said something, and of a server that is waited
for."""
import socket
import struct

import pytest

from client import hello
from egresslab import PYTHON

SIZE = 4_000_000

SAY_AND_LEAVE = r"""
import socket, sys
s = socket.create_connection(("allowed.test", 9), 10)
s.sendall(bytes(range(4)) * (int(sys.argv[1]) // 4))
s.shutdown(socket.SHUT_WR)
"""


def test_what_a_box_said_last_arrives_whole(net):
    """As it would without a box, where the kernel sends what is left."""
    for _ in range(8):
        net.forget()
        r = net.run(PYTHON, "-c", SAY_AND_LEAVE, str(SIZE),
                    allow=["allowed.test:9"])
        assert r.ok, r
        net.world.servers.wait(
            lambda: net.hits and all(h.ended for h in net.hits))
        assert [h.bytes for h in net.hits] == [SIZE], net.hits


SAY_AND_LISTEN = r"""
import socket, sys
s = socket.create_connection(("four.test", int(sys.argv[1])), 10)
s.sendall(bytes.fromhex(sys.argv[2]))
try:
    print("got", s.recv(100))
except OSError as e:
    print(type(e).__name__)
"""


@pytest.mark.parametrize("what", ["opaque", "hello", "upgrade"])
def test_a_reset_while_the_server_is_waited_for(net, world, what):
    def serve(connection, hit):
        hit.add(connection.recv(5000))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                              struct.pack("ii", 1, 0))
        connection.close()

    world.servers.serve_resets = serve
    port = world.servers.listen("resets", 0, ("0.0.0.0",))
    said = {"opaque": b"\0\1", "hello": hello("four.test"),
            "upgrade": b"GET / HTTP/1.1\r\nHost: four.test:%d\r\n"
                       b"Connection: upgrade\r\nUpgrade: x\r\n\r\n" % port}
    r = net.run(PYTHON, "-c", SAY_AND_LISTEN, str(port), said[what].hex(),
                allow=[f"four.test:{port}"])
    assert r.out == "ConnectionResetError\n", r
