# SPDX-License-Identifier: Apache-2.0
"""exec.deny with arguments, races, and how a refusal is told."""
import os
import shutil
import signal

import pytest

from execlab import built, deny, events, tools  # noqa: F401
from lab import probe_path


# -- arguments -------------------------------------------------------------
def test_sub_commands(lab):
    """T-072: git push is denied, git status is not."""
    lab.repository()
    (lab.work / "x").mkdir()
    policy = deny("git push")
    assert lab.run("git", "status", policy=policy).ok
    for form in ("git push", "git -C . push", "git -c a.b=c push",
                 "git --no-pager push", "git --git-dir=.git push",
                 "cd x && git push", "env git push", "git -C x push"):
        r = lab.sh(form + " origin HEAD; echo $?", policy=policy)
        assert r.lines[-1] == "126", r
        assert "exec.deny 'git push'" in r.err, r
    r = lab.sh("git push origin HEAD; echo $?")      # control: git's own error
    assert r.lines[-1] not in ("126", "0"), r


def test_a_longer_allow_wins(lab, tools):
    """T-073"""
    policy = deny("oktool one", allow=["oktool one two"])
    assert lab.sh("oktool three", policy=policy).out == "three ran\n"
    assert lab.sh("oktool one two", policy=policy).out == "one ran\n"
    assert "ran" not in lab.sh("oktool one four", policy=policy).out
    assert lab.sh("oktool one four").out == "one ran\n"


def test_a_copy_has_the_same_rules(lab, tools):
    """Arguments of a copy, a link and a descriptor of the program."""
    policy = deny("oktool one")
    ways = ["cp $O c; ./c one", "ln -s $O c; ./c one",
            "/lib64/ld-linux-x86-64.so.2 $O one",
            "python3 -c 'import os,sys\n"
            "os.execve(os.open(sys.argv[1], os.O_RDONLY), [\"x\", \"one\"],"
            "{})' $O"]
    for way in ways:
        script = "rm -f c; " + way.replace("$O", str(tools / "oktool"))
        assert lab.sh(script).out == "one ran\n", way
        r = lab.sh(script, policy=policy)
        assert "ran" not in r.out and "exec.deny" in r.err, r
        allowed = script.replace("one", "two")
        assert lab.sh(allowed, policy=policy).out == "two ran\n", way


def test_a_script_line_has_the_same_rules(lab, tools):
    """#!/path/to/oktool one"""
    script = lab.work / "s"
    script.write_text(f"#!{tools / 'oktool'} one\n")
    script.chmod(0o755)
    assert lab.run("./s").out == "one ran\n"
    r = lab.sh("./s; true", policy=deny("oktool one"))
    assert "ran" not in r.out and "exec.deny" in r.err, r


# The script s says "#!oktool one"; what the box can do about that
DISGUISES = {
    "unreadable": "chmod 111 s; ./s",
    "copied interpreter": "cp $O c; sed s,$O,$PWD/c, s > t; chmod +x t; ./t",
    "interpreter that is a script": "printf '#!%s/s\\n' $PWD > t; "
                                    "chmod +x t; ./t",
    "leased": "python3 -c 'import fcntl,os,signal,subprocess\n"
              "f = os.open(\"s\", os.O_RDONLY | os.O_CLOEXEC)\n"
              "free = lambda *_: fcntl.fcntl(f, fcntl.F_SETLEASE, 2)\n"
              "signal.signal(signal.SIGIO, free)\n"
              "fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n"
              "subprocess._USE_VFORK = False\n"
              "subprocess.run([\"./s\"])'",
    "limit of descriptors": "python3 -c 'import resource,subprocess\n"
                            "hard = resource.prlimit(1, 7)[1]\n"
                            "for n in range(6, 30):\n"
                            " resource.prlimit(1, 7, (n, hard))\n"
                            " try: subprocess.run([\"./s\"])\n"
                            " except OSError: pass'",
}


@pytest.mark.parametrize("way", DISGUISES)
def test_a_script_line_cannot_be_kept_from_sight(lab, tools, way):
    """What of it is not known is refused."""
    oktool = str(tools / "oktool")
    (lab.work / "s").write_text(f"#!{oktool} one\n")
    (lab.work / "s").chmod(0o755)
    script = DISGUISES[way].replace("$O", oktool)
    if "prlimit" not in script:     # on the host that is another's
        assert "one ran\n" in lab.host("sh", "-c", script).out
    r = lab.sh(script + "; true", policy=deny("oktool one"))
    assert "ran" not in r.out and "exec.deny" in r.err, r
    lab.sh("chmod 755 s; sed -i s/one/two/ s")
    r = lab.sh("./s; true", policy=deny("oktool one"))
    assert r.out == "two ran\n", r


