#!/usr/bin/python3
# id: NT-05
# title: pathname unix socket of a host service located IN the workspace
# class: limit
# expect: refused by default (option to allow)
# layer: seccomp AF_UNIX / Landlock; documented option
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
try: s = socket.socket(1, 1); s.settimeout(1); s.connect(cfg["SOCK_WS"]); print(s.recv(200)); escaped("connected to workspace socket")
except OSError as e: blocked(e)
