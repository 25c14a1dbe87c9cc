# SPDX-License-Identifier: Apache-2.0
"""Hooks of agents: what `cordon hook` answers (T-171 to T-173)."""
import json
import os
import shlex
import subprocess

import pytest

from hooklab import (AGENTS, DEFAULT, MAY_REWRITE, REWRITES, Answer, ask,
                     payload, shell, wrapped)


@pytest.fixture(autouse=True)
def real_path(lab):
    lab.cordon = os.path.realpath(lab.cordon)


COMMANDS = ["ls -l", "echo it's \"$HOME\" `id` $(id)", "a\nb", "'", "cd x && ls",
            "printf '%s\\n' \\\\", "é ☃", "--", "-c ls", "> file", "X=1",
            "true # cordon"]


@pytest.mark.parametrize("agent", REWRITES + MAY_REWRITE)
def test_a_command_is_wrapped_to_the_byte(lab, agent):
    """T-171: the same command in a box, and the rest of the input kept."""
    opts = ["--wrap"] if agent in MAY_REWRITE else []
    for command in COMMANDS:
        a = ask(lab, agent, shell(lab, agent, command, timeout=7), *opts)
        assert a.input["command"] == wrapped(lab, command), (command, a.r)
        if agent != "opencode":
            assert a.input["timeout"] == 7, a.r
    # The control: the shell gives cordon the very command.
    assert shlex.split(wrapped(lab, COMMANDS[1]))[-1] == COMMANDS[1]


@pytest.mark.parametrize("agent", MAY_REWRITE + ["windsurf"])
def test_without_wrapping_there_is_only_the_check(lab, agent):
    """T-171: agents that are not known to take another command."""
    assert ask(lab, agent, shell(lab, agent, "ls")).passed
    assert ask(lab, agent, shell(lab, agent, "cordon run ls")).denied


def test_the_wrapped_command_runs_in_a_box(lab):
    """T-171: what the hook answers does what it says."""
    secret, token = lab.secret("home/.ssh/id_rsa")
    command = f"cat {secret}; echo it\\'s $((1+1)) > made; pwd"
    a = ask(lab, "claude", shell(lab, "claude", command))
    outside = lab.host("sh", "-c", command)
    inside = lab.host("sh", "-c", a.input["command"])
    assert token in outside.out, outside
    assert token not in inside.out and "denied" in inside.err, inside
    assert (lab.work / "made").read_text() == "it's 2\n"
    assert inside.lines == [str(lab.work)], inside


@pytest.mark.parametrize("agent", AGENTS)
def test_pure_cd_is_left_alone(lab, agent):
    """T-171: it has to happen in the agent's own shell."""
    opts = ["--wrap"] if agent in MAY_REWRITE else []
    for command in ("cd", "cd ..", "cd 'a b'", "cd ~/x"):
        assert ask(lab, agent, shell(lab, agent, command), *opts).passed
    for command in ("cd x; ls", "cd $(ls)", "cd x > y", "cd \"$HOME\"",
                    "cd ${PWD@P}", "cd ~root", "cd *", "cd a b",
                    "cd x #$(ls)", "#$(ls)"):
        a = ask(lab, agent, shell(lab, agent, command), *opts)
        assert a.passed if agent == "windsurf" else a.input, a.r


def test_the_name_of_a_directory_is_not_run_by_cd(lab):
    """T-171: bash runs what stands in it with ${PWD@P}."""
    name = "$(cd;touch made)"
    (lab.work / name).mkdir()
    for command, wraps in ((f"cd '{name}'", False), ("cd ${PWD@P}", True)):
        a = ask(lab, "claude", shell(lab, "claude", command))
        assert bool(a.input) == wraps and not a.denied, a.r
    run = lab.host("bash", "-c", a.input["command"], cwd=lab.work / name)
    assert not (lab.home / "made").exists(), run
    run = lab.host("bash", "-c", command, cwd=lab.work / name)    # control
    assert (lab.home / "made").exists(), run


