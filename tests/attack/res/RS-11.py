#!/usr/bin/python3
# id: RS-11
# title: per-uid kernel quotas shared with the host user: exhaust inotify instances, then the host user must still get one (host check in driver)
# class: limit
# expect: bounded by per-ns sysctl (user.max_inotify_instances) or RLIMIT
# layer: write /proc/sys/user/max_* in the new userns; RLIMIT_NOFILE
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
import resource
n = 0
while n < 100000:
    if libc.inotify_init1(0) < 0: break
    n += 1
e = ctypes.get_errno(); print("inotify instances", n, "errno", e)
m = int(open("/proc/sys/fs/inotify/max_user_instances").read())
if n >= m: escaped("took all %d inotify instances of the uid" % n)
blocked("stopped at %d of %d" % (n, m))
