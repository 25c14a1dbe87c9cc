# SPDX-License-Identifier: Apache-2.0
"""What can be read and written; each with the same act outside."""
import os

import pytest

READERS = {
    "cat": ["cat", "{}"],
    "python": ["python3", "-c", "print(open('{}').read())"],
    "python-fd": ["python3", "-c",
                  "import os; print(os.read(os.open('{}', os.O_RDONLY), 99))"],
    "python-rw": ["python3", "-c", "print(open('{}', 'r+').read())"],
    "mmap": ["python3", "-c", "import mmap,os; f=os.open('{}',0); "
             "print(mmap.mmap(f, 0, prot=1)[:])"],
    "dirfd": ["sh", "-c", "cd \"$(dirname '{}')\" && cat \"./$(basename '{}')\""],
    "dd": ["dd", "if={}", "status=none"],
    "cp": ["sh", "-c", "cp '{}' stolen && cat stolen"],
    "root": ["cat", "/proc/self/root{}"],
    "cwd": ["cat", "/proc/self/cwd/../../../../../../../..{}"],
    "symlink": ["sh", "-c", "ln -sf '{}' link && cat link"],
    "sendfile": ["python3", "-c", "import os; f=os.open('{}',0); "
                 "os.sendfile(1, f, 0, 99)"],
}


def test_T_020_writes_stay_inside_the_workspace(lab):
    target = lab.outside / "new"
    assert lab.host("sh", "-c", f"echo x > '{target}'").ok     # control
    target.unlink()
    r = lab.sh(f"echo x > '{target}'")
    assert not r.ok and not target.exists(), r
    r = lab.sh("echo kept > file && mkdir d && mv file d/ && cat d/file")
    assert r.out == "kept\n", r
    assert (lab.work / "d/file").read_text() == "kept\n"
    assert (lab.work / "d/file").stat().st_uid == os.getuid()


def test_T_020_every_way_to_change_outside_fails(lab):
    f = lab.file("outside/f", "old\n", 0o644)
    before = lab.tree(lab.outside)
    script = """
import os, sys
f, d = sys.argv[1], os.path.dirname(sys.argv[1])
acts = [lambda: open(f, 'a'), lambda: os.truncate(f, 0), lambda: os.unlink(f),
        lambda: os.rename(f, f + '2'), lambda: os.chmod(f, 0o777),
        lambda: os.utime(f, (1, 1)), lambda: os.mkdir(d + '/x'),
        lambda: os.link(f, d + '/y'), lambda: os.symlink('x', d + '/z'),
        lambda: os.setxattr(f, 'user.x', b'1'), lambda: os.mkfifo(d + '/p'),
        lambda: os.chown(f, os.getuid(), os.getgid())]
for n, act in enumerate(acts):
    try: act(); print('done', n)
    except OSError as e: print('no', n)
"""
    control = lab.host("python3", "-c", script, lab.file("outside/c"))
    assert control.out.count("done") >= 6, control
    before = lab.tree(lab.outside)
    r = lab.run("python3", "-c", script, f)
    assert r.out.count("no ") == 12 and "done" not in r.out, r
    assert lab.tree(lab.outside) == before and f.read_text() == "old\n"


@pytest.mark.parametrize("path", [
    ".bashrc", ".profile", ".bash_profile", ".zshrc", ".gitconfig",
    ".ssh/authorized_keys", ".config/git/config", ".npmrc", ".vimrc"])
def test_T_021_rc_files_keep_their_content(lab, path):
    f = lab.file(f"home/{path}", "mine\n")
    # even where the whole home directory is writable
    opts = ["--allow-write", lab.home]
    assert lab.sh("echo ok > ~/plain", opts=opts).ok        # control
    for act in ('echo evil >> "$1"', 'rm -f "$1"', 'mv "$1" "$1.bak"',
                'ln -sf /etc/passwd "$1"', 'cp /etc/hostname "$1"'):
        lab.sh(act, f, opts=opts)
        assert f.read_text() == "mine\n" and not f.is_symlink(), act


def test_T_021_etc_is_unwritable(lab):
    r = lab.sh("echo x >> /etc/hosts; echo x > /etc/cordon-x; "
               "echo x > /usr/local/bin/cordon-x")
    assert not r.ok
    assert not os.path.exists("/etc/cordon-x")
    assert not os.path.exists("/usr/local/bin/cordon-x")


