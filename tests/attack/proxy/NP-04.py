#!/usr/bin/python3
# id: NP-04
# title: literal addresses: evil by IPv4/IPv6 literal, allowed host by its IP, 0.0.0.0, unspecified
# class: boundary
# needs: proxy
# expect: refused unless the literal is listed
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for h in ("93.184.216.66:443", "93.184.216.66:80", "[2001:db8:66::66]:443", "[::ffff:93.184.216.66]:443", "0.0.0.0:8081", "[::]:8081"):
    r, r2 = connect(h)
    if bad(r2): escaped("CONNECT " + h)
for b, t in ((socket.inet_aton("93.184.216.66"), 1), (socket.inet_pton(10, "2001:db8:66::66"), 4), (socket.inet_pton(10, "::ffff:93.184.216.66"), 4), (socket.inet_aton("127.0.0.1"), 1)):
    r, r2 = socks(b, 443, t)
    if bad(r2): escaped("SOCKS literal %r" % b)
blocked()
