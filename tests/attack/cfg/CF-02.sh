#!/bin/sh
# id: CF-02
# title: secrets of the caller's environment in pid 1 and every helper inside (/proc/PID/environ, cmdline)
# class: boundary
# expect: helpers have an empty environment or cannot be looked at
# layer: box init undumpable, empty environment
. "$(dirname "$0")/../lib/atk.sh"
for p in /proc/[0-9]*; do tr '\0' '\n' < "$p/environ"; tr '\0' ' ' < "$p/cmdline"; echo; done 2>/dev/null | grep -a -E 'TOKEN|SECRET|API_KEY'
blocked
