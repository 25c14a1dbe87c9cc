# id: FS-39
# title: SIGKILL of the launcher: no file, directory or mount point of its making stays in workspace, home or outside
# launcher: yes
# class: hardening
# expect: the tree is as before
# layer: nothing is made on the host to begin with
look() { ( cd "$FX" && find . -path ./work/.atk -prune -o -printf '%p %y %s\n' | sort ) > "$1"; }
look "$FXB/before.txt"
sbx_bg "$ATK/res/sleepmark.sh" "cordon-mark-39-$$"
for i in $(seq 100); do grep -q '@RAN' "$FXB/bg.out" 2>/dev/null && break; sleep 0.05; done
kill -KILL "$BGPID"; wait "$BGPID" 2>/dev/null
for i in $(seq 40); do pgrep -f "cordon-mark-39-$$" > /dev/null || break; sleep 0.05; done
look "$FXB/after.txt"; kill_marked "cordon-mark-39-$$"
d=$(diff "$FXB/before.txt" "$FXB/after.txt" | grep '^[<>]' | tr '\n' ' '); [ -n "$d" ] && echo "@ESCAPED droppings: $d" || echo "@BLOCKED clean"
