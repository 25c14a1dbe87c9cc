# SPDX-License-Identifier: Apache-2.0
"""`cordon learn`: nothing changes, nothing leaks, and what it proposes.

Layers are tried through it: OV-01 to OV-04 of the list of attacks.
"""
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess

import pytest


def state_dir(lab):
    """Where cordon keeps its own, as design.md has it."""
    if os.geteuid() == 0:
        return "/var/lib/cordon"
    return str(lab.home / ".local/state/cordon")


def layers_left(lab):
    where = os.path.join(state_dir(lab), "learn")
    return sorted(os.listdir(where)) if os.path.isdir(where) else []


def everything(*roots):
    """Names, modes, owners, times and content of all there is."""
    seen = {}
    for root in roots:
        for d, dirs, files in os.walk(root):
            for n in sorted(dirs + files):
                p = os.path.join(d, n)
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


CHANGES = """
echo new > new; echo more >> old; rm -f gone; mkdir -p d/e; ln -s old link
mv moved d/; chmod 700 old; touch -d 2001-01-01 old2; truncate -s 0 old3
echo x > "$HOME/new"; echo x >> "$HOME/old"; rm -rf "$HOME/dir"; ls | wc -l
"""


def fill(lab):
    for n in ("old", "old2", "old3", "gone", "moved"):
        lab.file(f"work/{n}", f"{n}\n")
    lab.file("home/old")
    lab.file("home/dir/file")


def test_nothing_changes(lab):
    """Working and home directory are byte-identical afterwards."""
    fill(lab)
    before = everything(lab.home, lab.work, lab.outside)
    r = learn(lab, CHANGES)
    assert r.ok, r
    assert everything(lab.home, lab.work, lab.outside) == before
    assert layers_left(lab) == [], r
    assert "thrown away" in r.err
    # control: the same command with `run` changes what it may write
    lab.sh(CHANGES)
    assert everything(lab.work) != {k: v for k, v in before.items()
                                    if k.startswith(str(lab.work))}


def test_the_command_sees_its_changes(lab):
    fill(lab)
    r = learn(lab, "echo b > new; rm gone; cat new old; ls; cat ~/made; "
              "echo c > ~/made; cat ~/made; rm -r ~/dir; ls ~")
    assert r.out.splitlines() == ["b", "old", "moved", "new", "old", "old2",
                                  "old3", "c", "made", "old"], r


def test_exit_code_is_the_commands(lab):
    assert learn(lab, "exit 7").code == 7
    assert learn(lab, "kill -TERM $$").code == 128 + 15
    assert lab.cli("learn", "--", "no-such-program").code == 127
    r = lab.cli("learn")
    assert r.code == 125 and "no command given" in r.err, r
    assert layers_left(lab) == []


def test_other_writable_places_are_in_layers_too(lab):
    f = lab.file("outside/f", "old\n")
    # control
    assert lab.sh('echo run > "$1"', f, opts=["--allow-write", lab.outside]).ok
    assert f.read_text() == "run\n"
    before = everything(lab.outside)
    r = learn(lab, 'echo learn > "$1"; cat "$1"', f,
              opts=["--allow-write", lab.outside])
    assert r.out == "learn\n", r
    assert everything(lab.outside) == before


def test_a_single_writable_file_is_read_only_and_said(lab):
    f = lab.file("outside/f", "old\n")
    r = learn(lab, 'echo x > "$1"', f, opts=["--allow-write", f])
    assert not r.ok and f.read_text() == "old\n", r
    assert "is read-only here" in r.err and str(f) in r.err, r
    # control: with `run` it is written
    assert lab.sh('echo x > "$1"', f, opts=["--allow-write", f]).ok
    assert f.read_text() == "x\n"


def test_writable_in_hidden_is_in_a_layer(lab):
    f = lab.file("home/closed/w/f", "old\n")
    lab.file("home/closed/secret")
    opts = ["--deny-read", "~/closed", "--allow-write", "~/closed/w"]
    r = learn(lab, 'echo x > "$1"; cat "$1"; ls ~/closed', f, opts=opts)
    assert r.out.splitlines() == ["x", "w"], r
    assert f.read_text() == "old\n"


