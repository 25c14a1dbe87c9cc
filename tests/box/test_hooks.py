# SPDX-License-Identifier: Apache-2.0
"""Hooks of agents: what the verbs do to the agents' files (T-170)."""
import contextlib
import json
import os
import shlex
import socket

import pytest
import yaml

from hooklab import AGENTS, DEFAULT, Answer, shell


@pytest.fixture(autouse=True)
def real_path(lab):
    lab.cordon = os.path.realpath(lab.cordon)


FILES = {
    "claude": '{\n  // mine\n  "model": "opus", /* yes */\n  "hooks": {\n'
              '    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [\n'
              '        { "type": "command", "command": "audit" } ] }, // a\n'
              '    ],\n    "Stop": []\n  },\n}\n',
    "codex": '{"hooks":{"PreToolUse":[]}}',
    "cursor": '{\n\t"version": 1, // one\n\t"hooks": {}\n}\n',
    "hermes": "# mine\nmodel: x   # y\nhooks:\n  # all\n  pre_tool_call:\n"
              "  - matcher: a\n    command: b # c\nend: 1\n",
    "windsurf": '{\r\n  "hooks": {\r\n    "pre_run_command": [ { "command":'
                ' "a" } ]\r\n  }\r\n}\r\n',
}


def install(lab, agent, *opts, verb="install"):
    r = lab.cli("hooks", verb, agent, *opts)
    assert r.ok, r
    return r


@pytest.mark.parametrize("agent", FILES)
def test_install_and_uninstall_restore_the_file(lab, agent):
    """T-170: foreign entries, order, comments and layout stay."""
    f = lab.home / DEFAULT[agent]
    f.parent.mkdir(parents=True)
    f.write_bytes(FILES[agent].encode())
    f.chmod(0o640)
    before = lab.tree(lab.home)
    install(lab, agent, "-P", "strict")
    once = f.read_bytes()
    assert once != FILES[agent].encode() and b"hook " + agent.encode() in once
    rest = iter(once)       # all that was there is there, in its order
    assert all(byte in rest for byte in FILES[agent].encode())
    st = f.stat()
    assert "already" in install(lab, agent, "-P", "strict").err
    assert f.read_bytes() == once and f.stat().st_ino == st.st_ino
    assert st.st_mode & 0o777 == 0o640
    install(lab, agent, "-P", "dev")
    other = f.read_bytes()
    assert b"strict" not in other and other.count(b"cordon' hook") == \
        once.count(b"cordon' hook")
    install(lab, agent, verb="uninstall")
    assert f.read_bytes() == FILES[agent].encode()
    assert "no hook" in install(lab, agent, verb="uninstall").err
    assert [x[:2] for x in lab.tree(lab.home)] == [x[:2] for x in before]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_is_made_and_removed(lab, agent):
    """T-170: 0600, and nothing left behind."""
    f = lab.home / DEFAULT[agent]
    printed = lab.cli("hooks", "print", agent)
    assert printed.ok and str(f) in printed.out and not f.exists(), printed
    install(lab, agent)
    assert f.stat().st_mode & 0o7777 == 0o600
    assert f.read_text() in printed.out
    assert [p.name for p in f.parent.iterdir()] == [f.name]
    install(lab, agent, verb="uninstall")
    assert not f.exists() and not list(f.parent.iterdir())


def test_what_is_installed_is_what_the_agent_calls(lab):
    """T-170, T-171: the command in the file, run as the agent would."""
    policy = lab.policy(filesystem={"deny_write": ["kept"]})
    for agent in AGENTS[:3] + AGENTS[4:]:
        install(lab, agent, "-s", os.path.relpath(policy, lab.work))
        text = (lab.home / DEFAULT[agent]).read_text()
        data = yaml.safe_load(text) if agent == "hermes" else json.loads(text)
        event, entries = next(iter(data["hooks"].items()))
        entry = entries[0]
        command = (entry["hooks"][0] if "hooks" in entry else entry)["command"]
        assert shlex.split(command)[0] == lab.cordon
        r = lab.host("sh", "-c", command, input=json.dumps(
            shell(lab, agent, "cordon run ls")), cwd="/")
        assert Answer(agent, r).denied, r
        assert f"--settings={policy}" in command
    assert data["hooks"].keys() == {"pre_run_command", "pre_write_code"}