def test_more_arguments_than_are_looked_at(lab, tools):
    """What could hide behind them is refused, if a rule could mean it."""
    script = "oktool $(seq 1 5000) if=x"
    assert lab.sh(script).out == "1 ran\n"
    r = lab.sh(script, policy=deny("oktool if="))
    assert "ran" not in r.out, r
    assert lab.sh(script, policy=deny("oktool one")).out == "1 ran\n"


def test_threads_may_execute(lab):
    """T-077: a multithreaded program starts what is allowed."""
    r = lab.run("python3", "-c", """
import subprocess, threading
def work():
    for _ in range(10):
        assert subprocess.run(['/bin/echo', 'x'], capture_output=True).stdout
ts = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
print('done')""", policy=deny("git push"))
    assert r.out == "done\n", r


def race(lab, policy, *argv):
    r = lab.run(probe_path("execrace"), *map(str, argv), policy=policy,
                timeout=300)
    assert r.ok, r
    words = r.out.split()
    return dict(zip(words[::2], map(int, words[1::2])))


def test_a_race_never_runs_what_is_denied_as_a_whole(lab, tools):
    """T-077: path and file are swapped while they are judged."""
    n = int(os.environ.get("CORDON_RACES") or 2000)
    same = tools / "aa" / "tool1", tools / "aa" / "tool2"
    same[0].parent.mkdir()
    same[0].write_text("#!/bin/sh\necho allowed\n")
    same[1].write_text("#!/bin/sh\necho denied\n")
    for p in same:
        p.chmod(0o755)
    bare = race(lab, None, "path", 300, same[0], same[1])
    assert bare["denied"] and bare["allowed"], bare
    got = race(lab, deny(str(same[1])), "path", n, same[0], same[1])
    print(got)
    assert got["denied"] == 0 and got["allowed"], got


def test_a_race_on_arguments_is_a_guard_rail(lab, tools):
    """T-077: the figure is for SECURITY.md; most tries are refused."""
    n = int(os.environ.get("CORDON_RACES") or 2000)
    got = race(lab, deny("oktool denied"), "argv", n, tools / "oktool",
               "allowed", "denied")
    print(got)
    assert got["refused"] and got["allowed"], got


# -- told ------------------------------------------------------------------
def test_a_denial_is_told_with_rule_and_arguments(lab, tools):
    """T-076"""
    r, seen = events(lab, "sh", "-c", "oktool one 'a b'; denytool x",
                     policy=deny("oktool one", "denytool"))
    denied = [e for e in seen if e["event"] == "denied"]
    assert [e["what"] for e in denied] == ["exec", "exec"], seen
    assert denied[0]["argv"] == ["oktool", "one", "a b"], denied
    assert denied[0]["rule"] == "exec.deny 'oktool one'"
    assert "policy.yaml" in denied[0]["origin"]
    assert "--allow-exec" in denied[0]["hint"]
    assert denied[1]["argv"] == ["denytool", "x"]
    assert all(e["comm"] and e["pid"] > 1 for e in denied)
    assert r.code == 126


def test_the_remedy_is_right(lab, tools):
    """What a denial says would allow it, does."""
    r, seen = events(lab, "sh", "-c", "oktool one 'a b'",
                     policy=deny("oktool one"))
    hint = [e for e in seen if e["event"] == "denied"][0]["hint"]
    option, _, value = hint.partition("=")
    r = lab.sh(f"exec env printf '%s' {value}")
    r = lab.sh("oktool one 'a b'; oktool one c", policy=deny("oktool one"),
               opts=[option, r.out])
    assert r.out == "one ran\n", r


def test_the_remedy_for_a_copy(lab, tools):
    """Another name of the program would not be allowed by its own."""
    _, seen = events(lab, "sh", "-c", f"cp {tools / 'oktool'} c; ./c one",
                     policy=deny("oktool one"))
    hint = [e for e in seen if e["event"] == "denied"][0]["hint"]
    assert hint.startswith("take 'oktool one' out of exec.deny"), hint


def test_a_masked_program_is_told_under_its_other_names(lab, tools):
    """T-076: a rule names the link, the file behind it is executed."""
    os.rename(tools / "denytool", tools / "denytool-1.2")
    os.symlink("denytool-1.2", tools / "denytool")
    r, seen = events(lab, "sh", "-c", "denytool-1.2 x", policy=deny("denytool"))
    denied = [e for e in seen if e["event"] == "denied"]
    assert [e["argv"] for e in denied] == [["denytool-1.2", "x"]], seen
    assert denied[0]["rule"] == "exec.deny 'denytool'", denied
    # an exception for this name would not help: the file is the other too
    assert denied[0]["hint"].startswith("take 'denytool' out"), denied
    assert r.code == 126
    # nothing is told of what no rule is about
    r, seen = events(lab, "sh", "-c", "denytool-1.2 x", policy=deny("oktool"))
    assert not [e for e in seen if e["event"] == "denied"], seen