def test_given_file_is_not_a_way_out(lab):
    """Standard input is on the host's mount, not in the layer."""
    f = lab.file("work/input", "mine\n")
    script = "echo evil > /proc/self/fd/0; true > /dev/stdin; cat"
    with open(f) as stdin:
        r = learn(lab, script, stdin=stdin)
    assert f.read_text() == "mine\n", r
    assert "mine" in r.out, r
    with open(f) as stdin:            # control: `run` may write it
        lab.sh(script, stdin=stdin)
    assert f.read_text() != "mine\n"


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


# -- the network -------------------------------------------------------------

def test_the_network_is_not_widened(lab, tmp_path):
    """A listener on the host hears nothing, by name or by address."""
    script = """
import socket, subprocess, sys
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); s.settimeout(30)
port = str(s.getsockname()[1])
r = subprocess.run(sys.argv[1:] + ['python3', '-c', '''
import socket, sys
for host in '127.0.0.1', 'localhost':
    try:
        c = socket.create_connection((host, int(sys.argv[1])), timeout=5)
        c.sendall(b'x')
        print('REACHED' if c.recv(1) else 'closed')
    except OSError as e:
        print('no')
''', port])
s.setblocking(False)
try:
    s.accept(); print('HEARD')
except BlockingIOError:
    print('SILENT')
"""
    r = lab.host("python3", "-c", script, lab.cordon, "learn", "--")
    assert "SILENT" in r.out and "REACHED" not in r.out, r
    r = lab.host("python3", "-c", script, "env")             # control
    assert "HEARD" in r.out, r


def test_hosts_that_were_refused_are_proposed(lab):
    out = lab.outside / "p.yaml"
    r = learn(lab, "curl -sS https://a.example/ https://a.example/x; "
              "curl -sS http://b.example:8080/; exit 0", opts=["-o", out])
    assert r.ok, r
    shown = lab.cli("policy", "show", "-s", out, "--json")
    network = json.loads(shown.out)["network"]
    assert network["mode"] == "filtered"
    assert sorted(network["allow"]) == ["a.example", "b.example:8080"]
    assert "connected to port 443" in out.read_text()


def test_nothing_of_the_network_is_proposed_for_nothing(lab):
    out = lab.outside / "p.yaml"
    assert learn(lab, "true", opts=["-o", out]).ok
    assert "network" not in out.read_text()


# -- the proposal ------------------------------------------------------------

def test_what_is_proposed_is_enough(lab):
    """The round: it fails, is learned, and works with what was learned."""
    (lab.home / ".cache/tool").mkdir(parents=True)
    script = ('for i in 1 2 3; do echo $i > "$HOME/.cache/tool/f$i" '
              '|| exit 3; done; echo ok > here')
    assert lab.sh(script).code == 3                          # control
    out = lab.outside / "p.yaml"
    r = learn(lab, script, opts=["-o", out])
    assert r.ok and not list((lab.home / ".cache/tool").iterdir()), r
    assert "~/.cache/tool" in out.read_text()
    assert lab.cli("check", out).ok
    r = lab.sh(script, policy=out)
    assert r.ok and len(list((lab.home / ".cache/tool").iterdir())) == 3, r
    # and nothing else was opened
    assert not lab.sh("echo x > ~/.cache/x", policy=out).ok


def test_a_second_lesson_has_nothing_to_add(lab):
    (lab.home / ".cache/tool").mkdir(parents=True)
    out, again = lab.outside / "p.yaml", lab.outside / "q.yaml"
    script = "echo x > ~/.cache/tool/x"
    assert learn(lab, script, opts=["-o", out]).ok
    r = learn(lab, script, opts=["-s", out, "-o", again])
    assert r.ok and "0 rules proposed" in r.err, r
    assert str(out) in again.read_text()          # what it is laid over


