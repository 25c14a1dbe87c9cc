#!/bin/sh
# id: RS-03
# title: tmpfs fill: 2 GiB into /tmp, /dev/shm, /run (if writable)
# class: hardening
# needs: limits
# expect: ENOSPC from a size= limit (tmpfs pages count against memory.max)
# layer: tmpfs size=, memcg
. "$(dirname "$0")/../lib/atk.sh"
for d in /tmp /dev/shm /run; do t=$(stat -f -c %T $d 2>/dev/null); [ "$t" = tmpfs ] || continue; if head -c 2147483648 /dev/zero > $d/fill.$$ 2>/dev/null; then rm -f $d/fill.$$; escaped "2 GiB into $d"; fi; rm -f $d/fill.$$; done
blocked
