# id: RS-07
# title: SIGKILL of the launcher: a stopped child
# launcher: yes
# class: boundary
# expect: gone within 2 s
# layer: PID namespace, PDEATHSIG on every link
M="cordon-mark-RS-07-$$"; sbx_bg "$ATK/res/stopmark.sh" "$M"
for i in $(seq 100); do grep -q '@RAN' "$FXB/bg.out" 2>/dev/null && break; sleep 0.05; done
kill -KILL "$BGPID"; wait "$BGPID" 2>/dev/null
for i in $(seq 40); do pgrep -f "$M" > /dev/null || break; sleep 0.05; done
if pgrep -f "$M" > /dev/null; then echo "@ESCAPED still alive: $(pgrep -fa "$M" | head -1 | cut -c1-80)"; kill_marked "$M"; else echo "@BLOCKED all gone"; fi