def test_protected_names_and_secrets_are_not_proposed(lab):
    lab.secret("home/.aws/credentials")
    out = lab.outside / "p.yaml"
    r = learn(lab, "echo x > .mcp.json; echo x > ~/.bashrc; "
              "cat ~/.aws/credentials; exit 0", opts=["-o", out])
    assert r.ok, r
    text = out.read_text()
    rules = [line for line in text.splitlines()
             if not line.startswith("#") and line.strip()]
    assert not any(".mcp" in x or ".aws" in x or ".bashrc" in x
                   for x in rules), text
    assert ".mcp.json" in text and "not proposed" in text


def test_what_does_not_exist_is_said(lab):
    r = learn(lab, "mkdir ~/.tool; echo x > ~/.tool/x")
    assert "- ~/.tool  # mkdir -p" in r.err, r


def test_options_become_part_of_the_policy(lab):
    out = lab.outside / "p.yaml"
    learn(lab, "true", opts=["-o", out, "--deny-read", lab.home / "x",
                             "--git", "readonly"])
    shown = json.loads(lab.cli("policy", "show", "-s", out, "--json").out)
    assert shown["filesystem"]["git"] == "readonly"
    assert str(lab.home / "x") in shown["filesystem"]["deny_read"]


def test_diff_shows_what_is_added(lab):
    (lab.home / ".cache/tool").mkdir(parents=True)
    r = learn(lab, "echo x > ~/.cache/tool/x", opts=["--diff"])
    lines = r.err.splitlines()
    assert "--- in force" in lines and "+++ proposed" in lines, r
    assert "@@ filesystem.allow_write @@" in lines and "   ." in lines
    assert any(x.startswith("+  ~/.cache/tool  # ") for x in lines), r


def test_json_has_outcome_and_proposal(lab):
    (lab.home / ".cache/tool").mkdir(parents=True)
    r = learn(lab, "echo x > ~/.cache/tool/x; echo y > ~/new; exit 4",
              opts=["--json"])
    o = r.outcome()
    assert r.code == 4 and o["exit_code"] == 4
    allow = o["proposal"]["policy"]["filesystem"]["allow_write"]
    assert [x["value"] for x in allow] == ["~/.cache/tool"]
    assert o["proposal"]["layer"]["files"] == 2
    assert [x["path"] for x in o["proposal"]["first"]] == ["~/new"]


def test_output_does_not_overwrite(lab):
    out = lab.file("outside/p.yaml", "mine\n")
    marker = lab.outside / "ran"
    r = learn(lab, f"touch {marker}", opts=["-o", out])
    assert r.code == 125 and "exists already" in r.err, r
    assert out.read_text() == "mine\n"
    r = learn(lab, "true", opts=["-o", out, "--force"])
    assert r.ok and "version: 1" in out.read_text(), r
    assert sorted(os.listdir(lab.outside)) == ["p.yaml"]


def test_output_can_be_standard_output(lab):
    r = learn(lab, "true", opts=["-o", "-"])
    assert r.out.startswith("# What this command needed: sh -c true"), r


def test_output_that_cannot_be_written_is_not_lost(lab):
    r = learn(lab, "true", opts=["-o", lab.base / "none/p.yaml"])
    assert r.code == 125 and "version: 1" in r.err, r


def test_hostile_names_make_no_lines(lab):
    """A program and a file with line feeds in their names."""
    (lab.home / "d").mkdir()
    out = lab.outside / "p.yaml"
    r = learn(lab, 'printf x > "$(printf "%s/d/a\\nnetwork: {mode: host}" '
              '"$HOME")"; printf x > "$HOME/d/[a]*"', opts=["-o", out])
    assert r.ok, r
    assert not re.search("^network", out.read_text(), re.M)
    assert lab.cli("check", out).ok


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


def test_full_lists_what_is_allowed(lab):
    out = lab.outside / "p.yaml"
    learn(lab, "echo x > a", opts=["-o", out, "--full"])
    assert f"\"{lab.work}\"" in out.read_text()
    out.unlink()
    learn(lab, "echo x > a", opts=["-o", out])               # control
    assert str(lab.work) not in out.read_text()
