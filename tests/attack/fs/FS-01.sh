#!/bin/sh
# id: FS-01
# title: read deny-read files by their plain path (vault/, .env, ~/.ssh, ~/.aws)
# class: boundary
# expect: every open fails; no secret token on stdout
# layer: mount mask + Landlock
. "$(dirname "$0")/../lib/atk.sh"
for f in "$FX/vault/secret.txt" "$WORK/.env" "$HOME_FX/.ssh/id_ed25519" "$HOME_FX/.aws/credentials"; do cat "$f"; done 2>&1
blocked "all reads failed"
