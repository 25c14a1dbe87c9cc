#!/usr/bin/python3
# id: NP-01
# title: plain denial: CONNECT, absolute GET and SOCKS5 to a host that is not on the list; wrong credentials
# class: boundary
# needs: proxy
# expect: 403/REP=2, no bytes upstream
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for f in (lambda: connect("evil.test:443")[1], lambda: connect("evil.test:80")[1], lambda: raw(b"GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n"), lambda: socks(b"evil.test", 443)[1], lambda: socks(b"evil.test", 80)[1]):
    r = f()
    if bad(r): escaped(r[:60])
blocked()
