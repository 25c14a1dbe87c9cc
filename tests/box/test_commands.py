# SPDX-License-Identifier: Apache-2.0
"""plan, explain, doctor, profiles, completion: they say what run does."""
import json
import os
import re
import subprocess

import pytest


def test_plan_text_and_json(lab):
    r = lab.cli("plan", "--", "make", "test")
    assert r.ok and "make test" in r.out and str(lab.work) in r.out, r
    r = lab.cli("plan", "--json", "--", "make", "test")
    plan = json.loads(r.out)
    assert plan["command"] == ["make", "test"]
    assert "mounts" in plan and "rules" in plan, plan.keys()


def test_plan_changes_nothing(lab):
    before = lab.tree()
    assert lab.cli("plan", "--", "true").ok
    assert lab.tree() == before


def test_plan_is_the_same_twice(lab):
    for form in ([], ["--json"]):
        assert lab.cli("plan", *form).out == lab.cli("plan", *form).out


def explain(lab, *argv, **kw):
    r = lab.cli("explain", "--json", *argv, **kw)
    return json.loads(r.out)[0], r


EXPLAINED = [
    ("read", "home/.ssh/id_rsa", False), ("read", "home/notes", True),
    ("write", "work/file", True), ("write", "outside/file", False),
    ("write", "home/.bashrc", False), ("write", "work/.mcp.json", False),
    ("read", "work/.env", False),
]


@pytest.mark.parametrize("op,path,allowed", EXPLAINED)
def test_explain_says_what_run_does(lab, op, path, allowed):
    f = lab.file(path, "content\n")
    if path.endswith(".mcp.json"):
        f.unlink()
    got, r = explain(lab, op, f)
    assert got["allowed"] is allowed, r
    assert r.code == (0 if allowed else 1), r
    act = 'cat "$1"' if op == "read" else 'echo x >> "$1"'
    assert lab.sh(act, f).ok is allowed         # and so it is
    if not allowed:
        assert got["rule"] and got["remedy"], got


def test_explain_quotes_the_line_that_decides(lab):
    p = lab.policy(text=f"version: 1\nfilesystem:\n  deny_read:\n"
                   f"  - {lab.outside}\n")
    r = lab.cli("explain", "-s", p, "read", lab.outside / "x")
    assert r.code == 1 and "policy.yaml:4" in r.out, r
    r = lab.cli("explain", "--deny-read", lab.outside, "read", lab.outside)
    assert r.code == 1 and "--deny-read" in r.out, r


def test_explain_remedy_works(lab):
    """What it proposes as an option is taken, and lets the act through."""
    f = lab.file("outside/file")
    got, _ = explain(lab, "write", f)
    words = got["remedy"].replace("'", "").split()
    if "--allow-write" in words:
        option = words[words.index("--allow-write"):][:2]
        assert lab.sh('echo x >> "$1"', f, opts=option).ok, got


def test_T_178_doctor_reports_every_probe(lab):
    r = lab.cli("doctor")
    assert r.ok, r
    for name in ("user_namespaces", "landlock", "seccomp"):
        assert name in r.out, r
    checks = json.loads(lab.cli("doctor", "--json").out)
    checks = checks.get("checks", checks) if isinstance(checks, dict) else checks
    names = {c["name"]: c for c in checks}
    assert {"user_namespaces", "landlock", "seccomp"} <= set(names)
    assert all(c["state"] for c in checks)


def test_profiles_are_listed_and_shown(lab):
    r = lab.cli("profiles")
    assert r.ok
    for name in ("default", "strict", "offline"):
        assert name in r.out, r
        shown = lab.cli("policy", "show", "-P", name)
        assert shown.ok and shown.out, shown


@pytest.mark.parametrize("profile", ["default", "strict", "offline"])
def test_profiles_run(lab, profile):
    r = lab.sh("echo made > file && cat file", opts=["-P", profile])
    assert r.out == "made\n", r


def test_offline_has_no_network_whatever_else_is_asked_before(lab):
    script = "grep -c : /proc/net/dev"      # a line each: lo and no other
    assert int(lab.host("sh", "-c", script).out) > 1
    assert lab.sh(script, opts=["-P", "offline"]).out == "1\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_parses(lab, shell):
    r = lab.cli("completion", shell)
    assert r.ok and "cordon" in r.out and "--deny-read" in r.out.replace(
        "-l deny-read", "--deny-read"), r
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=r.out, text=True, check=True)


def test_completion_offers_verbs(lab):
    script = (lab.cli("completion", "bash").out + "\n"
              "COMP_WORDS=(cordon pl); COMP_CWORD=1; COMP_LINE='cordon pl'; "
              "COMP_POINT=9\n"
              "f=$(complete -p cordon | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p')\n"
              "$f cordon pl cordon; printf '%s\\n' \"${COMPREPLY[@]}\"\n")
    r = lab.host("bash", "--norc", "-c", script)
    assert "plan" in r.out.split(), r