def deny(lab, *paths, **more):
    return lab.policy(filesystem={"deny_read": [str(p) for p in paths],
                                  **more})


@pytest.mark.parametrize("how", READERS)
def test_T_023_denied_file_gives_no_content(lab, how):
    f, token = lab.secret("work/token.txt")
    argv = [a.format(f, f) for a in READERS[how]]
    assert token in lab.host(*argv).out             # control
    for n in ("stolen", "link"):
        (lab.work / n).unlink(missing_ok=True)
    r = lab.run(*argv, policy=deny(lab, f))
    assert token not in r.out + r.err, r
    assert f.read_text().strip() == token


@pytest.mark.parametrize("spelling", [
    "work/hoard", "work/hoard/", "work/./hoard", "work/x/../hoard"])
def test_T_023_spellings_of_a_denied_directory(lab, spelling):
    f, token = lab.secret("work/hoard/token")
    (lab.work / "x").mkdir()
    r = lab.run("cat", f, policy=deny(lab, f"{lab.base}/{spelling}"))
    assert not r.ok and token not in r.out, r
    assert token in lab.run("cat", f).out


def test_T_023_hard_link_made_before_the_start(lab):
    f, token = lab.secret("work/token")
    os.link(f, lab.work / "other-name")
    assert token in lab.host("cat", "other-name").out
    r = lab.run("cat", "other-name", policy=deny(lab, f))
    assert token not in r.out, r


def test_T_023_hard_link_made_inside(lab):
    f, token = lab.secret("work/token")
    assert lab.host("sh", "-c", "ln token ctl && cat ctl && rm ctl").ok
    r = lab.sh("ln token l; cat l; ln -L token m; cat m", policy=deny(lab, f))
    assert token not in r.out, r


def test_T_023_file_descriptors_lead_nowhere(lab):
    f, token = lab.secret("outside/token")
    script = ("import os\nfor p in os.listdir('/proc'):\n"
              " if not p.isdigit(): continue\n"
              " for sub in ('root', 'cwd'):\n"
              "  try: print(open(f'/proc/{p}/{sub}%s').read())\n"
              "  except OSError: pass\n"
              " try: fds = os.listdir(f'/proc/{p}/fd')\n"
              " except OSError: continue\n"
              " for n in fds:\n"
              "  try: print(os.readlink(f'/proc/{p}/fd/{n}'))\n"
              "  except OSError: pass\n" % f)
    assert token in lab.host("python3", "-c", script).out
    r = lab.run("python3", "-c", script, policy=deny(lab, f))
    assert token not in r.out and str(lab.outside) not in r.out, r


def test_T_024_denied_directory_is_hidden(lab):
    f, token = lab.secret("work/private/token")
    control = lab.run("find", "private", "-type", "f")
    assert control.out == "private/token\n", control
    r = lab.sh("ls private; cat private/token; find private",
               policy=deny(lab, lab.work / "private"))
    assert "token" not in r.out and token not in r.out, r


def test_T_024_allow_inside_deny_shows_that_and_nothing_else(lab):
    keep = lab.file("work/private/open/readme", "visible\n")
    f, token = lab.secret("work/private/key")
    p = lab.policy(filesystem={"deny_read": [str(lab.work / "private")],
                               "allow_read": [str(keep.parent)]})
    r = lab.run("cat", keep, policy=p)
    assert r.out == "visible\n", r
    r = lab.sh("cat private/key; ls -A private; find private", policy=p)
    assert token not in r.out, r
    assert "key" not in r.out.replace("visible", ""), r


def test_T_024_deny_inside_allow_inside_deny(lab):
    a, ta = lab.secret("outside/a/secret")
    b = lab.file("outside/a/b/plain", "plain\n")
    c, tc = lab.secret("outside/a/b/c/secret")
    p = lab.policy(filesystem={
        "deny_read": [str(lab.outside / "a"), str(lab.outside / "a/b/c")],
        "allow_read": [str(lab.outside / "a/b")]})
    r = lab.run("cat", a, b, c, policy=p)
    assert r.out == "plain\n", r


def test_T_024_deny_read_beats_deny_write_on_the_same_path(lab):
    f, token = lab.secret("work/both")
    p = lab.policy(filesystem={"deny_read": [str(f)], "deny_write": [str(f)]})
    r = lab.sh("cat both; echo x > both", policy=p)
    assert token not in r.out and f.read_text().strip() == token, r


