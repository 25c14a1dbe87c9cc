# SPDX-License-Identifier: Apache-2.0
"""Programs that are denied as a whole, exec.only_system, and what is said of
exec rules. What is judged by arguments is in another file."""
import json
import os
import shutil

import pytest

# Nothing is looked at: what holds here are masks.
QUIET = {"report": False}


@pytest.fixture
def tools(lab):
    """A directory of PATH with a program under several names."""
    d = lab.base / "tools"
    d.mkdir()
    shutil.copy("/bin/echo", d / "danger-1.2")
    os.symlink("danger-1.2", d / "danger")
    os.link(d / "danger-1.2", d / "harmless")
    shutil.copy("/bin/echo", d / "other")
    with open(d / "other", "ab") as f:      # another content is no copy
        f.write(b"\0")
    lab.env["PATH"] = f"{d}:{lab.env['PATH']}"
    return d


def masked(**keys):
    return {"exec": {"deny": ["danger"], **QUIET, **keys}}


@pytest.mark.parametrize("name", ["danger", "danger-1.2", "harmless"])
def test_T_074_no_name_of_a_denied_program_runs(lab, tools, name):
    assert lab.host(name, "ran").out == "ran\n"
    r = lab.run("bash", "-c", f"{name} ran; exit", policy=masked())
    assert r.code == 126 and "ran" not in r.out, r
    assert lab.sh("other ran", policy=masked()).out == "ran\n"


@pytest.mark.parametrize("script", [
    "cp {d}/danger copy && ./copy ran",
    "ln {d}/danger-1.2 {d}/linked && {d}/linked ran",
    "cat {d}/harmless > copy && chmod +x copy && ./copy ran",
    "mv {d}/danger-1.2 {d}/moved && {d}/moved ran",
    "(exec -a other {d}/danger ran)",
    "for l in /lib64/ld-linux*.so.2 /lib/ld-*.so*; do "
    "$l {d}/danger ran && exit; done; exit 1",
    "exec 3<{d}/danger-1.2 && /proc/self/fd/3 ran",
], ids=["copy", "link", "cat", "rename", "argv0", "loader", "descriptor"])
def test_T_074_nobody_gets_its_content(lab, tools, script):
    script = script.format(d=tools)
    r = lab.run("bash", "-c", script, policy=masked(),
                opts=["--allow-write", lab.base])
    assert not r.ok and "ran" not in r.out, r
    # the control: allowed, it runs that way
    control = lab.run("bash", "-c", script, opts=["--allow-write", lab.base])
    assert control.ok and "ran" in control.out, control


@pytest.mark.parametrize("place", ["home", "system"])
def test_T_074_masks_hold_where_the_working_directory_is_no_workspace(
        lab, place):
    """Started in the home directory, or in one of the system's."""
    if place == "home":
        where, program = lab.home, lab.home / "bin" / "danger"
        program.parent.mkdir(exist_ok=True)
        shutil.copy("/bin/echo", program)
    else:
        where, program = "/usr", shutil.which("env")
    script = f"cp {program} /tmp/copy"
    policy = {"exec": {"deny": [str(program)], **QUIET}}
    r = lab.sh(script, policy=policy, opts=["-C", where])
    assert not r.ok, r
    control = lab.sh(script, opts=["-C", where])
    assert control.ok, control


def test_T_070_the_command_itself_is_refused_with_the_rule(lab, tools):
    for argv in (["danger", "x"], [tools / "danger", "x"]):
        r = lab.run(*argv, policy={"exec": {"deny": ["danger"]}})
        assert r.refused("danger", "exec.deny", "policy.yaml:1", code=126)
    assert lab.run("danger", "x").out == "x\n"
    r = lab.run("git", "-C", ".", "push", opts=["--deny-exec", "git push"])
    assert r.refused("git push", "--deny-exec", code=126)
    r = lab.run("git", "--version", opts=["--deny-exec", "git push"])
    assert r.ok, r


def test_T_073_what_is_allowed_in_part_is_not_masked(lab, tools):
    deny = {"exec": {"deny": ["danger"], "allow": ["danger ok"]}}
    assert lab.run("danger", "ok", policy=deny).out == "ok\n"
    lab.run("danger", "x", policy=deny).refused("danger", code=126)


@pytest.mark.skipif(not shutil.which("busybox"), reason="no busybox")
def test_T_075_one_applet_is_denied_and_the_others_run(lab, tools):
    for name in ("busybox", "dd", "ls"):
        (tools / name).unlink(missing_ok=True)
    shutil.copy(shutil.which("busybox"), tools / "busybox")
    os.symlink("busybox", tools / "dd")
    os.symlink("busybox", tools / "ls")
    opts = ["--deny-exec", "dd"]
    assert lab.host("dd", "if=/dev/null").ok
    assert lab.sh(f"{tools}/dd if=/dev/null", opts=opts).code == 126
    assert lab.sh(f"{tools}/ls /", opts=opts).ok
    r = lab.run(tools / "busybox", "dd", "if=/dev/null", opts=opts)
    assert r.refused("exec.deny 'dd'", code=126)
    assert lab.run(tools / "busybox", "ls", "/", opts=opts).ok


