#!/usr/bin/env python3
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
os.chdir(WORK)
for i in range(150):
    os.makedirs("decoy%d/.git" % i); os.removedirs("decoy%d/.git" % i)
os.mkdir("src/.git")
