#!/bin/sh
# id: FS-37
# title: read other programs' files in the host's /tmp, /var/tmp, /dev/shm
# class: limit
# expect: private tmpfs, host files not visible
# layer: mount namespace (private tmpfs)
. "$(dirname "$0")/../lib/atk.sh"
cat "/dev/shm/$SHMNAME" "/tmp/$SHMNAME" "/var/tmp/$SHMNAME" 2>/dev/null
blocked
