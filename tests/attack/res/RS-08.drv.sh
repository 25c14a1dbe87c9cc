# id: RS-08
# title: a child in its own session holds standard output open after the command has ended
# launcher: yes
# class: boundary
# expect: the launcher returns at once and the child is gone
# layer: PID namespace (the end of init ends all)
b=$(date +%s); sbx "$ATK/res/holdout.sh" | cat; e=$(( $(date +%s) - b )); [ "$e" -gt 6 ] && echo "@ESCAPED returned after $e s" || echo "@BLOCKED after $e s"
