#!/bin/sh
. "$(dirname "$0")/../lib/atk.sh"
chmod 0 "$WORK/.git"
echo done
