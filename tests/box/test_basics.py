# SPDX-License-Identifier: Apache-2.0
"""Commands run, and their results come back as they are."""
import os
import shutil
import subprocess

import pytest

VERBS = ("run plan check explain policy profiles trust doctor version help "
         "completion").split()


def test_T_001_help_lists_every_verb(lab):
    r = lab.cli("help")
    assert r.ok
    for verb in VERBS:
        assert f"\n  {verb}" in "\n" + r.out or verb in r.out, verb
    assert lab.cli("--help").ok


def test_T_001_version(lab):
    r = lab.cli("version")
    assert r.ok and r.out.startswith("cordon 0.")
    assert lab.cli("--version").out == r.out


@pytest.mark.parametrize("words", [[], ["run"], ["check"], ["explain"]])
def test_T_001_no_arguments_give_usage_and_fail(lab, words):
    r = lab.cli(*words)
    assert r.code == (125 if words == ["run"] else 2), r
    assert "usage: " in r.out + r.err or "see 'cordon help" in r.err, r


@pytest.mark.parametrize("verb", VERBS)
def test_T_001_each_verb_has_help(lab, verb):
    r = lab.cli(verb, "--help")
    assert r.ok and verb in r.out, r


def test_unknown_verb_or_option_is_named_with_the_nearest(lab):
    r = lab.cli("explian")
    assert r.code == 2 and "explain" in r.err, r
    r = lab.cli("run", "--deny-reed", "x", "--", "true")
    assert r.code == 125 and "--deny-read" in r.err, r


def test_T_002_everyday_commands_work(lab):
    assert lab.run("echo", "hello", "world").out == "hello world\n"
    (lab.work / "here").touch()
    assert lab.run("ls").lines == ["here"]
    assert lab.run("pwd").out.strip() == str(lab.work)
    assert "PATH=" in lab.run("env").out


@pytest.mark.parametrize("tool", ["python3", "git", "node", "rg", "perl"])
def test_T_002_tools_start(lab, tool):
    path = shutil.which(tool, path=lab.env["PATH"])
    control = path and lab.host(path, "--version")
    if not control or not control.ok:
        return      # this host does not have it: nothing is promised
    r = lab.run(tool, "--version")
    assert r.ok and r.out == control.out, r


@pytest.mark.parametrize("code", [0, 1, 2, 42, 126, 127, 255])
def test_T_003_exit_code_is_passed_on(lab, code):
    assert lab.host("sh", "-c", f"exit {code}").code == code
    r = lab.sh(f"exit {code}")
    assert r.code == code, r


@pytest.mark.parametrize("signal,number", [
    ("HUP", 1), ("INT", 2), ("ABRT", 6), ("KILL", 9), ("SEGV", 11),
    ("TERM", 15)])
def test_T_003_death_by_signal_is_128_plus_n(lab, signal, number):
    r = lab.sh(f"kill -{signal} $$")
    assert r.code == 128 + number, r


def test_T_003_not_found_is_127_and_not_executable_126(lab):
    r = lab.run("no-such-command-anywhere")
    assert r.code == 127 and "no-such-command-anywhere" in r.err, r
    r = lab.run("./nothing-here")
    assert r.code == 127, r
    f = lab.file("work/plain", "echo hi\n", 0o644)
    r = lab.run(f)
    assert r.code == 126, r
    f.chmod(0o755)
    f.write_text("#!/bin/sh\necho hi\n")
    assert lab.run(f).out == "hi\n"


def test_T_004_markers_are_set_and_nothing_internal_leaks(lab):
    assert "CORDON_SANDBOX" not in lab.host("env").out
    env = dict(line.split("=", 1) for line in lab.run("env").lines)
    assert env["CORDON_SANDBOX"] == "1"
    assert env["SANDBOX"] == "cordon"
    assert env["container"] == "cordon"
    internal = [k for k in env if k.startswith(("CORDON", "_CORDON"))]
    assert internal == ["CORDON_SANDBOX"]


def test_T_005_flags_after_the_command_belong_to_it(lab):
    r = lab.cli("run", "echo", "-q", "--json", "--", "--help")
    assert r.out == "-q --json -- --help\n", r
    r = lab.cli("run", "-q", "--", "echo", "--", "-C")
    assert r.out == "-- -C\n", r


def test_run_works_without_dashes(lab):
    assert lab.cli("run", "echo", "short").out == "short\n"


def test_arguments_arrive_byte_for_byte(lab):
    words = ["a b", "'", '"', ";", "$(id)", "`id`", "new\nline", "", "*",
             "\udcff\udc80", "ü", "\\"]
    script = "import sys,os; os.write(1, b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
    r = lab.run("python3", "-c", script, *words)
    assert r.out.split("\0") == words, r


def test_T_006_stdin_environment_and_directory_arrive(lab):
    r = lab.run("cat", input="through the pipe\n")
    assert r.out == "through the pipe\n", r
    r = lab.sh('echo "$GREETING"', opts=["-e", "GREETING=hello there"])
    assert r.out == "hello there\n", r
    (lab.work / "sub").mkdir()
    r = lab.run("pwd", opts=["-C", lab.work / "sub"])
    assert r.out.strip() == str(lab.work / "sub"), r
    r = lab.run("pwd", opts=["-C", "sub"])
    assert r.out.strip() == str(lab.work / "sub"), r


def test_T_006_environment_by_name_only_passes_the_callers(lab):
    lab.env["COLOUR"] = "blue"
    r = lab.sh('echo "$COLOUR"', opts=["--clean-env"])
    assert r.out == "\n", r
    r = lab.sh('echo "$COLOUR"', opts=["--clean-env", "-e", "COLOUR"])
    assert r.out == "blue\n", r


