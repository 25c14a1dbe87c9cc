# id: FS-25
# title: launcher started with its cwd inside a denied directory; inside, read ./secret.txt and ../
# class: boundary
# refuse-ok: start may be refused
# expect: start refused or cwd moved; relative read fails
# layer: chdir to a path resolved in the new root, never inherit cwd
CWD_OVERRIDE="$FX/vault" sbx "$ATK/fs/cwd_read.sh"