def test_deny_write_is_readable_and_not_writable(lab):
    f = lab.file("work/locked", "locked\n")
    p = lab.policy(filesystem={"deny_write": [str(f)]})
    assert lab.run("cat", f, policy=p).out == "locked\n"
    for act in ("echo x > locked", "rm -f locked", "mv locked l2",
                "mv x locked", "sed -i s/l/m/ locked", "ln -f x locked",
                "truncate -s0 locked", "chmod 777 locked"):
        lab.file("work/x", "x\n")
        lab.sh(act, policy=p)
        assert f.read_text() == "locked\n", act
    assert lab.sh("echo x > locked").ok             # control


def test_allow_write_inside_deny_write(lab):
    (lab.work / "gen/out").mkdir(parents=True)
    p = lab.policy(filesystem={"deny_write": [str(lab.work / "gen")],
                               "allow_write": [str(lab.work / "gen/out")]})
    assert not lab.sh("touch gen/x", policy=p).ok
    assert lab.sh("touch gen/out/x", policy=p).ok
    assert (lab.work / "gen/out/x").exists()


def test_allow_write_of_another_directory(lab):
    p = lab.policy(filesystem={"allow_write": [str(lab.outside)]})
    assert not lab.sh(f"touch '{lab.outside}/x'").ok            # control
    r = lab.sh(f"touch '{lab.outside}/x'", policy=p)
    assert r.ok and (lab.outside / "x").exists(), r


def test_T_025_protected_file_stays_readable_and_read_only(lab):
    f = lab.file("home/.gitconfig", "[user]\n\tname = me\n")
    r = lab.run("cat", f, opts=["--allow-write", lab.home])
    assert r.out == f.read_text(), r
    assert not lab.sh("echo x >> ~/.gitconfig",
                      opts=["--allow-write", lab.home]).ok


def test_T_025_also_through_a_symlink(lab):
    real = lab.file("home/dotfiles/gitconfig", "[user]\n\tname = me\n")
    (lab.home / ".gitconfig").symlink_to("dotfiles/gitconfig")
    opts = ["--allow-write", lab.home]
    assert lab.run("cat", lab.home / ".gitconfig", opts=opts).ok
    lab.sh("echo evil >> ~/.gitconfig; echo evil >> ~/dotfiles/gitconfig; "
           "rm -f ~/.gitconfig; ln -sf /dev/null ~/.gitconfig", opts=opts)
    assert "evil" not in real.read_text()
    assert os.readlink(lab.home / ".gitconfig") == "dotfiles/gitconfig"


def test_T_025_symlinked_secret_by_name_and_target(lab):
    real, token = lab.secret("outside/store/key")
    link = lab.work / "key"
    link.symlink_to(real)
    home_link = lab.home / "mykey"
    home_link.symlink_to(real)
    assert token in lab.run("cat", home_link).out               # control
    r = lab.run("cat", home_link, real, policy=deny(lab, home_link))
    assert token not in r.out, r


def test_T_025_symlinked_home(lab):
    f, token = lab.secret("home/.ssh/id_ed25519")
    link = lab.base / "home-link"
    link.symlink_to(lab.home)
    env = {**lab.env, "HOME": str(link)}
    assert token in lab.host("cat", f, env=env).out
    r = lab.run("cat", f, link / ".ssh/id_ed25519", env=env)
    assert token not in r.out, r
    r = lab.sh('echo "$HOME"; cd && pwd -P', env=env)
    assert r.ok and str(lab.home) in r.out, r


SECRETS = [".ssh/id_rsa", ".aws/credentials", ".gnupg/secring.gpg",
           ".netrc", ".docker/config.json", ".kube/config",
           ".config/gcloud/credentials.db", ".git-credentials",
           ".pypirc", ".config/gh/hosts.yml", ".azure/accessTokens.json",
           ".password-store/x.gpg"]


@pytest.mark.parametrize("path", SECRETS)
def test_T_026_default_profile_hides_secrets_of_the_home(lab, path):
    f, token = lab.secret(f"home/{path}")
    assert token in lab.host("cat", f).out
    r = lab.run("cat", f)
    assert not r.ok and token not in r.out, r


