#!/usr/bin/python3
# id: NP-21
# title: SOCKS5 malformed and forbidden: BIND, UDP ASSOCIATE, ATYP 5, zero/short domain, version 4, method count lies, 3000 random frames
# class: boundary
# needs: proxy
# expect: REP=7/8 or close; proxy alive; nothing reaches evil
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for cmd in (2, 3):
    r, _ = socks(b"allowed.test", 443, cmd=cmd, t=1)
    if len(r) > 1 and r[0] == 5 and r[1] == 0: escaped("SOCKS command %d accepted" % cmd)
import random; R = random.Random(7); u = SP or HP
for i in range(3000):
    try:
        s = dial(u, 1); k = R.randrange(4); d = [b"\x05" + bytes([R.randrange(256)]) + R.randbytes(R.randrange(40)), b"\x04\x01\x01\xbb\x5d\xb8\xd8\x42\0", b"\x05\x01\0\x05\x01\0" + bytes([R.randrange(256)]) + R.randbytes(R.randrange(60)), R.randbytes(R.randrange(1, 80))][k]; s.sendall(d); s.settimeout(0.001)
        try: s.recv(64)
        except OSError: pass
        s.close()
    except OSError: pass
r, r2 = connect("allowed.test:443", t=4)
if b"BANNER-ALLOWED" not in r2: escaped("proxy dead after SOCKS garbage")
blocked()
