#!/usr/bin/python3
# id: NP-16
# title: unusual methods and schemes: ftp://, file://, gopher://, unix:, lowercase connect, HTTP/0.9, leading CRLF, Upgrade: h2c, Connection: Host
# class: boundary
# needs: proxy
# expect: 400/405; hop-by-hop headers cleaned
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for d in (b"GET ftp://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", b"GET file:///etc/passwd HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET gopher://127.0.0.1:8081/_GET%20/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"connect evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\nGET / HTTP/1.1\r\n\r\n", b"GET http://evil.test/\r\n\r\n", b"\r\n\r\nGET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", b"CONNECT  evil.test:443 HTTP/1.1\r\nHost: allowed.test:443\r\n\r\n", b"CONNECT evil.test HTTP/1.1\r\nHost: allowed.test:443\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: evil.test\r\n\r\n", b"GET https://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", b"GET http:///evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", b"GET //evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", b"GET http://allowed.test@evil.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET http://allowed.test:80@evil.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET http://evil.test:80\\@allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n", b"GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n"):
    r = raw(d, 1.0)
    if bad(r): escaped("%r" % d[:60])
    if b"root:x:0" in r: escaped("file:// served")
blocked()