def test_requirements(lab):
    lab.starts(opts=["--require", "landlock"])
    r = lab.run("true", opts=["--require", "no-such-layer"])
    r.refused("no-such-layer")
    r = lab.run("true", opts=["--allow-degraded", "no-such-layer"])
    r.refused("no-such-layer")


# -- OCI seccomp profiles -----------------------------------------------------
def oci(lab, doc):
    text = doc if isinstance(doc, str) else json.dumps(doc)
    return lab.file("policies/seccomp.json", text)


ALLOW_ALL = {"defaultAction": "SCMP_ACT_ALLOW",
             "architectures": ["SCMP_ARCH_X86_64"], "syscalls": []}


def with_rule(**rule):
    return {**ALLOW_ALL, "syscalls": [rule]}


def test_oci_profile_refuses_what_it_lists(lab):
    p = oci(lab, with_rule(names=["mkdir", "mkdirat"],
                           action="SCMP_ACT_ERRNO", errnoRet=95))
    assert lab.sh("mkdir a").ok
    script = ("import os\ntry: os.mkdir('b')\n"
              "except OSError as e: print(e.errno)\n")
    r = lab.run("python3", "-c", script, opts=["--seccomp", p])
    assert r.out == "95\n", r


def test_oci_profile_with_arguments(lab):
    p = oci(lab, with_rule(names=["socket"], action="SCMP_ACT_ERRNO",
                           args=[{"index": 0, "value": 2,
                                  "op": "SCMP_CMP_EQ"}]))
    script = ("import socket\nfor f in (1, 2):\n"
              " try: socket.socket(f, 1); print('ok')\n"
              " except OSError: print('no')\n")
    r = lab.run("python3", "-c", script, opts=["--seccomp", p])
    assert r.out == "ok\nno\n", r


def test_oci_profile_in_the_policy(lab):
    p = oci(lab, with_rule(names=["mkdir", "mkdirat"],
                           action="SCMP_ACT_ERRNO"))
    r = lab.sh("mkdir a", policy={"syscalls": {"profile": str(p)}})
    assert not r.ok and not (lab.work / "a").exists(), r


def test_oci_profile_keeps_foreign_tables_out(lab):
    from lab import probe_path
    r = lab.run(probe_path("calls"), opts=["--seccomp", oci(lab, ALLOW_ALL)])
    got = dict(line.split(" ", 1) for line in r.lines)
    assert got["i386_getpid"] == "killed 31", got
    assert got["x32_getpid"] == "killed 31", got


def test_oci_profile_does_not_lower_the_walls(lab):
    f, token = lab.secret("home/.ssh/id_rsa")
    r = lab.sh(f"cat '{f}'; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status",
               opts=["--seccomp", oci(lab, ALLOW_ALL)])
    assert token not in r.out and "NoNewPrivs:\t1" in r.out, r
    assert "CapEff:\t0000000000000000" in r.out, r


BAD_OCI = {
    "no JSON": "{", "no object": "[]", "empty": "",
    "action": {**ALLOW_ALL, "defaultAction": "SCMP_ACT_MAYBE"},
    "no default": {"syscalls": []},
    "rule action": with_rule(names=["mkdir"], action="DENY"),
    "operator": with_rule(names=["mkdir"], action="SCMP_ACT_ERRNO",
                          args=[{"index": 0, "value": 1, "op": "EQ"}]),
    "index": with_rule(names=["mkdir"], action="SCMP_ACT_ERRNO",
                       args=[{"index": 9, "value": 1,
                              "op": "SCMP_CMP_EQ"}]),
    "errno": with_rule(names=["mkdir"], action="SCMP_ACT_ERRNO",
                       errnoRet=99999),
    "names": with_rule(names="mkdir", action="SCMP_ACT_ERRNO"),
}


@pytest.mark.parametrize("name", BAD_OCI)
def test_bad_oci_profile_is_refused(lab, name):
    p = oci(lab, BAD_OCI[name])
    lab.refuses("seccomp.json", opts=["--seccomp", p])


def test_missing_oci_profile(lab):
    lab.refuses("gone.json", opts=["--seccomp", lab.base / "gone.json"])


def test_manual_says_what_help_says(lab):
    """Every option of run is in the manual, if it is installed here."""
    here = os.path.dirname(os.path.abspath(__file__))
    page = os.path.join(here, "..", "..", "man", "cordon.1")
    if not os.path.exists(page):
        return
    text = open(page).read().replace("\\-", "-")
    options = set(re.findall(r"--([a-z-]{2,})",
                             lab.cli("run", "--help").out))
    missing = {o for o in options if o not in text}
    assert not missing, missing
