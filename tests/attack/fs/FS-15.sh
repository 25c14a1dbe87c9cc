#!/bin/sh
# id: FS-15
# title: rename an ancestor of a denied or protected path, then put a decoy at the old name
# class: boundary
# expect: EBUSY for every directory between the workspace and the path
# layer: ancestor pins (each directory bound onto itself)
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK" || exit 3
mv prot/inner prot/inner2; mkdir -p prot/inner; echo pwn > prot/inner/deny.txt
mv prot prot2; mkdir -p prot/inner; echo pwn > prot/inner/deny.txt
mv .git .git2; mkdir -p .git/hooks; echo pwn > .git/hooks/pre-commit; echo pwn > .git/config
mv conf/private conf/p2; cat conf/p2/token.txt; mv conf conf2; cat conf2/private/token.txt conf2/p2/token.txt
mv keys/deep keys/d2; cat keys/d2/er/c.pem; mv keys k2; cat k2/a.pem k2/deep/er/c.pem
python3 - <<'P'
import ctypes, os
libc = ctypes.CDLL(None)
for a, b in ((b"prot", b"src"), (b"conf", b"src"), (b".git", b"src")):
    libc.renameat2(-100, a, -100, b, 2)   # RENAME_EXCHANGE
P
cat src/private/token.txt
blocked
