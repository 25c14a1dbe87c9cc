# SPDX-License-Identifier: Apache-2.0
"""filesystem.strict: denied patterns are decided at every open."""
import shutil

import pytest

DENY = {"filesystem": {"deny_read": ["**/*.vault", "closed/*.txt", "~/hidden"],
                       "deny_write": ["**/*.seal", "kept"], "strict": True}}
LAX = {"filesystem": {**DENY["filesystem"], "strict": False}}


def later(lab, script, policy, name="late.vault", text="LATE", **kw):
    """Runs @script in a box after the host has made a file; its output."""
    if isinstance(policy, dict):
        policy = lab.policy(**policy)
    p = lab.spawn("sh", "-c", f"echo up; read x; {script}", opts=["-s", policy], text=True, **kw)
    assert p.stdout.readline() == "up\n", p.stderr.read()
    lab.file(lab.work / name, text + "\n")
    out, err = p.communicate("go\n", timeout=30)
    return p.returncode, out, err


READS = {
    "cat": "cat late.vault",
    "relative": "cat ./x/../late.vault",
    "absolute": "cat $PWD/late.vault",
    "link": "ln -s late.vault plain; cat plain",
    "link to its directory": "ln -s . here; cat here/late.vault",
    "stdin": "cat < late.vault",
    "root": "cat /proc/self/root$PWD/late.vault",
    "cwd": "cat /proc/self/cwd/late.vault",
    "hard link": "ln late.vault plain && cat plain",
    "rename": "mv late.vault plain && cat plain",
    "copy": "cp late.vault plain && cat plain",
    "exchange": "echo > o; python3 -c 'import ctypes; print(ctypes.CDLL(None).renameat2("
                "-100, b\"late.vault\", -100, b\"o\", 2))'; cat o",
    "python": "python3 -c 'print(open(\"late.vault\").read())'",
    "descriptor": "python3 -c 'import os; f = os.open(\"late.vault\", os.O_PATH);"
                  "print(open(f\"/proc/self/fd/{f}\").read())'",
    "directory": "python3 -c 'import os; d = os.open(\".\", os.O_RDONLY);"
                 "print(os.read(os.open(\"late.vault\", os.O_RDONLY, dir_fd=d), 9))'",
    "script": "sh late.vault",
    "mapped": "python3 -c 'import mmap; f = open(\"late.vault\", \"r+b\"); print(mmap.mmap(f.fileno(), 0)[:9])'",
}


@pytest.mark.parametrize("way", READS)
def test_T032_a_file_made_later_is_not_read(lab, way):
    (lab.work / "x").mkdir()
    code, out, err = later(lab, READS[way], DENY, text="echo LATE")
    assert "LATE" not in out, (out, err)
    assert "denied" in err or "exec" in err or "-1" in out, (out, err)
    assert "**/*.vault" in err, err      # told, with the rule
    assert (lab.work / "late.vault").exists()
    for extra in "plain", "here", "late.vault":
        if (lab.work / extra).is_symlink() or (lab.work / extra).exists():
            (lab.work / extra).unlink()
    # control: without `strict` the pattern was matched at the start
    code, out, err = later(lab, READS[way], LAX, text="echo LATE")
    assert "LATE" in out, (out, err)


@pytest.mark.parametrize("way", ["./late.vault", "python3 -c 'import os; os.execv(\"late.vault\", [\"x\", \"ran\"])'"])
def test_a_program_made_later_is_not_executed(lab, way):
    """A guard-rail: the kernel reads the path again."""
    for policy in DENY, LAX:
        path = lab.policy(**policy)
        p = lab.spawn("sh", "-c", f"echo up; read x; {way} ran", opts=["-s", path], text=True)
        assert p.stdout.readline() == "up\n", p.stderr.read()
        shutil.copy("/bin/echo", lab.work / "late.vault")
        out, err = p.communicate("go\n", timeout=30)
        (lab.work / "late.vault").unlink()
        if policy is LAX:
            assert "ran" in out, (out, err)
        else:
            assert "ran" not in out and "**/*.vault" in err and p.returncode, (out, err)


CHANGES = {
    "write": "echo NEW > late.seal",
    "append": "echo NEW >> late.seal",
    "truncate": "truncate -s 0 late.seal",
    "remove": "rm -f late.seal",
    "rename": "mv late.seal other",
    "replace": "echo NEW > n; mv n late.seal",
    "link over": "ln -sf /etc/passwd late.seal",
    "second name": "ln late.seal other && echo NEW > other",
    "by a link": "ln -s late.seal l; echo NEW > l",
    "by a descriptor": "python3 -c 'import os; f = os.open(\"late.seal\", os.O_PATH);"
                       "os.truncate(f\"/proc/self/fd/{f}\", 0)'",
}


