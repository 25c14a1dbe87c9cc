#!/usr/bin/python3
# id: NP-03
# title: keep-alive: second (pipelined and sequential) request on the same proxy connection goes to evil
# class: boundary
# needs: proxy
# expect: every request is checked
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
a = b"GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\n" + AUTH + b"\r\n"; e = b"GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n" + AUTH + b"\r\n"
s = dial(); s.sendall(a + e); r = recvall(s, 2); s.close()
if bad(r): escaped("pipelined second request reached evil")
s = dial(); s.sendall(a); r = recvall(s, 1); 
try: s.sendall(e); r += recvall(s, 2)
except OSError: pass
if bad(r): escaped("sequential second request reached evil")
s = dial(); s.sendall(a); r = recvall(s, 1)
try: s.sendall(b"CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n" + AUTH + b"\r\n"); r += recvall(s, 1); s.sendall(b"GET / HTTP/1.1\r\n\r\n"); r += recvall(s, 1)
except OSError: pass
if bad(r): escaped("CONNECT after GET reached evil")
blocked()
