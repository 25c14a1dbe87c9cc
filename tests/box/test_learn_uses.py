# SPDX-License-Identifier: Apache-2.0
"""What is learned from the uses that the guard reports, not from the layer."""
import json


def propose(lab, script, *args, opts=()):
    out = lab.outside / "p.yaml"
    out.unlink(missing_ok=True)
    r = lab.cli("learn", "-o", out, *opts, "--", "sh", "-c", script, "sh",
                *args)
    shown = lab.cli("policy", "show", "-s", out, "--json")
    assert shown.ok, (r, shown)
    lists = {key: v["replace"] if isinstance(v, dict) else v
             for key, v in json.loads(shown.out)["filesystem"].items()}
    return lists, out.read_text(), r


def test_the_program_is_named(lab):
    (lab.home / ".cache/tool").mkdir(parents=True)
    _, text, r = propose(lab, "cp /etc/hostname ~/.cache/tool/x")
    assert "# cp: written" in text, (text, r)


def test_a_file_that_was_hidden_is_proposed(lab):
    f = lab.file("outside/data/conf", "DATA\n")
    script = 'cat "$1" || exit 3'
    opts = ["-P", "strict"]
    fs, text, r = propose(lab, script, f, opts=opts)
    assert r.code == 3, r
    assert str(f) in fs["allow_read"] and "# cat: read" in text, text
    # and with it, it works
    r = lab.sh(script, f, policy=lab.outside / "p.yaml")
    assert r.out == "DATA\n", r


def test_a_hidden_program_is_proposed(lab):
    f = lab.file("outside/bin/tool", "#!/bin/sh\necho ran\n", 0o755)
    fs, _, r = propose(lab, '"$1" || exit 3', f, opts=["-P", "strict"])
    assert r.code == 3 and str(f) in fs["allow_read"], r
    assert lab.sh('"$1"', f, policy=lab.outside / "p.yaml").out == "ran\n"


def test_a_write_where_there_is_no_layer_is_proposed(lab):
    f = lab.file("outside/data/f", "old\n")
    fs, text, r = propose(lab, 'echo x > "$1" || exit 3', f)
    assert r.code == 3 and f.read_text() == "old\n", r
    assert str(f) in fs["allow_write"], text


def test_a_temporary_file_that_is_gone_is_known(lab):
    d = lab.home / ".cache/tool"
    d.mkdir(parents=True)
    fs, text, r = propose(lab, 'echo x > "$1/t" && rm "$1/t"', d)
    assert r.ok and "~/.cache/tool" in fs["allow_write"], (text, r)


def test_a_secret_that_was_asked_for_is_listed(lab):
    f, token = lab.secret("home/.ssh/id")
    fs, text, r = propose(lab, 'cat "$1"', f)
    assert token not in r.out
    assert "read ~/.ssh/id (cat)" in text and "not proposed" in text
    assert not any(".ssh" in x for x in fs.get("allow_read", [])), text


def test_what_fails_without_a_box_too_is_not_proposed(lab):
    fs, text, _ = propose(lab, "cat /no/such/file; echo x > /no/such/dir/f")
    assert "/no/such" not in text.split("version:")[1], text
