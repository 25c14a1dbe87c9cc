#!/bin/sh
# id: SY-03
# title: host processes visible in /proc (cmdline, environ of the victim)
# class: boundary
# expect: victim not listed
# layer: PID namespace + fresh /proc
. "$(dirname "$0")/../lib/atk.sh"
for p in /proc/[0-9]*; do tr '\0' ' ' < $p/cmdline 2>/dev/null | grep -q cordon-victim && { tr '\0' '\n' < $p/environ 2>/dev/null; escaped "victim visible at $p"; }; done
blocked