@pytest.mark.parametrize("agent", AGENTS)
def test_other_tools_get_no_opinion(lab, agent):
    """T-171"""
    for tool in ("Read", "Grep", "TodoWrite", "mcp__x__y", "read_file",
                 "pre_read_code", "post_write_code", "glob"):
        assert ask(lab, agent, payload(lab, agent, tool, {"x": 1})).passed
    if agent not in ("opencode", "windsurf"):
        call = shell(lab, agent, "cordon run ls")
        call["hook_event_name"] = "PostToolUse"
        assert ask(lab, agent, call).passed


BAD = ["", " ", "x", "[]", "1", "null", '"x"', "{", '{"a":', "{}",
       '{"tool_name": "Bash", "tool_name": "Read"}', '{"tool_name": 7}',
       "\x00", "{}{}", "\ud800"]


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_not_understood_is_denied(lab, agent):
    """T-171: bad JSON, nothing, too much, fields of the wrong type."""
    for text in BAD:
        r = subprocess.run([lab.cordon, "hook", agent], env=lab.env,
                           cwd=lab.work, capture_output=True, timeout=30,
                           input=text.encode("utf-8", "surrogatepass"))
        assert r.returncode == 2 and r.stderr.startswith(b"cordon: "), (
            text, r)
    a = ask(lab, agent, shell(lab, agent, "x" * (1024 * 1024)))
    assert a.denied and "1048576" in a.reason, a.r
    assert not ask(lab, agent, shell(lab, agent, "x" * 1000 * 1000)).denied
    for bad in (None, 7, ["ls", "rm"], {"a": 1}):
        assert ask(lab, agent, shell(lab, agent, bad)).denied, bad
    call = shell(lab, agent, "ls")
    call.get("tool_input", call.get("args", call.get("tool_info"))).clear()
    assert ask(lab, agent, call).denied


def raw(lab, agent, text):
    r = subprocess.run([lab.cordon, "hook", agent], env=lab.env, cwd=lab.work,
                       capture_output=True, timeout=30, input=text)
    return r.returncode, r.stderr.decode(errors="replace")


@pytest.mark.parametrize("agent", AGENTS)
def test_json_that_others_read_in_another_way_is_denied(lab, agent):
    """T-171: what the agent sees in it may not be what is judged here."""
    good = json.dumps(shell(lab, agent, "ls"))
    assert raw(lab, agent, good.encode())[0] == 0           # control
    field = "command_line" if agent == "windsurf" else "command"
    ls = f'"{field}": "ls"'
    assert ls in good
    for to, why in (
            (ls + f', "{field}": "ls"', "duplicate"),
            (f'"{field}": "id", ' + ls, "duplicate"),
            (f'"{field[:-1]}\\u0064": "id", ' + ls,
             "duplicate" if field == "command" else None),
            (f'"{field}": "ls\\u0000rm"', "u0000"),
            (f'"x\\u0000": 1, ' + ls, "u0000"),
            (f'"{field}": "\\ud800"', ""),
            (f'"{field}": 7', "text is wanted"),
            (f'"{field}": true', "text is wanted"),
            (f'"{field}": ["ls"]', "command is wanted"),
            (f'"{field}": ["ls", "-l"]', "command is wanted"),
            (f'"{field}": []', "command is wanted"),
            (f'"{field}": [["ls"]]', "text is wanted"),
            (f'"{field}": {{"a": "ls"}}', "text is wanted"),
            (f'"{field}": null', "has no"),
            (ls + ', "x": NaN', ""), (ls + ', "x": 1e999', ""),
            (ls + ',', ""), (ls + ' /* */', ""), (f"'{field}': 'ls'", "")):
        if why is None:
            continue
        code, said = raw(lab, agent, good.replace(ls, to).encode())
        assert code == 2 and said.startswith("cordon: "), (to, said)
        assert why in said, (to, said)
    deep = good.replace(ls, ls + ', "x": ' + "[" * 100000 + "]" * 100000)
    for text in (b"\xef\xbb\xbf" + good.encode(), good.encode("utf-16"),
                 good.encode() + b"\0", good.encode() + b"{}",
                 good.replace("ls", "l\xff").encode("latin-1"), deep.encode()):
        code, said = raw(lab, agent, text)
        assert code == 2 and said.startswith("cordon: "), (text[:40], said)


