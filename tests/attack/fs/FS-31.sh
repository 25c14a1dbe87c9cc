#!/bin/sh
# id: FS-31
# title: leave a set-uid/set-gid copy of a shell in the workspace (visible on the host, runs as the user for other local users)
# class: hardening
# expect: the bit is stripped or refused
# layer: seccomp on chmod/fchmod/fchmodat/fchmodat2/mknod/openat mode bits; exit scan
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; cp /bin/true suidsh && chmod 6755 suidsh; [ -u suidsh ] && escaped "suid file left in workspace"
blocked
