#!/usr/bin/env python3
import os, sys, threading, time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
os.chdir(WORK)
def flood():
    while True:
        try: os.rename("nothing", ".mcp.json")
        except OSError: pass
        try: os.close(os.open(".vscode", os.O_CREAT | os.O_EXCL | os.O_WRONLY)); os.unlink(".vscode")
        except OSError: pass
for _ in range(2): threading.Thread(target=flood, daemon=True).start()
open("ready", "w").close()
end = time.time() + 10
while not os.path.exists("go") and time.time() < end: time.sleep(0.05)
time.sleep(1)
try: print(open(".env").read(), flush=True)
except OSError as e: blocked(e)
blocked("nothing read")
