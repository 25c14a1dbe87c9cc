#!/bin/sh
# id: FS-28
# title: leave a file in the host's /tmp, /var/tmp or /dev/shm
# class: boundary
# expect: private tmpfs; the dropped file is not visible on the host
# layer: mount namespace (private tmpfs)
. "$(dirname "$0")/../lib/atk.sh"
for d in /dev/shm /tmp /var/tmp; do echo pwn > "$d/$SHMNAME.drop" 2>/dev/null && echo "wrote $d"; done
blocked
