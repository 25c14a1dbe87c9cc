# SPDX-License-Identifier: Apache-2.0
"""Random trees and rules: a model, `explain` and the box must agree.

The model is written from the documentation, not from the source: a rule
counts at the real path that it names, a pattern at each path that it matched;
the most specific path wins; at one path deny beats allow, and hiding beats
showing. Names of a hidden file elsewhere in the workspace are hidden too.
"""
import json
import os
import random
import re

import pytest

SEEDS = int(os.environ.get("CORDON_MODEL_SEEDS", "20"))
FIRST = int(os.environ.get("CORDON_MODEL_FIRST", "0"))
NAMES = ["a", "b", "c d", "e'f", "g\nh", "\u00fc", "x.env", "y.env", "-n",
         "back\\slash", "[k]", "z*"]
KINDS = ["allow_read", "deny_read", "allow_write", "deny_write"]


class World:
    """Two trees: directories, files, links, other names of files.

    The first is the workspace, the second lies outside of it.
    """

    def __init__(self, rng, root, outside):
        self.rng, self.root, self.outside = rng, str(root), str(outside)
        self.dirs, self.files, self.links = [self.root, self.outside], [], {}
        for _ in range(rng.randint(6, 20)):
            self.grow()

    def grow(self):
        rng = self.rng
        path = os.path.join(rng.choice(self.dirs), rng.choice(NAMES))
        if os.path.lexists(path):
            return
        kind = rng.random()
        if kind < 0.45 and path.count("/") - self.root.count("/") < 6:
            os.mkdir(path)
            self.dirs.append(path)
        elif kind < 0.8 or not self.files:
            with open(path, "w") as f:
                f.write("content")
            self.files.append(path)
        elif kind < 0.9:
            os.link(rng.choice(self.files), path)
            self.files.append(path)
        else:
            os.symlink(rng.choice(self.dirs + self.files), path)
            self.links[path] = os.readlink(path)

    def paths(self):
        return self.dirs[2:] + self.files

    def absent(self):
        """Names that could be made."""
        return [p for p in (d + "/" + n for d in self.dirs
                            for n in ("new", "n.env"))
                if not os.path.lexists(p)]


def quoted(path):
    return re.sub(r"([*?\[\\])", r"\\\1", path)


def random_rules(world):
    rng, rules = world.rng, []
    for _ in range(rng.randint(1, 7)):
        kind = rng.choice(KINDS)
        form = rng.random()
        places = world.paths() or [world.root]
        if form < 0.2 and kind != "allow_write":
            text = (quoted(rng.choice(world.dirs)) +
                    rng.choice(["/*.env", "/**/*.env", "/**/a", "/?", "/*"]))
        elif form < 0.3 and kind != "allow_write" and world.links:
            text = quoted(rng.choice(list(world.links)))
            if rng.random() < 0.4:
                text += "/" + quoted(rng.choice(NAMES))
        elif form < 0.4:
            place = rng.choice(places)
            text = quoted(os.path.dirname(place)) + "/./" + quoted(
                os.path.basename(place)) + rng.choice(["", "/", "//"])
        elif form < 0.5 and kind == "deny_write":
            text = quoted(rng.choice(world.absent()))
        else:
            text = quoted(rng.choice(places))
        rules.append((kind, text))
    return rules


def parts(pattern):
    return [p for p in pattern.split("/") if p not in ("", ".")]


def component(pattern):
    out, i = "", 0
    while i < len(pattern):
        c = pattern[i]
        if c == "\\":
            i += 1
            out += re.escape(pattern[i])
        elif c == "*":
            out += ".*"
        elif c == "?":
            out += "."
        else:
            out += re.escape(c)
        i += 1
    return re.compile(out + r"\Z", re.S)


def matches(pattern, path):
    if not pattern:
        return not path
    if pattern[0] == "**":
        return matches(pattern[1:], path) or bool(
            path and matches(pattern, path[1:]))
    return bool(path and component(pattern[0]).match(path[0]) and
                matches(pattern[1:], path[1:]))


def links_of(path):
    """Links that are met on the way, with their own parents resolved."""
    met, at = [], "/"
    todo = parts(path)
    while todo:
        at = os.path.join(at, todo.pop(0))
        if os.path.islink(at):
            met.append(at)
            target = os.readlink(at)
            at, todo = "/", parts(target) + todo
    return met


def is_pattern(text):
    return bool(re.search(r"(?<!\\)(?:\\\\)*[*?\[]", text))


