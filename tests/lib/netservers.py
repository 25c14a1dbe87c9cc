# SPDX-License-Identifier: Apache-2.0
"""What answers in the world: streams of many tempers, each with its log.

A log entry is made when a connection is accepted and grows with what arrives,
so it is the witness both for "it got there" and for "nothing did".
"""
import hashlib
import json
import socket
import ssl
import struct
import threading

from client import pattern

CHUNK = 65536
SYNTHETIC = b"SYNTHETIC-HELLO-"     # client.py begins its random with this


class Hit:
    """One connection that a server accepted."""

    def __init__(self, where, port, kind):
        self.where, self.port, self.kind = where, port, kind
        self.got, self.bytes, self.note = b"", 0, ""
        self.ended = False

    def add(self, data):
        self.bytes += len(data)
        if len(self.got) < 4096:
            self.got += data

    def __repr__(self):
        return (f"<{self.kind} at {self.where}:{self.port} got {self.bytes}: "
                f"{self.got[:80]!r} {self.note}>")


class Servers:
    def __init__(self, lab, tls=None):
        self.lab, self.tls = lab, tls
        self.hits, self.lock = [], threading.Lock()
        self.news = threading.Condition()   # a connection began or ended
        self.release = threading.Event()

    def mark(self):
        return len(self.hits)

    def since(self, mark):
        with self.lock:
            return self.hits[mark:]

    def tell(self):
        with self.news:
            self.news.notify_all()

    def wait(self, true, deadline=10):
        """Until it holds, which is looked at when a connection changed."""
        with self.news:
            assert self.news.wait_for(true, deadline), self.hits[-5:]

    def listen(self, kind, port, addresses=("0.0.0.0", "::"), here=False):
        """Serves @kind; @here: on the host instead of in the world."""
        for address in addresses:
            s = (self.bound(address, port) if here else
                 self.lab.in_world(self.bound, address, port))
            port = s.getsockname()[1]
            threading.Thread(target=self.accept, args=(s, kind, port),
                             daemon=True).start()
        return port

    @staticmethod
    def bound(address, port):
        six = ":" in address
        s = socket.socket(socket.AF_INET6 if six else socket.AF_INET)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if six:
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        s.bind((address, port))
        s.listen(2048)
        return s

    def accept(self, listener, kind, port):
        while True:
            c, _ = listener.accept()
            hit = Hit(c.getsockname()[0], port, kind)
            with self.lock:
                self.hits.append(hit)
            self.tell()
            threading.Thread(target=self.serve, args=(c, kind, hit),
                             daemon=True).start()

    def serve(self, c, kind, hit):
        try:
            c.settimeout(60)
            getattr(self, "serve_" + kind)(c, hit)
        except (OSError, ValueError) as e:
            hit.note += f" {type(e).__name__}"
        finally:
            c.close()
            hit.ended = True
            self.tell()

    # -- plain streams -----------------------------------------------------
    def serve_echo(self, c, hit):
        while data := c.recv(CHUNK):
            hit.add(data)
            c.sendall(data)

    def serve_banner(self, c, hit):
        """Speaks first, as SMTP, SSH and databases do."""
        c.sendall(f"220 banner of {hit.where}\r\n".encode())
        self.serve_echo(c, hit)

    def serve_sink(self, c, hit):
        """Answers when the client has ended: needs half-close."""
        digest = hashlib.sha256()
        while data := c.recv(CHUNK):
            hit.add(data)
            digest.update(data)
        hit.note = digest.hexdigest()
        c.sendall(f"{hit.bytes} {digest.hexdigest()}\n".encode())

    def serve_duplex(self, c, hit, size=10 << 20):
        """Ends its direction after 10 MB and keeps reading the other."""
        def send():
            c.sendall(pattern(size))
            c.shutdown(socket.SHUT_WR)

        t = threading.Thread(target=send, daemon=True)
        t.start()
        digest = hashlib.sha256()
        while data := c.recv(CHUNK):
            hit.add(data)
            digest.update(data)
        hit.note = digest.hexdigest()
        t.join()

    def serve_hold(self, c, hit):
        """Reads to the end and then neither speaks nor ends, until @release."""
        while data := c.recv(CHUNK):
            hit.add(data)
        self.release.wait(60)

    def serve_pour(self, c, hit):
        """Writes without end, whether anybody reads or not."""
        block = pattern(1 << 20)
        while True:
            c.sendall(block)
            hit.bytes += len(block)

    def serve_reset(self, c, hit):
        """Half an answer, then a reset."""
        hit.add(c.recv(1))
        c.sendall(b"half")
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                     struct.pack("ii", 1, 0))

    def serve_slow_writer(self, c, hit):
        for _ in range(40):
            c.sendall(b"s")
            threading.Event().wait(0.01)

    def serve_slow_reader(self, c, hit):
        c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        digest = hashlib.sha256()
        while data := c.recv(32768):
            hit.add(data)
            digest.update(data)
            threading.Event().wait(0.002)
        c.sendall(f"{hit.bytes} {digest.hexdigest()}\n".encode())

    # -- TLS ---------------------------------------------------------------
    def serve_tls(self, c, hit):
        """Real TLS; hellos made by the tests, and what is no TLS, are told
        back in plain text."""
        head = c.recv(27, socket.MSG_PEEK)
        if head[:1] != b"\x16":
            self.serve_echo(c, hit)
        elif (head[11:27] == SYNTHETIC or len(head) < 27 or
              head[3:5] < b"\0\x40"):
            self.serve_hello(c, hit)
        else:
            hit.add(head)
            with self.tls.wrap_socket(c, server_side=True) as t:
                self.serve_http(t, hit)

    def serve_hello(self, c, hit):
        data = b""
        while handshake_missing(data):
            more = c.recv(CHUNK)
            if not more:
                return
            hit.add(more)
            data += more
        c.sendall(f"hello of {len(data)} bytes at {hit.where}\n".encode())

    # -- HTTP --------------------------------------------------------------
    def serve_http(self, c, hit):
        """Tells each request back as JSON; the path can ask for more."""
        rest, number = b"", 0
        while True:
            while b"\r\n\r\n" not in rest:
                data = c.recv(CHUNK)
                if not data:
                    return
                hit.add(data)
                rest += data
            head, _, rest = rest.partition(b"\r\n\r\n")
            line, *fields = head.decode("latin-1").split("\r\n")
            headers = {}
            for field in fields:
                name, _, value = field.partition(":")
                headers.setdefault(name.lower(), []).append(value.strip())
            body, rest = self.read_body(c, hit, headers, rest)
            number += 1
            told = {"where": hit.where, "port": hit.port, "n": number,
                    "line": line, "headers": headers, "body": len(body),
                    "sha": hashlib.sha256(body).hexdigest()}
            if not self.answer(c, hit, line.split(" ")[1], told, headers):
                return

    @staticmethod
    def read_body(c, hit, headers, rest):
        def fill(size):
            nonlocal rest
            while len(rest) < size:
                data = c.recv(CHUNK)
                if not data:
                    raise OSError("the request ends early")
                hit.add(data)
                rest += data

        if "chunked" in headers.get("transfer-encoding", []):
            body = b""
            while True:
                while b"\r\n" not in rest:
                    fill(len(rest) + 1)
                size, _, rest = rest.partition(b"\r\n")
                size = size.partition(b";")[0]
                fill(int(size, 16) + 2)
                body += rest[:int(size, 16)]
                rest = rest[int(size, 16) + 2:]
                if not int(size, 16):
                    return body, rest
        size = int(headers.get("content-length", ["0"])[0])
        fill(size)
        return rest[:size], rest[size:]

    def answer(self, c, hit, path, told, headers):
        """Whether the connection goes on."""
        what, _, size = path.strip("/").partition("/")
        # As servers say it: otherwise the client may send another request
        # just when the connection ends.
        last = "close" in headers.get("connection", [])
        ending = b"Connection: close\r\n" if last else b""
        if what == "bytes":
            body = pattern(int(size))
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
                      % len(body) + body)
        elif what == "chunked":
            c.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            body = pattern(int(size))
            for at in range(0, len(body), 5000):
                part = body[at:at + 5000]
                c.sendall(b"%x\r\n%s\r\n" % (len(part), part))
            c.sendall(b"0\r\n\r\n")
        elif what == "close":
            c.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + pattern(int(size)))
            return False
        elif what == "files":
            found = self.files.get(size.partition("?")[0])
            c.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (
                b"200 OK" if found else b"404 Not Found", len(found or b"")) +
                (found or b""))
        elif what == "early":
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort")
            return False
        elif what == "endless":
            c.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                c.sendall(b"X-Filler: " + b"a" * 60000 + b"\r\n")
        elif what == "upgrade":
            c.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: "
                      b"Upgrade\r\nUpgrade: echo\r\n\r\n")
            self.serve_echo(c, hit)
            return False
        else:
            body = json.dumps(told).encode() + b"\n"
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                      b"%sContent-Length: %d\r\n\r\n" % (ending, len(body))
                      + body)
        return not last

    # -- a proxy above ours ------------------------------------------------
    def serve_proxy(self, c, hit):
        """CONNECT only. Leads to the world, whose names it knows."""
        head = b""
        while b"\r\n\r\n" not in head:
            data = c.recv(CHUNK)
            if not data:
                return
            hit.add(data)
            head += data
        head, _, early = head.partition(b"\r\n\r\n")
        method, authority, _ = head.split(b"\r\n")[0].decode().split(" ")
        hit.note = f"{method} {authority}"
        host, _, port = authority.rpartition(":")
        address = self.upstream_names.get(host, host.strip("[]"))
        if method != "CONNECT" or address is None:
            c.sendall(b"HTTP/1.1 503 No way\r\nContent-Length: 0\r\n\r\n")
            return
        up = self.lab.in_world(socket.create_connection, (address, int(port)),
                               10)
        # the answer and the first bytes of the tunnel in one segment
        first = b""
        if int(port) == 21:
            first = up.recv(CHUNK)
        c.sendall(b"HTTP/1.1 200 Fine\r\nVia: test\r\n\r\n" + first)
        up.sendall(early)
        back = threading.Thread(target=self.pour, args=(up, c), daemon=True)
        back.start()
        self.pour(c, up)
        back.join()
        up.close()

    upstream_names = {}
    files = {}      # below /files/, by path

    def publish(self, name, directory):
        """Files of a directory, as of now."""
        for f in directory.rglob("*"):
            if f.is_file():
                self.files[f"{name}/{f.relative_to(directory)}"] = \
                    f.read_bytes()

    @staticmethod
    def pour(source, sink):
        try:
            while data := source.recv(CHUNK):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def handshake_missing(data):
    """Bytes that the records of the first handshake message still lack."""
    handshake = b""
    while len(data) >= 5:
        size = struct.unpack(">H", data[3:5])[0]
        handshake += data[5:5 + size]
        data = data[5 + size:]
    if len(handshake) < 4:
        return True
    return len(handshake) - 4 < int.from_bytes(handshake[1:4], "big")


def tls_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
