# SPDX-License-Identifier: Apache-2.0
"""exec.deny, exec.allow, exec.only_system: what may be executed."""
import json
import os
import shutil
import signal
import subprocess

import pytest

from lab import probe_path

# Prints a line that tells which program it is, as a script cannot: it has no
# interpreter whose own name could be judged.
TOOL = r"""
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	printf("%s %s\n", argc > 1 ? argv[1] : "denied", "ran");
	return 0;
}
"""


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    where = tmp_path_factory.mktemp("tool")
    (where / "tool.c").write_text(TOOL)
    subprocess.run(["cc", "-O1", "-o", where / "tool", where / "tool.c"],
                   check=True)
    return where / "tool"


@pytest.fixture
def tools(lab, built):
    """Two equal programs, outside the workspace and on PATH."""
    where = lab.outside / "bin"
    where.mkdir()
    for name in ("denytool", "oktool"):
        shutil.copy(built, where / name)
    # not the same content: a copy of the one must not be the other
    with open(where / "oktool", "ab") as f:
        f.write(b"\0")
    lab.env["PATH"] = f"{where}:{lab.env['PATH']}"
    return where


def deny(*rules, allow=(), **more):
    return {"exec": {"deny": list(rules), "allow": list(allow), **more}}


def events(lab, *argv, policy=None, opts=()):
    """The command's result, and the events of its box."""
    log = lab.base / "events"
    with open(log, "w") as f:
        r = lab.run(*argv, policy=policy,
                    opts=[*opts, "--events-fd", str(f.fileno())],
                    pass_fds=[f.fileno()])
    return r, [json.loads(s) for s in log.read_text().splitlines()]


