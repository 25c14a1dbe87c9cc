#!/usr/bin/python3
# id: RS-04
# title: inode fill: 300k empty files on the private tmpfs
# class: hardening
# needs: limits
# expect: nr_inodes limit
# layer: tmpfs nr_inodes=
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
d = "/tmp/ino.%d" % os.getpid()
if os.statvfs("/tmp").f_files == 0 or "tmpfs" not in open("/proc/self/mounts").read().split(" /tmp ")[-1][:12]: blocked("/tmp is not tmpfs")
try: os.mkdir(d)
except OSError as e: blocked(e)
n = 0
try:
    for i in range(300000): os.close(os.open(f"{d}/{i}", os.O_CREAT | os.O_WRONLY)); n += 1
except OSError as e: print(n, e)
for i in range(n): os.unlink(f"{d}/{i}")
os.rmdir(d)
escaped("300000 inodes") if n == 300000 else blocked(n)