def test_workdir_that_does_not_exist_is_refused(lab):
    lab.refuses(str(lab.base / "nowhere"), opts=["-C", lab.base / "nowhere"])
    lab.starts()


def test_T_007_missing_explicit_file_is_an_error(lab):
    lab.refuses("gone.yaml", "not exist", opts=["-s", lab.base / "gone.yaml"])
    lab.starts(policy={})


def test_T_008_malformed_project_file_is_an_error(lab):
    f = lab.file("work/.cordon.yaml", "version: 1\nfilesystem: [\n")
    r = lab.refuses(".cordon.yaml:")
    assert "line" in r.err or ":3" in r.err or ":2" in r.err, r
    f.write_text("version: 1\n")
    lab.starts()


def test_T_009_unknown_key_is_named_with_the_nearest(lab):
    p = lab.policy(text="version: 1\nfilesystem:\n  deny_reads: [x]\n")
    lab.refuses("deny_reads", "deny_read", ":3", opts=["-s", p])
    lab.starts(policy={"filesystem": {"deny_read": []}})


NOT_YET = [
    {"limits": {"memory": "1GiB"}},
    {"limits": {"cpus": 1}},
    {"limits": {"processes": 64}},
    {"limits": {"disk": "1GiB"}},
    {"limits": {"output": "1MiB"}},
    {"filesystem": {"copy_on_write": True}},
    {"tier": "strong"},
    {"tier": "lxc"},
    {"min_tier": "strong"},
    {"setup": {"network": ["example.org"]}},
    {"workspace": "readonly"},
    {"strong": {"memory": "768MiB"}},
    {"lxc": {"instance": "x"}},
]


@pytest.mark.parametrize("keys", NOT_YET, ids=str)
def test_T_009_what_is_not_enforced_is_not_accepted(lab, keys):
    section = next(iter(keys))
    word = section
    if isinstance(keys[section], dict):
        word = next(iter(keys[section]))
    lab.refuses(word, "not supported by this build", policy=keys)


def test_stdout_is_the_commands_alone(lab):
    r = lab.sh("echo out; echo err >&2", opts=["--json"])
    assert r.out == "out\n" and "err\n" in r.err, r


def test_big_output_arrives_whole(lab):
    r = lab.sh("head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2")
    assert len(r.out) == 3000000 and r.err == "end\n"


def test_closed_standard_streams(lab):
    """T-stdin closed: clear, and nothing else takes the number 0."""
    code = ("import os,sys\n"
            "for n in (0,1,2):\n"
            "  try: os.close(n)\n"
            "  except OSError: pass\n"
            "os.execv(sys.argv[1], sys.argv[1:])\n")
    marker = lab.work / "ran"
    subprocess.run(["/usr/bin/python3", "-c", code, lab.cordon, "run", "--",
                    "sh", "-c", f"ls -l /proc/self/fd > '{marker}'"],
                   cwd=lab.work, env=lab.env, timeout=30)
    if marker.exists():     # started: then on /dev/null only
        for line in marker.read_text().splitlines()[1:]:
            target = line.split(" -> ")[-1]
            assert target.startswith(("/dev/null", "/proc/", str(marker))), line


def test_deleted_working_directory_is_refused(lab):
    gone = lab.work / "gone"
    gone.mkdir()
    script = (f"cd '{gone}' && rmdir '{gone}' && "
              f"exec '{lab.cordon}' run -- touch '{lab.work}/marker'")
    r = lab.host("sh", "-c", script)
    assert r.code == 125 and "working directory" in r.err, r
    assert not (lab.work / "marker").exists()


def test_home_as_working_directory_is_not_writable_and_says_so(lab):
    (lab.home / "probe").mkdir()
    r = lab.sh("touch ~/probe/x", cwd=lab.home)
    assert not r.ok and not (lab.home / "probe/x").exists(), r
    r = lab.sh("true", cwd=lab.home)
    assert r.ok and "home" in r.err and "writable" in r.err, r
    assert lab.sh("true").err == ""     # control: quiet elsewhere


@pytest.mark.parametrize("where", ["/", "/etc", "/usr"])
def test_system_directory_is_not_made_writable(lab, where):
    r = lab.sh(f"touch {where}/cordon-test-file", cwd=where)
    assert not r.ok and not os.path.exists(f"{where}/cordon-test-file"), r


@pytest.mark.parametrize("stream", ["<&-", ">&-", "2>&-"])
def test_one_closed_standard_stream_is_refused(lab, stream):
    """Nothing of cordon's own may take its number."""
    marker = lab.work / "ran"
    script = f"exec '{lab.cordon}' run -- touch '{marker}' {stream}"
    r = lab.host("sh", "-c", script)
    assert r.code == 125 and not marker.exists(), r
    assert stream == "2>&-" or "closed" in r.err, r
    assert lab.host("sh", "-c", script.removesuffix(stream)).ok


def test_the_home_directory_is_writable_only_when_an_option_says_so(lab):
    (lab.home / "dotfiles").mkdir()
    (lab.home / ".bashrc").symlink_to("dotfiles/bashrc")   # its owner's
    r = lab.sh("touch x", cwd=lab.home)
    assert r.code == 1 and "not made writable" in r.err, r
    (lab.home / ".bashrc").unlink()
    r = lab.sh("touch x", cwd=lab.home, opts=["--allow-write", "."])
    assert r.ok and "not made writable" not in r.err, r
