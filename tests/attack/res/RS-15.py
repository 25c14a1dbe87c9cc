#!/usr/bin/python3
# id: RS-15
# title: 600 orphaned children exit at once: pid 1 of the sandbox must reap them (zombies count against pids.max)
# class: hardening
# expect: < 20 zombies after 1.5 s
# layer: init in the sandbox reaps
import sys, os, time; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
for i in range(600):
    try: p = os.fork()
    except OSError as e: print(i, e); break
    if p == 0:
        if os.fork() == 0: time.sleep(0.2); os._exit(0)
        os._exit(0)
    os.waitpid(p, 0)
time.sleep(1.5); z = 0
for d in os.listdir("/proc"):
    if d.isdigit():
        try: z += open("/proc/%s/stat" % d).read().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError: pass
escaped("%d zombies" % z) if z >= 20 else blocked("%d zombies" % z)
