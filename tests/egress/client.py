# SPDX-License-Identifier: Apache-2.0
"""Runs in the box: opens one connection in the given form, takes steps on it,
and tells on standard output, as JSON, what it saw.

    client.py '{"form": "connect", "host": "a.test", "port": 80,
                "steps": […]}'
"""
import hashlib
import json
import socket
import struct
import sys
import threading
import time

PROXY, SOCKS = ("127.0.0.1", 3128), ("127.0.0.1", 1080)
KEEP = 65536
ENDS = {"TimeoutError": "timeout", "ConnectionResetError": "reset",
        "BrokenPipeError": "reset", "ConnectionRefusedError": "reset"}


def pattern(size):
    """Bytes that both ends can make, with no period that hides a loss."""
    block = b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(2048))
    whole, rest = divmod(size, len(block))
    return b"".join(block[i % 97:] + block[:i % 97]
                    for i in range(whole)) + block[:rest]


def hello(name, padding=0, records=1, seed=b"SYNTHETIC-HELLO-", extra=b""):
    """A ClientHello, in as many records, that no library would send."""
    extensions = extra
    if name is not None:
        n = name.encode("latin-1")
        extensions += struct.pack(">HHHBH", 0, len(n) + 5, len(n) + 3, 0,
                                  len(n)) + n
    if padding:
        extensions += struct.pack(">HH", 21, padding) + bytes(padding)
    body = (b"\x03\x03" + seed.ljust(32, b"r")[:32] + b"\0" +
            b"\0\2\x13\x01" + b"\1\0" + struct.pack(">H", len(extensions)) +
            extensions)
    message = b"\x01" + struct.pack(">I", len(body))[1:] + body
    size = max(1, min(16384, -(-len(message) // records)))
    return b"".join(b"\x16\x03\x01" + struct.pack(">H", len(part)) + part
                    for part in (message[i:i + size]
                                 for i in range(0, len(message), size)))


class Refused(Exception):
    pass


class Client:
    def __init__(self, job):
        self.job, self.s = job, None
        self.said = {"stage": "start", "received": "", "bytes": 0,
                     "end": "open"}
        self.digest = hashlib.sha256()

    # -- opening, by form --------------------------------------------------
    def open(self):
        getattr(self, "open_" + self.job["form"])()
        self.said["stage"] = "open"
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def dial(self, address, family=socket.AF_INET):
        self.said["stage"] = "connect"
        self.s = socket.socket(family)
        self.s.settimeout(self.job.get("timeout", 12))
        self.s.connect(address)

    def resolve(self, family=0):
        self.said["stage"] = "resolve"
        return socket.getaddrinfo(self.job["host"].strip("[]"),
                                  self.job["port"], family,
                                  socket.SOCK_STREAM)

    def open_transparent(self):
        family, _, _, _, address = self.resolve()[0]
        self.dial(address[:2], family)

    def open_transparent4(self):
        self.dial(self.resolve(socket.AF_INET)[0][4], socket.AF_INET)

    def open_transparent6(self):
        self.dial(self.resolve(socket.AF_INET6)[0][4][:2], socket.AF_INET6)

    def authority(self):
        return self.job.get("authority") or "%s:%d" % (self.job["host"],
                                                      self.job["port"])

    def open_connect(self):
        self.dial(PROXY)
        self.said["stage"] = "proxy"
        a = self.authority().encode("latin-1")
        early = self.job.get("early", "").encode("latin-1")
        self.s.sendall(b"CONNECT " + a + b" HTTP/1.1\r\nHost: " + a +
                       b"\r\n\r\n" + early)
        head, rest = self.head()
        self.status(head)
        if self.said["status"] != 200:
            self.body(head, rest)
            raise Refused
        self.take(rest)

    def open_http(self):
        """Absolute form: the request itself opens."""
        self.dial(PROXY)

    def open_socks(self):
        name = self.job["host"].strip("[]").encode("latin-1")
        self.socks(3, bytes([len(name)]) + name)

    def open_socks4(self):
        self.socks(1, socket.inet_aton(
            self.resolve(socket.AF_INET)[0][4][0]))

    def open_socks6(self):
        self.socks(4, socket.inet_pton(
            socket.AF_INET6, self.resolve(socket.AF_INET6)[0][4][0]))

    def socks(self, kind, host):
        self.dial(SOCKS)
        self.said["stage"] = "proxy"
        self.s.sendall(b"\5\1\0")
        if self.exactly(2) != b"\5\0":
            raise Refused
        self.s.sendall(b"\5" + bytes([self.job.get("command", 1)]) + b"\0" +
                       bytes([kind]) + host +
                       struct.pack(">H", self.job["port"]))
        reply = self.exactly(4)
        self.said["socks"] = reply[1]
        if reply[1]:
            raise Refused
        self.exactly({1: 6, 4: 18}[reply[3]])

    def exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.s.recv(size - len(data))
            if not more:
                raise ConnectionError("ended after %r" % data)
            data += more
        return data

    def head(self):
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.s.recv(KEEP)
            if not more:
                raise ConnectionError("ended after %r" % data)
            data += more
        head, _, rest = data.partition(b"\r\n\r\n")
        return head.decode("latin-1"), rest

    def status(self, head):
        line, *fields = head.split("\r\n")
        self.said["status"] = int(line.split(" ")[1])
        self.said["phrase"] = line.split(" ", 2)[2]
        self.said["headers"] = {f.split(":")[0].lower():
                                f.split(":", 1)[1].strip() for f in fields}
        self.said["error"] = self.said["headers"].get("x-proxy-error")

    def body(self, head, rest):
        self.s.settimeout(3)
        size = int(self.said["headers"].get("content-length", "-1"))
        try:
            while size < 0 or len(rest) < size:
                data = self.s.recv(KEEP)
                if not data:
                    break
                rest += data
        except OSError:
            pass
        self.said["body"] = rest.decode("latin-1")

    # -- steps -------------------------------------------------------------
    def take(self, data):
        self.digest.update(data)
        self.said["bytes"] += len(data)
        if len(self.said["received"]) < KEEP:
            self.said["received"] += data.decode("latin-1")

    def do_send(self, text):
        self.s.sendall(text.encode("latin-1"))

    def do_send_bytewise(self, text):
        for byte in text.encode("latin-1"):
            self.s.sendall(bytes([byte]))

    def do_repeat(self, how):
        self.s.sendall(how["text"].encode("latin-1") * how["times"])

    def do_hello(self, how):
        how = dict(how or {})
        data = hello(how.get("name"), how.get("padding", 0),
                     how.get("records", 1),
                     extra=how.get("extra", "").encode("latin-1"))
        data = data[:how.get("only", len(data))]
        step = how.get("segments") or len(data)
        for at in range(0, len(data), step):
            self.s.sendall(data[at:at + step])

    def do_request(self, how):
        """An HTTP request; absolute where the form is."""
        how = {"path": how} if isinstance(how, str) else dict(how)
        host = self.job["host"]
        if self.job["port"] != 80:
            host += ":%d" % self.job["port"]
        path = how.get("path", "/")
        if self.job["form"] == "http" and "target" not in how:
            path = "http://" + (self.job.get("authority") or host) + path
        body = how.get("body", "").encode("latin-1")
        lines = ["%s %s HTTP/1.1" % (how.get("method", "GET"),
                                     how.get("target", path)),
                 "Host: " + how.get("host", host)]
        if body:
            lines.append("Content-Length: %d" % len(body))
        lines += how.get("headers", [])
        self.s.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" +
                       body)

    def do_pattern(self, size):
        self.s.sendall(pattern(size))

    def do_duplex(self, size):
        """Sends so much, ends its direction, and reads the other to its end."""
        def send():
            try:
                self.s.sendall(pattern(size))
                self.s.shutdown(socket.SHUT_WR)
            except OSError as e:
                self.said["sending"] = str(e)

        t = threading.Thread(target=send)
        t.start()
        self.do_receive("end")
        t.join()

    def do_end(self, _):
        self.s.shutdown(socket.SHUT_WR)

    def do_receive(self, until):
        """"end": to the end; a number: so many bytes; else up to a text."""
        have = self.said["bytes"]
        while True:
            if isinstance(until, int) and self.said["bytes"] - have >= until:
                return
            if isinstance(until, str) and until != "end" and \
                    until in self.said["received"]:
                return
            data = self.s.recv(KEEP)
            if not data:
                self.said["end"] = "eof"
                return
            self.take(data)

    def do_tls(self, name):
        """The rest of the steps is inside of TLS, checked against the CA."""
        import ssl  # costs more than all the rest, and few need it
        context = ssl.create_default_context(cafile=self.job["ca"])
        self.s = context.wrap_socket(self.s, server_hostname=name)

    def do_wait(self, seconds):
        """For the deadline of somebody else; nothing else waits."""
        threading.Event().wait(seconds)

    def run(self):
        began = time.monotonic()
        try:
            self.open()
            self.said["opened"] = round(time.monotonic() - began, 3)
            for step in self.job.get("steps", []):
                (word, how), = step.items()
                getattr(self, "do_" + word)(how)
        except Refused:
            self.said["end"] = "refused"
        except socket.gaierror as e:
            self.said["end"] = "no name"
            self.said["detail"] = str(e)
        except OSError as e:
            kind = type(e).__name__
            self.said["end"] = "tls" if kind.startswith("SSL") else ENDS.get(
                kind, "error")
            self.said["detail"] = "%s: %s" % (kind, e)
        self.said["took"] = round(time.monotonic() - began, 3)
        self.said["sha"] = self.digest.hexdigest()
        if self.s:
            self.s.close()
        return self.said


if __name__ == "__main__":
    jobs = json.loads(sys.argv[1])
    many = jobs if isinstance(jobs, list) else [jobs]
    for one in many:
        print(json.dumps(Client(one).run()), flush=True)
