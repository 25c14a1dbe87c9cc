# SPDX-License-Identifier: Apache-2.0
"""run --explain: every refusal is told, with its rule and what changes it."""
import json
import os

import pytest


def events(lab, script, *opts, policy=None):
    """Result and the events of a box that runs @script with --explain."""
    r, w = os.pipe()
    try:
        result = lab.sh(script, opts=["--explain", "--events-fd", str(w), *opts],
                        policy=policy, pass_fds=[w])
        os.close(w)
        w = -1
        with os.fdopen(r) as f:
            r = -1
            return result, [json.loads(line) for line in f]
    finally:
        for fd in r, w:
            if fd >= 0:
                os.close(fd)


def denied(told, target):
    return [e for e in told if e.get("event") == "denied" and e.get("target") == str(target)]


def one(told, target):
    found = denied(told, target)
    assert found, (target, told)
    return found[0]


def test_a_secret_is_told_with_its_rule(lab):
    path, token = lab.secret(lab.home / ".ssh/id_rsa")
    result, told = events(lab, "cat ~/.ssh/id_rsa; ls ~/.ssh; cd ~ && cat .ssh/id_rsa")
    e = one(told, path)
    assert "deny_read" in e["rule"] and "base" in e["rule"], e
    assert e["hint"] == f"--allow-read='{path}'", e
    assert e["comm"] == "cat" and e["pid"] > 0, e
    assert len(denied(told, path)) == 2, told
    mask = one(told, path.parent)
    assert "remove" in mask["hint"] and "~/.ssh" in mask["hint"], mask
    assert token not in result.out
    # the remedy is one: a deeper path may be allowed
    r = lab.sh("cat ~/.ssh/id_rsa", opts=["--explain", f"--allow-read={path}"])
    assert token in r.out and "refused" not in r.err, r
    # without the option a read is not seen
    r = lab.sh("cat ~/.ssh/id_rsa")
    assert not r.ok and "refused" not in r.err, r


def test_the_remedy_for_a_rule_at_the_very_path_works(lab):
    path, token = lab.secret(lab.work / ".env")
    result, told = events(lab, "cat .env")
    e = one(told, path)
    text = e["hint"].split("'")[1]
    p = lab.policy(text=text + "\n")
    r = lab.sh("cat .env", policy=p)
    assert token in r.out, (r, text)


# A name, and another one that it matches when it is read as a pattern.
PATTERNS = [("a*b [x]", "a1b x"), ("**", "any"), ("?", "q"), ("[ab]", "a"),
            ("b\\*", "b\\c"), ("it's \"q\" $HOME `id`; $(id)", "it's"),
            ("-x\\", "-x"), ("é ~ {a,b}", "é")]


@pytest.mark.parametrize("name, other", PATTERNS)
def test_the_remedy_is_for_this_name_alone(lab, name, other):
    """Pasted into a shell it allows the file, and no other."""
    act = 'echo more >> "$FILE" || exit 1'
    for directory, script in ((lab.outside, act),
                              (lab.home / ".ssh", 'cat "$FILE" || exit 1')):
        files = [lab.file(directory / n) for n in (name, other)]
        lab.env["FILE"] = str(files[0])
        _, told = events(lab, script)
        hint = one(told, files[0])["hint"]
        assert hint.startswith("--allow-"), told

        def paste(file):
            lab.env["FILE"] = str(file)
            return lab.host("sh", "-c", f"'{lab.cordon}' run {hint} -- "
                            f"sh -c '{script}'")
        assert paste(files[0]).ok, hint
        assert not paste(files[1]).ok, hint
        # The control: without a rule it is not, and said is the same.
        lab.env["FILE"] = str(files[0])
        r = lab.sh(script, opts=["--explain"])
        assert not r.ok and hint in r.err, (hint, r)


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2J", "a\u2028b", "a\u202eb"])
def test_a_name_that_cannot_be_printed_makes_no_option(lab, name):
    """Escaped it would be the name of another file."""
    file = lab.file(lab.outside / name)
    lab.env["FILE"] = str(file)
    _, told = events(lab, 'echo more >> "$FILE"; exit 0')
    hint = one(told, file)["hint"]
    assert "--allow" not in hint and "cannot be printed" in hint, told
    r = lab.cli("explain", "write", file)
    assert "--allow" not in r.out and "cannot be printed" in r.out, r


