# SPDX-License-Identifier: Apache-2.0
"""The controls: without a box, everything of the world can be reached."""
import hashlib
import json
import socket
import struct

import pytest

import netlab
from client import pattern
from egresslab import CLOSED_PORT, MB10

EVERYWHERE = [(place, address) for place, addresses in netlab.PLACES.items()
              for address in addresses]


@pytest.mark.parametrize("place,address", EVERYWHERE)
def test_every_place_answers(net, place, address):
    job = {"host": address, "port": 80,
           "steps": [{"request": "/"}, {"receive": "}\n"}]}
    said = net.outside(job)
    assert json.loads(said["received"].split("\r\n\r\n")[1])["where"] == \
        address, said


def test_loopback_and_the_host_itself_answer(net):
    for address in ("127.0.0.1", "::1", netlab.HOST4, netlab.HOST6):
        said = net.outside({"host": address, "port": 80, "steps": [
            {"request": "/"}, {"receive": address}]})
        assert said["end"] == "open", said


def test_tls_is_real(net):
    said = net.outside({"host": "allowed.test", "port": 443, "steps": [
        {"tls": "allowed.test"}, {"request": "/"}, {"receive": "}\n"}]})
    assert "93.184.216.10" in said["received"], said
    wrong = net.outside({"host": "allowed.test", "port": 443, "steps": [
        {"tls": "wrong.example"}]})
    assert wrong["end"] == "tls", wrong


def test_streams_keep_their_tempers(net):
    for port, steps, want in (
            (7, [{"send": "x"}, {"receive": 1}], "x"),
            (9, [{"pattern": MB10}, {"end": 1}, {"receive": "end"}],
             str(MB10)),
            (21, [{"receive": "\n"}], "220 "),
            (27, [{"receive": "end"}], "s" * 40),
            (443, [{"hello": {"name": "x.test", "padding": 20000}},
                   {"receive": "\n"}], "hello of 20")):
        said = net.outside({"host": "allowed.test", "port": port,
                            "steps": steps})
        assert want in said["received"], (port, said)
    said = net.outside({"host": "allowed.test", "port": 25, "steps": [
        {"send": "x"}, {"receive": "end"}]})
    assert said["end"] == "reset", said
    said = net.outside({"host": "allowed.test", "port": CLOSED_PORT})
    assert said["end"] == "reset", said


def test_ten_megabytes_both_ways(net):
    job = {"host": "allowed.test", "port": 13, "steps": [{"duplex": MB10}]}
    said = net.outside(job)
    assert said["sha"] == hashlib.sha256(pattern(MB10)).hexdigest(), said


def test_the_name_server_answers_and_keeps_a_log(net):
    s = socket.socket(type=socket.SOCK_DGRAM)
    s.settimeout(5)
    name = b"\7allowed\4test\0"
    s.sendto(struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + name +
             struct.pack(">HH", 1, 1), ("127.0.0.1", net.world.dns.port))
    assert socket.inet_aton("93.184.216.10") in s.recv(512)
    assert net.asked == ["allowed.test"]
