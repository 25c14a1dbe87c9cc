# SPDX-License-Identifier: Apache-2.0
"""Layers, tried through `cordon learn`: what is protected and hidden stays so
(OV-01 to OV-04), and nothing is left behind."""
import fcntl
import os
import re
import shutil
import signal
import stat
import subprocess

import pytest

from learnlab import everything, layers_left, learn, state_dir


# -- protected names, secrets ------------------------------------------------

@pytest.mark.parametrize("act", [
    'echo x > "$1"', 'mkdir "$1"', 'ln -s /etc/passwd "$1"',
    'echo x > "$1.y"; mv "$1.y" "$1"', 'echo x > "$1.y"; ln "$1.y" "$1"',
    'mkfifo "$1"',
    'python3 -c "import os,sys; os.open(sys.argv[1], os.O_CREAT|os.O_RDWR)" '
    '"$1"',
])
@pytest.mark.parametrize("name", ["work/.mcp.json", "home/.zshrc",
                                  "work/.claude/settings.json"])
def test_absent_protected_names_do_not_come_about(lab, act, name):
    target = lab.base / name
    if ".claude" in name:
        target.parent.mkdir()       # a directory inside the layer: a pin
    script = f'{act}; test -e "$1" || test -L "$1" && echo THERE'
    assert "THERE" in lab.host("sh", "-c", script, "sh", target).out  # control
    if target.is_dir() and not target.is_symlink():
        target.rmdir()
    else:
        target.unlink()
    target.with_name(target.name + ".y").unlink(missing_ok=True)
    r = learn(lab, script, target)
    assert "THERE" not in r.out, r
    # control: another name beside it is made
    r = learn(lab, script, target.with_name("other"))
    assert "THERE" in r.out, r


def test_the_directory_of_a_protected_name_stays_where_it_is(lab):
    (lab.work / ".claude").mkdir()
    r = learn(lab, "mv .claude c2; mkdir .claude; "
              "echo x > .claude/settings.json; cat .claude/settings.json")
    assert "x" not in r.out.split(), r
    # it was copied into the layer meanwhile, and is judged all the same
    r = learn(lab, "echo 1 > .claude/notes; chmod 755 .claude; "
              "echo x > .claude/settings.json; cat .claude/*")
    assert r.out == "1\n", r


def test_protected_files_keep_their_content(lab):
    f = lab.file("home/.bashrc", "mine\n")
    r = learn(lab, 'echo evil >> "$1"; rm -f "$1"; mv "$1" "$1.x"; '
              'ln -sf x "$1"; cat "$1"', f)
    assert r.out == "mine\n" and f.read_text() == "mine\n", r


def test_git_hooks_cannot_be_made(lab):
    lab.repository()
    r = learn(lab, "echo x > .git/hooks/pre-commit; "
              "git config core.pager evil; echo a > a; git add a; "
              "git commit -qm second && git log --oneline | wc -l; "
              "cat .git/hooks/pre-commit")
    assert r.out.split() == ["2"], r
    assert lab.git("log", "--oneline").out.count("\n") == 1


def test_OV_01_denied_content_is_never_copied_up(lab):
    """chmod, touch, mv, setfattr, truncate on a denied file; then its bytes
    are looked for in the layer, while the box runs."""
    secret, token = lab.secret("work/.env")
    in_home, token2 = lab.secret("home/.ssh/id")
    script = """
for f in "$1" "$2"; do
    chmod 644 "$f"; touch "$f"; mv "$f" here; ln "$f" there; cp "$f" copy
    setfattr -n user.x -v 1 "$f"; truncate -s 1 "$f"; echo x >> "$f"
    mv "$(dirname "$f")" moved; chmod 755 "$(dirname "$f")"; cat "$f" here
done 2>/dev/null
echo done; read line
"""
    # control: a file that is not denied is found there
    plain = lab.file("work/plain", "PLAIN-" + os.urandom(8).hex() + "\n")
    script = 'touch "$3"; ' + script
    p = lab.spawn("sh", "-c", script, "sh", secret, in_home, plain,
                  verb="learn", text=True)
    try:
        while True:
            line = p.stdout.readline()
            assert token not in line and token2 not in line
            if line == "done\n":
                break
            assert line, p.stderr.read()
        found = b""
        for d, _, files in os.walk(os.path.join(state_dir(lab), "learn")):
            for n in files:
                path = os.path.join(d, n)
                if stat.S_ISREG(os.lstat(path).st_mode):
                    with open(path, "rb") as f:
                        found += f.read()
        assert plain.read_bytes() in found
        assert token.encode() not in found and token2.encode() not in found
    finally:
        out, _ = p.communicate("\n", timeout=20)
    assert token not in out and token2 not in out
    assert secret.read_text() == token + "\n"


