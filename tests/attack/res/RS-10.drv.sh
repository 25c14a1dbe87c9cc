# id: RS-10
# title: leftovers after normal exit: mounts, cgroups, temp files, sockets, processes
# launcher: yes
# class: hardening
# expect: nothing new in /proc/self/mountinfo, cgroup tree, /tmp, /run, /dev/shm, process list
# layer: supervisor cleanup + janitor
snap() { { sort /proc/self/mountinfo; find /sys/fs/cgroup -type d 2>/dev/null | sort; find /tmp /dev/shm /run /var/tmp -maxdepth 1 -user "$(id -u)" ! -name "guardlab.*" 2>/dev/null | sort; ps -u "$(id -u)" -o args= | grep -F "$FXB" | grep -v -e grep -e run.sh -e outside.py -e cordon-victim -e timeout | sort; } > "$1" 2>/dev/null; }
sbx /bin/true; sleep 0.5; snap "$FXB/l1"; for i in 1 2 3; do sbx "$ATK/lib/say.sh"; done; sleep 1; snap "$FXB/l2"; d=$(diff "$FXB/l1" "$FXB/l2" | grep '^>' | grep -v -e bash_ -e cordon-canary -e ' atklab' | head -5 | cut -c1-140 | tr '\n' ';'); [ "$d" ] && echo "@ESCAPED left: $d" || echo "@BLOCKED clean"
