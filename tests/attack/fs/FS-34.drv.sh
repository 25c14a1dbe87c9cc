# id: FS-34
# title: mount propagation: a mount made inside (nested userns if allowed) must not appear on the host
# class: boundary
# expect: host mountinfo unchanged
# layer: MS_REC|MS_PRIVATE (or SLAVE) before anything else
cat /proc/self/mountinfo | sort > "$FXB/mi1"; sbx "$ATK/fs/mountin.sh"; cat /proc/self/mountinfo | sort > "$FXB/mi2"
cmp -s "$FXB/mi1" "$FXB/mi2" || echo "@ESCAPED host mount table changed: $(diff "$FXB/mi1" "$FXB/mi2" | head -3 | tr '\n' ' ')"
