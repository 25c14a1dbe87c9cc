# id: FS-55
# title: use up the warnings with a hundred decoys, then plant a repository
# launcher: yes
# class: hardening
# expect: the repository that is there at the end is reported
# layer: record of the supervisor
out=$(sbx "$ATK/fs/decoys.py" 2>&1); echo "$out" | grep -a '^@RAN'
case $out in *"'$WORK/src'"*) echo "@BLOCKED reported";; *) echo "@ESCAPED the planted repository was not reported";; esac
