# id: FS-53
# title: two sessions: the first takes the permissions off .git, the second gives them back and writes hooks
# class: boundary
# expect: the second session does not start, as it cannot see what it has to protect
# layer: the look at the host
mode=$(stat -c %a "$WORK/.git")
sbx "$ATK/fs/closed1.sh"; sbx "$ATK/fs/closed2.sh"; chmod "$mode" "$WORK/.git"
