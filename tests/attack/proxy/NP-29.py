#!/usr/bin/python3
# id: NP-29
# title: upstream sends a byte at a time, resets, sends endless headers, a 100 MB header line, ends early
# class: hardening
# needs: proxy
# expect: the client sees an end or an error, and the next request is served < 2 s
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
def size(data, t):
    s = dial(); s.sendall(data); s.settimeout(t); n = 0
    try:
        while True:
            d = s.recv(1 << 20)
            if not d: break
            n += len(d)
            if n > 20 << 20: break    # enough: the proxy may stream it, not keep it
    except OSError: pass
    s.close(); return n
S = [dial() for _ in range(20)]
for s in S: s.sendall(b"GET http://allowed.test/endless HTTP/1.1\r\nHost: allowed.test\r\n" + AUTH + b"\r\n")    # and nobody reads
for path in (b"rst", b"endless", b"bigline", b"early", b"slow"):
    n = size(b"GET http://allowed.test/" + path + b" HTTP/1.1\r\nHost: allowed.test\r\n" + AUTH + b"\r\n", 3); print(path, n)
    n = size(b"CONNECT allowed.test:80 HTTP/1.1\r\nHost: allowed.test:80\r\n" + AUTH + b"\r\nGET /" + path + b" HTTP/1.1\r\nHost: allowed.test\r\n\r\n", 3); print("tunnel", path, n)
t = time.time(); r, r2 = connect("allowed.test:443"); t = time.time() - t
if b"BANNER-ALLOWED" not in r2: escaped("proxy dead after hostile upstreams")
if t > 2: escaped("proxy slow %.1fs" % t)
blocked("%.2fs" % t)
