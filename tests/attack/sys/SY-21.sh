#!/bin/sh
# id: SY-21
# title: kernel information files: /proc/kallsyms addresses, /proc/keys, /proc/config.gz, dmesg, /sys/firmware, /proc/timer_list, /proc/cmdline
# class: limit
# expect: masked or zeroed (OCI masked-paths list)
# layer: maskedPaths-like list or subset=pid proc mount
. "$(dirname "$0")/../lib/atk.sh"
l=""; for f in /proc/config.gz /proc/cmdline /proc/keys /proc/timer_list /proc/sched_debug /proc/kallsyms /proc/interrupts /proc/partitions /proc/diskstats /sys/firmware/dmi/tables/DMI; do head -c1 "$f" 2>/dev/null | grep -q . 2>/dev/null && l="$l $f"; done
[ "$l" ] && escaped "readable:$l"
blocked
