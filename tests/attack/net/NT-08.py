#!/usr/bin/python3
# id: NT-08
# title: filter holes for TCP: MSG_FASTOPEN sendto, MPTCP, connect on UDP then send, IPv4-mapped, AF_UNSPEC reconnect
# class: boundary
# expect: nothing reaches the host listener
# layer: empty network namespace
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
P = int(cfg["TCP4"])
def t(name, f):
    try: r = f(); print(name, r); escaped(name)
    except OSError as e: print(name, e)
def fo(): s = socket.socket(2, 1); s.settimeout(1); s.sendto(b"x", 0x20000000, ("127.0.0.1", P)); return s.recv(100)
def mp(): s = socket.socket(2, 1, 262); s.settimeout(1); s.connect(("127.0.0.1", P)); return s.recv(100)
def m6(): s = socket.socket(10, 1); s.settimeout(1); s.connect(("::ffff:127.0.0.1", P)); return s.recv(100)
t("fastopen", fo); t("mptcp", mp); t("v4mapped", m6); blocked()
