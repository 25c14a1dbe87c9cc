#!/usr/bin/env python3
# id: FS-51
# title: lower the descriptor limit of box init until its guard cannot look, then rename onto a protected name
# class: boundary
# expect: EACCES, or the end of the box
# layer: guard
import os, resource, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
os.chdir(WORK)
os.mkdir(".claude")
open("x", "w").close()
for n in range(64, 2, -1):
    try:
        resource.prlimit(1, resource.RLIMIT_NOFILE, (n, 1024))
    except OSError:
        pass # without a box PID 1 is not ours, and the rename needs no trick
    try:
        os.rename("x", ".claude/settings.json")
        escaped("made with a limit of %d" % n)
    except OSError:
        pass
blocked()
