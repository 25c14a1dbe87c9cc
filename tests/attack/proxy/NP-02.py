#!/usr/bin/python3
# id: NP-02
# title: Host header differs from absolute-form URI (allowed URI, evil Host and the reverse)
# class: boundary
# needs: proxy
# expect: 400, or Host rewritten to the URI host; evil Host never reaches upstream
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
r = raw(b"GET http://allowed.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n")
if b"host=evil.test" in r: escaped("allowed upstream saw Host: evil.test (plaintext fronting)")
r = raw(b"GET http://evil.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n")
if bad(r): escaped("routed by URI to evil")
r = raw(b"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n")
if bad(r): escaped("origin-form routed by Host to evil")
r = raw(b"GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nHost: evil.test\r\n\r\n")
if b"evil.test" in r: escaped("duplicate Host forwarded")
blocked()
