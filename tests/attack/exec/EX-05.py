#!/usr/bin/python3
# id: EX-05
# title: memfd_create + fexecve/execveat of the denied binary's bytes
# class: boundary
# needs: exec
# expect: bytes unreadable so nothing to run
# layer: read mask (optionally vm.memfd_noexec=2 in the pid ns)
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
try: data = open(cfg["DENYTOOL"], "rb").read()
except OSError as e: blocked("unreadable: %s" % e)
if not data: blocked("empty")
fd = os.memfd_create("x", 0); os.write(fd, data)
pid = os.fork()
if pid == 0:
    try: os.execve(fd, ["x"], {})
    except OSError as e: print("fexecve", e); os._exit(1)
os.waitpid(pid, 0); blocked()