def test_OV_02_attributes_of_overlayfs_lead_nowhere(lab):
    """Planted in the workspace by an earlier run, and set inside."""
    lab.file("outside/other", "OTHER\n")
    f = lab.file("work/f", "mine\n")
    lab.file("work/d/inner", "inner\n")
    names = ("redirect", "opaque", "metacopy", "whiteout", "origin")
    for n in names:
        for p in (f, lab.work / "d"):
            os.setxattr(p, f"user.overlay.{n}", b"y" if n == "opaque"
                        else b"/outside/other")
    r = learn(lab, "cat f; cat d/inner; ls")
    # a file that says its content is elsewhere is refused or is itself
    assert "OTHER" not in r.out and "inner" in r.out, r
    for n in names:
        os.removexattr(f, f"user.overlay.{n}")
        os.removexattr(lab.work / "d", f"user.overlay.{n}")
    script = """
import os
for n in 'redirect', 'opaque', 'metacopy', 'whiteout':
    for p in 'f', 'd':
        try: os.setxattr(p, 'user.overlay.' + n, b'/outside/other')
        except OSError: pass
print(open('f').read(), os.listdir('d'))
"""
    r = lab.cli("learn", "--", "python3", "-c", script)
    assert r.out == "mine\n ['inner']\n", r
    assert os.listxattr(f) == [] and os.listxattr(lab.work / "d") == []


def test_OV_03_no_whiteout_can_be_made(lab):
    lab.file("work/f", "mine\n")
    r = learn(lab, "mknod w c 0 0; test -e w && echo MADE; cat f")
    assert r.out == "mine\n", r
    # control: outside, an ordinary user can
    c = lab.host("mknod", lab.work / "w", "c", "0", "0")
    assert c.ok, c
    (lab.work / "w").unlink()


def test_OV_04_the_layer_is_not_to_be_seen(lab):
    lab.file("work/f")
    where = state_dir(lab)
    os.makedirs(where, mode=0o700, exist_ok=True)
    r = learn(lab, 'ls "$1" "$1/learn"; cd "$1"; ln -s "$1" link; ls link/; '
              'ls "/proc/self/root$1"; ls "/proc/1/root$1"; '
              'ls "/proc/self/cwd/../..$1"; cat /proc/self/mountinfo; '
              'echo x > f; ls /proc/self/fd/', where)
    out = [line for line in r.lines if "overlay" not in line]
    assert not any("upper" in line or "learn" in line for line in out), r
    assert where not in "".join(
        line.split(" - ")[1] for line in r.lines if " - overlay" in line), r
    assert re.search("lowerdir=/proc/self/fd/", r.out)       # the control
    assert "learn" not in "".join(os.listdir(where))


def test_secrets_stay_hidden(lab):
    f, token = lab.secret("home/.aws/credentials")
    env, token2 = lab.secret("work/.env")
    assert token in lab.host("cat", f).out                   # control
    r = learn(lab, 'cat "$1" "$2"; ls -R ~', f, env)
    assert token not in r.out and token2 not in r.out, r


def test_minimal_view_stays_minimal(lab):
    f, token = lab.secret("home/notes")
    assert token in learn(lab, 'cat "$1"', f).out            # control
    r = learn(lab, 'cat "$1"; ls ~', f, opts=["-P", "strict"])
    assert token not in r.out and r.out == "", r


# -- its end -----------------------------------------------------------------

@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT,
                                 signal.SIGHUP])
def test_nothing_is_left_after_a_signal(lab, sig):
    before = everything(lab.home, lab.work)
    p = lab.spawn("sh", "-c", "echo x > made; echo x > ~/made; echo up; "
                  "exec sleep 1000", verb="learn", text=True)
    assert p.stdout.readline() == "up\n"
    assert len(layers_left(lab)) == 1
    p.send_signal(sig)
    p.communicate(timeout=20)
    assert p.returncode == 128 + sig
    assert layers_left(lab) == []
    assert everything(lab.home, lab.work) == before


def test_what_a_killed_run_left_is_removed_by_the_next(lab):
    p = lab.spawn("sh", "-c", "mkdir -p a/b; echo x > a/b/c; chmod 0 a/b a; "
                  "echo up; exec sleep 1000", verb="learn", text=True)
    assert p.stdout.readline() == "up\n"
    # one that lives is left alone
    assert learn(lab, "true").ok
    assert len(layers_left(lab)) == 1
    p.kill()
    p.communicate(timeout=20)
    assert len(layers_left(lab)) == 1                # the control
    assert learn(lab, "true").ok
    assert layers_left(lab) == []


