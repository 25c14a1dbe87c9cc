# id: FS-52
# title: two sessions: the first leaves a .git file and a forged worktree whose commondir is a directory of the user, the second writes there
# class: boundary
# expect: the second session is given no directory that git did not lay out itself
# layer: the look for the repository
sbx "$ATK/fs/worktree1.sh"; CWD_OVERRIDE="$WORK/src"; sbx "$ATK/fs/worktree2.sh"