def test_the_remedy_for_a_pattern_is_quoted_as_a_policy(lab):
    policy = lab.policy(filesystem={"deny_write": [r'\"q\"\*.k*']})
    file = lab.file(lab.work / '"q"*.kept')
    lab.env["FILE"] = str(file)
    _, told = events(lab, 'echo more >> "$FILE"; exit 0', policy=policy)
    hint = one(told, file)["hint"]
    more = lab.policy("more.yaml", text="version: 1\nextends: "
                      f"{json.dumps(str(policy))}\n"
                      + hint.split("'", 1)[1].rpartition("'")[0] + "\n")
    assert lab.sh('echo more >> "$FILE"', policy=more).ok, hint
    assert not lab.sh('echo more >> "$FILE"', policy=policy).ok


def test_links_are_told_as_what_they_lead_to(lab):
    path, token = lab.secret(lab.home / ".ssh/id_rsa")
    (lab.work / "link").symlink_to(path.parent)
    (lab.work / "file").symlink_to(path)
    result, told = events(lab, "cat link/id_rsa; cat file; cat /proc/self/cwd/file")
    assert len(denied(told, path)) == 3, told


def test_writes_creations_and_removals(lab):
    old = lab.file(lab.outside / "old")
    script = f"cd {lab.outside}; echo > old; echo > new; mkdir dir; rm old; mv old other; ln -s x s; truncate -s 0 old"
    result, told = events(lab, script)
    acts = {(e["target"], e["what"]) for e in told if e["event"] == "denied"}
    for name in "old", "new", "dir", "s":
        e = one(told, lab.outside / name)
        assert "allow_write" in e["rule"], e
    assert f"--allow-write='{old}'" in one(told, old)["hint"]
    # a name is made or removed in a directory
    assert one(told, lab.outside / "new")["hint"] == f"--allow-write='{lab.outside}'"
    assert acts >= {(str(old), "write"), (str(old), "remove"), (str(lab.outside / "new"), "create"),
                    (str(lab.outside / "dir"), "create"), (str(lab.outside / "s"), "create")}, acts
    assert lab.sh(script, opts=[f"--allow-write={lab.outside}", "--explain"]).err.count("refused") == 0
    assert (lab.outside / "dir").is_dir()


def test_protected_names_git_and_own_files(lab):
    lab.repository()
    lab.file(lab.work / ".vscode/x")
    config = lab.home / ".config/cordon"
    config.mkdir(parents=True)
    result, told = events(lab, "echo > .git/hooks/pre-commit; echo > .bashrc; echo > .vscode/x; mv .vscode v;"
                          f"ls {config}; echo >> .git/config")
    hook = one(told, lab.work / ".git/hooks/pre-commit")
    assert "git" in hook["rule"] and "--git=open" in hook["hint"], hook
    assert "protected" in one(told, lab.work / ".bashrc")["rule"]
    assert "protected" in one(told, lab.work / ".vscode/x")["rule"]
    assert "protected" in one(told, lab.work / ".vscode")["rule"]
    if os.geteuid():    # root's lie in /etc, which a test leaves alone
        assert "own files" in one(told, config)["rule"]
    assert "--git=open" in one(told, lab.work / ".git/config")["hint"]
    assert not (lab.work / ".bashrc").exists()


def test_deny_write_and_private_places(lab):
    kept = lab.file(lab.work / "kept")
    result, told = events(lab, "echo > kept; cat kept; touch /tmp/mine; cat /tmp/mine; ls /tmp/host; echo > gone/x",
                          "--deny-write=kept")
    e = one(told, kept)
    assert "deny_write" in e["rule"] and "remove" in e["hint"], e
    # what is not there, or works, is no refusal
    assert len([e for e in told if e["event"] == "denied"]) == 1, told


