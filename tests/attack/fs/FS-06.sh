#!/bin/sh
# id: FS-06
# title: hardlink a denied or outside file into the workspace, then read/write the link
# class: boundary
# expect: link fails, or the link gives no access
# layer: mount namespace (EXDEV) + Landlock REFER
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"
ln "$FX/vault/secret.txt" h1 2>&1 && cat h1; ln "$WORK/.env" h2 2>&1 && cat h2
ln "$FX/outside/canary.txt" h3 2>&1 && echo pwn >> h3
ln "$WORK/locked.txt" h4 2>&1 && echo pwn >> h4
ln "$WORK/.git/config" h5 2>&1 && echo '[core] fsmonitor=x' >> h5
blocked
