# SPDX-License-Identifier: Apache-2.0
"""Programs that people run, with the proxy variables and without them."""
import getpass
import os
import pathlib
import select
import shutil
import socket
import subprocess
import tempfile
import time

import pytest

from egresslab import PYTHON

VARIABLES = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
BARE = ["env", *[f"-u{name}" for v in VARIABLES for name in (v, v.upper())]]
WAYS = pytest.mark.parametrize("way", [[], BARE], ids=["proxy", "bare"])
# a line of the answer that only the right server gives
GOOD = '"line": "GET /'


def both(net, argv, way=(), allow=("allowed.test",), denied=None, **kw):
    """It works where it may go; the same elsewhere does not."""
    r = net.run(*way, *argv, allow=allow, **kw)
    assert r.ok, r
    assert net.hits, r
    net.forget()
    other = [str(a).replace("allowed.test", "other.test") for a in argv]
    d = net.run(*way, *other, allow=allow, **kw)
    assert not d.ok and not net.hits and not net.asked, d
    return r, d


@WAYS
@pytest.mark.parametrize("url", ["http://allowed.test/x",
                                 "https://allowed.test/x"])
def test_curl(net, way, url):
    argv = ["curl", "-sSf", "-m", "10", "--cacert", net.world.ca, url]
    r, d = both(net, argv, way)
    assert GOOD in r.out, r
    if not way and "https" in url:
        assert "403" in d.err, d    # the person is told


@pytest.mark.parametrize("proxy", ["socks5h://127.0.0.1:1080",
                                   "socks5://127.0.0.1:1080",
                                   "http://127.0.0.1:3128"])
def test_curl_with_a_proxy_of_its_choice(net, proxy):
    argv = ["curl", "-sSf", "-m", "10", "--cacert", net.world.ca, "-x", proxy,
            "https://allowed.test/x"]
    r, _ = both(net, argv)
    assert GOOD in r.out, r


def test_curl_posts_and_keeps_alive(net):
    argv = ["curl", "-sSf", "-m", "10", "-d", "x=" + "y" * 30000,
            "http://allowed.test/a", "http://allowed.test/b"]
    r = net.run(*BARE, *argv, allow=["allowed.test"])
    assert r.ok and '"n": 2' in r.out and len(net.hits) == 1, r
    assert r.out.count('"body": 30002') == 2, r


def test_curl_http_1_expect_continue(net):
    f = net.lab.file("work/body", "x" * 200000)
    r = net.run(*BARE, "curl", "-sSf", "-m", "10", "-T", f,
                "-H", "Expect: 100-continue", "http://allowed.test/up",
                allow=["allowed.test"])
    assert r.ok and '"body": 200000' in r.out, r


@WAYS
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_wget(net, way, scheme):
    argv = ["wget", "-q", "-T", "10", "-t", "1", "-O", "-",
            f"--ca-certificate={net.world.ca}", f"{scheme}://allowed.test/x"]
    r, _ = both(net, argv, way)
    assert GOOD in r.out, r


URLLIB = """
import ssl, sys, urllib.request
c = ssl.create_default_context(cafile=sys.argv[2])
print(urllib.request.urlopen(sys.argv[1], timeout=10, context=c).read())
"""
REQUESTS = """
import sys, requests
s = requests.Session()
for _ in range(3):
    r = s.get(sys.argv[1], timeout=10, verify=sys.argv[2]); r.raise_for_status()
    print(r.text)
"""


@WAYS
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("code", [URLLIB, REQUESTS], ids=["urllib",
                                                         "requests"])
def test_python(net, way, scheme, code):
    r, _ = both(net, [PYTHON, "-c", code, f"{scheme}://allowed.test/x",
                      net.world.ca], way)
    assert GOOD in r.out, r


NODE = """
const url = process.argv[1];
fetch(url).then(r => { if (!r.ok) throw r.status; return r.text(); })
  .then(t => console.log(t)).catch(e => { console.error(e); process.exit(1); });
"""


