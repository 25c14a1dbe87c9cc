#!/bin/sh
# id: EX-01
# title: run the denied binary directly, via PATH, relatively, via exec and command
# class: boundary
# needs: exec
# expect: EACCES/ENOENT
# layer: mask/Landlock EXECUTE on the inode
. "$(dirname "$0")/../lib/atk.sh"
"$DENYTOOL"; (cd "$(dirname "$DENYTOOL")" && ./denytool); PATH="$(dirname "$DENYTOOL"):$PATH" denytool; PATH="$(dirname "$DENYTOOL"):$PATH" command denytool; (exec "$DENYTOOL")
blocked
