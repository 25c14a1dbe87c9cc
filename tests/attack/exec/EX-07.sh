#!/bin/sh
# id: EX-07
# title: denied binary as script interpreter (#!), via binfmt, via env -S, via shell function/alias
# class: boundary
# needs: exec
# expect: refused
# layer: inode based
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; printf '#!%s\n' "$DENYTOOL" > s.sh; chmod +x s.sh; ./s.sh; printf '#!/usr/bin/env -S %s\n' "$DENYTOOL" > t.sh; chmod +x t.sh; ./t.sh; env -S "$DENYTOOL"; eval "'$DENYTOOL'"
blocked
