# id: FC-01
# title: fail closed: every set-up system call of the launcher is made to fail once (strace fault injection), the program must not start with less protection
# launcher: yes
# class: boundary
# needs: fault
# expect: either the launcher stops with an error, or the probe is still fully confined
# layer: launcher: every return value checked, abort before exec
command -v strace >/dev/null || { echo "@SKIP no strace"; return 0 2>/dev/null || exit 0; }
SYS=${FC_SYSCALLS:-"mount umount2 unshare pivot_root prctl capset seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self move_mount open_tree mount_setattr fsopen fsconfig fsmount setresuid setresgid setgroups chroot sethostname close_range clone clone3 mkdir mkdirat symlink symlinkat chdir fchdir keyctl setsid dup2 dup3 socket bind listen pipe2 eventfd2 setns prlimit64 setrlimit write openat"}
MAXN=${FC_MAX:-25}; n=0; ref=0; ran=0; bad=""; T=15
sbxpre strace -f -qq -o "$FXB/fc.count" -- @ "$ATK/fault/probe.sh" > "$FXB/fc.base" 2>&1; grep -q '@RAN' "$FXB/fc.base" || { echo "@SKIP launcher does not run under strace: $(head -c 100 "$FXB/fc.base" | tr '\n' ' ')"; return 0 2>/dev/null || exit 0; }
# set-up ends at the execve of the probe
awk '/execve\(.*probe\.sh/{exit} {print}' "$FXB/fc.count" > "$FXB/fc.setup"
for s in $SYS; do c=$(grep -c -E "^[0-9]+ +$s\(|<\.\.\. $s resumed" "$FXB/fc.setup"); [ "$c" -gt 0 ] || continue; m=$c; [ "$m" -gt "$MAXN" ] && m=$MAXN
  for i in $(seq 1 $m); do for e in EPERM ENOSPC; do n=$((n+1)); : > "$FXB/hits.log"
    sbxpre strace -f -qq -o /dev/null -e "inject=$s:error=$e:when=$i" -- @ "$ATK/fault/probe.sh" > "$FXB/fc.out" 2>&1 < /dev/null
    if grep -q '@RAN' "$FXB/fc.out"; then ran=$((ran+1)); else ref=$((ref+1)); fi
    if grep -q -E 'SECRET-|PROBE-OPEN' "$FXB/fc.out" || [ -s "$FXB/hits.log" ] || [ -e "$FX/outside/fcprobe" ]; then bad="$bad $s#$i/$e($(grep -o -E 'SECRET-[a-z]+|PROBE-OPEN [a-z-]+' "$FXB/fc.out" | sort -u | tr '\n' ',')$(sort -u "$FXB/hits.log" | tr '\n' ','))"; rm -f "$FX/outside/fcprobe"; : > "$FXB/hits.log"; fi
    sed -i -E 's/SECRET-[a-z]+-[0-9a-f]+//g' "$FXB/fc.out"
  done; [ "$s" = write ] || [ "$s" = openat ] || true; done; done
echo "@RAN"; [ -n "$bad" ] && echo "@ESCAPED $(echo $bad | wc -w) of $n faults open the sandbox:$(echo "$bad" | cut -c1-600)" || echo "@BLOCKED $n faults: $ref refused to start, $ran ran confined"
