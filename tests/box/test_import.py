# SPDX-License-Identifier: Apache-2.0
"""Settings of other programs as policies: a table of such with what comes of
them, input that is wrong, and boxes that hold what was imported (T-180)."""
import json
import os
import shlex
import subprocess

import pytest

from lab import TREE, call

CASES = TREE / "tests" / "import" / "cases"
NAMES = sorted(p.name for p in CASES.iterdir())
SOURCES = ("srt", "fence", "aigate", "claude")


def importer(lab, *argv, **kw):
    kw.setdefault("cwd", lab.work)
    return call([lab.cordon, "policy", "import", *argv], env=lab.env, **kw)


def settings(lab, text, name="settings.json"):
    p = lab.work / name
    p.write_bytes(text if isinstance(text, bytes) else text.encode())
    return p


def imported(lab, source, value, *argv):
    """The policy and the notes that come of a value, through JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    r = importer(lab, "--from", source, *argv, "--json", "-", input=text)
    assert r.ok, r
    return json.loads(r.out)


def split(text):
    """The notes of the head as lines, and the document below it."""
    head, _, body = text.partition("\nversion: 1\n")
    notes, title = [], None
    for line in head.splitlines():
        if line.startswith("# - "):
            notes.append(f"{title}: {line[4:]}")
        elif line.startswith("# ") and line.endswith(":"):
            title = line[2:-1]
    return notes, "version: 1\n" + body


def unknown_profiles(lab, names):
    """Those of these that this build does not ship."""
    found = set()
    for name in names:
        p = lab.policy("extends.yaml", extends=name)
        r = call([lab.cordon, "policy", "show", "-s", p], env=lab.env)
        if not r.ok:
            assert f"'{name}'" in r.err, r
            found.add(name)
    return found


def compare(path, text):
    if os.environ.get("UPDATE"):
        path.write_text(text)
    assert path.read_text() == text, path


# -- the table ----------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_T_180_settings_become_the_expected_policy(lab, name):
    where = CASES / name
    given, = where.glob("input.*")
    args = shlex.split((where / "args").read_text())
    r = importer(lab, *args, given)
    assert r.ok, r
    notes, body = split(r.out)
    compare(where / "expected.yaml", body)
    compare(where / "notes.txt", "".join(n + "\n" for n in notes))
    # the same on standard error, what is no longer denied as a warning
    said = [line.removeprefix("cordon: ").removeprefix("warning: ")
            for line in r.err.splitlines()]
    assert [s for s in said if not s.startswith("profile '")] == notes
    for n in notes:
        loud = f"cordon: warning: {n}" in r.err.splitlines()
        assert loud == n.startswith("denied there"), n
    # all but the keys of this build's future are held by it
    out = lab.policy(text=r.out)
    check = call([lab.cordon, "check", out], env=lab.env)
    extends = imported(lab, args[1], given.read_text(),
                       *args[2:])["policy"]["extends"]
    if not unknown_profiles(lab, extends):
        assert check.ok or "not supported by this build" in check.out, check


def test_T_180_every_source_has_its_share_of_the_table():
    for source in SOURCES:
        assert sum(n.startswith(source + "-") for n in NAMES) >= 6


def test_every_profile_that_is_named_is_shipped(lab):
    named = set()
    for name in NAMES:
        given, = (CASES / name).glob("input.*")
        args = shlex.split((CASES / name / "args").read_text())
        named |= set(imported(lab, args[1], given.read_text(),
                              *args[2:])["policy"]["extends"])
    assert {"base", "default", "code"} <= named
    assert not unknown_profiles(lab, named)


def test_json_says_the_same_as_the_text(lab):
    given = CASES / "claude-typical" / "input.json"
    text = importer(lab, "--from", "claude", given)
    r = importer(lab, "--from", "claude", "--json", "-q", given)
    answer = json.loads(r.out)
    assert r.ok and not r.err, r
    assert answer["yaml"] == text.out and answer["file"] is None
    assert set(answer["policy"]["exec"]["deny"]) == {"curl", "git commit",
                                                     "git push"}
    kinds = {n["kind"] for n in answer["notes"]}
    assert kinds <= {"denied", "allowed", "told"}
    asked = [n for n in answer["notes"] if n["key"] == "permissions.ask"]
    assert asked[0]["item"] == "Bash(git commit:*)" and asked[0]["line"] == 19


def test_standard_input_and_a_pipe(lab):
    text = '{"filesystem": {"allowWrite": ["x"]}}'
    r = importer(lab, "--from", "srt", "-", input=text)
    assert r.ok and '- "x"' in r.out and "from standard input." in r.out, r
    piped = call(["bash", "-c", f"'{lab.cordon}' policy import --from srt "
                  f"<(echo '{text}')"], env=lab.env, cwd=lab.work)
    assert piped.ok and '- "x"' in piped.out, piped
    r = importer(lab, "--from", "srt", "-", input='"' + "x" * 2_000_000)
    assert r.code == 1 and "more than the 1048576 bytes" in r.err, r


# -- files --------------------------------------------------------------------
def test_a_file_is_made_for_its_owner_alone_and_never_replaced_unasked(lab):
    given = settings(lab, '{"filesystem": {"allowWrite": ["x"]}}')
    out = lab.work / "p.yaml"
    old = os.umask(0)
    try:
        r = importer(lab, "--from", "srt", "-o", out, given)
    finally:
        os.umask(old)
    assert r.ok and not r.out, r
    assert out.stat().st_mode & 0o777 == 0o600
    assert '- "x"' in out.read_text()

    out.write_text("mine\n")
    r = importer(lab, "--from", "srt", "-o", out, given)
    assert r.code == 1 and "exists already; -y replaces it" in r.err, r
    assert out.read_text() == "mine\n"
    r = importer(lab, "--from", "srt", "-y", "-o", out, given)
    assert r.ok and '- "x"' in out.read_text(), r
    assert out.stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in lab.work.iterdir()) == ["p.yaml",
                                                          "settings.json"]


def test_a_link_is_replaced_and_not_followed(lab):
    given = settings(lab, '{"filesystem": {"allowWrite": ["x"]}}')
    kept = lab.file("outside/kept", "kept\n")
    out = lab.work / "p.yaml"
    out.symlink_to(kept)
    assert importer(lab, "--from", "srt", "-o", out, given).code == 1
    assert importer(lab, "--from", "srt", "-yo", out, given).ok
    assert kept.read_text() == "kept\n" and not out.is_symlink()


def test_wrong_settings_leave_no_file(lab):
    given = settings(lab, '{"filesystem": 1}')
    out = lab.work / "p.yaml"
    r = importer(lab, "--from", "srt", "-o", out, given)
    assert r.code == 1 and f"{given}:1:16: filesystem:" in r.err, r
    assert [p.name for p in lab.work.iterdir()] == ["settings.json"]
    r = importer(lab, "--from", "srt", "-o", lab.work / "no" / "p", "-",
                 input="{}")
    assert r.code == 1 and "No such file" in r.err, r


@pytest.mark.parametrize("argv, says", [
    ([], "--from"),
    (["--from", "docker", "x"], "'docker' is not srt"),
    (["--from", "srt"], "no file given"),
    (["--from", "srt", "a", "b"], "'b' is one word too many"),
    (["--from", "srt", "--extends", "dev", "--no-extends", "a"],
     "contradict"),
])
def test_wrong_words(lab, argv, says):
    r = importer(lab, *argv)
    assert r.code == 2 and says in r.err, r


# -- input that is wrong ------------------------------------------------------
def json_errors():
    deep = "[" * 100000 + "]" * 100000
    yield b"", ":1:1: not JSON"
    yield b"[1]", ":1:1: an object is expected"
    yield b'{"network": ', ":1:1"
    yield b'{"network": {"allowedDomains": "x"}}', \
        ":1:32: network.allowedDomains: a list of strings is expected"
    yield b'{"network": {"allowedDomains": ["a.b", 7]}}', \
        ":1:40: network.allowedDomains: a list of strings is expected"
    yield b'{\n // \xc3\xa9\n "network":\n /*\xc3\xa9*/ []}', \
        ":4:8: network: an object is expected"
    yield b'{"network": {"a": 1e999}}', "not JSON"
    yield b'{"network": {"a": 99999999999999999999999}}', "not JSON"
    yield b'{"a": 1, "b": 2, "a": 3}', "duplicate object key"
    yield b'{"a": "x\x00y"}', "NUL"
    yield b'{"a": "x\\u0000y"}', "not JSON"
    yield b'{"a": "\xff\xfe"}', "not JSON"
    yield b'{"a": "\xed\xa0\x80"}', "not JSON"
    yield b'{"a": [1,,2]}', ":1:10: not JSON"
    yield b'{,}', ":1:2: not JSON"
    yield b'{"a": 1} {"b": 2}', "not JSON"
    yield b"{'a': 1}", "not JSON"
    yield b'{"a": /* no end', "not JSON"
    yield b"{" + b"/* " * 300000, "not JSON"
    yield ('{"a": ' + deep + "}").encode(), "not JSON"
    yield ('{"a": ' + "[" * 40 + "]" * 40 + "}").encode(), \
        "nested more than 32 levels deep"
    yield b'{"a": "' + b"x" * 10_000_000 + b'"}', "more than the 1048576"


ERRORS = list(json_errors())


@pytest.mark.parametrize("i", range(len(ERRORS)))
def test_wrong_json_is_an_error_with_its_place(lab, i):
    text, says = ERRORS[i]
    given = settings(lab, text)
    for source in ("srt", "fence", "claude"):
        if source == "claude" and "expected" in says and "network" in says:
            continue            # which has no such key
        r = importer(lab, "--from", source, given)
        assert r.code == 1 and not r.out, r
        assert r.err.startswith("cordon: ") and "settings.json" in r.err, r
        if source == "srt":
            assert says in r.err, r


YAML_ERRORS = [
    (b"[a]", ":1:1: an object is expected"),
    (b"deny_read: .env", ":1:12: deny_read: a list of strings is expected"),
    (b"deny_read:\n  - a\n  - {b: c}\n", ":3:5: deny_read: a list"),
    (b"a: 1\na: 2\n", "was given before"),
    (b"a: &x 1\nb: *x\n", "anchors are not accepted"),
    (b"a: \xff\n", "not UTF-8"),
    (b"a: b\x00c\n", "NUL"),
    (b"a: " + b"[" * 50 + b"]" * 50, "nested more than 32"),
    (b"resource_limits: {max_pids: many}", ":1:29: resource_limits.max_pids"),
    (b"resource_limits: {max_cpu_percent: 999999999999999999999}",
     "a percentage up to"),
    (b"mask_stdout: {patterns: [{show_prefix: 1}]}", "regex: a string"),
    (b"x: " + b"y" * 10_000_000, "more than the 1048576"),
]


@pytest.mark.parametrize("i", range(len(YAML_ERRORS)))
def test_wrong_yaml_is_an_error_with_its_place(lab, i):
    text, says = YAML_ERRORS[i]
    r = importer(lab, "--from", "aigate", settings(lab, text, "a.yaml"))
    assert r.code == 1 and not r.out and says in r.err, r


def test_a_byte_order_mark_is_no_error(lab):
    body = b'{"filesystem": {"allowWrite": ["x"]}}'
    for source in ("srt", "fence"):
        r = importer(lab, "--from", source,
                     settings(lab, b"\xef\xbb\xbf" + body))
        assert r.ok and '- "x"' in r.out, r
    r = importer(lab, "--from", "aigate",
                 settings(lab, b"\xef\xbb\xbfdeny_exec: [curl]\n", "a.yaml"))
    assert r.ok and '- "curl"' in r.out, r


# -- nothing of the input gets into the output as it is -----------------------
NASTY = ["x\nnetwork: {mode: host}", "x\u2028network: {mode: host}",
         "x\u2029a", "x\u0085a", "\x1b[31mred", "a\u202eb", "\ufeff", "\uffff",
         "\U0010ffff", "'\"`\\", "# c", "]}", "x" * 5000, "\u00e9" * 500]


@pytest.mark.parametrize("i", range(len(NASTY)))
def test_what_is_written_there_stays_a_value_here(lab, i):
    bad = NASTY[i]
    value = {
        bad: 1, "network": {"allowedDomains": [bad], "deniedDomains": [bad],
                            bad: True},
        "filesystem": {"denyRead": [bad, "/" + bad], "allowWrite": [bad]},
        "command": {"deny": [bad], "allow": [bad]},
        "permissions": {"allow": [bad, f"Read({bad})", f"Bash({bad})"],
                        "deny": [f"Edit({bad})", f"WebFetch(domain:{bad})"]},
    }
    for source in ("srt", "fence", "claude"):
        answer = imported(lab, source, value)
        r = importer(lab, "--from", source, "-", input=json.dumps(value))
        assert r.ok, r
        assert answer["policy"].get("network", {}).get("mode") != "host"
        for out in (r.out, r.err):
            assert "\x1b" not in out and "\u202e" not in out
        head = r.out.partition("\nversion: 1\n")[0]
        assert all(line.startswith("#") for line in head.splitlines()
                   if line), head
        shown = call([lab.cordon, "policy", "show", "--json", "-s",
                      lab.policy(text=r.out.replace("code", "default"))],
                     env=lab.env)
        if "commands" not in r.out:
            assert shown.ok, shown
            want = answer["policy"].get("filesystem", {}).get("deny_read", [])
            got = json.loads(shown.out)["filesystem"]["deny_read"]
            assert set(want) <= set(got)


def test_the_name_of_the_file_is_escaped_too(lab):
    name = b"a\nnetwork: {mode: host}\xff\xed\xa0\x80.json"
    path = os.path.join(os.fsencode(lab.work), name)
    with open(path, "wb") as f:
        f.write(b"{}")
    done = subprocess.run([lab.cordon, "policy", "import", "--from", "srt",
                           path], env=lab.env, cwd=lab.work,
                          capture_output=True, timeout=30, check=False)
    assert done.returncode == 0, done
    assert b"\nnetwork: {mode: host}" not in done.stdout
    assert "network: {mode: host}" in done.stdout.decode()


# -- boxes --------------------------------------------------------------------
def test_T_180_a_box_holds_what_was_imported_from_claude(lab):
    """The control: without the rule the same is read and written."""
    secret, token = lab.secret("work/deep/down/.token")
    lab.file("work/keep/a", "a\n")
    given = settings(lab, json.dumps({"permissions": {
        "deny": ["Read(.token)", "Edit(keep/**)"]}}))
    out = lab.base / "p.yaml"
    assert importer(lab, "--from", "claude", "-o", out, given).ok

    def run(policy, *argv):
        return call([lab.cordon, "run", "-s", policy, "--", *argv],
                    env=lab.env, cwd=lab.work)

    free = lab.policy(text="version: 1\nextends: default\n")
    assert token in run(free, "cat", secret).out
    assert run(free, "touch", "keep/b").ok
    assert token not in run(out, "cat", secret).out
    r = run(out, "touch", "keep/c")
    assert not r.ok and not (lab.work / "keep/c").exists(), r
    assert run(out, "touch", "new").ok and (lab.work / "new").exists()


def test_T_180_a_denial_around_what_is_allowed_still_wins(lab):
    """srt: denyWrite decides over allowWrite, however specific."""
    (lab.work / "data/in").mkdir(parents=True)
    value = {"filesystem": {"denyRead": [], "allowWrite": ["data/in", "free"],
                            "denyWrite": ["data"]}}
    (lab.work / "free").mkdir()
    out = lab.base / "p.yaml"
    r = importer(lab, "--from", "srt", "-o", out,
                 settings(lab, json.dumps(value)))
    assert r.ok and "allowed there, not here: filesystem.allow_write" in r.err

    def touch(policy, path):
        r = call([lab.cordon, "run", "-s", policy, "--", "touch", path],
                 env=lab.env, cwd=lab.work)
        return r.ok and (lab.work / path).exists()

    plain = lab.policy(text="version: 1\nextends: base\nfilesystem: "
                       "{allow_write: [data/in], deny_write: [data]}\n")
    assert touch(plain, "data/in/a")    # the control: how it weighs here
    assert not touch(out, "data/in/b")
    assert touch(out, "free/c")


# -- what never widens --------------------------------------------------------
@pytest.mark.parametrize("source, value", [
    ("srt", {}), ("srt", {"network": {"allowedDomains": []}}),
    ("srt", {"network": {"allowedDomains": ["a.com"],
                         "deniedDomains": ["*"]}}),
    ("fence", {}), ("fence", {"network": {"allowedDomains": []}}),
    ("aigate", {}), ("aigate", {"allow_net": []}),
])
def test_nothing_allowed_is_no_network(lab, source, value):
    answer = imported(lab, source, value)
    assert answer["policy"]["network"]["mode"] == "none"
    assert "allow" not in answer["policy"]["network"]


def test_no_policy_of_the_table_has_the_hosts_network():
    for name in NAMES:
        assert "mode: host" not in (CASES / name / "expected.yaml").read_text()


def test_the_home_directory_is_taken_to_be_around_the_project(lab):
    value = {"filesystem": {"allowWrite": ["."], "denyWrite": ["~"]}}
    answer = imported(lab, "srt", value)
    assert "allow_write" not in answer["policy"]["filesystem"]
    value = {"filesystem": {"allowWrite": ["."], "denyWrite": ["~/x"]}}
    answer = imported(lab, "srt", value)
    assert answer["policy"]["filesystem"]["allow_write"] == ["."]


@pytest.mark.parametrize("allow, deny, kept", [
    ("a/b", "a", False), ("a", "a/b", True), ("a/b", "*/c", True),
    ("a/b/c", "*/b", False), ("src/*.ts", "src/secret", True),
    ("src/**", "**/gen", True), ("src/x", "**/gen", True),
    ("src/gen/x", "**/gen", False), ("src/*/x", "**/gen", False),
    ("**/x", "gen", False), ("lib/*.js", "lib/*.key", True),
    ("lib/*/y", "lib/a*", False), ("lib/b*/y", "lib/a*", True),
    ("/opt/x", "/", False), ("~/x", "~", False), ("a\\*/b", "a\\*", False),
])
def test_what_is_allowed_inside_a_denial_goes(lab, allow, deny, kept):
    value = {"filesystem": {"allowWrite": [allow], "denyWrite": [deny]}}
    fs = imported(lab, "fence", value)["policy"]["filesystem"]
    assert ("allow_write" in fs) == kept, fs


def test_what_the_profile_allows_inside_a_denial_goes_too(lab):
    """Claude: Edit(~/**) is denied, and 'default' lets . be written."""
    value = {"permissions": {"deny": ["Edit(~/**)"],
                             "allow": ["Edit(//opt/x/**)"]}}
    answer = imported(lab, "claude", value)
    assert answer["policy"]["filesystem"]["allow_write"] == {
        "replace": ["/opt/x"]}
    assert any("is taken out" in n["why"] for n in answer["notes"])
    value["permissions"]["deny"] = ["Edit(~/mail/**)"]
    answer = imported(lab, "claude", value)
    assert answer["policy"]["filesystem"]["allow_write"] == ["/opt/x"]


def test_T_180_a_box_below_a_denied_home_writes_nothing(lab):
    """The control: with another rule the project is written."""
    work = lab.home / "project"
    work.mkdir()

    def touch(deny, name):
        out = lab.base / f"{name}.yaml"
        value = {"permissions": {"deny": [deny]}}
        r = importer(lab, "--from", "claude", "-o", out, "-",
                     input=json.dumps(value))
        assert r.ok, r
        call([lab.cordon, "run", "-s", out, "--", "touch", name],
             env=lab.env, cwd=work)
        return (work / name).exists()

    assert touch("Edit(~/mail/**)", "a")
    assert not touch("Edit(~/**)", "b")
    assert not touch("Read(~/**)", "c")


def test_many_rules_are_no_trouble(lab):
    allow = ["*a*/" * 22 + f"x{i}" for i in range(800)]
    deny = ["**/*a*/" * 11 + f"y{i}" for i in range(800)]
    value = {"filesystem": {"allowWrite": allow, "denyWrite": deny,
                            "allowRead": allow, "denyRead": deny},
             "command": {"deny": [f"p{i}" for i in range(1100)]}}
    answer = imported(lab, "fence", value)
    fs = answer["policy"]["filesystem"]
    assert len(fs["deny_write"]) == 300
    assert len(answer["policy"]["exec"]["deny"]) == 1000
    assert any("more than 300" in n["why"] and n["kind"] == "denied"
               for n in answer["notes"])
