# id: NT-09
# title: listen inside on 0.0.0.0 and be reached from the host (inbound exposure)
# class: limit
# expect: not reachable unless a port is published
# layer: network namespace
( sleep 1.2; python3 - "$LISTENPORT" <<'P'
import socket,sys
for a in ("127.0.0.1",):
    try:
        s=socket.create_connection((a,int(sys.argv[1])),1); print(s.recv(50).decode()); print("@ESCAPED host reached sandbox listener")
    except OSError as e: print("host side:",e)
P
) & sbx "$ATK/net/listen.py"; wait
