#!/bin/sh
# id: SY-13
# title: cgroup release_agent / cgroup writes (CVE-2022-0492): mount cgroup v1 in nested ns, write release_agent or host cgroup files
# class: boundary
# expect: mount refused, files not writable
# layer: no cgroupfs writable; userns refused; cgroup namespace
. "$(dirname "$0")/../lib/atk.sh"
for f in /sys/fs/cgroup/*/release_agent /sys/fs/cgroup/release_agent /sys/fs/cgroup/*/cgroup.procs /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/notify_on_release; do [ -w "$f" ] && ( : >> "$f" ) 2>/dev/null && escaped "writable $f"; done
mkdir -p "$WORK/cg"; unshare -UrmC sh -c "for c in memory rdma cpu pids; do mount -t cgroup -o \$c c '$WORK/cg' 2>/dev/null && { echo MOUNTED; [ -e '$WORK/cg/release_agent' ] && echo '/bin/true' > '$WORK/cg/release_agent' && echo RA_WRITTEN; }; done" 2>&1 | grep -q RA_WRITTEN && escaped "release_agent written"
blocked
