#!/bin/sh
# id: EX-08
# title: start the denied binary from interpreters and launchers (python, perl, awk, find, xargs, nice, timeout, setsid, busybox, git alias, make, tar, vim)
# class: boundary
# needs: exec
# expect: refused each time
# layer: kernel-level, not command parsing
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; T="$DENYTOOL"
python3 -c 'import os,sys; os.system("\""+sys.argv[1]+"\"")' "$T"; python3 -c 'import os,sys; os.posix_spawn(sys.argv[1],["x"],{})' "$T"; perl -e 'system {$ARGV[0]} "x"' "$T"; awk -v t="$T" 'BEGIN{system("\"" t "\"")}'; find . -maxdepth 0 -exec "$T" \;; echo "$T" | xargs -I{} {}; nice "$T"; timeout 5 "$T"; setsid "$T"; busybox sh -c "'$T'"; git -c alias.x="!'$T'" x; printf 'all:\n\t%s\n' "$T" > mk.mk; make -f mk.mk 2>/dev/null; tar cf /dev/null README.md --checkpoint=1 --checkpoint-action=exec="$T" 2>/dev/null; sh -c "'$T'"; bash -c "'$T'"
blocked
