# SPDX-License-Identifier: Apache-2.0
"""Policy files on a real host: trust, typed profiles, what a box cannot do to
them, patterns in deep and closed directories, and the inside of a box."""
import os

import pytest

from lab import HOST_NETWORK


# -- trust, end to end --------------------------------------------------------
def own_etc(lab):
    """Words before a command: /etc is a copy without cordon's files."""
    copy = lab.base / "etc"
    if not copy.exists():
        assert lab.host("cp", "-a", "/etc", copy).ok
        assert lab.host("rm", "-rf", copy / "cordon").ok
    return ["unshare", "-m", "sh", "-c",
            'mount --bind "$0" /etc && umask 077 && exec "$@"', copy]


def as_caller(lab):
    """Words before cordon, so that root's trust store is not the host's."""
    return own_etc(lab) if os.geteuid() == 0 else []


def test_T_181_refused_then_trusted_then_lost_by_one_byte(lab):
    before = as_caller(lab)
    target = lab.outside / "x"
    text = f"filesystem: {{allow_write: ['{lab.outside}']}} #a\n"
    project = lab.file("work/.cordon.yaml", text)

    def cordon(*argv):
        return lab.host(*before, lab.cordon, *argv)

    def refused():
        r = cordon("run", "--", "touch", target)
        assert not r.ok and not target.exists(), r
        assert ".cordon.yaml:1" in r.err and "cordon trust" in r.err, r
        return True

    def taken():
        r = cordon("run", "--", "touch", target)
        assert r.ok and target.exists() and ".cordon.yaml" not in r.err, r
        target.unlink()
        return True

    assert refused()
    said = cordon("trust")
    assert said.ok and "allow_write" in said.out and str(project) in said.out
    assert refused()            # naming it is what trusts it
    t = cordon("trust", project)
    assert t.ok, t
    assert taken()
    assert str(project) in cordon("trust", "--list").out
    project.write_text(text.replace("#a", "#b"))
    assert refused()
    project.write_text(text)
    assert taken()
    assert cordon("trust", "--remove", project).ok
    assert refused()


@pytest.mark.only_root
def test_root_trusts_and_locks_nobody_out(lab):
    before = own_etc(lab)
    project = lab.file("work/.cordon.yaml", "version: 1\n")
    r = lab.host(*before, lab.cordon, "trust", project)
    assert r.ok, r
    made = lab.base / "etc/cordon"
    assert made.stat().st_mode & 0o7777 == 0o755
    assert (made / "trust").stat().st_mode & 0o7777 == 0o600
    r = lab.host(*before, lab.cordon, "policy", "init", "--user")
    assert r.ok, r
    assert (made / "config.yaml").stat().st_mode & 0o7777 == 0o644
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    lab.env["HOME"] = "/"
    r = lab.host(*before, *nobody, lab.cordon, "policy", "show", cwd="/")
    assert r.ok and "/etc/cordon/config.yaml" in r.err, r
    made.chmod(0o700)           # the control: what it must not be
    r = lab.host(*before, *nobody, lab.cordon, "policy", "show", cwd="/")
    assert not r.ok and "denied" in r.err, r


@pytest.mark.only_user
def test_trust_of_a_user_is_theirs_alone(lab):
    project = lab.file("work/.cordon.yaml", "version: 1\n")
    assert lab.cli("trust", project).ok
    made = lab.home / ".config/cordon"
    assert made.stat().st_mode & 0o7777 == 0o700
    assert (made / "trust").stat().st_mode & 0o7777 == 0o600


# -- a profile that was typed -------------------------------------------------
def interfaces(r):
    return sorted(line.split(":")[0].strip()
                  for line in r.out.splitlines() if ":" in line)


def test_a_typed_profile_keeps_the_network_away(lab):
    p = lab.policy(network={"mode": "host"})
    look = ["cat", "/proc/net/dev"]
    outside = interfaces(lab.host(*look))
    r = lab.run(*look, policy=p, opts=HOST_NETWORK[2:])
    assert interfaces(r) == outside, r                         # the control
    for name in ("offline", "strict", "default"):
        r = lab.run(*look, policy=p, opts=["-P", name])
        assert interfaces(r) == ["lo"], r
    r = lab.run(*look, policy=p, opts=["-P", "offline", *HOST_NETWORK])
    assert interfaces(r) == outside, r


