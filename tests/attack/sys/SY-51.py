#!/usr/bin/env python3
# id: SY-51
# title: device nodes of the host lie on a writable mount: root in the box could change their modes
# class: hardening
# expect: the nodes are read-only, which does not concern the devices
# layer: mounts
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
for node in ("null", "zero", "full", "random", "urandom", "tty"):
    path, best, options = "/dev/" + node, "", ""
    for line in open("/proc/self/mountinfo"):
        f = line.split()
        if (path == f[4] or path.startswith(f[4].rstrip("/") + "/")) and len(f[4]) >= len(best):
            best, options = f[4], f[5]
    if "ro" not in options.split(","):
        escaped("%s: %s" % (path, options))
with open("/dev/null", "w") as null:
    null.write("x")
blocked()
