# SPDX-License-Identifier: Apache-2.0
"""Kernels that lack something: cordon refuses with a reason, or runs a box
that holds all the same, weaker only as `cordon plan` announced."""
import json
import socket

import pytest

from lab import call, probe_path

CALLS = ("landlock_create_ruleset landlock_add_rule landlock_restrict_self "
         "openat2 clone3 mount_setattr open_tree move_mount fsopen fsconfig "
         "fsmount close_range pidfd_open pidfd_send_signal pidfd_getfd seccomp "
         "pivot_root keyctl capset prctl inotify_init1 signalfd4 "
         "timerfd_create epoll_create1 memfd_create setsid prlimit64 "
         "socketpair getdents64 process_vm_readv statx").split()
ERRORS = ["ENOSYS", "EPERM"]
LANDLOCK = "landlock_create_ruleset"


class Host:
    """A lab on a kernel without some calls, with things worth protecting."""

    def __init__(self, lab, missing):
        self.lab, self.missing = lab, missing
        self.secret, self.token = lab.secret("home/.ssh/id_rsa")
        self.hidden, self.other = lab.secret("work/private/key")
        self.locked = lab.file("work/locked", "locked\n")
        self.server = socket.create_server(("127.0.0.1", 0))
        self.policy = lab.policy(filesystem={
            "deny_read": [str(self.hidden.parent)],
            "deny_write": [str(self.locked), str(lab.work / "later")]})

    def cordon(self, verb, *argv, opts=(), **kw):
        return call([probe_path("without"), self.missing, self.lab.cordon,
                     verb, "-s", self.policy, *opts, *argv],
                    cwd=self.lab.work, env=self.lab.env, **kw)

    def attack(self, opts=()):
        """Everything at once; the marker says that it ran."""
        port = self.server.getsockname()[1]
        script = (f"touch marker; cat '{self.secret}' private/key; "
                  f"echo x > '{self.lab.outside}/x'; echo x >> locked; "
                  "echo x > later; mv private p2; cat p2/key; "
                  f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && "
                  "echo connected'; ls /proc | grep -c '^[0-9]'; "
                  "grep -E '^(Cap|NoNewPrivs)' /proc/self/status")
        return self.cordon("run", "--", "sh", "-c", script, opts=opts)

    def held(self, r):
        lab = self.lab
        assert self.token not in r.out and self.other not in r.out, r
        assert not (lab.outside / "x").exists(), r
        assert self.locked.read_text() == "locked\n", r
        assert not (lab.work / "later").exists(), r
        assert "connected" not in r.out, r
        caps = [s.split()[1] for s in r.lines if s.startswith("Cap")]
        assert len(caps) == 5 and set(caps) == {"0" * 16}, r
        assert "NoNewPrivs:\t1" in r.out, r


def test_control_all_calls_there(lab):
    """The same acts succeed outside; inside, with all calls, they do not."""
    host = Host(lab, "faccessat2")
    r = host.attack()
    assert (lab.work / "marker").exists(), r
    host.held(r)
    assert host.token in lab.host("cat", host.secret).out
    assert lab.host("sh", "-c", "echo x >> locked").ok


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", CALLS)
def test_refuses_or_holds(lab, name, error):
    host = Host(lab, f"{name}={error}")
    r = host.attack()
    if "NoNewPrivs" in r.out:           # the command ran, marker or not
        host.held(r)
    else:
        assert not (lab.work / "marker").exists(), r
        assert r.code == 125 and r.err.startswith("cordon: "), r
        assert len(r.err) > len("cordon: ") + 8, r


@pytest.mark.parametrize("name", [LANDLOCK, "clone3", "seccomp"])
def test_plan_announces_what_run_does(lab, name):
    """run starts if and only if plan says that it can."""
    host = Host(lab, name)
    plan = host.cordon("plan", "--json")
    run = host.attack()
    ran = (lab.work / "marker").exists()
    if ran:
        assert plan.ok, plan
        if name == LANDLOCK:
            notes = json.loads(plan.out)["notes"]
            assert any("landlock" in n.lower() for n in notes), plan
            assert "landlock" in run.err.lower(), run
    else:
        assert run.code == 125, run


