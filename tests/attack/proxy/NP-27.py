#!/usr/bin/python3
# id: NP-27
# title: ClientHello in 1-byte segments, of 20 KB, without SNI, with ECH; other protocols on 443
# class: boundary
# needs: proxy
# expect: the whole hello is judged: evil SNI never upstream however it is cut; what is no TLS or has no name is refused on 443
# layer: proxy
import os, sys; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from px import *
control()
PAD = struct.pack(">HH", 21, 20000) + bytes(20000); ECH = struct.pack(">HH", 0xfe0d, 64) + b"\0" * 64
def tunnel(host="allowed.test"):
    s = dial(); s.sendall(b"CONNECT " + host.encode() + b":443 HTTP/1.1\r\nHost: " + host.encode() + b":443\r\n" + AUTH + b"\r\n"); recvall(s, 2, b"\r\n\r\n"); return s
def talk(data, step=0, t=2.0):
    s = tunnel(); s.setsockopt(6, 1, 1)
    try:
        for i in range(0, len(data), step or len(data)): s.sendall(data[i:i + (step or len(data))])
    except OSError: pass
    r = recvall(s, t, b"BANNER"); s.close(); return r
good = talk(hello("allowed.test"), 1)
if b"TLSBANNER-ALLOWED" not in good: escaped("honest hello in 1-byte segments is not served: %r" % good[:60])
if b"TLSBANNER-ALLOWED" not in talk(hello("allowed.test", PAD)): escaped("honest 20 KB hello is not served")
for what, data, step in (("1-byte segments", hello("evil.test"), 1), ("20 KB", hello("evil.test", PAD), 0), ("20 KB in segments of 7", hello("evil.test", PAD), 7), ("ECH, evil outside", hello("evil.test", ECH), 0), ("prefix", hello("allowed.test.evil.test"), 0), ("suffix", hello("evil-allowed.test"), 0)):
    r = talk(data, step, 1.5)
    if b"sni=evil" in r or b"evil" in r: escaped("%s: %r" % (what, r[:60]))
for what, data in (("no SNI", hello(None)), ("no SNI, ECH", hello(None, ECH)), ("SSH", b"SSH-2.0-x\r\n"), ("HTTP", b"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"), ("zeros", bytes(100))):
    r = talk(data, 0, 1.5)
    if b"BANNER" in r: escaped("%s on 443 served: %r" % (what, r[:60]))
s = tunnel(); s.sendall(hello("evil.test")[:40]); t = time.time(); r = recvall(s, 14); t = time.time() - t
if t > 13: escaped("half a hello is kept for %.0f s" % t)
blocked("half a hello ends after %.1f s" % t)