@pytest.mark.only_user
def test_a_typed_profile_holds_against_the_users_file(lab):
    f, token = lab.secret("home/.ssh/id")
    lab.env["GITHUB_TOKEN"] = "SECRET-env"
    lab.file("home/.config/cordon/config.yaml",
             "filesystem: {deny_read: {remove: [~/.ssh]}}\n"
             "network: {mode: host}\nenvironment: {pass: [GITHUB_TOKEN]}\n",
             0o644)
    script = f"cat '{f}'; env"
    r = lab.sh(script, opts=HOST_NETWORK[2:])       # the control
    assert token in r.out and "SECRET-env" in r.out, r
    r = lab.sh(script, opts=["-P", "strict"])
    assert token not in r.out and "SECRET-env" not in r.out, r
    assert "GITHUB_TOKEN" in r.err and "-P" in r.err, r     # and says so
    r = lab.run("cat", "/proc/net/dev", opts=["-P", "strict"])
    assert interfaces(r) == ["lo"], r


def test_strict_leaves_nothing_that_a_file_allows(lab):
    f, token = lab.secret("outside/f")
    p = lab.policy(filesystem={"allow_read": [str(f)],
                               "allow_write": [".", str(lab.outside)]})
    script = f"cat '{f}'; touch '{lab.outside}/x'"
    r = lab.sh(script, policy=p)
    assert token in r.out and (lab.outside / "x").exists(), r
    (lab.outside / "x").unlink()
    r = lab.sh(script, policy=p, opts=["-P", "strict"])
    assert token not in r.out and not (lab.outside / "x").exists(), r
    r = lab.sh(script, policy=p,
               opts=["-P", "strict", "--allow-write", lab.outside])
    assert token in r.out and (lab.outside / "x").exists(), r
    # offline says nothing of paths, so those of the file stay
    (lab.outside / "x").unlink()
    r = lab.sh(script, policy=p, opts=["-P", "offline"])
    assert token in r.out and (lab.outside / "x").exists(), r


def test_a_typed_profile_does_not_widen_a_file(lab):
    f, token = lab.secret("outside/f")
    p = lab.policy(filesystem={"view": "minimal",
                               "allow_write": {"remove": ["."]}})
    r = lab.sh(f"cat '{f}'; touch x", policy=p, opts=["-P", "default",
               "--allow-read", "."])
    assert token not in r.out and not (lab.work / "x").exists(), r


# -- layers of the box by name ------------------------------------------------
LAYER_NAMES = ["user_namespaces", "seccomp", "landlock", "landlock_scopes",
               "network_namespaces"]


def test_require_and_allow_degraded_know_the_same_names(lab):
    for name in LAYER_NAMES:
        assert lab.cli("check", lab.policy(require=[name])).ok
        r = lab.cli("policy", "show", "--require", name)
        assert r.ok and name in r.out, r
    for option in ("--require", "--allow-degraded"):
        r = lab.run("true", opts=[option, "magic"])
        assert r.code in (2, 125), r
        for name in LAYER_NAMES:
            assert name in r.err, (option, name, r)
    lab.starts(opts=["--allow-degraded", "landlock_scopes"])


# -- policy files are closed to the box ---------------------------------------
SPOIL = """import os, sys
for path in sys.argv[1:]:
    for act in (lambda: open(path, "a").write("network: {mode: host}"),
                lambda: os.unlink(path), lambda: os.rename(path, path + "2"),
                lambda: os.rename(os.path.dirname(path),
                                  os.path.dirname(path) + "2"),
                lambda: os.chmod(path, 0o666)):
        try:
            act()
            print("DONE", path)
        except OSError:
            pass
"""


def spoil(lab, *paths, **kw):
    """What a box that wants another policy next time would try."""
    before = [(p.read_text(), p.stat().st_mode) for p in paths]
    r = lab.run("python3", "-c", SPOIL, *paths, **kw)
    assert r.ok and "DONE" not in r.out, r
    assert before == [(p.read_text(), p.stat().st_mode) for p in paths]
    return r


def test_a_policy_file_in_the_workspace_cannot_be_changed(lab):
    main = lab.file("work/conf/box *[1].yaml", "extends: ../base/b.yaml\n")
    base = lab.file("work/base/b.yaml", "version: 1\n")
    other = lab.file("work/other/c.yaml", "version: 1\n")
    spoil(lab, main, base, opts=["-s", main])
    spoil(lab, base, opts=["-P", base])
    spoil(lab, base, opts=["-s", "base/../base/b.yaml"])
    lab.env["CORDON_CONFIG"] = str(main)
    spoil(lab, main, base)
    # The control: one that took no part is a file like others.
    r = lab.run("python3", "-c", SPOIL, other, opts=["-s", main])
    assert "DONE" in r.out, r


def test_a_file_of_system_calls_cannot_be_changed(lab):
    f = lab.file("work/calls.json",
                 '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": []}')
    spoil(lab, f, opts=["--seccomp", f])
    spoil(lab, f, opts=["--seccomp", "calls.json"])
    assert "DONE" in lab.run("python3", "-c", SPOIL, f).out