@WAYS
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_node_fetch(net, way, scheme):
    r, _ = both(net, [*way, "env", f"NODE_EXTRA_CA_CERTS={net.world.ca}",
                      "node", "-e", NODE, f"{scheme}://allowed.test/x"])
    assert GOOD in r.out, r


@pytest.fixture(scope="module")
def fetch(world):
    exe = world.dir / "fetch"
    source = pathlib.Path(__file__).parent / "fetch.c"
    subprocess.run(["musl-gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-Wall",
                    "-static", "-o", exe, source], check=True)
    exe.chmod(0o755)
    return exe


@pytest.mark.parametrize("how", ["libc", "8.8.8.8", "2001:4860:4860::8888",
                                 "127.0.0.53"])
@pytest.mark.parametrize("family", "46")
def test_T_095_static_program_with_a_resolver_of_its_own(net, fetch, how,
                                                         family):
    r, _ = both(net, [fetch, how, family, "allowed.test", "80"])
    assert GOOD in r.out, r


# -- git -------------------------------------------------------------------
@pytest.fixture(scope="module")
def repository(world):
    """A bare one, with a commit, in the world over HTTP and for sshd."""
    bare = world.dir / "repo.git"
    seed = world.dir / "seed"
    env = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
           "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    for argv in (["init", "-q", "-b", "main", seed],
                 ["-C", seed, "commit", "-q", "--allow-empty", "-m", "first"],
                 ["clone", "-q", "--bare", seed, bare],
                 ["-C", bare, "update-server-info"]):
        subprocess.run(["git", *argv], env=env, check=True)
    world.servers.publish("repo.git", bare)
    return bare


@WAYS
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_git_over_https(net, repository, way, scheme):
    url = f"{scheme}://allowed.test/files/repo.git"
    argv = ["git", "-c", f"http.sslCAInfo={net.world.ca}", "ls-remote", url]
    r, d = both(net, argv, way)
    assert "refs/heads/main" in r.out, r
    clone = [*argv[:3], "clone", "-q", url, "copy"]
    r = net.run(*way, *clone, allow=["allowed.test"])
    assert r.ok and (net.lab.work / "copy/.git").is_dir(), r


