# id: RS-05
# title: daemonised grandchild (double fork + setsid + closed stdio) outlives the command
# class: boundary
# expect: gone within 2 s after the launcher returned
# layer: PID namespace (init death kills all) + cgroup.kill
M="cordon-mark-$RANDOM$RANDOM"; sbx "$ATK/res/daemon.py" "$M"; sleep 2; if pgrep -f "$M" >/dev/null; then echo "@ESCAPED daemon still alive"; kill_marked "$M"; fi