def test_a_project_file_above_cannot_be_changed(lab):
    f = lab.file("work/.cordon.yaml", "version: 1\n")
    (lab.work / "a/b").mkdir(parents=True)
    spoil(lab, f, cwd=lab.work / "a/b", opts=["--allow-write", lab.work])


@pytest.mark.only_user
def test_a_config_linked_into_the_workspace_cannot_be_changed(lab):
    f = lab.file("work/dotfiles/config.yaml", "version: 1\n")
    link = lab.home / ".config/cordon/config.yaml"
    link.parent.mkdir(parents=True)
    link.symlink_to(f)
    spoil(lab, f)
    link.unlink()
    assert "DONE" in lab.run("python3", "-c", SPOIL, f).out     # the control


def test_a_link_in_the_workspace_is_no_way_to_a_policy(lab):
    real = lab.policy()
    (lab.work / "l.yaml").symlink_to(real)
    lab.refuses("l.yaml", "symbolic link", opts=["-s", lab.work / "l.yaml"])
    lab.starts(opts=["-s", real])


def test_a_policy_from_a_descriptor_still_works(lab):
    with open(lab.policy()) as f:
        assert lab.run("true", opts=["-s", "/dev/stdin"], stdin=f).ok


# -- what is root's alone -----------------------------------------------------
@pytest.mark.only_root
def test_password_hashes_are_hidden_from_roots_box(lab):
    assert "root:" in lab.host("cat", "/etc/shadow").out
    p = lab.policy(text="filesystem: {deny_read: {replace: []}}\n")
    for kw in ({}, {"policy": p}, {"opts": ["-P", "strict"]}):
        r = lab.run("cat", "/etc/shadow", **kw)
        assert not r.ok and "root:" not in r.out, r
    assert "root:" in lab.run("cat", "/etc/passwd").out


@pytest.mark.only_user
def test_no_mask_is_spent_on_what_a_user_cannot_read(lab):
    assert not lab.host("cat", "/etc/shadow").ok
    assert "/etc/shadow" not in lab.cli("plan").out
    assert not lab.run("cat", "/etc/shadow").ok


# -- patterns -----------------------------------------------------------------
def deep(lab, levels):
    d = lab.work / "deep"
    for _ in range(levels):
        d = d / "d"
    d.mkdir(parents=True)
    return d


def test_a_secret_140_levels_deep_is_found(lab):
    d = deep(lab, 140)
    (d / ".env").write_text("SECRET-deep")
    assert "SECRET-deep" in lab.run("cat", d / ".env").out      # the control
    r = lab.run("cat", d / ".env", opts=["--deny-read", "**/.env"])
    assert not r.ok and "SECRET-deep" not in r.out, r


def test_what_is_too_deep_for_a_pattern_is_refused(lab):
    deep(lab, 260)
    lab.refuses("**/.env", "deep/d/d/d", opts=["--deny-read", "**/.env"])
    lab.starts()


@pytest.mark.only_user
def test_a_closed_directory_hides_nothing_from_a_pattern(lab):
    f, token = lab.secret("work/conf/.env")
    opts = ["--deny-read", "**/.env"]
    script = f"chmod 700 conf; cat '{f}'"
    f.parent.chmod(0)           # as an earlier box may have left it
    try:
        assert token in lab.sh(script).out                      # the control
        f.parent.chmod(0)
        lab.refuses("**/.env", "conf", opts=opts)
    finally:
        f.parent.chmod(0o700)
    assert token not in lab.sh(script, opts=opts).out


# -- inside a box -------------------------------------------------------------
def test_inside_a_box_run_says_where_it_is(lab):
    if os.geteuid():
        lab.file("home/.config/cordon/config.yaml", "version: 1\n", 0o644)
    before = as_caller(lab)
    if before:
        lab.file("etc/cordon/config.yaml", "version: 1\n", 0o644)
        lab.file("etc/cordon/ceiling.yaml", "version: 1\n", 0o644)
    p = lab.file("work/p.yaml", "version: 1\n")

    def inside(*argv):
        return lab.host(*before, lab.cordon, "run", "--", lab.cordon, *argv)

    r = inside("run", "--", "true")
    assert r.code == 125 and "inside of a box" in r.err, r
    assert "ermission" not in r.err, r
    lab.file("work/.cordon.yaml", "version: 1\n")
    without = ["--allow-degraded", "landlock"]      # not to be had inside
    for argv in (["version"], ["check", p], ["plan", *without],
                 ["policy", "show"], ["explain", *without, "read", "/etc"]):
        r = inside(*argv)
        assert r.ok, r
    # The variable alone does not make a box.
    lab.env["CORDON_SANDBOX"] = "1"
    assert lab.host(*before, lab.cordon, "run", "--", "true").ok