@pytest.mark.parametrize("profile", ["default", "strict", "offline"])
def test_T_026_every_shipped_profile_hides_them(lab, profile):
    f, token = lab.secret("home/.ssh/id_rsa")
    r = lab.run("cat", f, opts=["-P", profile])
    assert not r.ok and token not in r.out, r
    assert lab.run("true", opts=["-P", profile]).ok


def test_T_026_strict_hides_more(lab):
    f = lab.file("home/notes", "n\n")
    assert lab.run("cat", f).ok                                 # default
    r = lab.run("cat", f, opts=["-P", "strict"])
    assert not r.ok, r


def test_env_files_of_the_workspace_are_hidden_by_default(lab):
    f, token = lab.secret("work/.env")
    assert token in lab.host("cat", f).out
    r = lab.run("cat", f)
    assert not r.ok and token not in r.out, r


def own_config(lab):
    return lab.home / ".config/cordon"


@pytest.mark.only_user
def test_T_027_own_configuration_is_invisible(lab):
    d = own_config(lab)
    f, token = lab.secret("home/.config/cordon/config.yaml")
    f.write_text(f"version: 1\n# {token}\n")
    state, other = lab.secret("home/.local/state/cordon/store.db")
    assert token in lab.host("cat", f).out
    for how in READERS.values():
        r = lab.run(*[a.format(f, f) for a in how])
        assert token not in r.out, r
    r = lab.sh(f"ls '{d}'; cat '{state}'; ls '{state.parent}'",
               opts=["--allow-read", lab.home, "--allow-write", lab.home])
    assert "config.yaml" not in r.out and other not in r.out, r
    r = lab.sh("echo evil > ~/.config/cordon/config.yaml; mv ~/.config x; "
               "mv ~/.config/cordon ~/.config/c2",
               opts=["--allow-write", lab.home])
    assert token in f.read_text()


@pytest.mark.only_user
def test_T_027_own_configuration_cannot_be_brought_about(lab):
    (lab.home / ".config").mkdir()
    r = lab.sh("mkdir -p ~/.config/cordon && "
               "echo 'version: 1' > ~/.config/cordon/config.yaml",
               opts=["--allow-write", lab.home])
    assert not (own_config(lab) / "config.yaml").exists(), r


def test_T_028_tmp_is_private(lab):
    name = f"/tmp/cordon-box-test-{os.getpid()}"
    for d in ("/tmp", "/var/tmp", "/dev/shm"):
        with open(f"{d}/{os.path.basename(name)}", "w") as f:
            f.write("host\n")
    try:
        assert lab.host("cat", name).ok
        for opts in ([], ["--allow-write", "/tmp"]):
            r = lab.sh("ls /tmp /var/tmp /dev/shm; "
                       "for d in /tmp /var/tmp /dev/shm; do "
                       "echo x > $d/inside && cat $d/inside; done", opts=opts)
            assert os.path.basename(name) not in r.out, r
            assert r.out.count("x\n") == 3, r
            assert not os.path.exists("/tmp/inside")
    finally:
        for d in ("/tmp", "/var/tmp", "/dev/shm"):
            os.unlink(f"{d}/{os.path.basename(name)}")


def test_T_029_single_file_allow_write(lab):
    f = lab.file("outside/one", "1\n")
    g = lab.file("outside/two", "2\n")
    p = lab.policy(filesystem={"allow_write": [str(f)]})
    r = lab.sh(f"echo more >> '{f}'; echo more >> '{g}'", policy=p)
    assert f.read_text() == "1\nmore\n" and g.read_text() == "2\n", r


def test_T_030_usual_links_of_a_host_do_not_stop_the_start(lab):
    lab.file("home/dots/gitconfig", "")
    (lab.home / ".gitconfig").symlink_to("dots/gitconfig")
    (lab.home / ".bashrc").symlink_to("nowhere-at-all")
    assert lab.run("/bin/true").ok and lab.run("/usr/bin/true").ok
    assert lab.run("readlink", "-f", "/bin/sh").ok


