#!/usr/bin/python3
# id: NT-07
# title: socket families that must not exist inside: PACKET, RAW, NETLINK subsystems, VSOCK, ALG, XDP, KEY, RDS, TIPC, SMC, CAN, BLUETOOTH, QIPCRTR, KCM
# class: hardening
# expect: socket() refused (creation only is tried; nothing is sent)
# layer: seccomp socket(domain,type,protocol) allow-list
import sys, os; sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from atk import *
ok = []
for n, a in {"PACKET": (17, 3, 768), "PACKET_DGRAM": (17, 2, 768), "RAW_ICMP": (2, 3, 1), "RAW6": (10, 3, 58), "NETLINK_NETFILTER": (16, 3, 12), "NETLINK_XFRM": (16, 3, 6), "NETLINK_AUDIT": (16, 3, 9), "NETLINK_KOBJECT": (16, 3, 15), "NETLINK_SOCK_DIAG": (16, 3, 4), "VSOCK": (40, 1, 0), "ALG": (38, 5, 0), "XDP": (44, 3, 0), "KEY": (15, 3, 2), "RDS": (21, 5, 0), "TIPC": (30, 1, 0), "SMC": (43, 1, 0), "CAN": (29, 3, 1), "BLUETOOTH": (31, 3, 1), "QIPCRTR": (42, 2, 0), "KCM": (41, 2, 0), "SCTP": (2, 1, 132), "MPTCP": (2, 1, 262), "UDPLITE": (2, 2, 136), "DCCP": (2, 6, 33), "PING": (2, 2, 1), "PPPOX": (24, 2, 0), "LLC": (26, 1, 0), "PHONET": (35, 2, 0), "AX25": (3, 5, 0), "NFC": (39, 5, 1), "RXRPC": (33, 2, 2), "NETLINK_CRYPTO": (16, 3, 21), "NETLINK_RDMA": (16, 3, 20), "NETLINK_SCSI": (16, 3, 18)}.items():
    try: s = socket.socket(*a); s.close(); ok.append(n)
    except OSError as e: pass
if ok: escaped("%d families: %s" % (len(ok), " ".join(ok)))
blocked()
