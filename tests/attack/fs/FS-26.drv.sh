# id: FS-26
# title: droppings: after running `true` the host tree must be byte-for-byte as before (no ghost .mcp.json, .bashrc, mount points)
# launcher: yes
# class: hardening
# expect: no new files or directories in workspace, home, outside
# layer: masks on an overlay/tmpfs layer, or create+remove by the launcher even on SIGKILL
( cd "$FX" && find . -path ./work/.atk -prune -o -printf '%p %y\n' | sort ) > "$FXB/before.txt"
sbx /bin/true; sbx "$ATK/lib/say.sh"
( cd "$FX" && find . -path ./work/.atk -prune -o -printf '%p %y\n' | sort ) > "$FXB/after.txt"
d=$(diff "$FXB/before.txt" "$FXB/after.txt" | grep '^[<>]' | tr '\n' ' '); [ -n "$d" ] && echo "@ESCAPED droppings: $d" || echo "@BLOCKED clean"
