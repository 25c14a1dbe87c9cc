# id: NT-14
# title: a connected host socket on a high descriptor number is inherited
# class: boundary
# expect: closed before the program starts
# layer: close_range
exec 77<>"/dev/tcp/127.0.0.1/$TCP4" 2>/dev/null
for i in $(seq 20); do grep -q tcp4 "$FXB/hits.log" && break; sleep 0.05; done; : > "$FXB/hits.log"   # our own connect is not a hit
sbx "$ATK/bin/inherit_fd"
