#!/usr/bin/python3
# id: NP-09
# title: wildcard matching: *.wild.test must not match notwild.test / xwild.test / evil.test.wild.test.evil.test
# class: boundary
# needs: proxy
# expect: label boundary respected
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for h in ("notwild.test", "xwild.test", "evil.test"):
    if bad(connect(h + ":443")[1]) or bad(socks(h.encode(), 443)[1]): escaped(h)
r, r2 = connect("a.wild.test:443")
if b"BANNER-WILD" not in r2: print("note: a.wild.test refused", r[:60])
blocked()