# -- a whole program -------------------------------------------------------
FORMS = {
    "direct": "denytool",
    "and": "true && denytool",
    "semicolon": "true; denytool",
    "pipe": "echo | denytool",
    "background": "denytool & wait",
    "newline": "true\ndenytool",
    "subshell": "(denytool)",
    "substitution": "echo $(denytool)",
    "backticks": "echo `denytool`",
    "env": "env denytool",
    "variable": "VAR=x denytool",
    "xargs": "echo | xargs denytool",
    "nested": "sh -c 'sh -c denytool'",
    "nohup": "nohup denytool",
    "timeout": "timeout 5 denytool",
    "nice": "nice denytool",
    "find": "find . -maxdepth 0 -exec denytool \\;",
    "exec": "exec denytool",
    "command": "command denytool",
    "eval": "eval denytool",
    "absolute": '"$(command -v denytool)"',
    "python": "python3 -c 'import os; os.system(\"denytool\")'",
    "spawn": "python3 -c 'import os; os.waitpid(os.posix_spawnp("
             "\"denytool\",[\"x\"],os.environ),0)'",
    "awk": "awk 'BEGIN{system(\"denytool\")}'",
    "make": "printf 'all:\\n\\tdenytool\\n' > mk; make -f mk",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_denied_program_runs_in_no_form(lab, tools, form):
    """T-070, T-071: whatever starts it, it does not run."""
    r = lab.sh(FORMS[form])
    assert "denied ran" in r.out, r
    r = lab.sh(FORMS[form], policy=deny("denytool"))
    assert "ran" not in r.out, r
    if form != "make":      # it looks for itself, and does not even try
        assert "exec.deny 'denytool'" in r.err, r
    r = lab.sh(FORMS[form].replace("denytool", "oktool"),
               policy=deny("denytool"))
    assert "denied ran" in r.out, r        # the other program still does


def test_a_shell_says_126(lab, tools):
    """EACCES, so the shell's own code for it."""
    r = lab.sh("denytool; echo $?", policy=deny("denytool"))
    assert r.lines == ["126"], r


def test_the_command_itself(lab, tools):
    """Nothing runs, and the reason is the rule."""
    r = lab.run("denytool", policy=deny("denytool"))
    assert r.code == 126 and "exec.deny" in r.err and not r.out, r
    r = lab.run("git", "push", "origin", policy=deny("git push"))
    assert r.code == 126 and "git push" in r.err, r


WAYS = {
    "copy": "cp $D c && ./c",
    "cat": "cat $D > c; chmod +x c; ./c",
    "hard link": "ln $D c && ./c",
    "symbolic link": "ln -s $D c && ./c",
    "rename": "mv $D c; ./c",
    "loader": "/lib64/ld-linux-x86-64.so.2 $D",
    "proc": "/proc/self/root$D",
    "interpreter": "printf '#!%s\\n' $D > s; chmod +x s; ./s",
    "fexecve": "python3 -c 'import os,sys\n"
               "os.execve(os.open(sys.argv[1], os.O_RDONLY), [\"x\"], {})' $D",
    "path descriptor": "python3 -c 'import os,sys\n"
               "os.execve(os.open(sys.argv[1], os.O_PATH), [\"x\"], {})' $D",
    "memfd": "python3 -c 'import os,sys\n"
             "m = os.memfd_create(\"x\")\n"
             "os.write(m, open(sys.argv[1], \"rb\").read())\n"
             "os.execve(m, [\"x\"], {})' $D",
}


@pytest.mark.parametrize("report", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_its_content_is_not_to_be_had(lab, tools, way, report):
    """T-074: no copy, link or descriptor of a masked program."""
    script = WAYS[way].replace("$D", str(tools / "denytool"))
    if way != "rename":     # the control would move it away
        r = lab.host("sh", "-c", script)
        assert " ran" in r.out, r
        for left in ("c", "s"):
            (lab.work / left).unlink(missing_ok=True)
    r = lab.sh(script, policy=deny("denytool", report=report))
    assert "ran" not in r.out, r
    assert (tools / "denytool").exists()


def test_every_name_of_it(lab, tools):
    """Symbolic and hard links that were there before the box."""
    (tools / "softname").symlink_to("denytool")
    os.link(tools / "denytool", tools / "hardname")
    for name in ("softname", "hardname"):
        r = lab.sh(name)
        assert "denied ran" in r.out, r
        r = lab.sh(name, policy=deny("denytool", report=False))
        assert "ran" not in r.out, r


def test_a_second_copy_of_it(lab, tools):
    """T-074: outside PATH, so nothing masks it: its content tells."""
    where = lab.outside / "libexec"
    where.mkdir()
    shutil.copy(tools / "denytool", where / "second")
    for script in (f"{where}/second", f"cp {where}/second c && ./c"):
        assert "denied ran" in lab.sh(script).out
        r = lab.sh(script, policy=deny("oktool"))
        assert "denied ran" in r.out, r     # another content
        (lab.work / "c").unlink(missing_ok=True)
        r = lab.sh(script, policy=deny("denytool"))
        assert "ran" not in r.out and "exec.deny 'denytool'" in r.err, r


@pytest.mark.skipif(not os.path.exists("/usr/lib/git-core/git"),
                    reason="git has no second copy here")
@pytest.mark.parametrize("report", [True, False])
def test_the_second_copy_of_git(lab, report):
    """T-074: it lies beside its sub-commands, and has a mask as well."""
    copy = "/usr/lib/git-core/git"
    for script in (f"{copy} --version", f"{copy}-add -h 2>&1",
                   f"cp {copy} c && ./c --version"):
        assert "git" in lab.sh(script).out
        (lab.work / "c").unlink(missing_ok=True)
        r = lab.sh(script, policy=deny("git", report=report))
        assert not r.ok and "git version" not in r.out, r
        assert "usage" not in r.out, r
        assert not (lab.work / "c").exists()


FIND = r"""
import glob, os, stat, sys
size = int(sys.argv[1])
for link in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        st = os.stat(link)
    except OSError:
        continue
    if stat.S_ISREG(st.st_mode) and st.st_size == size:
        print("found", link)
try:
    os.stat("/proc/1/fd/3")
except OSError as e:
    print(e.strerror)
"""


def test_the_kept_programs_cannot_be_reached(lab, tools):
    """The guard has the masked files open; nobody gets them from there."""
    size = str((tools / "denytool").stat().st_size)
    with open(tools / "denytool") as f:     # the control: one that is given
        r = lab.run("python3", "-c", FIND, size, stdin=f)
        assert "found" in r.out, r
    r = lab.run("python3", "-c", FIND, size, policy=deny("denytool"))
    assert r.out == "Permission denied\n", r


def test_one_that_comes_later(lab, tools):
    """Installed while the box runs: refused by its name."""
    script = "mkdir -p bin; cp $(command -v oktool) bin/latetool; bin/latetool"
    r = lab.sh(script)
    assert "denied ran" in r.out, r
    r = lab.sh(script, policy=deny("latetool"))
    assert "ran" not in r.out and "latetool" in r.err, r


def test_a_program_that_is_not_there_is_no_error(lab):
    assert lab.run("true", policy=deny("no-such-program-at-all")).ok


# -- multicall -------------------------------------------------------------
@pytest.mark.skipif(not shutil.which("busybox"), reason="no busybox")
def test_one_applet(lab):
    """T-075: the others work, and set-up does not break."""
    busybox = shutil.which("busybox")
    links = lab.outside / "bb"
    links.mkdir()
    for name in ("dd", "ls", "cat"):
        (links / name).symlink_to(busybox)
    lab.env["PATH"] = f"{links}:{lab.env['PATH']}"
    ask = {
        "busybox dd": "busybox dd if=/dev/null count=0",
        "link": f"{links}/dd if=/dev/null count=0",
        "own link": f"ln -sf {busybox} dd; ./dd if=/dev/null count=0",
        "argv0": f"exec -a dd {busybox} if=/dev/null count=0",
        "nested": "busybox busybox dd if=/dev/null count=0",
        "shell": "busybox sh -c 'busybox dd if=/dev/null count=0'",
        "copy": f"cp {busybox} busybox2; ./busybox2 dd if=/dev/null count=0",
    }
    for name, script in ask.items():
        r = lab.run("bash", "-c", script)
        assert r.ok, (name, r)
        r = lab.run("bash", "-c", script, policy=deny("dd"))
        assert not r.ok and "exec.deny 'dd'" in r.err, (name, r)
    r = lab.sh(f"busybox ls / && {links}/ls / && {links}/cat /etc/hostname",
               policy=deny("dd"))
    assert r.ok and "exec.deny" not in r.err, r


def test_an_alias_is_not_its_program(lab, tools):
    """As /sbin/reboot leads to systemctl: the other name goes on working."""
    (tools / "restart").symlink_to("oktool")
    r = lab.sh("restart; oktool", policy=deny("restart"))
    assert r.out == "denied ran\n" and "exec.deny 'restart'" in r.err, r
    assert lab.sh("restart").out == "denied ran\n"


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


# -- only_system -----------------------------------------------------------
@pytest.mark.parametrize("named", [True, False])
def test_only_system_and_a_file_that_is_given_open(lab, tools, named):
    """It lies on the caller's mount, where nothing is noexec."""
    path = lab.file("work/given", "")
    script = (f"cat {tools / 'oktool'} > /proc/self/fd/0; "
              "chmod 755 /proc/self/fd/0; /proc/self/fd/0 x")
    with open(path) as given:
        if not named:
            path.unlink()
        assert lab.sh(script, stdin=given).out == "x ran\n"
        r = lab.sh(script, stdin=given, policy={"exec": {"only_system": True}})
    r.refused("standard input", "exec.only_system", "a pipe")
    r = lab.sh("cat", input="x", policy={"exec": {"only_system": True}})
    assert r.out == "x", r


# Writes @1 to descriptor @2, and maps what came of it as a loader would.
MAP = r"""
import mmap, os, sys
fd = int(sys.argv[2])
with open(fd, "wb", closefd=False) as f:
    f.write(open(sys.argv[1], "rb").read())
try:
    again = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK)
    mmap.mmap(again, 4096, flags=mmap.MAP_PRIVATE,
              prot=mmap.PROT_READ | mmap.PROT_EXEC)
    os.write(3 - fd, b"mapped")
except OSError as e:
    os.write(3 - fd, e.strerror.encode())
"""


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("fd", [1, 2])
def test_only_system_and_a_file_for_output(lab, tools, fd, both):
    """What is written there comes through a pipe, so none can map it."""
    tool = tools / "oktool"
    streams = ["stdout", "stderr"] if both else [["stdout", "stderr"][fd - 1]]
    for policy, says in ((None, "mapped"),
                         ({"exec": {"only_system": True}},
                          "Operation not permitted")):
        path = lab.file("work/output", "")
        with open(path, "a") as f:
            r = lab.run("python3", "-c", MAP, tool, str(fd), policy=policy,
                        **{stream: f for stream in streams})
        said = path.read_bytes()
        assert said.startswith(tool.read_bytes()), r    # all, in order
        if both:
            assert said.endswith(says.encode()), said[-80:]
        else:
            assert says == [r.err, r.out][fd - 1], r


@pytest.mark.parametrize("mode", ["r+", "w"])
def test_only_system_and_a_file_that_is_passed_for_writing(lab, mode):
    policy = {"exec": {"only_system": True}}
    path = lab.file("work/passed", "")
    with open(path, mode) as f:
        opts = ["--pass-fd", str(f.fileno())]
        kw = {"opts": opts, "pass_fds": [f.fileno()]}
        script = ["bash", "-c", f"echo x >&{f.fileno()}"]
        assert lab.run(*script, **kw).ok
        assert path.read_text() == "x\n"
        lab.run(*script, policy=policy, **kw).refused(
            f"descriptor {f.fileno()}", "exec.only_system", "a pipe")
        assert lab.sh("true", stdin=f).ok
        lab.sh("true", policy=policy, stdin=f).refused(
            "standard input", "exec.only_system", "a pipe")
    r, w = os.pipe()
    assert lab.run("bash", "-c", f"echo y >&{w}", policy=policy, pass_fds=[w],
                   opts=["--pass-fd", str(w)]).ok
    assert os.read(r, 9) == b"y\n"
    os.close(r)
    os.close(w)


def test_only_system(lab, tools):
    """Nothing that the box can write runs: a wall, with the reason."""
    policy = {"exec": {"only_system": True}}
    ways = ["cp $O c; ./c", "cp $O /tmp/c; /tmp/c", "cp $O /dev/shm/c; "
            "/dev/shm/c", "cp $O /run/user/$(id -u)/c; /run/user/$(id -u)/c",
            "cp $O c; /lib64/ld-linux-x86-64.so.2 ./c",
            "printf '#!/bin/sh\\necho script ran\\n' > s; chmod +x s; ./s",
            "python3 -c 'import os,sys\n"
            "m = os.memfd_create(\"x\", 0)\n"
            "os.write(m, open(sys.argv[1], \"rb\").read())\n"
            "os.execve(m, [\"x\"], {})' $O",
            "python3 -c 'import os,sys\n"
            "m = os.memfd_create(\"x\", 0)\n"
            "os.write(m, open(sys.argv[1], \"rb\").read())\n"
            "os.fchmod(m, 0o755)\n"
            "os.execve(m, [\"x\"], {})' $O",
            "python3 -c 'import os,sys\n"
            "m = os.memfd_create(\"x\", 0)\n"
            "os.write(m, open(sys.argv[1], \"rb\").read())\n"
            "os.execv(\"/lib64/ld-linux-x86-64.so.2\", "
            "[\"ld\", \"/proc/self/fd/%d\" % m])' $O"]
    for way in ways:
        script = way.replace("$O", str(tools / "oktool"))
        assert "ran" in lab.sh(script).out, way
        r = lab.sh(script, policy=policy)
        assert "ran" not in r.out and not r.ok, (way, r)
    assert "ran" in lab.sh("oktool", policy=policy).out    # the system's
    r = lab.sh(ways[0].replace("$O", str(tools / "oktool")), policy=policy)
    assert "exec.only_system" in r.err, r
    r = lab.run("python3", "-c", "import os; m = os.memfd_create('x'); "
                "os.write(m, b'y'); print(os.pread(m, 1, 0))", policy=policy)
    assert r.out == "b'y'\n", r     # a memfd as such works


MEMFD = """
import ctypes, errno, fcntl, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
def make(flags, name=b'x'):
    fd = libc.memfd_create(name, ctypes.c_uint(flags))
    return 'made' if fd >= 0 else errno.errorcode[ctypes.get_errno()]
for flags in 0, 1, 2, 8, 0x10, 0x18, 0x20, 1 << 26, 0x80000000:
    print(hex(flags), make(flags))
print(make(0, b'n' * 249), make(0, b'n' * 250), make(0, None))
m = os.memfd_create('x')
print(os.get_inheritable(m), os.get_inheritable(os.memfd_create('x', 0)))
os.ftruncate(m, 8192)
a, b = mmap.mmap(m, 8192), mmap.mmap(m, 8192)
a[:3] = b'abc'
print(b[:3], os.pread(m, 3, 0), os.fstat(m).st_size, os.fstat(m).st_nlink)
print(open(f'/proc/self/fd/{m}', 'rb').read(3))
print(fcntl.fcntl(os.memfd_create('x', 0), fcntl.F_GET_SEALS))
try:
    os.link(f'/proc/self/fd/{m}', '/tmp/named', follow_symlinks=True)
except OSError as e:
    print('link', e.errno != 0)
try:
    mmap.mmap(m, 8192, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    print('code')
except PermissionError:
    print('no code')
"""


def test_a_memfd_under_only_system_is_one_but_for_code(lab):
    control = lab.run("python3", "-c", MEMFD)
    assert control.lines[-1] == "code" and "0x18 EINVAL" in control.out, control
    r = lab.run("python3", "-c", MEMFD, policy={"exec": {"only_system": True}})
    assert r.lines == control.lines[:-1] + ["no code"], (r, control)


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