@pytest.mark.only_user
def test_what_the_policy_has_no_part_in_is_said_to_be_so(lab):
    shut = lab.file(lab.work / "shut", mode=0)
    result, told = events(lab, "cat shut; cat /etc/shadow; touch /tmp/x; chmod 0 /tmp/x; cat /tmp/x")
    for target in shut, "/etc/shadow", "/tmp/x":
        assert "not by the policy" in one(told, target)["rule"], told
    assert not lab.host("cat", "shut").ok


def test_a_directory_above_a_protected_name_stays(lab):
    lab.file(lab.work / "conf/kept")
    result, told = events(lab, "mv conf other", "--deny-write=conf/kept")
    e = one(told, lab.work / "conf")
    assert "conf/kept" in e["rule"] and "deny_write" in e["rule"], e
    assert lab.sh("mv conf other && mv other conf").ok


def test_system_calls_are_told(lab):
    script = ("python3 -c 'import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
              "for nr in 165, 250, 101, 321: print(nr, c.syscall(nr, 0, 0, 0, 0, 0), ctypes.get_errno())'")
    result, told = events(lab, script, "--seccomp=strict")
    names = {e["target"] for e in told if e["event"] == "denied"}
    assert {"mount", "keyctl", "ptrace", "bpf"} <= names, (names, result)
    assert "syscalls.profile: strict" in one(told, "mount")["rule"]
    # the same answers as without
    assert lab.sh(script, opts=["--seccomp=strict"]).out == result.out
    assert "refused" not in lab.sh(script, opts=["--seccomp=strict"]).err


def test_the_end_report_is_grouped_and_short(lab):
    script = ("for i in $(seq 60); do echo > /usr/x$i; cat ~/.ssh/f$i; done 2>/dev/null;"
              "for d in a b c d e f g h i; do cat $d/x; done; unshare -r true; true")
    lab.secret(lab.home / ".ssh/id_rsa")
    deny = []
    for d in "abcdefghi":
        lab.file(lab.work / d / "x")
        deny.append(f"--deny-read={d}")
    r = lab.sh(script, opts=["--explain", *deny])
    mine = [line for line in r.err.splitlines() if line.startswith("cordon:")]
    assert len(mine) <= 20, r
    assert "create /usr/x1 and 59 others, 60 times, first by sh" in r.err, r
    assert "to allow the first: make it outside the box, then --allow-write='/usr/x1'" in r.err, r
    assert "more; --json lists them" in r.err, r
    r = lab.sh(script, opts=["--explain", "--json", *deny])
    assert sum(d["count"] for d in r.outcome()["denials"]) >= 120


def test_nothing_is_told_that_was_not_refused(lab):
    lab.repository()
    for script in ("git status; git log", "python3 -c 'import json, ssl'", "ls -R /usr/lib/python3 > /dev/null",
                   "cat nothing /nothing/x; test -e /root/x; true", "cat /proc/self/maps /proc/1/stat > /dev/null"):
        r, told = events(lab, script)
        assert not [e for e in told if e["event"] == "denied" and "not by" not in e["rule"]], (script, told)


def test_a_flood_does_not_stop_the_box(lab):
    script = "i=0; while [ $i -lt 5000 ]; do : < /dev/null; i=$((i+1)); echo 2>/dev/null > /usr/x$i; done 2>/dev/null; echo end"
    r = lab.sh(script, opts=["--explain"])
    assert r.out.endswith("end\n"), r
    assert "(others)" in r.err or "others" in r.err, r


def test_explain_needs_no_more_rights(lab):
    closed = ("cat /proc/1/mem /proc/1/environ /proc/1/maps; cat /proc/1/fd/0; cat /proc/1/fd/4; "
              "cat /proc/1/root/etc/passwd; cat /proc/1/cwd/x; readlink /proc/1/exe")
    r = lab.sh(closed, opts=["--explain"])
    assert r.out == "" and r.out == lab.sh(closed).out, r
    assert lab.sh(closed.replace("/1/", "/self/")).out     # control: one's own
    for open_ in "cat /proc/1/comm", "cut -d' ' -f1 /proc/1/stat", "head -1 /proc/1/status", "ls /proc/1 | wc -l":
        plain = lab.sh(open_)
        assert plain.ok and plain.out == lab.sh(open_, opts=["--explain"]).out, plain
