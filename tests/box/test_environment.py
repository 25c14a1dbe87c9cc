# SPDX-License-Identifier: Apache-2.0
"""What of the caller's environment arrives."""
import os
import pwd

import pytest


def env_of(r):
    assert r.ok, r
    return dict(e.split("=", 1) for e in r.out.split("\0") if e)


def inside(lab, **kw):
    return env_of(lab.run("env", "-0", **kw))


STRIPPED = ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "BASH_ENV", "ENV",
            "PYTHONSTARTUP", "NODE_OPTIONS", "GIT_SSH_COMMAND",
            "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "PERL5OPT",
            "RUBYOPT"]
SECRETS = ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY",
           "DB_PASSWORD", "NPM_TOKEN", "MY_SECRET", "SOME_API_KEY"]


@pytest.mark.parametrize("name", STRIPPED)
def test_variables_that_carry_code_are_removed(lab, name):
    value = "/nonexistent/x" if name.startswith("LD_") else "x"
    if name == "LD_PRELOAD":
        value = ""      # else every control prints a warning
    lab.env.update({name: value, "PLAIN": "kept"})
    assert name in env_of(lab.host("env", "-0"))
    got = inside(lab)
    assert name not in got and got["PLAIN"] == "kept"


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_are_removed_by_pattern(lab, name):
    lab.env[name] = "SECRET-x"
    assert name in env_of(lab.host("env", "-0"))
    assert name not in inside(lab)


def test_exact_pass_beats_a_denied_pattern(lab):
    lab.env.update(GITHUB_TOKEN="t", NPM_TOKEN="n")
    got = inside(lab, policy={"environment": {"pass": ["GITHUB_TOKEN"]}})
    assert got["GITHUB_TOKEN"] == "t" and "NPM_TOKEN" not in got
    assert inside(lab, opts=["-e", "NPM_TOKEN"])["NPM_TOKEN"] == "n"


def test_deny_of_the_policy(lab):
    lab.env.update(ONE="1", TWO="2")
    got = inside(lab, policy={"environment": {"deny": ["ON*"]}})
    assert "ONE" not in got and got["TWO"] == "2"


def test_set_of_the_policy(lab):
    p = {"environment": {"set": {"COLOUR": "blue and green", "EMPTY": ""}}}
    got = inside(lab, policy=p)
    assert got["COLOUR"] == "blue and green" and got["EMPTY"] == ""


def test_inherit_false(lab):
    lab.env.update(ONE="1", PASSED="p")
    p = {"environment": {"inherit": False, "pass": ["PASSED"]}}
    got = inside(lab, policy=p)
    assert "ONE" not in got and got["PASSED"] == "p"
    assert "PATH" in got and got["CORDON_SANDBOX"] == "1"
    assert "ONE" not in inside(lab, opts=["--clean-env"])
    assert "ONE" not in inside(lab, opts=["-P", "strict"])


def test_box_init_shows_no_environment(lab):
    lab.env["GITHUB_TOKEN"] = "SECRET-env"
    r = lab.sh("for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done")
    assert "SECRET-env" not in r.out, r
    r = lab.sh("cat /proc/1/environ | wc -c")
    assert r.out.strip() in ("0", ""), r


def test_values_arrive_byte_for_byte(lab):
    lab.env["ODD"] = "a'b\"c\nd$e`f\\g ü"
    assert inside(lab)["ODD"] == lab.env["ODD"]


@pytest.mark.parametrize("name", ["CORDON_SANDBOX", "SANDBOX", "container"])
def test_markers_cannot_be_forged_by_the_caller(lab, name):
    lab.env[name] = "forged"
    assert inside(lab)[name] in ("1", "cordon")


@pytest.mark.parametrize("home", ["", "relative", None])
def test_home_inside_is_the_one_that_rules_are_made_for(lab, home):
    lab.env.pop("HOME")
    if home is not None:
        lab.env["HOME"] = home
    r = lab.sh('echo "$HOME"')
    assert r.out == os.path.expanduser("~" + pwd.getpwuid(
        os.geteuid()).pw_name) + "\n", r