def test_a_hostile_tree_is_removed(lab):
    """OV-06: closed directories, deep nesting, odd names."""
    script = """
import os
os.mkdir('closed'); open('closed/f', 'w').close(); os.chmod('closed', 0)
os.mkfifo('fifo'); open('a\\nb', 'w').close()
for i in range(1500):
    os.mkdir('d'); os.chdir('d')
open('0', 'w').close(); os.mkdir('1'); print('made')
"""
    r = lab.cli("learn", "--", "python3", "-c", script)
    assert r.out == "made\n", r
    assert layers_left(lab) == [], r
    assert not os.listdir(lab.work)


def test_many_at_once_keep_apart(lab):
    procs = [lab.spawn("sh", "-c", f"echo {i} > f; cat f; ls", verb="learn",
                       text=True) for i in range(6)]
    outs = [p.communicate(timeout=60)[0] for p in procs]
    assert outs == [f"{i}\nf\n" for i in range(6)]
    assert layers_left(lab) == [] and not os.listdir(lab.work)


def test_home_as_working_directory(lab):
    f = lab.file("home/f", "old\n")
    r = learn(lab, "echo x > f; cat f; echo y > .zshrc", cwd=lab.home)
    assert r.out == "x\n" and f.read_text() == "old\n", r
    assert not (lab.home / ".zshrc").exists()


def test_odd_paths_need_no_escaping(lab):
    odd = lab.base / "a,b:c\\d 'e' é"
    odd.mkdir()
    r = learn(lab, "echo x > f; cat f; pwd", cwd=odd)
    assert r.out == f"x\n{odd}\n" and not os.listdir(odd), r


@pytest.mark.only_root
def test_a_directory_with_mounts_is_refused(lab):
    below = lab.work / "mnt"
    below.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", below], check=True)
    try:
        r = learn(lab, "true")
        r.refused("cannot have a layer", str(below), "unmount")
        # the home directory can be done without
        (lab.home / "m").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "none", lab.home / "m"],
                       check=True)
        r = learn(lab, "echo x > f; cat f; echo x > ~/x", cwd=lab.outside)
        assert r.out == "x\n" and "has mounts in it" in r.err, r
        assert not (lab.home / "x").exists()
    finally:
        for m in (below, lab.home / "m"):
            subprocess.run(["umount", m], stderr=subprocess.DEVNULL)
    assert layers_left(lab) == []


def test_the_host_can_replace_what_is_masked(lab):
    """A rename over a denied file takes no mask away in a layer."""
    env, token = lab.secret("work/.env")
    p = lab.spawn("sh", "-c", "echo up; read x; cat .env; read x; cat .env",
                  verb="learn", text=True)
    assert p.stdout.readline() == "up\n"
    _, new = lab.secret("outside/new")
    os.rename(lab.outside / "new", env)
    out, err = p.communicate("\n\n", timeout=20)
    assert token not in out and new not in out, err


def test_inside_a_box_it_is_refused(lab):
    inner = lab.work / "cordon"
    shutil.copy(lab.cordon, inner)
    r = lab.run(inner, "learn", "--", "true")
    assert r.code == 125 and "inside of a box" in r.err, r


def test_links_to_what_is_protected_are_kept_too(lab):
    """Dotfile managers: name and target are both protected in the layer."""
    f = lab.file("home/dot/bashrc", "mine\n")
    _, token = lab.secret("home/dot/ssh/id")
    (lab.home / ".bashrc").symlink_to("dot/bashrc")
    (lab.home / ".ssh").symlink_to(lab.home / "dot/ssh")
    before = everything(lab.home)
    r = learn(lab, "cd; echo evil >> .bashrc; echo evil >> dot/bashrc; "
              "rm -f .bashrc; ln -sf /etc/passwd .bashrc; mv dot dot2; "
              "cat .bashrc dot/bashrc; cat .ssh/id dot/ssh/id; "
              "echo other > dot/other; cat dot/other")
    assert r.out == "mine\nmine\nother\n", r
    assert token not in r.out and everything(lab.home) == before
    assert f.read_text() == "mine\n"


def test_parts_of_a_read_only_layer_are_writable(lab):
    (lab.work / "build").mkdir()
    p = lab.policy(filesystem={"deny_write": ["."], "allow_write": ["build"]})
    r = learn(lab, "echo x > f; echo y > build/f; cat build/f; ls . build",
              opts=["-s", p])
    assert r.out.splitlines() == ["y", ".:", "build", "", "build:", "f"], r
    assert not os.listdir(lab.work / "build")


def test_a_lock_that_is_never_given_back_is_told(lab):
    """Of one that was stopped while it made its layers."""
    where = os.path.join(state_dir(lab), "learn")
    os.makedirs(where, mode=0o700, exist_ok=True)
    fd = os.open(where, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        r = learn(lab, "echo ran", timeout=20)
        assert r.code == 125 and "ran" not in r.out, r
        assert where in r.err and "stopped" in r.err, r
        fcntl.flock(fd, fcntl.LOCK_UN)
        assert learn(lab, "echo ran").out == "ran\n"
    finally:
        os.close(fd)
