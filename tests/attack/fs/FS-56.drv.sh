# id: FS-56
# title: a protected file of the workspace, given read-only as standard input, is opened again for writing
# class: boundary
# refuse-ok: start may be refused
# expect: refused to start, or EACCES; the file keeps its content
# layer: the plan looks at what is given (Landlock allows what lies in the workspace, and the mount is the caller's)
for f in locked.txt .git/config; do sbx "$ATK/fs/reopen_stdin.sh" < "$WORK/$f"; done
