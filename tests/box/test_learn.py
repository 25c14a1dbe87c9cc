# SPDX-License-Identifier: Apache-2.0
"""`cordon learn`: nothing changes, and what it proposes."""
import json
import os
import re

import pytest

from learnlab import everything, layers_left, learn

CHANGES = """
echo new > new; echo more >> old; rm -f gone; mkdir -p d/e; ln -s old link
mv moved d/; chmod 700 old; touch -d 2001-01-01 old2; truncate -s 0 old3
echo x > "$HOME/new"; echo x >> "$HOME/old"; rm -rf "$HOME/dir"; ls | wc -l
"""


def fill(lab):
    for n in ("old", "old2", "old3", "gone", "moved"):
        lab.file(f"work/{n}", f"{n}\n")
    lab.file("home/old")
    lab.file("home/dir/file")


def test_nothing_changes(lab):
    """Working and home directory are byte-identical afterwards."""
    fill(lab)
    before = everything(lab.home, lab.work, lab.outside)
    r = learn(lab, CHANGES)
    assert r.ok, r
    assert everything(lab.home, lab.work, lab.outside) == before
    assert layers_left(lab) == [], r
    assert "thrown away" in r.err
    # control: the same command with `run` changes what it may write
    lab.sh(CHANGES)
    assert everything(lab.work) != {k: v for k, v in before.items()
                                    if k.startswith(str(lab.work))}


def test_the_command_sees_its_changes(lab):
    fill(lab)
    r = learn(lab, "echo b > new; rm gone; cat new old; ls; cat ~/made; "
              "echo c > ~/made; cat ~/made; rm -r ~/dir; ls ~")
    assert r.out.splitlines() == ["b", "old", "moved", "new", "old", "old2",
                                  "old3", "c", "made", "old"], r


def test_exit_code_is_the_commands(lab):
    assert learn(lab, "exit 7").code == 7
    assert learn(lab, "kill -TERM $$").code == 128 + 15
    assert lab.cli("learn", "--", "no-such-program").code == 127
    r = lab.cli("learn")
    assert r.code == 125 and "no command given" in r.err, r
    assert layers_left(lab) == []


def test_other_writable_places_are_in_layers_too(lab):
    f = lab.file("outside/f", "old\n")
    # control
    assert lab.sh('echo run > "$1"', f, opts=["--allow-write", lab.outside]).ok
    assert f.read_text() == "run\n"
    before = everything(lab.outside)
    r = learn(lab, 'echo learn > "$1"; cat "$1"', f,
              opts=["--allow-write", lab.outside])
    assert r.out == "learn\n", r
    assert everything(lab.outside) == before


def test_a_single_writable_file_is_read_only_and_said(lab):
    f = lab.file("outside/f", "old\n")
    r = learn(lab, 'echo x > "$1"', f, opts=["--allow-write", f])
    assert not r.ok and f.read_text() == "old\n", r
    assert "is read-only here" in r.err and str(f) in r.err, r
    # control: with `run` it is written
    assert lab.sh('echo x > "$1"', f, opts=["--allow-write", f]).ok
    assert f.read_text() == "x\n"


def test_writable_in_hidden_is_in_a_layer(lab):
    f = lab.file("home/closed/w/f", "old\n")
    lab.file("home/closed/secret")
    opts = ["--deny-read", "~/closed", "--allow-write", "~/closed/w"]
    r = learn(lab, 'echo x > "$1"; cat "$1"; ls ~/closed', f, opts=opts)
    assert r.out.splitlines() == ["x", "w"], r
    assert f.read_text() == "old\n"


def test_given_file_is_not_a_way_out(lab):
    """Standard input is on the host's mount, not in the layer."""
    f = lab.file("work/input", "mine\n")
    script = "echo evil > /proc/self/fd/0; true > /dev/stdin; cat"
    with open(f) as stdin:
        r = learn(lab, script, stdin=stdin)
    assert f.read_text() == "mine\n", r
    assert "mine" in r.out, r
    with open(f) as stdin:            # control: `run` may write it
        lab.sh(script, stdin=stdin)
    assert f.read_text() != "mine\n"


# -- the network -------------------------------------------------------------

def test_the_network_is_not_widened(lab, tmp_path):
    """A listener on the host hears nothing, by name or by address."""
    script = """
import socket, subprocess, sys
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); s.settimeout(30)
port = str(s.getsockname()[1])
r = subprocess.run(sys.argv[1:] + ['python3', '-c', '''
import socket, sys
for host in '127.0.0.1', 'localhost':
    try:
        c = socket.create_connection((host, int(sys.argv[1])), timeout=5)
        c.sendall(b'x')
        print('REACHED' if c.recv(1) else 'closed')
    except OSError as e:
        print('no')
''', port])
s.setblocking(False)
try:
    s.accept(); print('HEARD')
except BlockingIOError:
    print('SILENT')
"""
    r = lab.host("python3", "-c", script, lab.cordon, "learn", "--")
    assert "SILENT" in r.out and "REACHED" not in r.out, r
    r = lab.host("python3", "-c", script, "env")             # control
    assert "HEARD" in r.out, r


