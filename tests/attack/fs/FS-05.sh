#!/bin/sh
# id: FS-05
# title: spelling tricks: .., //, /./, trailing slash, trailing dot, very long ./././ prefix
# class: boundary
# expect: none of the spellings reads the denied file
# layer: inode/mount based deny
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; mkdir -p a/b 2>/dev/null
L=$(printf './%.0s' $(seq 1 900))
cat "../vault/secret.txt" "a/b/../../../vault/secret.txt" "//$FX//vault//secret.txt" "$FX/vault/./secret.txt" "$FX/./vault/../vault/secret.txt" ".env/" "./.env" "${L}.env" "$WORK/./.env" "a/../.env" 2>/dev/null
blocked