@pytest.mark.parametrize("agent", ["claude", "cursor", "opencode", "hermes",
                                   "windsurf"])
def test_names_of_files_that_are_none_are_denied(lab, agent):
    tool, field = WRITES[agent][0]
    for bad in ("", "a\0b", 7, True, {"a": "b"}, [], ["ok", 7], None):
        a = ask(lab, agent, payload(lab, agent, tool, {field: bad}))
        assert a.denied, (bad, a.r)
    assert ask(lab, agent, payload(lab, agent, tool, {field: "ok"})).passed
    for bad in (7, "x", [], None):
        call = payload(lab, agent, tool, {field: "ok"})
        for key in ("tool_input", "args", "tool_info"):
            if key in call:
                call[key] = bad
        assert ask(lab, agent, call).denied, (bad, call)


def test_an_unknown_agent_or_option_is_refused(lab):
    for argv in (["hook"], ["hook", "emacs"], ["hook", "claude", "codex"],
                 ["hook", "claude", "--no-such"],
                 ["hooks", "install", "emacs"], ["hooks", "print"]):
        r = lab.cli(*argv, input="{}")
        assert r.code == 2 and r.err.startswith("cordon: "), r
    r = lab.cli("hook", "claude", "-C", "/", input="{}")
    assert r.code == 2 and "-C" in r.err, r


def test_the_policy_is_found_from_the_calls_directory(lab):
    """T-171: payload cwd. A project's file counts where the agent works."""
    lab.file("work/.cordon.yaml", "version: 1\nfilesystem:\n"
             "  deny_write: [kept]\n")
    lab.file("elsewhere/x")
    call = payload(lab, "claude", "Write", {"file_path": "kept"})
    a = ask(lab, "claude", call, cwd=lab.outside)
    assert a.denied and ".cordon.yaml" in a.reason, a.r
    assert ask(lab, "claude", {**call, "cwd": str(lab.base / "elsewhere")},
               cwd=lab.work).passed
    # A policy that is broken stops commands as `run` would.
    (lab.work / ".cordon.yaml").write_text("version: 9\n")
    a = ask(lab, "claude", shell(lab, "claude", "ls"))
    assert a.denied and "version" in a.reason, a.r
    a = ask(lab, "claude", shell(lab, "claude", "ls", cwd="/no/such"))
    assert a.denied and "/no/such" in a.reason, a.r


CWDS = ["cwd", "working_directory", "workdir", "directory", "workspace_roots"]


@pytest.mark.parametrize("agent", ["claude", "cursor", "opencode", "hermes",
                                   "windsurf"])
def test_a_model_does_not_choose_where_its_files_are_judged(lab, agent):
    """T-171: the agent says where it works; the input is the model's."""
    tool, field = WRITES[agent][0]
    path = str(lab.outside / "f")
    for key in CWDS:
        place = str(lab.outside)
        args = {field: path, key: [place] if key == "workspace_roots" else place}
        a = ask(lab, agent, payload(lab, agent, tool, args))
        assert a.denied and "is denied by" in a.reason, (key, a.r)
    # The control: where the agent works.
    if agent != "windsurf":
        call = payload(lab, agent, tool, {field: path}, cwd=lab.outside)
        assert ask(lab, agent, call).passed


@pytest.mark.parametrize("agent,key", [
    ("cursor", "working_directory"), ("opencode", "workdir"),
    ("hermes", "workdir"), ("windsurf", "cwd")])
def test_a_command_elsewhere_is_judged_by_both_policies(lab, agent, key):
    """T-171: it cannot leave the rules of where the agent works behind."""
    def denied(command, where):
        call = shell(lab, agent, command)
        info = call.get("tool_input", call.get("args", call.get("tool_info")))
        info[key] = str(where)
        a = ask(lab, agent, call)
        return a.reason if a.denied else None
    lab.file("work/.cordon.yaml", "version: 1\nexec: {deny: [git push]}\n")
    lab.file("outside/.cordon.yaml", "version: 1\nexec: {deny: [git pull]}\n")
    for where in (lab.outside, "../outside"):
        assert str(lab.work) in denied("git push", where)
        assert str(lab.outside) in denied("git pull", where)
        assert not denied("git log", where)
    assert not denied("git pull", lab.work)             # control
    assert denied("ls", "/no/such")
    # Where the agent defines no such thing it does not count.
    call = shell(lab, "claude", "git pull")
    call["tool_input"][key] = str(lab.outside)
    assert ask(lab, "claude", call).input


