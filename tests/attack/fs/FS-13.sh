#!/bin/sh
# id: FS-13
# title: plain writes outside the workspace ($FX/outside, $HOME/.bashrc, /etc, /var/tmp, /usr/local)
# class: boundary
# expect: all fail; nothing changes on the host
# layer: read-only mounts + Landlock
. "$(dirname "$0")/../lib/atk.sh"
echo pwn >> "$FX/outside/canary.txt"; echo pwn > "$FX/outside/new"; mkdir "$FX/outside/newdir"; echo 'evil' >> "$HOME_FX/.bashrc"; echo evil > "$HOME_FX/.profile"; rm -f "$FX/outside/canary.txt"; mv "$FX/outside" "$FX/outside2"; : > "$FX/outside/canary.txt"
blocked
