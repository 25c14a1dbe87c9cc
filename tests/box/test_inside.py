# SPDX-License-Identifier: Apache-2.0
"""What whoever runs in a box is told about it: a summary that cannot be
changed, `cordon explain` inside, text for AGENTS.md, the banner (T-175)."""
import json
import os

import pytest

SUMMARY = "/run/cordon/policy.json"
README = "/run/cordon/README"


def summary(lab, **kw):
    r = lab.run("cat", SUMMARY, **kw)
    assert r.ok, r
    return json.loads(r.out)


def paths(rules):
    return {rule["path"]: rule for rule in rules}


def test_the_summary_lists_the_rules(lab):
    """T-175 policy file"""
    secret, _ = lab.secret("home/.ssh/id_rsa")
    got = summary(lab, opts=["--deny-read", "conf", "--allow-domain",
                             "github.com", "--deny-domain", "evil.org",
                             "--timeout", "1m"])
    assert got["version"] == 1 and got["workdir"] == str(lab.work)
    assert got["truncated"] is False
    files = got["files"]
    assert str(lab.work) in paths(files["writable"])
    hidden = paths(files["hidden"])
    assert hidden[str(secret.parent)]["rule"] == "deny_read"
    assert "profile base" in hidden[str(secret.parent)]["origin"]
    assert hidden[str(lab.work / "conf")]["origin"] == "--deny-read"
    kept = paths(files["read_only"])[str(lab.work / ".mcp.json")]
    assert kept["absent"] and kept["write"]["rule"] == "protected"
    net = got["network"]
    assert net["mode"] == "filtered"
    assert net["allow"] == [{"rule": "github.com",
                             "origin": "--allow-domain"}]
    assert [r["rule"] for r in net["deny"]] == ["evil.org"]
    assert got["limits"]["wall_time_ms"] == 60000


@pytest.mark.parametrize("opts", [["-P", "strict"], ["--network", "none"],
                                  ["--view", "minimal"]],
                         ids=["strict", "none", "minimal"])
def test_every_box_has_one(lab, opts):
    assert summary(lab, opts=opts)["version"] == 1
    assert SUMMARY in lab.run("cat", README, opts=opts).out


def test_nothing_inside_can_change_it(lab):
    acts = [f"echo x > {SUMMARY}", f"rm -f {SUMMARY}", "touch /run/cordon/x",
            "mv /run/cordon /run/other", "rmdir /run/cordon",
            f"mv {README} {SUMMARY}", f"chmod 666 {SUMMARY}",
            "ln -sf /etc/passwd " + SUMMARY,
            "mount -t tmpfs x /run/cordon", "umount /run/cordon",
            "unshare -Urm true"]
    before = lab.run("cat", SUMMARY).out
    for act in acts:
        r = lab.sh(f"{act} 2>&1; cat {SUMMARY}")
        assert r.ok and before in r.out.replace("\r", ""), (act, r)
        assert not lab.sh(act).ok, act
    # control: beside it the box does as it likes, in its own /run
    assert lab.sh("mkdir /run/mine && echo x > /run/mine/f && "
                  "mv /run/mine /run/other").ok


def test_it_holds_no_values(lab):
    r = lab.run("cat", SUMMARY, README, opts=[
        "-e", "MY_TOKEN=value-123", "--mask-pattern", "literal-456"])
    assert r.ok and "value-123" not in r.out and "literal-456" not in r.out
    # control: the variable is there
    assert "value-123" in lab.run("env", opts=["-e", "MY_TOKEN=value-123"]).out


def test_names_in_hidden_directories_are_not_told(lab):
    lab.file("work/private/plans-for-may/.env")
    r = lab.run("cat", SUMMARY, README,
                opts=["--deny-read", "private", "--deny-read", "**/.env"])
    assert str(lab.work / "private") in r.out and "plans-for-may" not in r.out
    # control: elsewhere the file is named, as its name can be seen
    r = lab.run("cat", SUMMARY, opts=["--deny-read", "**/.env"])
    assert "plans-for-may" in r.out


def test_a_large_policy_is_cut(lab):
    names = [f"n{i}" for i in range(1500)]
    p = lab.policy(filesystem={"deny_write": names})
    got = lab.run("cat", SUMMARY, policy=p)
    assert got.ok and len(got.out) <= 65536, got
    assert json.loads(got.out)["truncated"] is True
    r = lab.run(lab.cordon, "explain", "read", "x", policy=p)
    assert r.code != 0 and "ask outside" in r.err, r
    assert lab.run(lab.cordon, "explain", "net", "x.org", policy=p).code == 1


# -- explain -----------------------------------------------------------------

def asked(lab):
    lab.secret("home/.aws/credentials")
    lab.file("work/src/a")
    lab.file("work/keep")
    os.symlink("keep", lab.work / "link")
    return (["--deny-write", "keep", "--deny-read", "src/b"],
            ["read", ".", "src/a", "src/b", "/etc/passwd", "~/.aws",
             "~/.aws/credentials", "keep", "link", "/nowhere/x", SUMMARY],
            ["write", "new", "src/b", ".bashrc", "keep", "link", "/etc/x",
             "/usr/bin/env", SUMMARY])


def test_explain_gives_the_answers_of_outside(lab):
    opts, *questions = asked(lab)
    for words in questions:
        outside = lab.cli("explain", *opts, "--json", *words)
        inside = lab.run(lab.cordon, "explain", "--json", *words, opts=opts)
        assert inside.out == outside.out, (outside, inside)
        assert inside.code == outside.code == 1
        assert "inside a box: answered from its policy" in inside.err
        assert "inside a box" not in outside.err
    assert lab.run(lab.cordon, "explain", "read", ".", opts=opts).ok


