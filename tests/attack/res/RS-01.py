#!/usr/bin/python3
# id: RS-01
# title: fork bomb (bounded at 1500 sleeping children)
# class: hardening
# needs: limits
# expect: pids limit stops it well below 1500; host can still fork
# layer: cgroup pids.max (RLIMIT_NPROC is per-uid, weaker)
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
import signal
kids = []
try:
    for i in range(1500):
        p = os.fork()
        if p == 0: signal.pause(); os._exit(0)
        kids.append(p)
except OSError as e: print("stopped at", len(kids), e)
n = len(kids)
for k in kids: os.kill(k, 9)
for k in kids: os.waitpid(k, 0)
if n >= 1500: escaped("1500 processes started")
blocked("limit at %d" % n)
