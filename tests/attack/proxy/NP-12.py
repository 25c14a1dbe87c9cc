#!/usr/bin/python3
# id: NP-12
# title: port policy: allowed host on SSH/other ports
# class: limit
# needs: proxy
# expect: only 80/443 unless listed
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
for p in (22, 8080):
    r, r2 = connect("allowed.test:%d" % p, after=b"SSH-2.0-x\r\nGET / HTTP/1.1\r\n\r\n")
    if b"BANNER-ALLOWED" in r2: escaped("allowed.test:%d reachable" % p)
blocked()