@pytest.fixture(scope="module")
def sshd(world, repository):
    """As the user that runs the tests, in the world, at port 22."""
    d = world.dir / "sshd"
    d.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                        d / name], check=True)
    shutil.copy(d / "user.pub", d / "authorized")
    if os.geteuid() == 0:
        pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    log = open(d / "log", "w+")
    p = world.lab.start_in_world(
        ["/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", "-p", "22",
         "-h", d / "host", "-o", "UsePAM=no", "-o", "StrictModes=no",
         "-o", f"AuthorizedKeysFile={d / 'authorized'}",
         "-o", "PermitRootLogin=yes", "-o", "PidFile=none"],
        stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    wait_for_port(world, 22, p, d / "log")
    key = (d / "host.pub").read_text()
    (d / "known").write_text(f"allowed.test {key}")
    yield d
    p.kill()
    p.wait()


def wait_for_port(world, port, process, log):
    deadline = time.monotonic() + 20
    alive = os.pidfd_open(process.pid)
    while True:
        try:
            world.lab.in_world(socket.create_connection, ("127.0.0.1", port),
                               1).close()
            break
        except OSError:
            ended, _, _ = select.select([alive], [], [], 0.05)
            assert not ended and time.monotonic() < deadline, \
                pathlib.Path(log).read_text(errors="replace")
    os.close(alive)


@WAYS
@pytest.mark.parametrize("rule", ["allowed.test:22", "tcp://allowed.test:22"])
def test_git_over_ssh(net, sshd, repository, way, rule):
    """ssh needs no help to get there; GIT_SSH_COMMAND names the key."""
    key = net.lab.file("work/key", (sshd / "user").read_text(), 0o600)
    known = net.lab.file("work/known", (sshd / "known").read_text())
    ssh = (f"ssh -F none -i {key} -o UserKnownHostsFile={known} "
           "-o StrictHostKeyChecking=yes -o BatchMode=yes "
           "-o ConnectTimeout=10")
    url = f"ssh://{getpass.getuser()}@allowed.test{repository}"
    argv = ["env", f"GIT_SSH_COMMAND={ssh}", "git", "ls-remote", url]
    r = net.run(*way, *argv, allow=[rule])
    assert r.ok and "refs/heads/main" in r.out, (
        r, (sshd / "log").read_text()[-2000:])
    d = net.run(*way, *argv, allow=["allowed.test"])
    assert not d.ok, d


# -- a database ------------------------------------------------------------
@pytest.fixture(scope="module")
def postgres(world):
    """PostgreSQL refuses to be root, so there it is the user of its package."""
    tools = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    as_other = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    d = pathlib.Path(tempfile.mkdtemp(prefix="cordon-pg-", dir="/var/tmp"))
    if as_other:
        shutil.chown(d, "postgres")
    subprocess.run([*as_other, tools / "initdb", "-A", "trust", "-U", "me",
                    "--no-sync", "-D", d / "data"], check=True, cwd="/",
                   stdout=subprocess.DEVNULL)
    with open(d / "data/pg_hba.conf", "a") as f:
        f.write("host all all 0.0.0.0/0 trust\nhost all all ::/0 trust\n")
    log = open(world.dir / "postgres.log", "w")
    p = world.lab.start_in_world(
        [*as_other, tools / "postgres", "-D", d / "data", "-F", "-k", d,
         "-c", "listen_addresses=*"], cwd="/", stdout=log,
        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    wait_for_port(world, 5432, p, world.dir / "postgres.log")
    yield
    p.terminate()
    p.wait()
    shutil.rmtree(d, ignore_errors=True)


@WAYS
def test_psql(net, postgres, way):
    argv = ["psql", "-X", "-A", "-t", "-w", "-U", "me", "-d", "postgres", "-h",
            "allowed.test", "-c", "select sum(x) from generate_series(1,1000)"
            " x"]
    env = {**net.lab.env, "PGCONNECT_TIMEOUT": "10"}
    r = net.run(*way, *argv, allow=["allowed.test:5432"], env=env)
    assert r.ok and r.out == "500500\n", r
    d = net.run(*way, *argv, allow=["allowed.test"], env=env)
    assert not d.ok, d


# -- packages --------------------------------------------------------------
@WAYS
def test_apt(net, way):
    """A flat repository of one empty list."""
    net.world.servers.files.update({
        "apt/./Packages": b"Package: nothing\nVersion: 1\n"
        b"Architecture: all\nFilename: ./nothing.deb\nSize: 1\n"
        b"SHA256: " + b"0" * 64 + b"\nDescription: nothing\n\n"})
    state = net.lab.work / "apt"
    for d in ("lists/partial", "cache/archives/partial", "etc"):
        (state / d).mkdir(parents=True)
    (state / "status").write_text("")
    (state / "etc/sources.list").write_text(
        "deb [trusted=yes] http://allowed.test/files/apt ./\n")
    argv = ["apt-get", "-o", f"Dir::Etc={state}/etc", "-o",
            f"Dir::State={state}", "-o", f"Dir::State::status={state}/status",
            "-o", f"Dir::Cache={state}/cache", "-o",
            "APT::Sandbox::User=root", "-o", "Acquire::Languages=none",
            "-o", "Acquire::Retries=0", "update"]
    r = net.run(*way, *argv, allow=["allowed.test"])
    assert r.ok and list((state / "lists").glob("*Packages*")), r
    net.forget()
    d = net.run(*way, *argv, "-o", "APT::Update::Error-Mode=any",
                allow=["third.test"])
    assert not d.ok and not net.hits and not net.asked, d
