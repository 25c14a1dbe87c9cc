#!/usr/bin/python3
# id: NT-01
# title: direct TCP to a host loopback service (127.0.0.1, ::1, 0.0.0.0, 127.1, host interface address)
# class: boundary
# expect: no connection
# layer: empty network namespace
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
for fam, addr in [(2, ("127.0.0.1", int(cfg["TCP4"]))), (10, ("::1", int(cfg["TCP4"]))), (2, ("0.0.0.0", int(cfg["TCP4"]))), (2, ("127.0.0.2", int(cfg["TCP4"]))), (10, ("::ffff:127.0.0.1", int(cfg["TCP4"])))]:
    try:
        s = socket.socket(fam, socket.SOCK_STREAM); s.settimeout(1); s.connect(addr); print(s.recv(200)); escaped("connected %s" % (addr,))
    except OSError as e: print(addr, e)
blocked()
