#!/usr/bin/env python3
# id: FS-50
# title: make a protected name by descriptor while nobody may search the directory above it
# class: boundary
# expect: EACCES: a place that cannot be found out counts as the protected one
# layer: guard
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
os.chdir(WORK)
os.mkdir(".claude")
below, work = os.open(".claude", os.O_RDONLY), os.open(".", os.O_RDONLY)
mode = os.fstat(work).st_mode & 0o777
os.fchmod(work, 0)
try:
    os.close(os.open("settings.json", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=below))
except OSError:
    pass
os.fchmod(work, mode)
if os.path.exists(".claude/settings.json"):
    escaped("settings.json was made")
blocked()
