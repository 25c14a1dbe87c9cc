#!/bin/sh
# id: FS-03
# title: reach the host tree through /proc/<pid>/root, cwd and fd of every visible process
# class: boundary
# expect: no other process gives a view of the denied files
# layer: PID namespace + fresh /proc + no helper of weaker policy in the same pid/user ns
. "$(dirname "$0")/../lib/atk.sh"
for p in /proc/[0-9]*; do
  cat "$p/root$FX/vault/secret.txt" "$p/cwd/../vault/secret.txt" "$p/root$WORK/.env" 2>/dev/null
  for l in "$p"/fd/*; do case "$(readlink "$l" 2>/dev/null)" in *vault*|*outside*) echo "fd: $l"; head -c 200 "$l" 2>/dev/null; cat "$l/secret.txt" 2>/dev/null;; esac; done
done
blocked
