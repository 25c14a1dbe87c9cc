#!/bin/sh
# id: FS-19
# title: glob deny (work/**/*.pem, deny-read) with awkward names: spaces, newline, brackets, leading dash, deep path
# class: boundary
# expect: none readable
# layer: glob expansion at start + masks; refuse start when a glob cannot be enforced
. "$(dirname "$0")/../lib/atk.sh"
find "$WORK/keys" -type f -exec cat {} + 2>/dev/null; cat "$WORK"/keys/*.pem 2>/dev/null
blocked
