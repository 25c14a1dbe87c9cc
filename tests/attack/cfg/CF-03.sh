#!/bin/sh
# id: CF-03
# title: code-bearing env variables passed through: LD_PRELOAD, LD_LIBRARY_PATH, BASH_ENV, ENV, PYTHONSTARTUP, NODE_OPTIONS, GIT_SSH_COMMAND, SSH_AUTH_SOCK, DBUS_*
# class: hardening
# expect: dropped by default
# layer: env allow-list
. "$(dirname "$0")/../lib/atk.sh"
b=$(env | grep -E '^(LD_LIBRARY_PATH|BASH_ENV|PYTHONSTARTUP|NODE_OPTIONS|GIT_SSH_COMMAND|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY)=' | grep -e "$FX" -e 'cordon-evil' | cut -d= -f1 | tr '\n' ' ')
[ "$b" ] && escaped "passed through: $b"
blocked
