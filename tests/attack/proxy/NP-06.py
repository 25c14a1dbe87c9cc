#!/usr/bin/python3
# id: NP-06
# title: allowed names that RESOLVE to loopback, link-local metadata, own address (rebinding by DNS content)
# class: boundary
# needs: proxy
# expect: refused after resolution
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for h in ("loop.test:8081", "loop.test:443", "meta.test:80", "own.test:443"):
    r, r2 = connect(h)
    if bad(r2): escaped("%s -> %s" % (h, bad(r2)))
    n, p = h.split(":"); r, r2 = socks(n.encode(), int(p))
    if bad(r2): escaped("socks %s -> %s" % (h, bad(r2)))
r = raw(b"GET http://meta.test/latest/meta-data/ HTTP/1.1\r\nHost: meta.test\r\n\r\n")
if bad(r): escaped("GET metadata")
blocked()
