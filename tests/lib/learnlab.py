# SPDX-License-Identifier: Apache-2.0
"""What tests of layers and of learning have in common."""
import hashlib
import os
import stat


def state_dir(lab):
    """Where cordon keeps its own, as design.md has it."""
    if os.geteuid() == 0:
        return "/var/lib/cordon"
    return str(lab.home / ".local/state/cordon")


def layers_left(lab):
    where = os.path.join(state_dir(lab), "learn")
    return sorted(os.listdir(where)) if os.path.isdir(where) else []


LOG = ".local/state/cordon/audit"     # in a user's home


def is_log(root, path):
    """The audit log, which every run adds to, and the way there."""
    rest = os.path.relpath(path, root)
    return (LOG + "/").startswith(rest + "/") or rest.startswith(LOG + "/")


def everything(*roots):
    """Names, modes, owners, times and content of all there is but the log."""
    seen = {}
    for root in roots:
        for d, dirs, files in os.walk(root):
            for n in sorted(dirs + files):
                p = os.path.join(d, n)
                if is_log(root, p):
                    continue
                st = os.lstat(p)
                data = b""
                if stat.S_ISREG(st.st_mode):
                    with open(p, "rb") as f:
                        data = hashlib.sha256(f.read()).digest()
                elif stat.S_ISLNK(st.st_mode):
                    data = os.readlink(p).encode()
                # the times of directories change when a layer is put there
                when = 0 if stat.S_ISDIR(st.st_mode) else st.st_mtime_ns
                seen[p] = (st.st_mode, st.st_uid, st.st_ino, when, data)
    return seen


def learn(lab, script, *args, opts=(), **kw):
    return lab.cli("learn", *opts, "--", "sh", "-c", script, "sh", *args, **kw)