def test_hosts_that_were_refused_are_proposed(lab):
    out = lab.outside / "p.yaml"
    r = learn(lab, "curl -sS https://a.example/ https://a.example/x; "
              "curl -sS http://b.example:8080/; exit 0", opts=["-o", out])
    assert r.ok, r
    shown = lab.cli("policy", "show", "-s", out, "--json")
    network = json.loads(shown.out)["network"]
    assert network["mode"] == "filtered"
    assert sorted(network["allow"]) == ["a.example", "b.example:8080"]
    assert "connected to port 443" in out.read_text()


def test_nothing_of_the_network_is_proposed_for_nothing(lab):
    out = lab.outside / "p.yaml"
    assert learn(lab, "true", opts=["-o", out]).ok
    assert "network" not in out.read_text()


# -- the proposal ------------------------------------------------------------

def test_what_is_proposed_is_enough(lab):
    """The round: it fails, is learned, and works with what was learned."""
    (lab.home / ".cache/tool").mkdir(parents=True)
    script = ('for i in 1 2 3; do echo $i > "$HOME/.cache/tool/f$i" '
              '|| exit 3; done; echo ok > here')
    assert lab.sh(script).code == 3                          # control
    out = lab.outside / "p.yaml"
    r = learn(lab, script, opts=["-o", out])
    assert r.ok and not list((lab.home / ".cache/tool").iterdir()), r
    assert "~/.cache/tool" in out.read_text()
    assert lab.cli("check", out).ok
    r = lab.sh(script, policy=out)
    assert r.ok and len(list((lab.home / ".cache/tool").iterdir())) == 3, r
    # and nothing else was opened
    assert not lab.sh("echo x > ~/.cache/x", policy=out).ok


def test_a_second_lesson_has_nothing_to_add(lab):
    (lab.home / ".cache/tool").mkdir(parents=True)
    out, again = lab.outside / "p.yaml", lab.outside / "q.yaml"
    script = "echo x > ~/.cache/tool/x"
    assert learn(lab, script, opts=["-o", out]).ok
    r = learn(lab, script, opts=["-s", out, "-o", again])
    assert r.ok and "0 rules proposed" in r.err, r
    assert str(out) in again.read_text()          # what it is laid over


def test_protected_names_and_secrets_are_not_proposed(lab):
    lab.secret("home/.aws/credentials")
    out = lab.outside / "p.yaml"
    r = learn(lab, "echo x > .mcp.json; echo x > ~/.bashrc; "
              "cat ~/.aws/credentials; exit 0", opts=["-o", out])
    assert r.ok, r
    text = out.read_text()
    rules = [line for line in text.splitlines()
             if not line.startswith("#") and line.strip()]
    assert not any(".mcp" in x or ".aws" in x or ".bashrc" in x
                   for x in rules), text
    assert ".mcp.json" in text and "not proposed" in text


def test_what_does_not_exist_is_said(lab):
    r = learn(lab, "mkdir ~/.tool; echo x > ~/.tool/x")
    assert "- ~/.tool  # mkdir -p" in r.err, r


def test_options_become_part_of_the_policy(lab):
    out = lab.outside / "p.yaml"
    learn(lab, "true", opts=["-o", out, "--deny-read", lab.home / "x",
                             "--git", "readonly"])
    shown = json.loads(lab.cli("policy", "show", "-s", out, "--json").out)
    assert shown["filesystem"]["git"] == "readonly"
    assert str(lab.home / "x") in shown["filesystem"]["deny_read"]


def test_diff_shows_what_is_added(lab):
    (lab.home / ".cache/tool").mkdir(parents=True)
    r = learn(lab, "echo x > ~/.cache/tool/x", opts=["--diff"])
    lines = r.err.splitlines()
    assert "--- in force" in lines and "+++ proposed" in lines, r
    assert "@@ filesystem.allow_write @@" in lines and "   ." in lines
    assert any(x.startswith("+  ~/.cache/tool  # ") for x in lines), r


def test_json_has_outcome_and_proposal(lab):
    (lab.home / ".cache/tool").mkdir(parents=True)
    r = learn(lab, "echo x > ~/.cache/tool/x; echo y > ~/new; exit 4",
              opts=["--json"])
    o = r.outcome()
    assert r.code == 4 and o["exit_code"] == 4
    allow = o["proposal"]["policy"]["filesystem"]["allow_write"]
    assert [x["value"] for x in allow] == ["~/.cache/tool"]
    assert o["proposal"]["layer"]["files"] == 2
    assert [x["path"] for x in o["proposal"]["first"]] == ["~/new"]


