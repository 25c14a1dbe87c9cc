#!/usr/bin/python3
# id: NT-03
# title: abstract unix socket of a host process (X11/D-Bus style)
# class: boundary
# expect: ECONNREFUSED/EPERM
# layer: network namespace + Landlock SCOPE_ABSTRACT_UNIX_SOCKET
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
for ty in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    try: s = socket.socket(1, ty); s.settimeout(1); s.connect("\0" + cfg["ABS"]); print(s.recv(200)) if ty == socket.SOCK_STREAM else s.send(b"x"); escaped("abstract connect type %d" % ty)
    except OSError as e: print(e)
blocked()
