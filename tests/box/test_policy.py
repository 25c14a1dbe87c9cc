# SPDX-License-Identifier: Apache-2.0
"""Policy files: bad input, layers, trust, narrowing."""
import json
import os

import pytest

BAD = {
    "not YAML": ("version: 1\nfilesystem: [\n", ":"),
    "tab": ("version: 1\n\tx: 1\n", ":2"),
    "unknown key": ("version: 1\nfilesistem: {}\n", "filesystem"),
    "unknown nested key": ("network:\n  mod: none\n", "mode"),
    "duplicate key": ("version: 1\nversion: 1\n", ":2"),
    "duplicate nested": ("filesystem:\n  view: host\n  view: host\n", ":3"),
    "anchor": ("filesystem: &a {}\nexec: *a\n", "anchor"),
    "merge key": ("filesystem: {<<: {}}\n", "<<"),
    "tag": ("version: !!int 1\n", "tag"),
    "list for a text": ("tier: [light]\n", ":1"),
    "text for a list": ("filesystem: {deny_read: /x}\n", "deny_read"),
    "map for a list": ("filesystem: {deny_read: {a: b}}\n", "deny_read"),
    "number for a map": ("filesystem: 3\n", "filesystem"),
    "nested list": ("filesystem: {deny_read: [[a]]}\n", "deny_read"),
    "choice": ("filesystem: {view: all}\n", "minimal"),
    "boolean": ("filesystem: {ignore_missing: maybe}\n", "ignore_missing"),
    "yes is no boolean": ("filesystem: {ignore_missing: yes}\n",
                          "ignore_missing"),
    "version": ("version: 2\n", "version"),
    "no duration": ("limits: {wall_time: soon}\n", "wall_time"),
    "negative": ("limits: {open_files: -1}\n", "open_files"),
    "absurd": ("limits: {open_files: 99999999999999999999999}\n",
               "open_files"),
    "overflow": ("limits: {file_size: 9999999999EiB}\n", "file_size"),
    "huge time": ("limits: {wall_time: 99999999999999999999h}\n",
                  "wall_time"),
    "empty path": ('filesystem: {deny_read: [""]}\n', "deny_read"),
    "NUL": ("filesystem: {deny_read: [\"a\\0b\"]}\n", ":"),
    "raw NUL": ("version: 1\n#\0\n", "NUL"),
    "two documents": ("version: 1\n---\nversion: 1\n", ":"),
    "list at the top": ("- a\n", ":1"),
    "scalar at the top": ("hello\n", ":1"),
    "unknown profile": ("extends: no-such-profile\n", "no-such-profile"),
    "bad pattern": ('filesystem: {deny_read: ["/a/[b"]}\n', "["),
    "bad variable": ("environment: {set: {'A=B': x}}\n", "A=B"),
    "relative socket": ("network: {unix_sockets: ['']}\n", "unix_sockets"),
    "unknown requirement": ("require: [magic]\n", "magic"),
    "unknown list operation": ("filesystem: {deny_read: {swap: [a]}}\n",
                               "deny_read"),
    "open quote": ("exec: {deny: [\"git 'push\"]}\n", "quote"),
    "two commands": ("exec: {deny: [a; b]}\n", "more than one command"),
    "empty command": ("exec: {allow: [' ']}\n", "program"),
    "control characters": ('"bad\\u001b[31mkey": 1\n', ":1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_policy_is_refused_with_its_place(lab, name):
    text, word = BAD[name]
    p = lab.policy(text=text)
    r = lab.refuses("policy.yaml", word, opts=["-s", p])
    assert "\x1b" not in r.err, r       # nothing reaches the terminal raw
    c = lab.cli("check", p)
    assert c.code == 1 and word in c.out + c.err, c
    lab.starts(policy={})


def test_check_accepts_a_good_policy(lab):
    p = lab.policy(filesystem={"deny_read": ["/x"], "ignore_missing": True})
    assert lab.cli("check", p).ok


def test_bom_crlf_and_json_are_fine(lab):
    for text in ("version: 1\r\nfilesystem:\r\n  view: host\r\n",
                 "\ufeffversion: 1\n",
                 '{"version": 1, "filesystem": {"view": "host"}}', "",
                 "# nothing but a comment\n"):
        lab.starts(opts=["-s", lab.policy(text=text)])


def test_empty_lists_allow_nothing(lab):
    p = lab.policy(text="filesystem: {allow_write: {replace: []}}\n")
    r = lab.sh("touch x", policy=p)
    assert not r.ok and not (lab.work / "x").exists(), r


def test_ten_megabytes_of_policy(lab):
    p = lab.policy(text="version: 1\n# " + "x" * 10_000_000 + "\n")
    lab.refuses("policy.yaml", "bytes", opts=["-s", p])


def test_ten_thousand_rules(lab):
    f, token = lab.secret("work/d/key")
    paths = [str(f.parent)] + [f"{lab.outside}/n{i}" for i in range(9_999)]
    p = lab.policy(filesystem={"deny_read": paths, "ignore_missing": True})
    r = lab.run("cat", f, policy=p)
    assert token not in r.out and r.code in (1, 125), r
    if r.code == 125:       # more than cordon takes: then it says so
        assert "rules" in r.err, r


def test_ten_thousand_rules_that_exist(lab):
    for i in range(10_000):
        os.close(os.open(lab.work / f"f{i}", os.O_CREAT | os.O_WRONLY, 0o644))
    p = lab.policy(filesystem={"deny_read": [f"{lab.work}/f*"]})
    (lab.work / "f1234").write_text("SECRET-x")
    assert "SECRET-x" in lab.host("cat", "f1234").out
    r = lab.run("cat", "f1234", policy=p)
    assert "SECRET-x" not in r.out and r.code in (1, 125), r


def test_deep_nesting_is_refused(lab):
    p = lab.policy(text="filesystem: " + "{a: " * 5000 + "1" + "}" * 5000)
    lab.refuses("policy.yaml", opts=["-s", p])


@pytest.mark.only_user
def test_unreadable_file(lab):
    p = lab.policy()
    p.chmod(0)
    lab.refuses("policy.yaml", "denied", opts=["-s", p])


def test_world_writable_file_is_refused(lab):
    p = lab.policy()
    for mode in (0o666, 0o646):
        p.chmod(mode)
        lab.refuses("policy.yaml", "by others", opts=["-s", p])
    p.chmod(0o644)
    lab.starts(opts=["-s", p])


@pytest.mark.only_root
def test_foreign_owned_file_is_refused(lab):
    p = lab.policy()
    os.chown(p, 12345, 12345)
    lab.refuses("policy.yaml", "own", opts=["-s", p])


def test_directory_fifo_and_device_are_no_policy(lab):
    lab.refuses(opts=["-s", lab.outside])
    os.mkfifo(lab.base / "fifo")
    lab.refuses("fifo", opts=["-s", lab.base / "fifo"])
    lab.refuses("/dev/zero", opts=["-s", "/dev/zero"])


# -- layers -------------------------------------------------------------------
def show(lab, *opts, **kw):
    r = lab.cli("policy", "show", "--json", *opts, **kw)
    assert r.ok, r
    return json.loads(r.out), r.err


def test_T_179_extends_chain_is_shown(lab):
    lab.policy("a.yaml", text="filesystem: {deny_read: [/from-a]}\n")
    lab.policy("b.yaml", text="extends: ./a.yaml\n"
               "filesystem: {deny_read: [/from-b], ignore_missing: true}\n")
    doc, chain = show(lab, "-s", lab.base / "policies/b.yaml")
    rules = json.dumps(doc["filesystem"]["deny_read"])
    assert "/from-a" in rules and "/from-b" in rules, doc
    assert "a.yaml" in chain and "b.yaml" in chain, chain


def test_T_179_cycle_and_depth_are_errors(lab):
    lab.policy("a.yaml", text="extends: ./b.yaml\n")
    b = lab.policy("b.yaml", text="extends: ./a.yaml\n")
    lab.refuses("a.yaml", "extend each other", opts=["-s", b])
    for i in range(12):
        lab.policy(f"d{i}.yaml", text=f"extends: ./d{i + 1}.yaml\n")
    lab.policy("d12.yaml", text="version: 1\n")
    r = lab.refuses("10", opts=["-s", lab.base / "policies/d0.yaml"])
    lab.starts(opts=["-s", lab.base / "policies/d5.yaml"])


def test_T_179_list_operations(lab):
    lab.policy("a.yaml", text="filesystem: {deny_read: [/one, /two], "
               "ignore_missing: true}\n")
    b = lab.policy("b.yaml", text="extends: ./a.yaml\n"
                   "filesystem: {deny_read: {remove: [/one]}}\n")
    rules = json.dumps(show(lab, "-s", b)[0]["filesystem"]["deny_read"])
    assert "/one" not in rules and "/two" in rules
    c = lab.policy("c.yaml", text="extends: ./a.yaml\n"
                   "filesystem: {deny_read: {replace: [/three]}}\n")
    rules = json.dumps(show(lab, "-s", c)[0]["filesystem"]["deny_read"])
    assert "/two" not in rules and "/three" in rules


@pytest.mark.only_user
def test_user_layer_applies(lab):
    f, token = lab.secret("outside/f")
    lab.file("home/.config/cordon/config.yaml",
             f"filesystem: {{deny_read: ['{f}']}}\n")
    assert token not in lab.run("cat", f).out
    # -s stands in its place
    assert token in lab.run("cat", f, policy={}).out


@pytest.mark.only_user
def test_user_profiles(lab):
    f, token = lab.secret("outside/f")
    lab.file("home/.config/cordon/profiles/mine.yaml",
             f"extends: default\nfilesystem: {{deny_read: ['{f}']}}\n")
    assert token not in lab.run("cat", f, opts=["-P", "mine"]).out
    assert token in lab.run("cat", f).out
    assert "mine" in lab.cli("profiles").out


def test_project_file_is_found_upwards_and_narrows(lab):
    f, token = lab.secret("outside/f")
    lab.file("work/.cordon.yaml", f"filesystem: {{deny_read: ['{f}']}}\n")
    (lab.work / "a/b").mkdir(parents=True)
    assert token not in lab.run("cat", f, cwd=lab.work / "a/b").out
    assert token in lab.run("cat", f, opts=["--no-project"]).out


WIDENINGS = {
    "network": "network: {mode: host}\n",
    "allow_write": "filesystem: {allow_write: [OUTSIDE]}\n",
    "remove": "filesystem: {deny_read: {remove: [~/.ssh]}}\n",
    "replace": "filesystem: {deny_read: {replace: []}}\n",
    "allow_read": "filesystem: {allow_read: [~/.ssh]}\n",
    "git": "filesystem: {git: open}\n",
    "pass": "environment: {pass: [GITHUB_TOKEN]}\n",
    "set": "environment: {set: {LD_PRELOAD: /x}}\n",
    "unix_sockets": "network: {unix_sockets: [/run/x]}\n",
    "require": "require: {replace: []}\n",
    "ignore_missing": "filesystem: {ignore_missing: true}\n",
}


@pytest.mark.parametrize("key", WIDENINGS)
def test_T_181_project_file_cannot_widen_and_it_is_reported(lab, key):
    f, token = lab.secret("home/.ssh/id_rsa")
    lab.env["GITHUB_TOKEN"] = "SECRET-env"
    text = WIDENINGS[key].replace("OUTSIDE", str(lab.outside))
    project = lab.file("work/.cordon.yaml", text)
    script = (f"cat '{f}'; touch '{lab.outside}/x'; env; ls /sys/class/net; "
              "python3 -c 'import os; print(len(os.listdir(\"/sys/class/net\")))'")
    r = lab.sh(script)
    assert token not in r.out and "SECRET-env" not in r.out, r
    assert "LD_PRELOAD" not in r.out, r
    assert not (lab.outside / "x").exists(), r
    word = {"remove": "deny_read", "replace": "deny_read"}.get(key, key)
    assert ".cordon.yaml" in r.err and word in r.err, r
    assert "trust" in r.err, r          # the remedy
    project.write_text("version: 1\n")
    assert ".cordon.yaml" not in lab.sh("true").err         # control


def test_T_181_trust_lets_it_until_a_byte_changes(lab):
    if os.geteuid() == 0:
        lab.env["XDG_CONFIG_HOME"] = str(lab.home / ".config")
    project = lab.file("work/.cordon.yaml", "filesystem: {allow_write: "
                       f"['{lab.outside}']}}\n")
    target = lab.outside / "x"
    assert not lab.sh(f"touch '{target}'").ok
    t = lab.cli("trust", project)
    assert t.ok, t
    try:
        assert lab.sh(f"touch '{target}'").ok and target.exists()
        target.unlink()
        project.write_text(project.read_text() + "# changed\n")
        r = lab.sh(f"touch '{target}'")
        assert not r.ok and not target.exists(), r
    finally:
        assert lab.cli("trust", "--remove", project).ok
    project.write_text("filesystem: {allow_write: "
                       f"['{lab.outside}']}}\n")
    assert not lab.sh(f"touch '{target}'").ok


def test_a_box_cannot_trust(lab):
    lab.file("work/.cordon.yaml", "network: {mode: host}\n")
    r = lab.sh(f"'{lab.cordon}' trust .cordon.yaml; echo $?",
               opts=["--allow-write", lab.home])
    assert r.lines[-1] != "0", r
    assert not list(lab.home.rglob("trust"))


def test_schema_validates_what_cordon_accepts(lab):
    jsonschema = pytest.importorskip("jsonschema")
    yaml = pytest.importorskip("yaml")
    r = lab.cli("policy", "schema")
    assert r.ok
    schema = json.loads(r.out)
    cls = jsonschema.validators.validator_for(schema)
    cls.check_schema(schema)
    good = {"version": 1, "filesystem": {"deny_read": ["/x"], "view": "host"},
            "limits": {"wall_time": "10m"}, "network": {"mode": "none"}}
    jsonschema.validate(good, schema)
    for bad in ({"versio": 1}, {"filesystem": {"view": "all"}},
                {"filesystem": {"deny_read": "x"}}, {"network": 3}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
    r = lab.cli("policy", "init")
    assert r.ok, r
    made = lab.work / ".cordon.yaml"
    text = made.read_text() if made.exists() else r.out
    jsonschema.validate(yaml.safe_load(text), schema)
    made.unlink(missing_ok=True)
    assert lab.cli("check", lab.policy(text=text)).ok


def test_policy_show_names_the_origin_of_each_rule(lab):
    p = lab.policy(text="version: 1\nfilesystem:\n  deny_read:\n  - /x\n"
                   "  ignore_missing: true\n")
    r = lab.cli("policy", "show", "-s", p, "--deny-write", "/y")
    assert r.ok and "policy.yaml:4" in r.out, r
    assert "--deny-write" in r.out and "profile default" in r.out, r


@pytest.mark.parametrize("view", ["host", "minimal"])
def test_T_181_project_file_opens_nothing_that_is_hidden_by_where_it_lies(
        lab, view):
    """The names it may use are compared; what they lead to decides."""
    linked, token = lab.secret("home/dotfiles/keys/id")
    (lab.home / ".ssh").symlink_to("dotfiles/keys")
    private = f"/var/tmp/cordon-test-{os.path.basename(lab.base)}"
    open(private, "w").close()
    try:
        (lab.work / ".cordon.yaml").write_text(json.dumps(
            {"version": 1, "filesystem": {
                "view": view, "allow_read": [str(linked), private]}}))
        act = 'cat "$1"; cat "$2" && echo private'
        r = lab.sh(act, linked, private)
        assert token not in r.out and "private" not in r.out, r
        assert lab.cli("trust", lab.work / ".cordon.yaml").ok
        r = lab.sh(act, linked, private)
        assert token in r.out and "private" in r.out, r
    finally:
        lab.cli("trust", "--remove", lab.work / ".cordon.yaml")
        os.unlink(private)


def test_T_181_project_file_makes_no_part_of_the_home_directory_writable(lab):
    (lab.home / "sub").mkdir()
    (lab.home / ".cordon.yaml").write_text(json.dumps(
        {"version": 1,
         "filesystem": {"allow_write": {"replace": ["sub"]}}}))
    r = lab.sh("touch sub/x", cwd=lab.home)
    assert not r.ok and not (lab.home / "sub/x").exists(), r
    r = lab.sh("touch sub/x", cwd=lab.home, opts=["--allow-write", "sub"])
    assert r.ok, r
