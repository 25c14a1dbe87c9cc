#!/bin/sh
# id: FS-07
# title: hardlink to a denied file that already existed in the workspace before start
# class: limit
# expect: denied, or the launcher refuses/warns because the denied file has st_nlink>1
# layer: start-up scan (nlink>1 on a deny-read file => refuse or warn)
. "$(dirname "$0")/../lib/atk.sh"
cat "$WORK/prelinked.txt" 2>&1
blocked
