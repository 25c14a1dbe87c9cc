#!/usr/bin/python3
# id: RS-02
# title: memory bomb (bounded at 3 GiB touched)
# class: hardening
# needs: limits
# expect: memory limit kills or refuses before 3 GiB; host unaffected
# layer: cgroup memory.max + memory.swap.max=0
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
b = []
try:
    for i in range(48): b.append(bytearray(64 << 20)); b[-1][::4096] = b"x" * len(b[-1][::4096])
except MemoryError: blocked("MemoryError at %d MiB" % (64 * len(b)))
escaped("3 GiB touched")