@pytest.mark.only_root
def test_T_030_submounts_and_separate_home(lab):
    """Mounts below home and workspace: seen, and held to the rules."""
    (lab.work / "mnt").mkdir()
    script = f"""
set -e
mount -t tmpfs home '{lab.home}'
mkdir -p '{lab.home}/.ssh'; echo SECRET-home > '{lab.home}/.ssh/id_rsa'
mount -t tmpfs sub '{lab.work}/mnt'; echo inner > '{lab.work}/mnt/file'
mount --bind '{lab.outside}' '{lab.work}/bound' 2>/dev/null || true
cd '{lab.work}'
'{lab.cordon}' run -- sh -c '
  cat mnt/file; echo new > mnt/made && echo wrote
  cat "$HOME/.ssh/id_rsa"; touch "$HOME/x" && echo home-written
  echo end'
cat '{lab.work}/mnt/made'
"""
    r = lab.host("unshare", "-m", "sh", "-c", script)
    assert r.out.splitlines() == ["inner", "wrote", "end", "new"], r


@pytest.mark.only_root
def test_submount_in_a_read_only_tree_is_read_only(lab):
    script = f"""
mount -t tmpfs x '{lab.outside}'; mkdir '{lab.outside}/d'
mount -t tmpfs y '{lab.outside}/d'; cd '{lab.work}'
touch '{lab.outside}/d/control' && echo control
'{lab.cordon}' run -- sh -c 'touch "$1/a"; touch "$1/d/b"; ls "$1/d"' \
 sh '{lab.outside}'
"""
    r = lab.host("unshare", "-m", "sh", "-c", script)
    assert r.out.split() == ["control", "control"], r


NAMES = ["with space", 'quo"te', "apo'strophe", "do$(touch x)llar", "$HOME",
         "new\nline", "semi;colon", "back\\slash", "[brackets]", "-dash",
         "über", "*star*", "question?", "a,b", "trailing ", "#hash", "%25"]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_T_031_awkward_names_are_denied(lab, name):
    d = lab.work / name
    d.mkdir()
    token = "SECRET-" + os.urandom(8).hex()
    (d / "f").write_text(token)
    pattern = "".join("\\" + c if c in "*?[]\\" else c for c in str(d))
    assert token in lab.run("cat", d / "f").out                 # control
    r = lab.run("cat", d / "f", policy=deny(lab, pattern))
    assert not r.ok and token not in r.out, r
    r = lab.run("cat", d / "f", opts=["--deny-read", pattern])
    assert not r.ok and token not in r.out, r
    assert not (lab.work / "x").exists()


GLOBS = [("*.pem", "a.pem", "a.pub"), ("**/*.pem", "d/e/a.pem", "d/e/a.txt"),
         ("d/*/k", "d/e/k", "d/e/f/k"), ("file?", "file1", "file12"),
         ("f[0-9]", "f5", "fx"), ("**/.env", "x/y/.env", "x/y/env")]


@pytest.mark.parametrize("pattern,hit,miss", GLOBS)
def test_patterns(lab, pattern, hit, miss):
    f, token = lab.secret(f"work/{hit}")
    g, other = lab.secret(f"work/{miss}")
    p = deny(lab, f"{lab.work}/{pattern}")
    r = lab.run("cat", f, policy=p)
    assert not r.ok and token not in r.out, r
    r = lab.run("cat", g, policy=p)
    assert other in r.out, r


def test_relative_and_tilde_paths(lab):
    f, t1 = lab.secret("work/sub/k")
    g, t2 = lab.secret("home/private/k")
    p = lab.policy(text="filesystem: {deny_read: [~/private]}\n")
    r = lab.run("cat", f, g, policy=p, opts=["--deny-read", "sub"])
    assert t1 not in r.out and t2 not in r.out, r


def test_xdg_variables_in_paths(lab):
    f, token = lab.secret("outside/data/key")
    lab.env["XDG_DATA_HOME"] = str(lab.outside / "data")
    p = lab.policy(text="filesystem: {deny_read: [$XDG_DATA_HOME/key]}\n")
    assert token in lab.run("cat", f).out
    assert token not in lab.run("cat", f, policy=p).out


def test_T_035_many_files_with_a_pattern(lab):
    """20 000 files here, 200 000 in `make bench`: the walk is bounded."""
    for i in range(200):
        d = lab.work / f"d{i}"
        d.mkdir()
        for j in range(100):
            os.close(os.open(d / f"f{j}", os.O_CREAT | os.O_WRONLY, 0o644))
    f, token = lab.secret("work/d77/.env")
    r = lab.run("cat", f, opts=["--deny-read", "**/.env"], timeout=5)
    assert not r.ok and token not in r.out, r


