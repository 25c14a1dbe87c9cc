#!/bin/sh
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK/src" || exit 3
mkdir forged; echo "gitdir: forged" > .git; echo "$WORK/src/.git" > forged/gitdir; echo "$FX/outside" > forged/commondir
echo done
