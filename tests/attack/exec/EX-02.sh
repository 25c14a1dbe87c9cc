#!/bin/sh
# id: EX-02
# title: aliases of the denied binary: /proc/self/root prefix, symlink, hardlink, bind in nested ns
# class: boundary
# needs: exec
# expect: all refused
# layer: inode based
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; "/proc/self/root$DENYTOOL"; ln -s "$DENYTOOL" s1 && ./s1; ln "$DENYTOOL" h1 && ./h1; "$(dirname "$DENYTOOL")/../tools/./denytool"; unshare -Urm sh -c "touch b; mount --bind '$DENYTOOL' b && ./b"
blocked
