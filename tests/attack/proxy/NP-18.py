#!/usr/bin/python3
# id: NP-18
# title: header bombs: 1 MiB header line, 20000 headers, endless header without newline; proxy must answer or close and keep serving
# class: hardening
# needs: proxy
# expect: 431/close, next request < 2 s
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for d in (b"GET http://allowed.test/ HTTP/1.1\r\nX: " + b"a" * (1 << 20) + b"\r\n\r\n", b"GET http://allowed.test/ HTTP/1.1\r\n" + b"".join(b"X%d: y\r\n" % i for i in range(20000)) + b"\r\n", b"GET http://" + b"a" * 200000 + b".wild.test/ HTTP/1.1\r\n\r\n", b"CONNECT " + b"a." * 60000 + b"wild.test:443 HTTP/1.1\r\n\r\n"):
    try: s = dial(); s.sendall(d); recvall(s, 1.0); s.close()
    except OSError: pass
t = time.time(); r, r2 = connect("allowed.test:443"); t = time.time() - t
if b"BANNER-ALLOWED" not in r2: escaped("proxy dead after header bombs")
if t > 2: escaped("proxy slow %.1fs" % t)
blocked("%.2fs" % t)
