#!/usr/bin/python3
# id: NP-07
# title: allowed name that resolves into RFC1918/CGNAT space
# class: limit
# needs: proxy
# expect: refused by default (opt-in for intranet)
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
r, r2 = connect("private.test:443")
if bad(r2): escaped("10.9.9.9 reached through private.test")
blocked()