@pytest.mark.parametrize("opts", [
    [], ["--network", "none"], ["--allow-domain", "github.com"],
    ["--allow-domain", "*.npmjs.org:8443", "--deny-domain", "x.npmjs.org",
     "--host-port", "5432"]], ids=["default", "none", "one", "more"])
def test_explain_net_gives_the_answers_of_outside(lab, opts):
    words = ["net", "github.com", "a.npmjs.org:8443", "x.npmjs.org:8443",
             "localhost:5432", "localhost:22", "10.0.0.1"]
    outside = lab.cli("explain", *opts, "--json", *words)
    inside = lab.run(lab.cordon, "explain", "--json", *words, opts=opts)
    assert inside.out == outside.out and inside.code == outside.code == 1


def test_explain_exec_gives_the_answers_of_outside(lab):
    opts = ["--deny-exec", "env", "--deny-exec", "git push",
            "--allow-exec", "git push origin docs"]
    for words, code in [(["env"], 1), (["git", "-C", "x", "push"], 1),
                        (["git", "push", "origin", "docs"], 0),
                        (["true"], 0), (["no-such-program"], 0)]:
        outside = lab.cli("explain", *opts, "--json", "exec", "--", *words)
        inside = lab.run(lab.cordon, "explain", "--json", "exec", "--", *words,
                         opts=opts)
        assert inside.out == outside.out, (outside, inside)
        assert inside.code == outside.code == code
    got = summary(lab, opts=opts)["exec"]
    assert [r["rule"] for r in got["deny"]][-2:] == ["env", "git push"]
    assert any(p["path"].endswith("/env") for p in got["masked"])


def test_explain_agrees_with_what_happens(lab):
    """What it says is allowed works, and what it says is denied does not."""
    lab.secret("home/.ssh/id")
    script = (f'{lab.cordon} -q explain write "$1" >/dev/null 2>&1; said=$?; '
              'touch "$1" 2>/dev/null; did=$?; echo "$said $did"')
    for name, denied in [("new", 0), (".bashrc", 1), ("/etc/x", 1),
                         ("/tmp/x", 0), ("/run/cordon/x", 1),
                         (lab.home / ".ssh/id", 1)]:
        r = lab.sh(script.replace("cordon -q explain", "cordon explain -q"),
                   name)
        assert r.out == f"{denied} {denied}\n", (name, r)
    assert lab.run(lab.cordon, "explain", "read", "/tmp/mine").ok


def test_explain_inside_takes_no_other_policy(lab):
    r = lab.run(lab.cordon, "explain", "--deny-read", "src", "read", "src")
    assert r.code == 2 and "inside of a box" in r.err, r
    # control: outside the option counts
    assert lab.cli("explain", "--deny-read", "src", "read", "src").code == 1


# What a process in a box looks like, without the box.
PRETEND = r"""
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
code = struct.pack("HBBI", 0x06, 0, 0, 0x7fff0000)
buf = ctypes.create_string_buffer(code)
class Prog(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("v", ctypes.c_void_p)]
prog = Prog(1, ctypes.addressof(buf))
assert libc.prctl(22, 2, ctypes.byref(prog), 0, 0) == 0
os.environ["CORDON_SANDBOX"] = "1"
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_without_a_summary_nothing_is_answered(lab):
    r = lab.host("python3", "-c", PRETEND, lab.cordon, "explain", "read", "/")
    assert r.code != 0 and SUMMARY in r.err and "missing" in r.err, r
    assert r.out == ""


def test_a_summary_that_could_be_written_is_not_believed(lab):
    forged = lab.file("forged", lab.run("cat", SUMMARY).out)
    script = ("mount -t tmpfs x /run && mkdir /run/cordon && "
              f"cp {forged} {SUMMARY} && "
              'if [ "$3" = ro ]; then mount -o remount,bind,ro /run; fi && '
              'exec python3 -c "$1" "$2" explain read /')

    def answer(mode):
        return lab.host("unshare", "-Urm", "sh", "-c", script, "sh", PRETEND,
                        lab.cordon, mode)

    r = answer("rw")
    assert r.code != 0 and "could be written" in r.err and r.out == "", r
    assert answer("ro").ok                                      # control


# -- words -------------------------------------------------------------------

def test_text_for_agents(lab):
    """`cordon policy agents` says what the box's README says."""
    opts = ["--allow-domain", "github.com", "--timeout", "5m"]
    r = lab.cli("policy", "agents", *opts)
    assert r.ok, r
    assert lab.run("cat", README, opts=opts).out == r.out
    for word in (str(lab.work), "github.com", "wall_time 300000", SUMMARY,
                 "cordon explain", "When something is refused", ".mcp.json"):
        assert word in r.out, (word, r)
    assert len(r.out) < 4096
    r = lab.run(lab.cordon, "policy", "agents")
    assert r.code != 0 and README in r.err, r
    assert lab.cli("policy", "agents", "x").code == 2


def test_the_banner_lists_the_rules(lab):
    """T-175 banner"""
    lab.secret("home/.ssh/id")
    r = lab.run("true", opts=["-v", "--allow-domain", "github.com",
                              "--deny-domain", "evil.org", "--mask", "github",
                              "--deny-write", "kept"])
    assert r.ok and r.out == "", r
    for word in (f"writable: {lab.work}", str(lab.home / ".ssh"), "github.com",
                 "never: evil.org", "limits: open_files", "kept",
                 "output: github"):
        assert word in r.err, (word, r)
    assert all(line.startswith("cordon: ") for line in r.err.splitlines())
    assert lab.run("true").err == ""                            # control
    assert "writable" in lab.run("true", opts=["--verbose"]).err
    assert lab.run("true", opts=["-v", "-q"]).err == ""
