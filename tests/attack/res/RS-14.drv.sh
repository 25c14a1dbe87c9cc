# id: RS-14
# title: 60 sandboxes started at once: all run, none fails, nothing is left
# launcher: yes
# class: hardening
# expect: 60 x exit 0 within 60 s
# layer: supervisor, unique names
rm -f "$FXB/par.*"; for i in $(seq 60); do ( sbx "$ATK/lib/say.sh" > "$FXB/par.$i" 2>&1 ) & done; wait; ok=$(grep -l '@RAN' "$FXB"/par.* 2>/dev/null | wc -l); rm -f "$FXB"/par.*; echo "@RAN"; [ "$ok" = 60 ] && echo "@BLOCKED 60/60" || echo "@ESCAPED only $ok/60 ran"
