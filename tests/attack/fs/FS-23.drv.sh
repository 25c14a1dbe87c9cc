# id: FS-23
# title: standard input opened read-only on an outside file is opened again for writing (/proc/self/fd/0, /dev/stdin)
# class: boundary
# expect: EACCES; the file keeps its content
# layer: Landlock (the mount behind the descriptor is the caller's, and writable)
sbx "$ATK/fs/reopen_stdin.sh" < "$FX/outside/canary.txt"
