#!/usr/bin/python3
# id: NP-30
# title: QUIC and other UDP, SOCKS UDP ASSOCIATE, active FTP, upgrade to another host
# class: boundary
# needs: proxy
# expect: no path
# layer: netns + proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
try: known = [a[4][0] for a in socket.getaddrinfo("allowed.test", 443, socket.AF_INET)]
except OSError: known = []
for a in ["93.184.216.66", "93.184.216.10"] + known:
    for port in (443, 3478):
        s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(0.5)
        try:
            s.connect((a, port)); s.send(b"\xc3\0\0\0\1" + os.urandom(1195))
            if b"UDPBANNER" in s.recv(100): escaped("UDP %s:%d answered" % (a, port))
        except OSError as e: print(a, port, e)
r, _ = socks(b"allowed.test", 443, cmd=3, t=1)
if len(r) > 1 and r[1] == 0: escaped("UDP ASSOCIATE accepted: %r" % r)
l = socket.socket(); l.bind(("0.0.0.0", 0)); l.listen(); l.settimeout(1)
r, r2 = connect("allowed.test:80", after=b"PORT 198,18,0,1,%d,%d\r\n" % divmod(l.getsockname()[1], 256), t=1)
try: l.accept(); escaped("something from outside connected to the box")
except OSError: pass
up = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
for r in (connect("allowed.test:80", after=b"GET /ws HTTP/1.1\r\nHost: evil.test\r\n" + up + b"\r\n")[1], raw(b"GET http://allowed.test/ws HTTP/1.1\r\nHost: evil.test\r\n" + up + b"\r\n"), raw(b"GET http://evil.test/ws HTTP/1.1\r\nHost: evil.test\r\n" + up + b"\r\n"), raw(b"GET ws://evil.test/ws HTTP/1.1\r\nHost: evil.test\r\n" + up + b"\r\n")):
    if bad(r) or b"host=evil.test" in r: escaped("upgrade reached %r" % r[-80:])
blocked()