def test_places_follow_the_agents_own_variables(lab):
    for agent, name, tail in (
            ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
            ("codex", "CODEX_HOME", "hooks.json"),
            ("hermes", "HERMES_HOME", "config.yaml"),
            ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/cordon.js")):
        lab.env[name] = str(lab.base / name)
        install(lab, agent)
        assert (lab.base / name / tail).exists()
    f = lab.base / "other.json"
    r = install(lab, "claude", "--file", f, "--json")
    assert json.loads(r.out)["file"] == str(f) and f.exists()
    assert json.loads(r.out)["action"] == "installed" and not r.err, r
    r = install(lab, "claude", "--file", f, "--json", verb="uninstall")
    assert json.loads(r.out)["action"] == "removed" and not f.exists()
    r = lab.cli("hooks", "print", "hermes", "--json", "--wrap")
    assert json.loads(r.out)["wraps"] is True, r


def test_a_link_is_followed_and_named(lab):
    """T-170: the link stays, its file is edited."""
    target = lab.file("dots/settings.json", "{}")
    f = lab.home / DEFAULT["claude"]
    f.parent.mkdir()
    f.symlink_to(target)
    r = install(lab, "claude")
    assert f.is_symlink() and "cordon" in target.read_text()
    assert str(target) in r.err, r
    install(lab, "claude", verb="uninstall")
    assert f.is_symlink() and target.read_text() == "{}"
    target.unlink()
    assert lab.cli("hooks", "install", "claude").code == 1
    assert not target.exists()


BROKEN = {
    "claude": ('{\n  "a": 1\n  "b": 2\n}\n', "3:3"),
    "codex": ("", "1:1"),
    "cursor": ('{"hooks": {}}', "version"),
    "hermes": ("a: 1\nhooks: {on_session_end: []}\n", "2:1"),
    "windsurf": ('{"hooks": {"pre_run_command": {}}}', "list"),
    "opencode": ("export default {}\n", "not a plugin"),
}


@pytest.mark.parametrize("agent", BROKEN)
def test_what_cannot_be_edited_is_left_alone(lab, agent):
    """T-170: refused untouched, with the place and the text to paste."""
    text, place = BROKEN[agent]
    f = lab.file(lab.home / DEFAULT[agent], text)
    before = lab.tree(lab.home)
    r = lab.cli("hooks", "install", agent)
    assert r.code == 1 and place in r.err and str(f) in r.err, r
    assert "hook" in r.out and lab.cordon in r.out, r
    assert f.read_text() == text and lab.tree(lab.home) == before


def test_options_that_would_deny_everything_are_refused(lab):
    """T-170: a policy that cannot be is noticed before it is installed."""
    for opts in (["--allow-domain", "a b"], ["-s", "/no/such"], ["-C", "/"],
                 ["-P", "no-such"], ["--wrap"]):
        r = lab.cli("hooks", "install", "claude", *opts)
        assert not r.ok and r.err.startswith("cordon: "), r
    assert not list(lab.home.iterdir())
    # It can be taken out all the same.
    f = lab.policy(filesystem={})
    install(lab, "claude", "-s", f)
    f.unlink()
    install(lab, "claude", verb="uninstall")
    assert not (lab.home / DEFAULT["claude"]).exists()


def test_a_foreign_plugin_is_replaced_only_when_told(lab):
    f = lab.file(lab.home / DEFAULT["opencode"], "export default {}\n")
    assert not lab.cli("hooks", "install", "opencode").ok
    assert f.read_text() == "export default {}\n"
    install(lab, "opencode", "-y")
    f.write_text(f.read_text() + "// mine\n")
    assert not lab.cli("hooks", "uninstall", "opencode").ok and f.exists()
    install(lab, "opencode", "-y", verb="uninstall")
    assert not f.exists()


def hostile(kind, f):
    """Puts something at @f that is no file."""
    if kind == "directory":
        f.mkdir()
    elif kind == "fifo":
        os.mkfifo(f)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as s, lab_cwd(f.parent):
            s.bind(f.name)
    else:
        f.symlink_to({"loop": f.name, "nowhere": "no/such", "device":
                      "/dev/zero", "to a directory": "/", "to a fifo":
                      "fifo"}[kind])
        if kind == "to a fifo":
            os.mkfifo(f.parent / "fifo")


@contextlib.contextmanager
def lab_cwd(where):
    before = os.getcwd()
    os.chdir(where)
    try:
        yield
    finally:
        os.chdir(before)


@pytest.mark.parametrize("verb", ["install", "uninstall"])
@pytest.mark.parametrize("kind", [
    "directory", "fifo", "socket", "loop", "nowhere", "device",
    "to a directory", "to a fifo"])
def test_what_is_no_file_is_refused(lab, kind, verb):
    """T-170: with its name, at once, and nothing is left behind."""
    for agent in ("claude", "hermes", "opencode"):
        f = lab.home / DEFAULT[agent]
        f.parent.mkdir(parents=True)
        hostile(kind, f)
        before = sorted(os.listdir(f.parent)), os.lstat(f)
        r = lab.cli("hooks", verb, agent, "-y")
        assert r.code == 1 and r.err.startswith("cordon: "), r
        assert f.name in r.err or os.path.realpath(f) in r.err, r
        now = os.lstat(f)
        assert before[0] == sorted(os.listdir(f.parent)), r
        assert (now.st_ino, now.st_mode) == (before[1].st_ino,
                                             before[1].st_mode), r
    # The control: a file is edited.
    f = lab.file(lab.home / DEFAULT["codex"], "{}")
    assert lab.cli("hooks", "install", "codex").ok
    assert "cordon" in f.read_text()


@pytest.mark.parametrize("make, works", [
    ('ln -s "$OTHER"', True), ('ln "$OTHER"', True), ("mkdir", False)],
    ids=["link", "hard link", "directory"])
def test_what_lies_where_the_new_file_is_made_is_not_written(lab, make, works):
    """T-170: in a directory that others can write."""
    f = lab.file(lab.home / DEFAULT["claude"], "{}")
    other = lab.file(lab.home / "other", "mine\n")
    f.parent.chmod(0o777)
    lab.env.update(FILE=str(f), OTHER=str(other))
    # exec keeps the number that is part of the name
    r = lab.host("sh", "-c", make + ' "$FILE.cordon-$$" && exec "$@"', "sh",
                 lab.cordon, "hooks", "install", "claude")
    assert r.ok == works and other.read_text() == "mine\n", r
    assert ("cordon" in f.read_text()) == works, r
    left = [p for p in f.parent.iterdir() if p != f]
    assert len(left) == (not works), left
    assert works or str(left[0]) in r.err, r


@pytest.mark.only_root
def test_a_file_of_another_user_stays_theirs(lab):
    f = lab.file(lab.home / DEFAULT["claude"], "{}")
    os.chown(f, 1234, 4321)
    f.chmod(0o640)
    install(lab, "claude")
    st = f.stat()
    assert (st.st_uid, st.st_gid, st.st_mode & 0o7777) == (1234, 4321, 0o640)
    assert "cordon" in f.read_text()


@pytest.mark.only_user
def test_a_directory_that_cannot_be_written_is_said(lab):
    f = lab.file(lab.home / DEFAULT["claude"], "{}")
    f.parent.chmod(0o500)
    r = lab.cli("hooks", "install", "claude")
    f.parent.chmod(0o700)
    assert r.code == 1 and f.read_text() == "{}", r
    assert [p.name for p in f.parent.iterdir()] == [f.name]


def test_inside_a_box_nothing_can_be_installed(lab):
    """The files of agents are protected there."""
    f = lab.file(lab.home / DEFAULT["claude"], "{}")
    r = lab.run(lab.cordon, "hooks", "install", "claude")
    assert not r.ok and f.read_text() == "{}", r
