#!/usr/bin/python3
# id: NP-19
# title: slowloris: 300 half-open requests and 300 idle tunnels, then a normal request
# class: hardening
# needs: proxy
# expect: normal request served < 2 s; old connections time out
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(7)[1]),) * 2)
control(); S = []
for i in range(300):
    try: s = dial(t=2); s.sendall(b"GET http://allowed.test/ HTTP/1.1\r\nHost: al"); S.append(s)
    except OSError: break
for i in range(300):
    try: s = dial(t=2); s.sendall(b"CONNECT allowed.test:443 HTTP/1.1\r\nHost: allowed.test:443\r\n" + AUTH + b"\r\n"); S.append(s)
    except OSError: break
t = time.time(); r, r2 = connect("allowed.test:443", t=5); t = time.time() - t
if b"BANNER-ALLOWED" not in r2: escaped("no service with %d slow clients: %r" % (len(S), r[:40]))
if t > 2: escaped("slow: %.1fs" % t)
blocked("%d slow clients, %.2fs" % (len(S), t))
