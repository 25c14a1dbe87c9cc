#!/usr/bin/python3
# id: NT-04
# title: pathname unix sockets of host services outside the workspace (ssh-agent, docker.sock, D-Bus, VS Code IPC style paths)
# class: boundary
# expect: not reachable
# layer: mask /run, XDG_RUNTIME_DIR; seccomp AF_UNIX or Landlock unix-path rule
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
for p in (cfg["SOCK_RUN"], cfg["SOCK_DBUS"], "/proc/self/root" + cfg["SOCK_RUN"]):
    try: s = socket.socket(1, 1); s.settimeout(1); s.connect(p); print(s.recv(200)); escaped("connected " + p)
    except OSError as e: print(p, e)
try:
    d = os.open(os.path.dirname(cfg["SOCK_RUN"]), os.O_PATH); s = socket.socket(1, 1); s.settimeout(1); s.connect("/proc/self/fd/%d/%s" % (d, os.path.basename(cfg["SOCK_RUN"]))); print(s.recv(200)); escaped("connected by fd path")
except OSError as e: print(e)
blocked()
