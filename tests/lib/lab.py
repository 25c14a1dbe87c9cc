# SPDX-License-Identifier: Apache-2.0
"""A home directory, a workspace, secrets, and ways to act outside and inside.

Every test states a promise and has its control: the same act succeeds outside
or when it is allowed, then fails inside. Nothing sleeps: tests wait for a
line or an end of file, with a deadline.

CORDON names the binary (default: build/cordon of this tree).
"""
import json
import os
import pathlib
import subprocess

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
DEADLINE = 30  # seconds; nothing here should take one
# Before Linux 6.12 nothing keeps the host's abstract sockets away from a box
# that shares its network, which cordon wants to be told.
HOST_NETWORK = ["--network", "host", "--allow-degraded", "landlock_scopes"]


def cordon_path():
    return os.environ.get("CORDON") or str(TREE / "build" / "cordon")


def probe_path(name):
    """A static helper program of tests/probe, built by tests/run."""
    return os.path.join(
        os.environ.get("CORDON_PROBES") or str(TREE / "build" / "probe"), name)


class Result:
    """How a command ended, with words for the usual questions."""

    def __init__(self, done, argv):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.argv = argv

    @property
    def ok(self):
        return self.code == 0

    @property
    def lines(self):
        return self.out.splitlines()

    def outcome(self):
        """The object that --json prints: the last JSON line of stderr."""
        for line in reversed(self.err.splitlines()):
            if line.startswith("{"):
                return json.loads(line)
        raise AssertionError(f"no JSON outcome in {self.err!r}")

    def refused(self, *words, code=125):
        """Did cordon refuse to start, saying all of these words?"""
        assert self.code == code, self
        for word in words:
            assert word in self.err, (word, self)
        assert self.err.startswith("cordon: "), self
        return True

    def __repr__(self):
        return (f"{self.argv}\nexit code {self.code}\n"
                f"stdout {self.out!r}\nstderr {self.err!r}")


def call(argv, **kw):
    kw.setdefault("timeout", DEADLINE)
    kw.setdefault("errors", "surrogateescape")
    if "input" not in kw and "stdin" not in kw:
        kw["stdin"] = subprocess.DEVNULL
    argv = [os.fspath(a) for a in argv]
    kw.setdefault("stdout", subprocess.PIPE)
    kw.setdefault("stderr", subprocess.PIPE)
    return Result(subprocess.run(argv, text=True, **kw), argv)


class Lab:
    """One throw-away host: $HOME, a workspace, things outside."""

    def __init__(self, base):
        self.base = pathlib.Path(base)
        self.cordon = cordon_path()
        self.home = self.base / "home"
        self.work = self.base / "work"
        self.outside = self.base / "outside"
        for d in (self.home, self.work, self.outside):
            d.mkdir()
        self.env = {
            "HOME": str(self.home),
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
            "USER": "someone",
        }
        self.state = pathlib.Path("/var/lib/cordon") if os.geteuid() == 0 \
            else self.home / ".local" / "state" / "cordon"
        self.audit = self.state / "audit"

    # -- things on the host ------------------------------------------------
    def file(self, path, text="content\n", mode=None):
        """Makes a file; relative paths lie below the base."""
        p = self.base / path
        p.parent.mkdir(parents=True, exist_ok=True)
        p.write_text(text)
        if mode is not None:
            p.chmod(mode)
        return p

    def secret(self, path):
        """A file with content that nobody can guess."""
        token = "SECRET-" + os.urandom(12).hex()
        p = self.file(path, token + "\n", 0o600)
        return p, token

    def policy(self, name="policy.yaml", text=None, **keys):
        """A policy file outside the workspace; keys as in the schema."""
        p = self.base / "policies" / name
        p.parent.mkdir(exist_ok=True)
        if text is None:
            text = json.dumps({"version": 1, **keys})
        p.write_text(text)
        p.chmod(0o644)
        return p

    def tree(self, *roots):
        """Everything below, as comparable lines: names, kinds, content.
        Not the audit log, which every run adds to."""
        state = self.home / ".local" / "state"
        own = {str(state.parent), str(state)}
        seen = []
        for root in roots or (self.base,):
            for d, dirs, files in os.walk(root):
                for n in sorted(dirs + files):
                    p = os.path.join(d, n)
                    if p in own or p.startswith(str(state / "cordon")):
                        continue
                    st = os.lstat(p)
                    seen.append((p, oct(st.st_mode), st.st_ino,
                                 st.st_size if not os.path.isdir(p) else 0))
        return sorted(seen)

    # -- acts --------------------------------------------------------------
    def host(self, *argv, **kw):
        """The control: the same command without cordon."""
        kw.setdefault("cwd", self.work)
        kw.setdefault("env", self.env)
        return call(argv, **kw)

    def cli(self, *argv, **kw):
        """cordon with any verb."""
        kw.setdefault("cwd", self.work)
        kw.setdefault("env", self.env)
        return call([self.cordon, *argv], **kw)

    def run(self, *argv, opts=(), policy=None, **kw):
        """cordon run OPTS -- ARGV; policy is a file or a dict of keys."""
        if isinstance(policy, dict):
            policy = self.policy(**policy)
        settings = ["-s", policy] if policy else []
        return self.cli("run", *settings, *opts, "--", *argv, **kw)

    def refuses(self, *words, opts=(), policy=None, code=125, **kw):
        """cordon must not start the command, and say all of these words."""
        marker = self.work / "marker"
        before = self.tree(self.work, self.home, self.outside)
        r = self.run("touch", marker, opts=opts, policy=policy, **kw)
        r.refused(*words, code=code)
        assert not marker.exists(), r
        assert self.tree(self.work, self.home, self.outside) == before, r
        return r

    def starts(self, **kw):
        """The control of refuses(): with these options it does start."""
        marker = self.work / "marker"
        r = self.run("touch", marker, **kw)
        assert r.ok and marker.exists(), r
        marker.unlink()
        return r

    def sh(self, script, *args, **kw):
        return self.run("sh", "-c", script, "sh", *args, **kw)

    def spawn(self, *argv, opts=(), verb="run", **kw):
        """A box that keeps running; the caller waits for its lines."""
        kw.setdefault("cwd", self.work)
        kw.setdefault("env", self.env)
        kw.setdefault("stdin", subprocess.PIPE)
        kw.setdefault("stdout", subprocess.PIPE)
        kw.setdefault("stderr", subprocess.PIPE)
        argv = [self.cordon, verb, *map(os.fspath, opts), "--",
                *map(os.fspath, argv)]
        return subprocess.Popen(argv, **kw)

    def git(self, *argv, cwd=None, **kw):
        return self.host("git", *argv, cwd=cwd or self.work, **kw)

    def repository(self, path=None):
        """A git repository with one commit, and who commits."""
        path = path or self.work
        self.env.update(GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@example.org",
                        GIT_COMMITTER_NAME="a",
                        GIT_COMMITTER_EMAIL="a@example.org")
        path.mkdir(exist_ok=True)
        for argv in (["init", "-q", "-b", "main"],
                     ["commit", "-q", "--allow-empty", "-m", "first"]):
            r = self.git(*argv, cwd=path)
            assert r.ok, r
        return path