@pytest.mark.parametrize("way", CHANGES)
def test_T032_a_file_made_later_is_not_written(lab, way):
    script = CHANGES[way] + "; cat late.seal"
    code, out, err = later(lab, script, DENY, "late.seal", "OLD")
    assert (lab.work / "late.seal").read_text() == "OLD\n", (out, err)
    assert out.endswith("OLD\n"), (out, err)     # reading is not denied
    assert "**/*.seal" in err, err
    # control: without `strict` the same changes it
    for p in lab.work.iterdir():
        p.unlink()
    code, out, err = later(lab, script, LAX, "late.seal", "OLD")
    late = lab.work / "late.seal"
    assert not late.is_file() or late.is_symlink() or late.read_text() != "OLD\n", (out, err)


def test_names_that_are_denied_do_not_come_into_being(lab):
    ways = ("echo > a.seal", "mkdir a.seal", "mkfifo a.seal", "ln -s x a.seal", "touch f; mv f a.seal",
            "touch g; ln g a.seal", "mkdir -p kept", "echo > b.vault", "mkdir -p d; echo > d/c.vault")
    for way in ways:
        r = lab.sh(way, policy=DENY)
        assert not r.ok and "denied" in r.err, (way, r)
        assert not [p for p in lab.work.rglob("*") if p.suffix in (".seal", ".vault")], way
    assert lab.sh("echo > a.seal", policy=LAX).ok
    (lab.work / "a.seal").unlink()


def test_a_directory_is_not_renamed_out_of_a_pattern(lab):
    closed = lab.work / "closed"
    closed.mkdir()
    for script in ("mv closed open; cat open/s.txt", "mkdir d; mv closed d/; cat d/closed/s.txt"):
        code, out, err = later(lab, script, DENY, "closed/s.txt")
        assert "LATE" not in out and closed.is_dir() and "closed/*.txt" in err, (out, err)
        (closed / "s.txt").unlink()
    # where the pattern matches at both places it may
    (lab.work / "sub").mkdir(exist_ok=True)
    r = lab.sh("mv sub moved && ls moved", policy=DENY)
    assert r.ok, r
    code, out, err = later(lab, "mv closed open; cat open/s.txt", LAX, "closed/s.txt")
    assert "LATE" in out, (out, err)


HOOKS = {"filesystem": {"deny_write": ["**/hooks.d/*", "conf/run.d/*", "plain/one"], "strict": True}}
GAINS = {
    "renamed": "mkdir t; echo EVIL > t/x; mv t hooks.d",
    "renamed deeper": "mkdir -p t/s; echo EVIL > t/s/x; mkdir d; mv t/s d/hooks.d",
    "parent renamed": "mkdir -p t/run.d; echo EVIL > t/run.d/x; mv t conf",
    "plain parent renamed": "mkdir t; echo EVIL > t/one; mv t plain",
    "exchanged": "mkdir t hooks.d; echo EVIL > t/x; python3 -c 'import ctypes; exit(-ctypes.CDLL(None).renameat2("
                 "-100, b\"t\", -100, b\"hooks.d\", 2))'",
    "link": "mkdir t; echo EVIL > t/x; ln -s t hooks.d",
    "link at a parent": "mkdir -p t/run.d; echo EVIL > t/run.d/x; ln -s t conf",
    "link at a plain parent": "mkdir t; echo EVIL > t/one; ln -s t plain",
    "link renamed": "mkdir t; echo EVIL > t/x; ln -s t l; mv l hooks.d",
    "link linked": "mkdir t; echo EVIL > t/x; ln -s t l; ln -P l hooks.d",
    "link below": "mkdir -p e c; echo EVIL > e/x; ln -s ../e c/run.d; mv c conf",
}


@pytest.mark.parametrize("way", GAINS)
def test_what_was_made_under_another_name_does_not_become_denied(lab, way):
    def gained():
        places = ("hooks.d/x", "d/hooks.d/x", "conf/run.d/x", "plain/one")
        return [n for n in places if (lab.work / n).exists()]

    r = lab.sh(GAINS[way], policy=HOOKS)
    assert not r.ok and not gained() and "cordon:" in r.err, r
    lab.host("sh", "-c", "rm -rf ./*")
    # control: the pattern alone, without `strict`, knows only what is there
    assert lab.sh(GAINS[way], policy={"filesystem": {"deny_write": ["**/hooks.d/*"]}}).ok
    assert gained()


def test_renames_and_links_that_gain_nothing(lab):
    script = ("mkdir -p a/b t && echo > a/b/f && mv a c && mv c/b d && mkdir h && mv h hooks.d && "
              "mv t conf && ln -s c l && mv l m && ln -s d run.d && ln -P m n && "
              "echo > f && mv f g && ls")
    r = lab.sh(script, policy=HOOKS)
    assert r.ok, r