def test_landlock_is_refused_or_degrades_on_demand(lab):
    host = Host(lab, LANDLOCK)
    r = host.attack(opts=["--require", "landlock"])
    assert r.code == 125 and "landlock" in r.err.lower(), r
    assert not (lab.work / "marker").exists()
    r = host.attack(opts=["--allow-degraded", "landlock"])
    assert (lab.work / "marker").exists(), r
    assert "landlock" in r.err.lower(), r
    host.held(r)


def test_nothing_kept_is_given_without_landlock(lab):
    """No other wall keeps a descriptor from being opened for writing."""
    host = Host(lab, LANDLOCK)
    f, free = lab.file("outside/f", "old\n"), lab.file("work/free", "old\n")
    opts = ["--allow-degraded", "landlock"]
    script = ["sh", "-c", "cat; echo evil >> /proc/self/fd/0"]
    with open(f) as inp:
        r = host.cordon("run", "--", *script, opts=opts, stdin=inp)
        assert r.code == 125 and "standard input" in r.err, r
        assert "pipe" in r.err and f.read_text() == "old\n", r
    r = host.cordon("run", "--", "cat", opts=opts, input="old\n")
    assert r.ok and r.out == "old\n", r                         # the remedy
    with open(free) as inp:
        r = host.cordon("run", "--", *script, opts=opts, stdin=inp)
        assert r.ok and "evil" in free.read_text(), r           # the control


EMPTY = """import os, sys
path, both = sys.argv[1], os.O_WRONLY | os.O_RDWR
for act in (lambda: os.truncate(path, 0),
            lambda: os.open(path, os.O_RDONLY | os.O_TRUNC),
            lambda: os.open(path, os.O_RDONLY | os.O_TRUNC | os.O_CREAT),
            lambda: os.open(path, both | os.O_TRUNC)):
    try:
        act()
    except OSError:
        continue
    print("emptied", os.stat(path).st_size)
    with open("again", "w") as f:
        f.write("old")
"""


@pytest.mark.parametrize("abi", [2, 3])
def test_a_given_file_is_not_emptied_before_landlock_can_say_so(lab, abi):
    """Version 2, Linux 6.1, does not handle truncating; here it is asked for
    no more than that, so it does not either."""
    f = lab.file("outside/f", "old")
    opts = ["--seccomp", lab.file("calls.json", '{"defaultAction": '
                                  '"SCMP_ACT_ALLOW", "syscalls": []}')]
    argv = ["python3", "-c", EMPTY]

    def cordon(path, *opts, **kw):
        return lab.host("strace", "-o", "/dev/null", "-e", "trace="
                        f"{LANDLOCK}", "-e", f"inject={LANDLOCK}:retval={abi}"
                        ":when=1", lab.cordon, "run", *opts, "--", *argv, path,
                        **kw)

    for more in ([], opts):
        with open(f) as inp:
            r = cordon("/proc/self/fd/0", *more, stdin=inp)
        assert r.ok and r.out == "" and f.read_text() == "old", r
        with open(lab.outside / "log", "w") as log:     # may be written
            free = lab.file("work/again", "old")
            r = cordon(free, *more, stdout=log)
        said = (lab.outside / "log").read_text()
        assert r.ok and said == "emptied 0\n" * 4, (said, r)    # the control
    again = lab.file("work/again", "old")
    with open(again) as inp:
        r = lab.host(*argv, "/proc/self/fd/0", stdin=inp)
    assert r.out == "emptied 0\n" * 4, r


def test_no_user_namespaces(lab):
    host = Host(lab, "clone3=EPERM,unshare=EPERM")
    r = host.attack()
    assert r.code == 125 and "user_namespaces" in r.err, r
    assert not (lab.work / "marker").exists()


@pytest.mark.parametrize("missing,word", [
    (LANDLOCK, "landlock"), ("clone3=EPERM,unshare=EPERM", "user_namespaces"),
    ("seccomp", "seccomp")])
def test_T_178_doctor_shows_a_simulated_lack(lab, missing, word):
    healthy = call([lab.cordon, "doctor", "--json"], cwd=lab.work,
                   env=lab.env)
    lacking = call([probe_path("without"), missing, lab.cordon, "doctor",
                    "--json"], cwd=lab.work, env=lab.env)

    def state(r):
        doc = json.loads(r.out)
        checks = doc["checks"] if isinstance(doc, dict) else doc
        return {c["name"]: c for c in checks}[word]

    assert state(healthy)["state"] != state(lacking)["state"], lacking
    assert state(lacking)["remedy"], lacking
