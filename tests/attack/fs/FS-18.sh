#!/bin/sh
# id: FS-18
# title: plant a NEW repository: sub/.git/{config,hooks} and a bare-repo layout in the workspace root
# class: limit
# expect: refused, or reported to the user at exit as newly created code-bearing files
# layer: post-run report; optional notify on create of **/.git, HEAD+config+objects
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; mkdir -p sub/.git/hooks sub/.git/objects sub/.git/refs 2>/dev/null; echo 'ref: refs/heads/m' > sub/.git/HEAD 2>/dev/null; printf '[core]\n fsmonitor=id\n' > sub/.git/config 2>/dev/null && a=1
mkdir -p objects refs 2>/dev/null; echo 'ref: refs/heads/m' > HEAD 2>/dev/null; printf '[core]\n bare=true\n fsmonitor=id\n' > config 2>/dev/null && b=1
[ "$a$b" ] && escaped "planted: sub/.git=${a:-0} bare=${b:-0}"
blocked
