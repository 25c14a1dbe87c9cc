#!/bin/sh
# id: FS-04
# title: symlink created inside the workspace pointing at a denied file / outside target (read and write)
# class: boundary
# expect: read fails; write through the link does not change the outside file
# layer: mount namespace + Landlock
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; ln -s "$FX/vault" lv; ln -s "$FX/outside/canary.txt" lo; ln -s "$HOME_FX/.bashrc" lb
cat lv/secret.txt 2>&1; echo pwn >> lo; echo pwn >> lb
blocked
