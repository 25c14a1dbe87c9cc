#!/bin/sh
# id: FS-36
# title: FIFO / socket / dangling-symlink traps left where host tools will open them (Makefile, README, .env.local)
# class: limit
# expect: reported at exit; never followed by the launcher itself (open with O_NONBLOCK|O_NOFOLLOW)
# layer: launcher/daemon file API must use openat2 + S_ISREG check
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; mkfifo trapfifo 2>/dev/null; [ -p trapfifo ] && escaped "fifo planted (informational)"
blocked
