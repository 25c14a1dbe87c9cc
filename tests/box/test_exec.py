# SPDX-License-Identifier: Apache-2.0
"""exec.deny of whole programs, exec.only_system."""
import os
import shutil

import pytest

from execlab import built, deny, tools  # noqa: F401


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
