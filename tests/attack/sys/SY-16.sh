#!/bin/sh
# id: SY-16
# title: process state: NoNewPrivs=1, Seccomp=2, CapEff=CapPrm=CapBnd=CapAmb=0
# class: hardening
# expect: all five hold
# layer: launcher
. "$(dirname "$0")/../lib/atk.sh"
s=$(grep -E '^(NoNewPrivs|Seccomp|CapEff|CapPrm|CapBnd|CapAmb):' /proc/self/status | tr '\t\n' ' ;'); echo "$s"
case "$s" in *"CapPrm: 0000000000000000"*"CapEff: 0000000000000000"*) ;; *) escaped "capabilities held: $s";; esac
case "$s" in *"NoNewPrivs: 1"*) ;; *) escaped "no_new_privs off";; esac
case "$s" in *"Seccomp: 2"*) ;; *) escaped "no seccomp filter";; esac
case "$s" in *"CapBnd: 0000000000000000"*) ;; *) escaped "bounding set not empty: $s";; esac
blocked
