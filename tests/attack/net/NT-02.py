#!/usr/bin/python3
# id: NT-02
# title: direct UDP to a host service, incl. DNS port style packet
# class: boundary
# expect: packet not delivered
# layer: empty network namespace
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
for a in ("127.0.0.1", "0.0.0.0"):
    try: s = socket.socket(2, socket.SOCK_DGRAM); s.settimeout(1); s.sendto(b"exfil", (a, int(cfg["UDP4"]))); print(s.recv(200)); escaped("udp answered")
    except OSError as e: print(a, e)
blocked()
