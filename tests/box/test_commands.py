# SPDX-License-Identifier: Apache-2.0
"""plan, explain, doctor, profiles, completion: they say what run does."""
import json
import os
import re
import signal
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


def test_the_report_says_who_ended_the_command(lab):
    p = lab.spawn("sh", "-c", "trap '' TERM; echo ready; cat",
                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert p.stdout.readline() == b"ready\n"
    while p.poll() is None:
        p.send_signal(signal.SIGTERM)       # a second one ends it
        try:
            p.wait(0.2)
        except subprocess.TimeoutExpired:
            continue
    assert b"the command was ended by cordon\n" in p.stderr.read()
    r = lab.sh("kill -9 $$")
    assert "ended by signal 9" in r.err and "by cordon" not in r.err, r


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


NET = ["--allow-domain", "github.com", "--allow-domain", "*.y.org:8443",
       "--deny-domain", "bad.y.org", "--host-port", "5432"]

EXPLAINED_NET = [
    ("github.com", True, "--allow-domain"),
    ("GitHub.com.:80", True, "--allow-domain"),
    ("github.com:22", False, "22"),
    ("a.y.org:8443", True, "*.y.org:8443"),
    ("y.org:8443", False, "y.org"),
    ("bad.y.org:8443", False, "--deny-domain"),
    ("10.0.0.1", False, "address"),
    ("[fd00::1]:443", False, "address"),
    ("localhost:5432", True, "--host-port"),
    ("localhost:5433", False, "box's own"),
]


@pytest.mark.parametrize("host,allowed,says", EXPLAINED_NET)
def test_explain_net(lab, host, allowed, says):
    got, r = explain(lab, "net", host, *NET)
    assert got["operation"] == "net" and got["asked"] == host, got
    assert got["allowed"] is allowed and r.code == (0 if allowed else 1), r
    assert says in got["rule"], got
    assert (got["code"] is None) is allowed, got
    text = lab.cli("explain", "net", host, *NET)
    assert ("allowed" if allowed else "denied") in text.out, text


def test_explain_net_says_that_addresses_come_later(lab):
    r = lab.cli("explain", "net", "github.com", *NET)
    assert "when it is connected" in r.out, r
    r = lab.cli("explain", "net", "10.1.1.1", "--allow-domain", "10.1.1.1")
    assert r.ok and "when it is connected" not in r.out, r


LOOPBACK = ["localhost:9000", "127.0.0.1:9000", "[::1]:9000",
            "host.cordon.internal:9000"]


@pytest.mark.parametrize("host", LOOPBACK)
def test_explain_net_knows_host_ports_and_what_denies_them(lab, host):
    got, r = explain(lab, "net", host, "--host-port", "9000")
    assert got["allowed"] and "network.host_ports" in got["rule"], r
    got, r = explain(lab, "net", host, "--host-port", "9001")
    assert not got["allowed"] and got["remedy"] == "--host-port=9000", r
    for rule in ("localhost", "127.0.0.0/8:9000", "[::1]:9000", "*.internal"):
        got, r = explain(lab, "net", host, "--host-port", "9000",
                         "--deny-domain", rule)
        assert got["code"] == "blocked-by-denylist", r
        assert f"'{rule}'" in got["rule"] and "leave out" in got["remedy"], r
    got, r = explain(lab, "net", host, "--host-port", "9000",
                     "--deny-domain", "127.0.0.1:9001")
    assert got["allowed"], r


@pytest.mark.parametrize("host,rules,allowed,later", [
    ("127.0.0.1:9000", ["127.0.0.1:9000"], True, "127.0.0.1 is the box's own"),
    ("[::1]:9000", ["[::1]:9000"], True, "::1 is the box's own"),
    ("[::1]:9000", ["127.0.0.1:9000"], False, None),
    ("127.0.0.1:9001", ["127.0.0.1:9000"], False, None),
    ("localhost:9000", ["127.0.0.1:9000"], False, None),
    ("localhost:9000", ["localhost:9000"], False, None),
    ("localhost:9000", ["localhost:9000", "127.0.0.1:9000"], True, "judged"),
    ("host.cordon.internal", ["*", "**.cordon.internal"], False, None),
    ("10.1.1.1", ["10.0.0.0/8"], True, "host's own"),
    ("93.184.216.34", ["0.0.0.0/0"], True, "host's own"),
    ("10.1.1.1", ["10.1.1.1"], True, None),
])
def test_explain_net_of_addresses(lab, host, rules, allowed, later):
    options = [w for rule in rules for w in ("--allow-domain", rule)]
    got, r = explain(lab, "net", host, *options)
    assert got["allowed"] is allowed, r
    assert (later in got["later"]) if later else got["later"] is None, r


@pytest.mark.parametrize("host", ["198.18.0.5", "[fd63:6f72:646e::5]"])
def test_explain_net_of_what_stands_for_names(lab, host):
    for options in (["--allow-domain", "198.18.0.0/15", "--allow-domain",
                     "fd00::/8"], ["--network", "none"]):
        got, r = explain(lab, "net", host, *options)
        assert not got["allowed"] and got["remedy"] is None, r
    got, r = explain(lab, "net", host, "--allow-domain", "*")
    assert "stands for no name" in got["rule"], r


def test_explain_net_remedy_works(lab):
    got, _ = explain(lab, "net", "x.org:22")
    assert not got["allowed"] and "network.mode 'none'" in got["rule"], got
    again, r = explain(lab, "net", *got["remedy"].split(), "x.org:22")
    assert again["allowed"], r


@pytest.mark.parametrize("word", ["a b", "x:0", "x:99999", "0x7f.1", "",
                                  "http://x.org/", "a..b"])
def test_explain_net_refuses_what_is_no_host(lab, word):
    r = lab.cli("explain", "net", word)
    assert r.code == 2 and not r.out, r
    assert lab.cli("explain", "net", "x.org", "--network", "host").ok


def test_explain_net_wants_no_url(lab):
    r = lab.cli("explain", "net", "http://x.org/")
    assert "HOST[:PORT] is wanted, not a URL" in r.err, r


def network_of(lab, *options, **kw):
    r = lab.cli("plan", "--json", *options, **kw)
    assert r.ok, r
    return json.loads(r.out)


@pytest.mark.parametrize("options,mode", [
    ([], "none"),
    (["--allow-domain", "x.org"], "filtered"),
    (["--net-allow", "x.org"], "filtered"),
    (["--allow-net", "x.org"], "filtered"),
    (["-p", "8080"], "filtered"),
    (["--publish=127.0.0.1:8081:80"], "filtered"),
    (["--host-port", "5432"], "filtered"),
    (["--deny-domain", "x.org"], "none"),
    (["--network", "filtered"], "filtered"),
    (["--allow-domain", "x.org", "--network", "none"], "none"),
    (["--no-net", "--allow-domain", "x.org"], "none"),
    (["--block-net"], "none"),
    (["--network", "host"], "host"),
    (["-P", "offline", "--allow-domain", "x.org"], "filtered"),
])
def test_what_can_be_reached_implies_a_filtered_network(lab, options, mode):
    assert network_of(lab, *options)["network"] == mode


def test_network_options_reach_the_plan(lab):
    plan = network_of(lab, *NET, "-p", "8080", "--upstream-proxy",
                      "http://proxy:3128", "--resolver", "127.0.0.1:53")
    egress = plan["egress"]
    assert [r["rule"] for r in egress["allow"]] == ["github.com",
                                                    "*.y.org:8443"]
    assert egress["deny"] == [{"rule": "bad.y.org",
                               "origin": "--deny-domain"}]
    assert egress["host_ports"] == [5432]
    assert egress["publish"] == [{"address": "127.0.0.1", "host_port": 8080,
                                  "port": 8080}]
    assert egress["upstream_proxy"] == {"host": "proxy", "port": 3128}
    assert egress["resolver"] == {"host": "127.0.0.1", "port": 53}
    assert "egress" not in network_of(lab)


def test_rules_over_the_hosts_network_are_refused(lab):
    lab.refuses("network.allow", "filters nothing",
                opts=["--network", "host", "--allow-domain", "x.org"])
    lab.refuses("network.allow", policy={"network": {"mode": "host",
                                                     "allow": ["x.org"]}})
    lab.refuses("network.deny", opts=["-P", "trusted", "--network", "host"])
    # What a file allows can be overridden by who types it, and it is said.
    p = lab.policy(network={"mode": "filtered", "allow": ["x.org"]})
    plan = network_of(lab, "-s", p, "--network", "host")
    assert plan["network"] == "host", plan
    assert any("'network.allow'" in n for n in plan["notes"]), plan["notes"]


@pytest.mark.parametrize("option,value", [
    ("--allow-domain", "a b"), ("--allow-domain", "x -j ACCEPT"),
    ("--allow-domain", "x.org\ny.org"), ("--deny-domain", "0x7f.1"),
    ("--publish", "0"), ("--host-port", "x"), ("--network", "all"),
    ("--upstream-proxy", "socks5://x:1"), ("--resolver", "1.1.1.1"),
])
def test_bad_network_options_are_named(lab, option, value):
    r = lab.cli("plan", option, value)
    assert r.code == 2 and f"cordon: {option}: " in r.err, r


@pytest.mark.parametrize("option,value,says", [
    ("--upstream-proxy", "http://u:p@a:1", "password for the proxy are not"),
    ("--resolver", "1.2.3.4", "it is written ADDRESS:PORT"),
    ("--resolver", "dns.corp:53", "it is written ADDRESS:PORT"),
    ("--allow-domain", "2a00:77::/64:9100", "behind brackets: [fd00::/8]:443"),
])
def test_bad_network_options_are_corrected(lab, option, value, says):
    r = lab.cli("plan", option, value)
    assert r.code == 2 and says in r.err, r


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
    for name in ("default", "strict", "offline", "dev", "agent", "trusted"):
        assert name in r.out, r
        shown = lab.cli("policy", "show", "-P", name)
        assert shown.ok and shown.out, shown


PROFILES = ["default", "strict", "offline", "dev", "agent", "trusted"]


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_run(lab, profile):
    r = lab.sh("echo made > file && cat file", opts=["-P", profile])
    assert r.out == "made\n", r


@pytest.mark.parametrize("profile", PROFILES)
def test_keys_are_for_agents_alone(lab, profile):
    env = lab.env | {"ANTHROPIC_API_KEY": "k1", "GITHUB_TOKEN": "k2"}
    r = lab.sh('echo "[$ANTHROPIC_API_KEY][$GITHUB_TOKEN]"',
               opts=["-P", profile], env=env)
    assert r.out == ("[k1][]\n" if profile == "agent" else "[][]\n"), r


REACH = [
    ("dev", "registry.npmjs.org", True), ("dev", "github.com:22", True),
    ("dev", "api.anthropic.com", False), ("dev", "pastebin.com", False),
    ("agent", "api.anthropic.com", True), ("agent", "pypi.org", True),
    ("agent", "statsig.anthropic.com", False),
    ("agent", "x.ingest.sentry.io", False),
    ("agent", "pastebin.com", False), ("agent", "s3.amazonaws.com", False),
    ("trusted", "pastebin.com", True), ("trusted", "pastebin.com:25", False),
    ("trusted", "metadata.google.internal:80", False),
    ("trusted", "169.254.169.254:80", False),
    ("trusted", "8.8.8.8", False),
    ("default", "github.com", False), ("strict", "github.com", False),
]


@pytest.mark.parametrize("profile,host,allowed", REACH)
def test_where_profiles_lead(lab, profile, host, allowed):
    got, r = explain(lab, "net", host, "-P", profile)
    assert got["allowed"] is allowed, r


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


@pytest.mark.parametrize("opts", [[], ["--explain"]])
def test_oci_profile_that_logs_leaves_the_guard_in_place(lab, opts):
    """Names that must not come into being, and rules for arguments."""
    p = oci(lab, {**ALLOW_ALL, "defaultAction": "SCMP_ACT_LOG"})
    script = "echo x > .mcp.json; echo a b; env echo a c"
    assert lab.host("sh", "-c", script).out == "a b\na c\n"
    (lab.work / ".mcp.json").unlink()
    r = lab.sh(script, policy={"exec": {"deny": ["echo a"]}},
               opts=["--seccomp", p, *opts])
    assert r.out == "a b\n" and not (lab.work / ".mcp.json").exists(), r


@pytest.mark.parametrize("opts", [[], ["--explain"]])
def test_oci_profile_with_calls_that_do_nothing(lab, opts):
    p = oci(lab, with_rule(names=["mkdir", "mkdirat"],
                           action="SCMP_ACT_ERRNO", errnoRet=0))
    r = lab.sh("mkdir a && echo done", opts=["--seccomp", p, *opts])
    assert r.out == "done\n" and not (lab.work / "a").exists(), r


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
