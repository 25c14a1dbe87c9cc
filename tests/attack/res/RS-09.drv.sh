# id: RS-09
# title: exit status fidelity: 0, 3, 255, SIGSEGV, SIGKILL of main
# launcher: yes
# class: hardening
# expect: 0 3 255 139 137
# layer: supervisor
r=""; for c in "exit 0" "exit 3" "exit 255" 'kill -SEGV $$' 'kill -KILL $$'; do sbx /bin/sh -c "$c" >/dev/null 2>&1; r="$r $?"; done; echo "@RAN"; echo "got:$r"; [ "$r" = " 0 3 255 139 137" ] && echo "@BLOCKED $r" || echo "@ESCAPED status lost:$r"
