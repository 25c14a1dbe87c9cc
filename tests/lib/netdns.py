# SPDX-License-Identifier: Apache-2.0
"""A name server whose log tells what was asked outside of the box."""
import ipaddress
import socket
import struct
import threading

A, CNAME, AAAA, OPT = 1, 5, 28, 41
FORMERR, SERVFAIL, NXDOMAIN = 1, 2, 3


class Zone:
    """Names to addresses; a call instead of a list answers each time anew."""

    def __init__(self):
        self.names, self.aliases, self.tempers = {}, {}, {}

    def find(self, name):
        found = self.names.get(name)
        return found() if callable(found) else found


class NameServer:
    def __init__(self, zone, address="127.0.0.1"):
        self.zone, self.asked, self.lock = zone, [], threading.Lock()
        self.udp = socket.socket(type=socket.SOCK_DGRAM)
        self.udp.bind((address, 0))
        self.port = self.udp.getsockname()[1]
        self.tcp = socket.socket()
        self.tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.tcp.bind((address, self.port))
        self.tcp.listen(64)
        self.at = f"{address}:{self.port}"
        for function in (self.serve_udp, self.serve_tcp):
            threading.Thread(target=function, daemon=True).start()

    def mark(self):
        return len(self.asked)

    def since(self, mark):
        with self.lock:
            return sorted({name for name, _, _ in self.asked[mark:]})

    def serve_udp(self):
        while True:
            question, peer = self.udp.recvfrom(4096)
            answer = self.answer(question, "udp")
            for part in answer if isinstance(answer, list) else [answer]:
                if part:
                    self.udp.sendto(part, peer)

    def serve_tcp(self):
        while True:
            c, _ = self.tcp.accept()
            threading.Thread(target=self.serve_stream, args=(c,),
                             daemon=True).start()

    def serve_stream(self, c):
        with c:
            c.settimeout(10)
            try:
                while head := c.recv(2, socket.MSG_WAITALL):
                    size = struct.unpack(">H", head)[0]
                    question = c.recv(size, socket.MSG_WAITALL)
                    answer = self.answer(question, "tcp")
                    if answer:
                        c.sendall(struct.pack(">H", len(answer)) + answer)
            except (OSError, struct.error):
                pass

    def answer(self, data, how):
        labels, at = [], 12
        while data[at]:
            labels.append(data[at + 1:at + 1 + data[at]])
            at += 1 + data[at]
        name = b".".join(labels).decode("latin-1").lower()
        kind, = struct.unpack(">H", data[at + 1:at + 3])
        with self.lock:
            self.asked.append((name, kind, how))
        question = data[12:at + 5]
        temper = self.zone.tempers.get(name)
        if temper == "mute":
            return None
        if temper == "failure":
            return self.message(data, question, SERVFAIL, [])
        if temper == "truncated" and how == "udp":
            return self.message(data, question, 0, [], flags=0x0200)
        records = self.records(name, kind)
        if records is None:
            return self.message(data, question, NXDOMAIN, [])
        good = self.message(data, question, 0, records)
        if temper == "forged" and how == "udp":
            # other id, other question: nothing of it may be believed
            wrong = [(b"\xc0\x0c", A, socket.inet_aton("93.184.216.20"))]
            forged = self.message(data, question, 0, wrong)
            other = question.replace(b"\x06forged", b"\x06gorfed")
            return [bytes([forged[0] ^ 1]) + forged[1:],
                    self.message(data, other, 0, wrong), b"\0", good]
        return good

    def records(self, name, kind):
        """Alias first, then the addresses of that kind; None: no such name."""
        out, owner = [], b"\xc0\x0c"
        while name in self.zone.aliases:
            name = self.zone.aliases[name]
            target = b"".join(bytes([len(x)]) + x.encode()
                              for x in name.split(".")) + b"\0"
            out.append((owner, CNAME, target))
            owner = target
        found = self.zone.find(name)
        if found is None:
            return None if not out else out
        for text in found:
            address = ipaddress.ip_address(text)
            if kind == (A if address.version == 4 else AAAA):
                out.append((owner, kind, address.packed))
        return out

    @staticmethod
    def message(data, question, code, records, flags=0):
        out = data[:2] + struct.pack(">HHHHH", 0x8180 | flags | code, 1,
                                     len(records), 0, 0) + question
        for owner, kind, value in records:
            out += owner + struct.pack(">HHIH", kind, 1, 0, len(value)) + value
        return out