def test_output_does_not_overwrite(lab):
    out = lab.file("outside/p.yaml", "mine\n")
    marker = lab.outside / "ran"
    r = learn(lab, f"touch {marker}", opts=["-o", out])
    assert r.code == 125 and "exists already" in r.err, r
    assert out.read_text() == "mine\n"
    r = learn(lab, "true", opts=["-o", out, "--force"])
    assert r.ok and "version: 1" in out.read_text(), r
    assert sorted(os.listdir(lab.outside)) == ["p.yaml"]


def test_output_can_be_standard_output(lab):
    r = learn(lab, "true", opts=["-o", "-"])
    assert r.out.startswith("# What this command needed: sh -c true"), r


def test_output_that_cannot_be_written_is_not_lost(lab):
    r = learn(lab, "true", opts=["-o", lab.base / "none/p.yaml"])
    assert r.code == 125 and "version: 1" in r.err, r


def test_hostile_names_make_no_lines(lab):
    """A program and a file with line feeds in their names."""
    (lab.home / "d").mkdir()
    out = lab.outside / "p.yaml"
    r = learn(lab, 'printf x > "$(printf "%s/d/a\\nnetwork: {mode: host}" '
              '"$HOME")"; printf x > "$HOME/d/[a]*"', opts=["-o", out])
    assert r.ok, r
    assert not re.search("^network", out.read_text(), re.M)
    assert lab.cli("check", out).ok


# What YAML takes for the end of a line, what it refuses, and what makes a line
# read as another one.
ODD = ["\u2028", "\u2029", "\x85", "\ufeff", "\ufffe", "\u202e", "\u2066", "\r",
       "\ud800"]
HOSTILE = """
import ctypes, os, socket, sys
odd = sys.argv[1]
key = odd + "network: {mode: host}" + odd + "#"
def attempt(act, *args):
    try: act(*args)
    except (OSError, UnicodeError) as e: print(ascii(args), ascii(str(e)))
def write(path): open(path, "w").write("x")
ctypes.CDLL(None).prctl(15, os.fsencode(odd + "version: 9"), 0, 0, 0)
home = os.environ["HOME"]
for path in (".mcp.json", home + "/d/" + key, home + "/.ssh/" + key, key,
             "/no/such" + key):
    attempt(write, path)
attempt(open, home + "/.ssh/" + key)
attempt(socket.getaddrinfo, key, 80)
proxy = os.environ.get("http_proxy", "").rpartition("/")[2].rpartition(":")
if proxy[2]:
    s = socket.create_connection((proxy[0], int(proxy[2])))
    s.sendall(b"CONNECT a" + os.fsencode(odd) + b"b.example:443 HTTP/1.1\\r\\n\\r\\n")
    s.recv(100)
attempt(os.execv, "/usr/bin/git", ["git", "push", key])
"""


@pytest.mark.parametrize("odd", ODD, ids=[f"U+{ord(c):04X}" for c in ODD])
def test_no_name_becomes_a_key_of_the_proposal(lab, odd):
    """Files, programs and hosts with odd characters: the proposal is a policy
    with nothing in it that a name says."""
    (lab.home / "d").mkdir()
    (lab.home / ".ssh").mkdir()
    out = lab.outside / "p.yaml"
    base = lab.policy(exec={"deny": ["git push"]},
                      network={"mode": "filtered", "allow": ["c.example"]})
    r = lab.cli("learn", "-s", base, "-o", out, "--", "python3", "-c", HOSTILE,
                os.fsencode(odd) if odd != "\ud800" else b"\xed\xa0\x80")
    text = out.read_bytes().decode()
    assert "mode: host" in text, (r, text)      # it was heard of
    assert odd not in text and odd not in r.err, (r, text)
    assert all(line.strip()[:1] in ("", "#", "-") or re.match(
        r" *(version|extends|exec|deny|network|mode|allow|filesystem|"
        r"allow_write|allow_read):", line) for line in text.split("\n")), text
    shown = lab.cli("policy", "show", "-s", out, "--json")
    assert shown.ok, shown
    assert json.loads(shown.out)["network"]["mode"] == "filtered", shown


def test_full_lists_what_is_allowed(lab):
    out = lab.outside / "p.yaml"
    learn(lab, "echo x > a", opts=["-o", out, "--full"])
    assert f"\"{lab.work}\"" in out.read_text()
    out.unlink()
    learn(lab, "echo x > a", opts=["-o", out])               # control
    assert str(lab.work) not in out.read_text()