class Model:
    """What each path is: by the words of cordon.policy(5)."""

    def __init__(self, world, rules, base_rules):
        self.said = {}  # path -> set of kinds
        self.ways = []  # links that lead to what is allowed
        everything = world.paths() + list(world.links)
        for kind, text in base_rules + rules:
            if is_pattern(text):
                found = [p for p in everything
                         if matches(parts(text), parts(p))]
            else:
                found = [re.sub(r"\\(.)", r"\1", "/" + "/".join(parts(text)))]
            for path in found:
                self.add(kind, path)
        self.ways = [p for p in self.ways
                     if "deny_read" not in self.said.get(p, ())]
        self.keep_other_names(world)
        self.hide_other_names(world)

    def add(self, kind, path):
        real = os.path.realpath(path)
        if kind.startswith("allow"):
            self.ways += links_of(path)
            if not os.path.exists(real):
                return
        elif os.path.islink(path):
            self.say(kind, links_of(path)[0])
        self.say(kind, real)

    def say(self, kind, path):
        self.said.setdefault(path, set()).add(kind)

    def lookup(self, path, kinds):
        """The kinds that the most specific path says."""
        while True:
            found = self.said.get(path, set()) & kinds
            if found or path == "/":
                return found
            path = os.path.dirname(path)

    def reads(self, path):
        found = self.lookup(path, {"deny_read", "allow_read", "allow_write"})
        return "deny_read" not in found

    def writes(self, path):
        found = self.lookup(path, {"deny_write", "deny_read", "allow_write"})
        return self.reads(path) and found == {"allow_write"}

    def hide_other_names(self, world):
        """A name of a file is hidden where another one is denied."""
        hidden = {os.stat(p).st_ino for p in world.files
                  if os.stat(p).st_nlink > 1 and self.names_are_denied(p)}
        for p in world.files:
            if (os.stat(p).st_ino in hidden and
                    p.startswith(world.root + "/")):
                self.say("deny_read", p)

    def keep_other_names(self, world):
        """A name of a file is read-only where a rule names another one."""
        kept = {os.stat(p).st_ino for p in world.files
                if os.stat(p).st_nlink > 1 and
                "deny_write" in self.said.get(p, ())}
        for p in world.files:
            if (os.stat(p).st_ino in kept and
                    p.startswith(world.root + "/")):
                self.say("deny_write", p)

    def names_are_denied(self, path):
        while path != "/":
            if "deny_read" in self.said.get(path, ()):
                return True
            path = os.path.dirname(path)
        return False


PROBE = r"""
import json, os, sys
out = {}
for path in json.loads(sys.stdin.read()):
    read = write = True
    try:
        if os.path.isdir(path):
            read = os.listdir(path)
        else:
            with open(path) as f:
                read = f.read() == "content"
    except OSError:
        read = False
    try:
        if os.path.isdir(path):
            os.mkdir(path + "/made")
            os.rmdir(path + "/made")
        else:
            new = not os.path.lexists(path)
            os.close(os.open(path, os.O_WRONLY | (os.O_CREAT if new else 0)))
            if new:
                os.unlink(path)
    except OSError:
        write = False
    out[path] = [read, write]
print(json.dumps(out))
"""


def expected_read(model, world, path):
    """What the probe finds: names for a directory, else yes or no."""
    names = sorted(os.listdir(path)) if os.path.isdir(path) else True
    if model.reads(path):
        return names
    # Of a hidden directory only the way to what is shown exists.
    shown = [p for p in world.paths() if model.reads(p)]
    on_the_way = {p[len(path) + 1:].split("/")[0]
                  for p in shown + model.ways if p.startswith(path + "/")}
    return sorted(on_the_way) or False


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SEEDS))
def test_the_box_does_what_the_model_says(lab, seed):
    rng = random.Random(seed)
    world = World(rng, lab.work, lab.outside)
    rules = random_rules(world)
    view = rng.choice(["host", "host", "minimal"])
    policy = lab.policy(text=json.dumps({
        "version": 1, "extends": "default",
        "filesystem": {"view": view, "deny_read": {"replace": [
            t for k, t in rules if k == "deny_read"]}, **{
                key: [t for k, t in rules if k == key]
                for key in KINDS if key != "deny_read"}}}))
    model = Model(world, rules, [("allow_write", quoted(world.root))])
    if view == "minimal":
        model.say("deny_read", "/")
    asked, absent = world.paths(), world.absent()
    words = f"seed {seed}, {view}, rules {rules}, links {world.links}"

    run = lab.run("/usr/bin/python3", "-c", PROBE, opts=["-s", policy],
                  input=json.dumps(asked + absent))
    if run.code == 125:
        # What the manual names: a link in the workspace, or its end.
        assert "symbolic link" in run.err or "is hidden by" in run.err, (
            words, run)
        return
    assert run.ok, (words, run)
    box = json.loads(run.out)
    explained = {}
    for way in ("read", "write"):
        answer = lab.cli("explain", "-s", policy, "--json", way, *asked,
                         *absent)
        explained[way] = {a["asked"]: a["allowed"]
                          for a in json.loads(answer.out)}
    for path in asked:
        read, write = box[path]
        read = sorted(read) if isinstance(read, list) else read
        assert read == expected_read(model, world, path), (path, words)
        assert explained["read"][path] == model.reads(path), (path, words)
        assert write == model.writes(path), (path, words)
        assert explained["write"][path] == model.writes(path), (path, words)
    for path in absent:
        assert box[path][1] == model.writes(path), (path, words)
        assert explained["write"][path] == model.writes(path), (path, words)
