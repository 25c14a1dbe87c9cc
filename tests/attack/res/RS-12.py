#!/usr/bin/python3
# id: RS-12
# title: flock/lease on outside read-only files (blocks host programs that use the same lock)
# class: limit
# expect: documented; masked or copy-on-write files unaffected
# layer: small visible tree
import sys, os, fcntl; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
try: f = os.open(FX + "/outside/canary.txt", os.O_RDONLY); fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB); escaped("exclusive flock on host file")
except OSError as e: blocked(e)
