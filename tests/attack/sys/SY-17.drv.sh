# id: SY-17
# title: characters pushed into the caller's terminal (TIOCSTI, with high bits set, TIOCLINUX), read by the shell afterwards
# class: boundary
# expect: EPERM/EIO; the shell reads nothing
# layer: own session or pty, seccomp on the low 32 bits
( cd "$WORK" && envset /usr/bin/timeout -k 3 "$T" python3 "$HOSTLIB/ptyrun.py" "$FXB/wrap.argv" "$ATK/bin/tiocsti" )
