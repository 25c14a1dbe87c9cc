#!/usr/bin/python3
# id: NP-14
# title: CRLF / header injection through CONNECT authority, absolute URI, userinfo, method and header names
# class: boundary
# needs: proxy
# expect: 400; injected header never upstream
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for d in (b"GET http://allowed.test/%0d%0aX-Inj:%201 HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET http://allowed.test/\rX-Inj: 1 HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET http://allowed.test/\nX-Inj: 1\n HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET http://u:p%0d%0aX-Inj@allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nFoo: a\rX-Inj: 1\r\n\r\n", b"GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\n X-Inj: 1\r\n\r\n", b"GET\thttp://evil.test/\tHTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET http://allowed.test/ HTTP/1.1 http://evil.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n"):
    r = raw(d, 1.0)
    if bad(r): escaped("%r" % d[:50])
    if b"req=X-Inj" in r or b"n=2" in r: escaped("injection split the request: %r" % d[:60])
blocked()