def test_what_is_allowed_deeper_stays_allowed(lab):
    for name in "shut/a", "shut/open/b", "shut/open/c.vault":
        lab.file(lab.work / name)
    fs = {"deny_read": ["shut", "**/*.vault"], "allow_read": ["shut/open"], "strict": True}
    r = lab.sh("cat shut/open/b && ! cat shut/a && ! cat shut/open/c.vault", policy={"filesystem": fs})
    assert r.ok, r
    assert lab.host("cat", "shut/a").ok
    fs = {"deny_write": ["shut"], "allow_write": ["shut/open"], "strict": True}
    r = lab.sh("echo > shut/open/new && ! echo > shut/new && cat shut/a", policy={"filesystem": fs})
    assert r.ok, r


def test_plain_paths_and_links_at_them(lab):
    # nothing is there at the start: neither a mask nor anything else
    code, out, err = later(lab, f"cat {lab.home}/hidden", DENY, lab.home / "hidden")
    assert "LATE" not in out and "~/hidden" not in out, (out, err)
    (lab.home / "hidden").unlink()
    real = lab.outside / "there"
    real.mkdir()
    (lab.home / "link").symlink_to(real)
    fs = {"deny_read": ["~/link/*.txt"], "strict": True}
    code, out, err = later(lab, f"cat {real}/s.txt ~/link/s.txt", {"filesystem": fs}, real / "s.txt")
    assert "LATE" not in out and err.count("denied") >= 2, (out, err)


def test_a_file_that_is_gone_but_held_is_judged_by_its_name(lab):
    lab.policy(**DENY)
    script = ("import os, sys\nprint('up', flush=True)\ninput()\n"
              "f = os.open('late.vault', os.O_PATH)\nprint('held', flush=True)\ninput()\n"
              "print(open(f'/proc/self/fd/{f}').read())\n")
    p = lab.spawn("python3", "-c", script, opts=["-s", lab.base / "policies/policy.yaml"], text=True)
    assert p.stdout.readline() == "up\n"
    late = lab.file(lab.work / "late.vault", "LATE\n")
    p.stdin.write("go\n")
    p.stdin.flush()
    assert p.stdout.readline() == "held\n"
    late.unlink()
    out, err = p.communicate("go\n", timeout=30)
    assert "LATE" not in out and "PermissionError" in err, (out, err)


def test_explain_and_plan_know_the_patterns(lab):
    p = lab.policy(**DENY)
    r = lab.cli("explain", "read", "new.vault", "-s", p)
    assert "denied" in r.out and "**/*.vault" in r.out and "remove" in r.out, r
    assert "allowed" in lab.cli("explain", "read", "new.seal", "-s", p).out
    assert "denied" in lab.cli("explain", "write", "new.seal", "-s", p).out
    assert "decided at every open" in lab.cli("plan", "-s", p).out
    lax = lab.policy("lax.yaml", **LAX)
    assert "allowed" in lab.cli("explain", "read", "new.vault", "-s", lax).out


WORK = {
    "gcc": "printf '#include <stdio.h>\\nint main(void){puts(\"hi\");return 0;}' > m.c && gcc -o m m.c && ./m",
    "make": "printf 'int x;' > a.c; printf '%s\\n' 'all: 1.o 2.o 3.o 4.o' '%.o: a.c' '\tgcc -c -o $@ a.c' '.PHONY: all' > Makefile;"
            "make -sj4 && ls",
    "python": "python3 -c 'import json, ssl, sqlite3, asyncio, unittest; print(json.dumps(1))'",
    "git": "git init -q . && echo > f && git add f && git -c user.name=a -c user.email=a@b commit -qm x && "
           "git status --short && git log --format=%s",
    "node": "! command -v node || node -e 'console.log(require(\"fs\").readdirSync(\".\").length)'",
    "search": "mkdir -p d/e; echo needle > d/e/f; find . -name f; grep -r needle d",
    "tar": "mkdir d; echo x > d/f; tar czf t.tgz d && tar tzf t.tgz",
    "here": "cat <<E\nhere\nE\ncat /dev/stdin <<E\nthere\nE",
    "fifo": "mkfifo p; (echo through > p) & cat p; wait",
    "stdin script": "echo 'echo from stdin' | sh /dev/stdin",
    "proc": "cat /proc/self/comm /proc/sys/kernel/ostype; test -r /proc/cpuinfo; ps -o comm= -p 1 > /dev/null",
    "threads": "python3 -c 'import threading\ndef f():\n for i in range(20): open(\"/etc/hosts\").close()\n"
               "t = [threading.Thread(target=f) for i in range(100)]\n[x.start() for x in t]; [x.join() for x in t]\n"
               "print(\"done\")'",
}


@pytest.mark.parametrize("how", ["strict", "explain"])
@pytest.mark.parametrize("name", WORK)
def test_ordinary_work_is_what_it_is_without(lab, name, how):
    plain = lab.sh(WORK[name])
    lab.host("sh", "-c", "rm -rf ./* .git")
    kw = {"policy": DENY} if how == "strict" else {"opts": ["--explain"]}
    told = lab.sh(WORK[name], **kw)
    assert (told.code, told.out) == (plain.code, plain.out), (told, plain)
    assert plain.ok, plain