def test_the_sentence_comes_once_for_each_rule(lab, tools):
    r = lab.sh("denytool; denytool; denytool; oktool one; oktool one",
               policy=deny("denytool", "oktool one"))
    # not at the start: a shell may be in the middle of its own line
    said = [s for s in r.err.splitlines() if "cordon: refused: " in s]
    assert len(said) == 2, r
    assert "denytool" in said[0] and "oktool one" in said[1], said


def test_signals_while_it_is_judged(lab, tools):
    """T-078: Ctrl-C and TERM in the middle of executions: no hang, no
    orphan."""
    for sig in (signal.SIGINT, signal.SIGTERM):
        p = lab.spawn("sh", "-c", "echo ready; while :; do oktool one; "
                      "/bin/true; done",
                      opts=["-s", lab.policy(**deny("oktool one"))])
        assert p.stdout.readline() == b"ready\n"
        p.send_signal(sig)
        p.communicate(timeout=20)
        assert p.returncode == 128 + sig, p.returncode


def test_the_supervisor_dies(lab, tools):
    """Nothing waits for a decision that nobody will make."""
    p = lab.spawn("sh", "-c", "echo $$ ready; while :; do /bin/true; done",
                  opts=["-s", lab.policy(**deny("oktool one"))])
    assert p.stdout.readline().endswith(b"ready\n")
    p.kill()
    p.wait()
    assert p.stdout.read() == b""      # end of file: nobody holds it any more


# -- guard-rail ------------------------------------------------------------
# EX-10 of the attack suite: spellings of `git push`, and what becomes of each
# with exec.deny ["git push"] alone. False: no argument tells that it pushes.
SPELLINGS = {
    "git push $R $P": True,
    "git -C . push $R $P": True,
    "git -c a.b=c push $R $P": True,
    "git --git-dir=.git push $R $P": True,
    "git --no-pager push $R $P": True,
    "git -P push $R $P": True,
    "git --exec-path=$C push $R $P": True,
    "git -c alias.p=push p $R $P": True,
    "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.q "
    "GIT_CONFIG_VALUE_0=push git q $R $P": True,   # git executes itself
    "$C/git push $R $P": True,
    "$C/git-push $R $P": True,
    "$C/git-send-pack $W/remote.git $P": False,    # another command
    "git send-pack $W/remote.git $P": False,       # the same
    'sh -c "git push $R $P"': True,
    "env git push $R $P": True,
    'busybox sh -c "git push $R $P"': True,
    "python3 -c \"import os; os.execvp('git',['git','push','$R','$P'])\"":
        True,
    "python3 -c \"import os; os.execvp('git',['git-push','push','$R','$P'])\"":
        True,
    "ln -sf /usr/bin/git gg; ./gg push $R $P": True,
    "cp /usr/bin/git g2; ./g2 push $R $P": True,
    "git -c help.autocorrect=immediate psuh $R $P": True,   # in doubt
    "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push $R $P": True,
    "git subtree push --prefix=x $R pwn": True,    # starts git push itself
    "git -c core.sshCommand=x -c alias.z='!git push' z $R $P": True,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_git_push(lab, spelling):
    """EX-10: which of them arguments can tell."""
    if "busybox" in spelling and not shutil.which("busybox"):
        pytest.skip("no busybox")
    lab.repository()
    remote = lab.work / "remote.git"
    assert lab.host("git", "init", "-q", "--bare", remote).ok
    assert lab.host("git", "remote", "add", "origin", remote).ok
    script = ("C=$(git --exec-path); R=origin; P=HEAD:refs/heads/pwn; W=$PWD;"
              + spelling)

    def pushed():
        return lab.host("git", f"--git-dir={remote}", "rev-parse", "-q",
                        "--verify", "refs/heads/pwn").ok

    policy = deny("git push")
    r = lab.sh(script, policy=policy)
    assert pushed() != SPELLINGS[spelling], r
    more = deny("git push", "git send-pack")
    if "send-pack" in spelling:     # a rule for it holds
        assert lab.host("git", f"--git-dir={remote}", "update-ref", "-d",
                        "refs/heads/pwn").ok
        lab.sh(script, policy=more)
        assert not pushed()
