#!/bin/sh
# id: FS-02
# title: read a denied file through /proc/self/root, /proc/thread-self/root, /proc/self/cwd/..
# class: boundary
# expect: same answer as the plain path
# layer: mount mask (never string matching)
. "$(dirname "$0")/../lib/atk.sh"
cat "/proc/self/root$FX/vault/secret.txt" "/proc/thread-self/root$WORK/.env" "/proc/self/cwd/../vault/secret.txt" "/proc/self/task/$$/root$HOME_FX/.ssh/id_ed25519" 2>&1
blocked