@pytest.mark.parametrize("agent", ["claude", "codex", "cursor", "opencode",
                                   "hermes"])
def test_a_directory_of_the_wrong_type_is_denied(lab, agent):
    for bad in (7, ["/"], {"a": 1}, True, "work", "./x"):
        call = shell(lab, agent, "ls")
        call["cwd"] = bad
        a = ask(lab, agent, call)
        assert a.denied and "cwd" in a.reason, (bad, a.r)
    call["cwd"] = None
    assert not ask(lab, agent, call).denied             # control


def test_pinned_options_hold_whatever_the_call_says(lab):
    """T-171: pinned settings are used, and are in the wrapper."""
    pinned = lab.policy(filesystem={"deny_write": ["kept"]})
    other = lab.policy("other.yaml", filesystem={"allow_write": ["/etc"]})
    lab.file("work/.cordon.yaml", "version: 9\n")     # would be refused
    opts = ["-s", pinned, "-P", "strict", "--no-net", "--allow-read=/a b",
            "--clean-env", "--no-project"]
    words = ["--profile=strict", f"--settings={pinned}", "--no-project",
             "--network=none", "--allow-read='/a b'", "--clean-env"]
    call = shell(lab, "claude", "ls")
    call["settings"] = call["tool_input"]["settings"] = str(other)
    a = ask(lab, "claude", call, *opts)
    assert a.input["command"] == wrapped(lab, "ls", *words), a.r
    call = payload(lab, "claude", "Write",
                   {"file_path": "kept", "settings": str(other)})
    a = ask(lab, "claude", call, "-s", pinned)
    assert a.denied and str(pinned) in a.reason, a.r
    # The control: what is not kept is written.
    call["tool_input"]["file_path"] = "other"
    assert ask(lab, "claude", call, "-s", pinned).passed
    # Settings that are gone stop everything.
    assert ask(lab, "claude", shell(lab, "claude", "ls"), "-s",
               lab.base / "none").denied


STARTS = [
    "cordon run --network host ls", "{self} run ls", "./cordon run ls",
    "env cordon run ls", "env -i {self} run ls", "command cordon run ls",
    "exec cordon run ls", "nohup cordon run ls &", "sudo -u x cordon run ls",
    "X=1 cordon run ls", "ls | xargs cordon run", "sh -c 'cordon run ls'",
    "bash -c \"cd x && {self} run ls\"", "c''ordon run ls", "co\\rdon run ls",
    "echo $(cordon run ls)", "echo `cordon run ls`", "ls && cordon run ls",
    "ls; cordon run ls", "ls | cordon run cat", "ls\ncordon run ls",
    "X=cordon; $X run ls", "cord?n run ls", "{link} run ls",
    "PATH={dir}:$PATH other run ls", "(cordon doctor)",
    # wrappers that are not the one
    "'{self}' run --profile=trusted -c 'ls'", "'{self}' run -c 'ls'; id",
    "{self} run -c 'ls'", "'{self}' run -c ls",
    "'{self}' run -c 'cordon run --network host ls'",
]


@pytest.mark.parametrize("agent", AGENTS)
def test_cordon_by_any_other_way_is_denied(lab, agent):
    """T-172: an agent cannot choose another policy."""
    link = lab.base / "bin" / "other"
    link.parent.mkdir()
    link.symlink_to(lab.cordon)
    lab.env["PATH"] += f":{link.parent}"
    for text in STARTS + ["other run ls"]:
        command = text.replace("{self}", lab.cordon).replace(
            "{link}", str(link)).replace("{dir}", str(link.parent))
        a = ask(lab, agent, shell(lab, agent, command))
        assert a.denied and "without cordon" in a.reason, (command, a.r)
    # The control: its own wrapper, and commands that only name it.
    assert ask(lab, agent, shell(lab, agent, wrapped(lab, "ls"))).passed
    for command in ("grep -r cordon .", "git commit -m 'cordon: x'"):
        assert not ask(lab, agent, shell(lab, agent, command)).denied
    # A directory of that name is no program.
    (lab.work / "cordon").mkdir()
    assert not ask(lab, agent, shell(
        lab, agent, f"sudo ls {lab.work}/cordon")).denied


