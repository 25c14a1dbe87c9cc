#!/bin/sh
# id: EX-11
# title: multicall binaries: denied applet name (wget) through busybox, copied busybox, argv0 rename
# class: limit
# needs: exec-name
# expect: blocked for known multicall binaries, else documented (exec deny is not a boundary against own code)
# layer: policy lint: deny of an applet implies deny of the multicall host; network policy is the real stop
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; command -v busybox >/dev/null || skip "no busybox"; busybox wget --help 2>&1 | grep -q Usage && escaped "busybox wget runs"; cp "$(command -v busybox)" wget2 2>/dev/null && ln -sf wget2 wget && ./wget --help 2>&1 | grep -q Usage && escaped "copied busybox as wget runs"
blocked
