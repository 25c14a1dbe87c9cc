#!/bin/sh
# id: EX-03
# title: copy the denied binary into the workspace (cp, cat, dd, python, tar) and run the copy
# class: boundary
# needs: exec
# expect: source unreadable, so no copy exists (path deny without read deny FAILS here)
# layer: deny = read+exec mask on the inode; content-hash check optional
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; cp "$DENYTOOL" c1; cat "$DENYTOOL" > c2; dd if="$DENYTOOL" of=c3 2>/dev/null; python3 -c 'import shutil,sys; shutil.copy(sys.argv[1],"c4")' "$DENYTOOL"; tar cf - "$DENYTOOL" 2>/dev/null | tar xf - 2>/dev/null; for f in c1 c2 c3 c4 "./$DENYTOOL"; do [ -s "$f" ] && chmod +x "$f" && "./$f"; done
blocked