def test_a_name_of_another_program_is_masked_alone(lab, tools):
    os.symlink("other", tools / "nickname")
    opts = ["--deny-exec", "nickname"]
    assert lab.host("nickname", "ran").out == "ran\n"
    r = lab.run("bash", "-c", "nickname ran; exit", opts=opts)
    assert r.code == 126 and not r.out, r
    assert lab.sh("other ran", opts=opts).out == "ran\n"


PLACES = ["/tmp", "/var/tmp", "/run", "/dev/shm", "."]


@pytest.mark.parametrize("place", PLACES)
def test_only_system_executes_nothing_that_can_be_written(lab, place):
    script = f"cp /bin/echo {place}/mine && {place}/mine ran"
    assert lab.sh(script).out == "ran\n"
    r = lab.sh(script, opts=["--only-system"])
    assert r.code == 126 and not r.out, r
    assert lab.sh("echo ran", opts=["--only-system"]).out == "ran\n"


def test_only_system_keeps_loaders_from_it_too(lab):
    script = ("cp /bin/echo mine; for l in /lib64/ld-linux*.so.2 "
              "/lib/ld-*.so*; do $l ./mine ran && exit; done; exit 1")
    assert "ran" in lab.sh(script).out
    r = lab.sh(script, opts=["--only-system"])
    assert not r.ok and "ran" not in r.out, r


def explain(lab, *argv, opts=()):
    r = lab.cli("explain", "exec", "--json", *opts, "--", *argv)
    return r.code, json.loads(r.out)[0]


def test_explain_says_what_holds_and_what_would_change_it(lab, tools):
    opts = ["--deny-exec", "danger", "--deny-exec", "other push",
            "--allow-exec", "other push here"]
    code, o = explain(lab, "danger", "x", opts=opts)
    assert code == 1 and not o["allowed"] and o["held_by"] == "mask", o
    assert o["rule"] == "exec.deny 'danger' (--deny-exec)", o
    assert o["path"] == str(tools / "danger-1.2"), o
    code, o = explain(lab, "other", "push", "there", opts=opts)
    assert code == 1 and o["held_by"] == "arguments", o
    # the remedy is one
    assert o["remedy"] == "--allow-exec='other push there'", o
    code, o = explain(lab, "other", "push", "there", opts=opts + [
        "--allow-exec", "other push there"])
    assert code == 0 and o["allowed"], o
    code, o = explain(lab, "other", "push", "here", opts=opts)
    assert code == 0 and o["rule"].startswith("exec.allow"), o
    code, o = explain(lab, "other", opts=opts)
    assert code == 0 and o["allowed"] and o["held_by"] is None, o
    r = lab.cli("explain", *opts, "exec", "--", "danger")
    assert r.code == 1 and "exec danger: denied" in r.out, r
    assert "a mask on the file: a wall" in r.out, r


def test_explain_knows_only_system_and_hidden_files(lab, tools):
    shutil.copy("/bin/echo", lab.work / "mine")
    code, o = explain(lab, "./mine", opts=["--only-system"])
    assert code == 1 and o["held_by"] == "noexec", o
    assert explain(lab, "./mine")[0] == 0
    code, o = explain(lab, "other", opts=["--deny-read", tools / "other"])
    assert code == 1 and "deny_read" in o["rule"], o


def test_plan_shows_rules_masks_and_what_is_looked_at(lab, tools):
    opts = ["-s", lab.policy(**masked()), "--only-system"]
    plan = json.loads(lab.cli("plan", "--json", *opts).out)
    assert plan["exec"]["only_system"], plan["exec"]
    assert plan["exec"]["rules"][0]["held_by"] == "mask", plan["exec"]
    assert str(tools / "danger-1.2") in plan["exec"]["masked"], plan["exec"]
    masks = {m["path"] for m in plan["mounts"] if m["reason"] == "exec.deny"}
    assert masks == {str(tools / n) for n in
                     ("danger", "danger-1.2", "harmless")}, masks
    noexec = {m["path"] for m in plan["mounts"] if m.get("noexec")}
    assert {"/tmp", "/dev", str(lab.work)} <= noexec, noexec
    text = lab.cli("plan", *opts).out
    assert "deny  danger  (" in text and "by mask" in text, text


def test_profiles_for_code_start_and_deny(lab):
    lab.repository()
    for profile in ("code", "code-strict", "git-readonly"):
        opts = ["-P", profile]
        r = lab.run("git", "status", "--short", opts=opts)
        assert r.ok, r
        r = lab.run("git", "push", opts=opts)
        assert r.refused("git push", "profile", code=126)
    lab.file("work/.env", "A=1\n")
    r = lab.sh("echo B=2 > .env", opts=["-P", "code"])
    assert not r.ok and lab.host("cat", ".env").out == "A=1\n", r


def test_an_allowance_that_changes_nothing_is_told(lab):
    """At equal length a denial wins: who allows the same words is told."""
    r = lab.run("true", policy={"exec": {"deny": ["sudo"], "allow": ["sudo"]}})
    assert r.ok and "exec.allow 'sudo'" in r.err, r
    r = lab.run("true", policy={"exec": {"deny": ["sudo"],
                                         "allow": ["sudo ls"]}})
    assert r.ok and "exec.allow" not in r.err, r


def test_only_system_says_so_of_the_command(lab):
    shutil.copy("/bin/true", lab.work / "mine")
    assert lab.run("./mine").ok
    r = lab.run("./mine", policy={"exec": {"only_system": True}})
    assert r.code == 126 and "exec.only_system" in r.err, r
