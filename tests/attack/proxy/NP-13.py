#!/usr/bin/python3
# id: NP-13
# title: SNI differs from CONNECT host (domain fronting); TLS to an allowed host with evil SNI; no SNI
# class: limit
# needs: proxy
# expect: SNI must equal CONNECT host or be refused
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
r, r2 = connect("allowed.test:443", after=hello("evil.test"))
if b"sni=evil.test" in r2: escaped("ClientHello with SNI evil.test passed to allowed.test")
blocked()
