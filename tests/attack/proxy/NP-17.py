#!/usr/bin/python3
# id: NP-17
# title: proxy credentials leak upstream (Proxy-Authorization, session token forwarded to the origin)
# class: boundary
# needs: proxy
# expect: hop header stripped
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
raw(b"GET http://allowed.test/leakcheck HTTP/1.1\r\nHost: allowed.test\r\nProxy-Authorization: Basic dTpw\r\n\r\n", auth=not AUTH)
r = raw(b"GET http://allowed.test/leakcheck2 HTTP/1.1\r\nHost: allowed.test\r\n\r\n")
print("upstream log is checked by the runner for proxy-authorization"); blocked()