def test_a_wrapper_of_other_options_is_another_one(lab):
    """T-172: same binary and same options, or denied."""
    mine = wrapped(lab, "ls", "--profile=strict")
    call = shell(lab, "claude", mine)
    assert ask(lab, "claude", call, "-P", "strict").passed
    assert ask(lab, "claude", call).denied
    assert ask(lab, "claude", call, "-P", "dev").denied


def test_inside_a_box_only_the_check_is_done(lab):
    """T-171: and the variable alone does not make a box."""
    call = shell(lab, "claude", "ls")
    for command, passed in (("ls", True), ("cordon run ls", False),
                            (wrapped(lab, "ls"), True),
                            (wrapped(lab, "cordon run ls"), False)):
        r = lab.run(lab.cordon, "hook", "claude",
                    input=json.dumps(shell(lab, "claude", command)))
        assert Answer("claude", r).passed == passed, r
    assert ask(lab, "claude", call).input       # the control
    lab.env["CORDON_SANDBOX"] = "x"
    assert ask(lab, "claude", call).input


# -- files and URLs ------------------------------------------------------------
WRITES = {
    "claude": [("Write", "file_path"), ("Edit", "file_path"),
               ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")],
    "cursor": [("Write", "file_path"), ("Delete", "path")],
    "opencode": [("write", "filePath"), ("edit", "filePath")],
    "hermes": [("write_file", "path"), ("patch", "path")],
    "windsurf": [("pre_write_code", "file_path")],
}


@pytest.mark.parametrize("agent", WRITES)
def test_writes_are_judged_by_the_policy(lab, agent):
    """T-173: write-path tools, with rule and remedy."""
    (lab.work / "out").symlink_to(lab.outside)
    for tool, field in WRITES[agent]:
        for path, rule in ((lab.outside / "x", "view"),
                           (lab.work / ".mcp.json", "protected"),
                           ("../outside/x", "view"),
                           (lab.work / "out/x", "view"),
                           ("~/x", "view"),
                           (lab.home / ".bashrc", "")):
            a = ask(lab, agent, payload(lab, agent, tool, {field: str(path)}))
            assert a.denied and "is denied by" in a.reason, (path, a.r)
            assert rule in a.reason and "what would change it" in a.reason
        for path in (lab.work / "x", "a/b/c", "./x", "~x", "$x", "a*b"):
            a = ask(lab, agent, payload(lab, agent, tool, {field: str(path)}))
            assert a.passed, (path, a.r)
        a = ask(lab, agent, payload(lab, agent, tool,
                                    {field: str(lab.outside / "x")}),
                "-w", lab.outside)
        assert a.passed, a.r


PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch\n"


@pytest.mark.parametrize("agent,tool,field", [
    ("codex", "apply_patch", "command"), ("hermes", "patch", "patch"),
    ("opencode", "apply_patch", "patchText")])
def test_every_file_of_a_patch_is_judged(lab, agent, tool, field):
    """T-173"""
    def patch(*names):
        return payload(lab, agent, tool, {field: "".join(
            PATCH.format(name) for name in names)})
    assert ask(lab, agent, patch("a", "b")).passed
    a = ask(lab, agent, patch("a", lab.outside / "b"))
    assert a.denied and str(lab.outside) in a.reason, a.r
    assert ask(lab, agent, payload(lab, agent, tool,
                                   {field: "nothing\nnamed\n"})).denied


@pytest.mark.parametrize("agent,tool,fields", [
    ("hermes", "patch", ["path", "patch"]),
    ("codex", "apply_patch", ["command", "input", "patch"]),
    ("opencode", "patch", ["patchText", "patch", "filePath"]),
    ("opencode", "write", ["filePath", "file_path", "path"]),
    ("cursor", "Write", ["file_path", "path"])])
def test_every_field_that_is_there_is_judged(lab, agent, tool, fields):
    """T-173: which of them the tool takes is the tool's choice."""
    def call(value_of):
        return ask(lab, agent, payload(lab, agent, tool, {
            "mode": "patch", **{f: value_of(f) for f in fields}}))

    def name(field, path):
        patch = "atch" in field or agent == "codex"
        return PATCH.format(path) if patch else str(path)
    assert call(lambda f: name(f, "ok")).passed             # control
    for bad in fields:
        a = call(lambda f: name(f, lab.outside / "b" if f == bad else "ok"))
        assert a.denied and "is denied by" in a.reason, (bad, a.r)
        a = call(lambda f: 7 if f == bad else name(f, "ok"))
        assert a.denied, (bad, a.r)
        assert call(lambda f: None if f == bad else name(f, "ok")).passed


def test_a_url_beside_a_list_is_judged(lab):
    """T-173"""
    for args in ({"urls": ["https://example.org/"], "url": "https://b.org/"},
                 {"urls": ["https://b.org/"], "url": "https://example.org/"},
                 {"urls": [], "url": "https://b.org/"}, {"urls": []},
                 {"urls": [], "url": "https://example.org/"}):
        a = ask(lab, "hermes", payload(lab, "hermes", "web_extract", args),
                "--allow-domain", "example.org")
        good = args.get("urls") == [] and "example" in args.get("url", "")
        assert a.denied != good, (args, a.r)


@pytest.mark.parametrize("agent,tool,form", [
    ("claude", "WebFetch", lambda u: {"url": u, "prompt": "x"}),
    ("opencode", "webfetch", lambda u: {"url": u}),
    ("hermes", "web_extract", lambda u: {"urls": [u]})])
def test_urls_are_judged_by_the_policy(lab, agent, tool, form):
    """T-173: URL tools, with rule and remedy."""
    def fetch(url, *opts):
        return ask(lab, agent, payload(lab, agent, tool, form(url)), *opts)
    a = fetch("https://example.org/x")
    assert a.denied and "network.mode 'none'" in a.reason, a.r
    assert "--allow-domain=example.org" in a.reason, a.r
    allow = ["--allow-domain", "example.org"]
    for url in ("https://example.org/x", "http://EXAMPLE.org", "example.org",
                "https://a:b@example.org:443/?x=@other.org#y",
                "https://example.org?https"):
        assert fetch(url, *allow).passed, url
    for url in ("https://other.org/x", "https://example.org:8443/",
                "https://example.org@other.org/", "ftp://example.org/",
                "file:///etc/passwd", "https://example.org\\@other.org/",
                "https://", "https://169.254.169.254/latest", "http://[::1]/",
                "https://example.org:0/", "https://example.org:x/",
                "https://exam ple.org/", ""):
        assert fetch(url, *allow).denied, url


def test_every_url_of_a_list_is_judged(lab):
    """T-173"""
    def fetch(*urls):
        return ask(lab, "hermes", payload(lab, "hermes", "web_extract",
                                          {"urls": urls}),
                   "--allow-domain", "example.org")
    assert fetch("https://example.org/1", "https://example.org/2").passed
    assert fetch("https://example.org/1", "https://other.org").denied
    assert fetch("https://example.org/1", 7).denied


# -- forms -----------------------------------------------------------------------
def test_cursor_asks_in_three_forms(lab):
    """Its own, Claude Code's, and beforeShellExecution, which takes no other
    command."""
    claude = shell(lab, "claude", "ls")
    a = Answer("claude", lab.cli("hook", "cursor", input=json.dumps(claude)))
    assert a.input["command"] == wrapped(lab, "ls"), a.r
    own = shell(lab, "cursor", "ls")
    a = Answer("cursor", lab.cli("hook", "claude", input=json.dumps(own)))
    assert a.input["command"] == wrapped(lab, "ls"), a.r
    before = {"hook_event_name": "beforeShellExecution", "command": "ls",
              "cwd": "", "workspace_roots": [str(lab.work)]}
    assert ask(lab, "cursor", before).passed
    before["command"] = "cordon run ls"
    assert ask(lab, "cursor", before).denied


def test_cursor_says_where_it_works_in_several_ways(lab):
    lab.file("work/.cordon.yaml", "version: 9\n")
    call = shell(lab, "cursor", "ls", cwd=lab.outside)
    assert ask(lab, "cursor", call).input
    call["tool_input"]["working_directory"] = str(lab.work)
    assert ask(lab, "cursor", call).denied
    del call["tool_input"]["working_directory"], call["cwd"]
    call["workspace_roots"] = [str(lab.work)]
    assert ask(lab, "cursor", call, cwd=lab.outside).denied


@pytest.mark.parametrize("entry", ["server", "setup"])
def test_the_plugin_of_opencode_works(lab, entry):
    """T-171: both of its entry points, as OpenCode 1 and 2 call them."""
    assert lab.cli("hooks", "install", "opencode", "-P", "strict").ok
    plugin = lab.home / DEFAULT["opencode"]
    module = lab.base / "plugin.mjs"
    module.write_text(plugin.read_text())
    driver = lab.file("driver.mjs", """
import plugin from "./plugin.mjs"
const [entry, directory, tool, args] = process.argv.slice(2)
const input = JSON.parse(args)
let call
if (entry === "server") {
  const hooks = await plugin.server({ directory })
  const output = { args: input }
  call = async () => {
    await hooks["tool.execute.before"]({ tool, sessionID: "s" }, output)
    return output.args
  }
} else {
  let hook
  await plugin.setup({
    tool: { hook: async (name, fn) => { hook = fn } },
    session: { get: async () => ({ location: { directory } }) },
  })
  const event = { tool, sessionID: "s", input }
  call = async () => { await hook(event); return event.input }
}
try { console.log(JSON.stringify({ input: await call() })) }
catch (e) { console.log(JSON.stringify({ error: e.message })) }
""")

    def call(tool, **args):
        r = lab.host("node", driver, entry, lab.work, tool, json.dumps(args))
        assert r.ok, r
        return json.loads(r.out)
    done = call("bash", command="ls", description="d")
    assert done == {"input": {"description": "d", "command": wrapped(
        lab, "ls", "--profile=strict")}}
    assert call("bash", command="cd x") == {"input": {"command": "cd x"}}
    assert "without cordon" in call("shell", command="cordon run")["error"]
    assert "is denied by" in call("write", filePath="/etc/x")["error"]
    assert call("write", filePath="x") == {"input": {"filePath": "x"}}
    assert call("read", filePath="/etc/x") == {"input": {"filePath": "/etc/x"}}
    lab.file("work/sub/.cordon.yaml", "version: 9\n")
    assert "version" in call("bash", command="ls", workdir="sub")["error"]
    # What the model says counts for no file.
    for tool in ("write", "edit"):
        assert "is denied by" in call(tool, filePath=str(lab.outside / "f"),
                                      workdir=str(lab.outside))["error"]
    # Without the hook's answer there is no tool.
    module.write_text(plugin.read_text().replace(lab.cordon, "/no/such"))
    assert "ENOENT" in call("bash", command="ls")["error"]


@pytest.mark.parametrize("agent", AGENTS)
def test_rules_for_commands_are_asked(lab, agent):
    """T-171: what exec.deny names is denied before it runs, with the rule."""
    policy = lab.policy(exec={"deny": ["git push", "sudo"]})
    for command in ("git push", "cd x && git -C y push origin",
                    "env A=1 git push", "sudo ls", "ls; sudo ls"):
        a = ask(lab, agent, shell(lab, agent, command), "-s", policy)
        assert a.denied, (command, a.r)
        assert "exec.deny" in a.r.out + a.r.err, (command, a.r)
    for command in ("git status", "echo git push"):
        a = ask(lab, agent, shell(lab, agent, command), "-s", policy)
        assert not a.denied, (command, a.r)
