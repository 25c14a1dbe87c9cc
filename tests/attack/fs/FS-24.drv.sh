# id: FS-24
# title: a directory on standard input leads past every mask (/proc/self/fd/0/secret.txt)
# class: boundary
# refuse-ok: start may be refused
# expect: refused to start, or nothing can be opened below it
# layer: check of the standard streams
sbx "$ATK/fs/stdin_dir.sh" < "$FX/vault"
