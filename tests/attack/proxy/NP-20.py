#!/usr/bin/python3
# id: NP-20
# title: half-close: client shuts down its write side after the request and must still get the response; server half-close passes
# class: hardening
# needs: proxy
# expect: response arrives
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
s = dial(); s.sendall(b"CONNECT allowed.test:443 HTTP/1.1\r\nHost: allowed.test:443\r\n" + AUTH + b"\r\n"); recvall(s, 2, b"\r\n\r\n"); s.sendall(hello("allowed.test")); s.shutdown(1); r = recvall(s, 2, b"BANNER")
if b"BANNER-ALLOWED" not in r: escaped("response lost after half-close: %r" % r[:50])
blocked()
