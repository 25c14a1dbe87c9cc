#!/usr/bin/python3
# id: NP-25
# title: use the proxy to reach the proxy itself, the daemon API and other sandboxes' proxies on loopback
# class: boundary
# needs: proxy
# expect: refused
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for p in {HP.port, (SP or HP).port, 2375, 8081}:
    for h in ("127.0.0.1", "localhost", HP.hostname):
        r, r2 = connect("%s:%d" % (h, p), after=b"CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n", t=1)
        if b" 200" in r[:40]: escaped("CONNECT %s:%s accepted" % (h, p))
blocked()
