#!/usr/bin/python3
# id: NT-06
# title: a host process with a socket in the workspace hands out a descriptor of a denied directory (SCM_RIGHTS)
# class: hardening
# expect: the socket cannot be connected to
# layer: sockets that were bound at start are masked
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
try:
    s = socket.socket(1, 1); s.settimeout(2); s.connect(cfg["SOCK_SCM"])
    _, fds, _, _ = socket.recv_fds(s, 16, 4)
    print(open(os.open("secret.txt", os.O_RDONLY, dir_fd=fds[0])).read()); escaped("read through a passed descriptor")
except OSError as e: blocked(e)