def test_T_036_deny_target_that_cannot_be_protected_stops_the_run(lab):
    target = "/proc/sys/kernel"         # every box has a /proc of its own
    lab.refuses(target, policy=deny(lab, target))
    lab.starts(policy=deny(lab, target, ignore_missing=True))


@pytest.mark.only_user
def test_T_036_deny_target_that_cannot_be_looked_at(lab):
    f = lab.file("outside/closed/f")
    f.parent.chmod(0)
    lab.refuses(str(f), "ignore_missing", policy=deny(lab, f))
    lab.starts(policy=deny(lab, f, ignore_missing=True))


def test_T_036_the_whole_tree_cannot_be_denied(lab):
    lab.refuses("'/'", "minimal", policy=deny(lab, "/"))


def test_denied_path_that_does_not_exist_yet_is_no_error(lab):
    f = lab.outside / "later/key"
    r = lab.run("true", policy=deny(lab, f))
    assert r.ok and not f.parent.exists(), r


def test_T_036_planted_symlink_in_the_workspace_is_refused(lab):
    f, token = lab.secret("outside/real")
    (lab.work / "conf").symlink_to(lab.outside)
    lab.refuses("conf", "link", policy=deny(lab, lab.work / "conf/real"))
    lab.starts()


def test_T_037_symlink_and_dotdot_do_not_lead_out(lab):
    f = lab.file("outside/f", "old\n")
    (lab.work / "out").symlink_to(lab.outside)
    r = lab.sh("echo x > out/f; echo x > ../outside/f; echo x > out/new; "
               "ln -s ../outside l2; echo x > l2/f; "
               "mkdir -p a/b; echo x > a/b/../../../outside/f")
    assert f.read_text() == "old\n" and not (lab.outside / "new").exists(), r


@pytest.mark.parametrize("deep", ["conf", "conf/a", "conf/a/b"])
def test_ancestors_of_a_denied_path_are_pinned(lab, deep):
    f, token = lab.secret("work/conf/a/b/key")
    p, inode = deny(lab, f), f.stat().st_ino
    assert lab.host("mv", deep, "ctl").ok
    assert lab.host("mv", "ctl", deep).ok
    r = lab.sh(f"mv {deep} moved; cat moved/key moved/b/key moved/a/b/key; "
               f"mkdir -p conf/a/b; echo decoy > conf/a/b/key", policy=p)
    assert token not in r.out and f.read_text().strip() == token, r
    assert f.stat().st_ino == inode


def test_other_names_count_only_for_what_is_hidden(lab):
    """A pattern that only forbids writing hides no file of several names."""
    a = lab.file("work/a")
    os.link(a, lab.work / "b")
    r = lab.sh("cat a b; echo x > a", opts=["--deny-write", "*"])
    assert r.out == "content\n" * 2 and r.code != 0, r
    r = lab.sh("cat b", opts=["--deny-read", "a*"])
    assert r.out == "", r


def test_a_link_in_a_hidden_directory(lab):
    """On the way to what is allowed it is shown; else it is no obstacle."""
    lab.file("outside/target/f")
    hidden = lab.home / "hidden"
    hidden.mkdir()
    (hidden / "link").symlink_to(lab.outside / "target")
    opts = ["--deny-read", hidden, "--deny-read", hidden / "link" / "g"]
    r = lab.sh("ls ~/hidden; cat ~/hidden/link/f", opts=opts)
    assert r.out == "" and r.code not in (0, 125), r
    r = lab.sh("cat ~/hidden/link/f", opts=[*opts, "--allow-read",
                                            hidden / "link"])
    assert r.out == "content\n", r


def test_a_socket_has_no_name_that_a_pattern_denies(lab):
    """filesystem.strict: bind(2) makes a name as mknod(2) does."""
    bind = ("import socket, sys\n"
            "try: socket.socket(socket.AF_UNIX).bind(sys.argv[1])\n"
            "except OSError as e: print(e.errno)\n")
    policy = {"filesystem": {"strict": True,
                             "deny_read": [f"{lab.work}/**/*.secret"]}}
    for name, said in (("a.socket", ""), ("a.secret", "13\n")):
        r = lab.run("python3", "-c", bind, name, policy=policy)
        assert r.out == said, r
        assert (lab.work / name).exists() == (not said)
