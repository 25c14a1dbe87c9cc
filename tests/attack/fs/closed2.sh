#!/bin/sh
. "$(dirname "$0")/../lib/atk.sh"
chmod 755 "$WORK/.git"; echo pwn > "$WORK/.git/hooks/pre-commit"; echo pwn >> "$WORK/.git/config"
blocked
