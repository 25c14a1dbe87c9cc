#!/bin/sh
. "$(dirname "$0")/../lib/atk.sh"
echo pwn > "$FX/outside/canary.txt"; echo pwn > "$FX/outside/new"
blocked
