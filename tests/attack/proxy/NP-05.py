#!/usr/bin/python3
# id: NP-05
# title: SSRF: loopback and own services in every numeric spelling (decimal, octal, hex, short, mapped, NAT64, 6to4)
# class: boundary
# needs: proxy
# expect: all refused
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
P = 8081
for h in ("localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0x7f.1", "127.0.0.1.", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "ip6-localhost", "0", "0.0.0.0", "198.18.0.1", "[fd77::1]", "localhost.localdomain", "\u2460\u2461\u2466.0.0.1", "127\u30020\u30020\u30021"):
    for port in (P, 443):
        r, r2 = connect("%s:%d" % (h, port), t=1.0)
        if bad(r2, "LOOP", "OWN"): escaped("CONNECT %s:%d" % (h, port))
    r = raw(("GET http://%s:%d/ HTTP/1.1\r\nHost: x\r\n\r\n" % (h, P)).encode(), 1.0)
    if bad(r, "LOOP", "OWN"): escaped("GET %s" % h)
blocked()
