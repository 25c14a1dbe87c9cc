# SPDX-License-Identifier: Apache-2.0
"""Runs in the box: many connections at once, as told line by line (JSON).

    {"do": "open", "n": 1000, "form": "connect", "port": 7}
    {"do": "echo"}  {"do": "reset"}  {"do": "close"}  {"do": "half"}
"""
import asyncio
import json
import os
import resource
import socket
import struct
import sys

HOST = "allowed.test"
held = []


async def open_one(form, port, address):
    if form == "idle":
        return await asyncio.open_connection("127.0.0.1", 3128)
    if form == "transparent":
        return await asyncio.open_connection(address, port)
    r, w = await asyncio.open_connection("127.0.0.1", 3128)
    if form == "connect":
        w.write(b"CONNECT %s:%d HTTP/1.1\r\nHost: %s:%d\r\n\r\n" % (
            HOST.encode(), port, HOST.encode(), port))
        line = await r.readuntil(b"\r\n\r\n")
        if b" 200 " not in line[:20]:
            raise ConnectionError(line[:60].decode("latin-1"))
    else:
        w.write(b"\5\1\0\5\1\0\3" + bytes([len(HOST)]) + HOST.encode() +
                struct.pack(">H", port))
        reply = await r.readexactly(12)
        if reply[3]:
            raise ConnectionError("reply %d" % reply[3])
    return r, w


async def echo_one(r, w, data):
    w.write(data)
    return await r.readexactly(len(data)) == data


async def gather(what):
    """How many came out true, and the first of the errors."""
    done = await asyncio.gather(*what, return_exceptions=True)
    bad = [d for d in done if isinstance(d, Exception) or not d]
    return done, {"ok": len(done) - len(bad),
                  "first": repr(bad[0]) if bad else ""}


async def obey(order):
    do = order["do"]
    if do == "open":
        address = None
        if order["form"] == "transparent":
            address = socket.getaddrinfo(HOST, 80, socket.AF_INET)[0][4][0]
        done, said = await gather(
            open_one(order["form"], order["port"], address)
            for _ in range(order["n"]))
        held.extend(d for d in done if not isinstance(d, Exception))
    elif do == "echo":
        data = os.urandom(order.get("size", 1000) - 1)
        _, said = await gather(echo_one(r, w, b"\1" + data) for r, w in held)
    elif do == "read":
        _, said = await gather(r.readexactly(order["size"]) for r, _ in held)
    elif do == "half":
        for _, w in held:
            w.write_eof()
        said = {"ok": len(held)}
    else:
        for _, w in held:
            if do == "reset":
                w.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1,
                                                                     0))
                w.transport.abort()
            else:
                w.close()
        said = {"ok": len(held)}
        held.clear()
    return said


async def main():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        try:
            said = await asyncio.wait_for(obey(json.loads(line)), 25)
        except asyncio.TimeoutError:
            said = {"ok": -1, "first": "timeout"}
        print(json.dumps(said), flush=True)


asyncio.run(main())
