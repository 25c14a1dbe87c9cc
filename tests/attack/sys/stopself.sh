#!/bin/sh
. "$(dirname "$0")/../lib/atk.sh"
(for _ in $(seq 50); do echo tick >> "$WORK/ticks"; sleep 0.1; done) &
kill -STOP $$
sleep 20
