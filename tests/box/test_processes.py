# SPDX-License-Identifier: Apache-2.0
"""Processes, devices and the kernel's surface."""
import os
import socket
import subprocess
import threading

import pytest

from lab import HOST_NETWORK, probe_path

EPERM, EACCES, ENOSYS, EPROTONOSUPPORT, EAFNOSUPPORT = 1, 13, 38, 93, 97


def test_T_050_host_processes_are_invisible(lab):
    here = os.getpid()
    script = "ls /proc | grep -c '^[0-9]'; cat /proc/1/comm; ls -d /proc/*/"
    control = lab.host("sh", "-c", f"ls -d /proc/{here}")
    assert control.ok
    r = lab.sh(script)
    assert int(r.lines[0]) < 10, r
    assert r.lines[1] != open("/proc/1/comm").read().strip(), r
    r = lab.sh("cat /proc/*/cmdline | tr '\\0' ' '")
    assert "pytest" not in r.out, r


def test_T_051_host_process_cannot_be_killed(lab):
    victim = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    try:
        r = lab.sh(f"kill -9 {victim.pid}; kill -9 -1; kill -9 {victim.pid}")
        assert victim.poll() is None, r
    finally:
        victim.kill()
        victim.wait()


def test_T_051_signals_to_everybody_stay_inside(lab):
    r = lab.sh("kill -TERM -1; echo survived")
    # The shell is spared by kill(-1) from itself; the host's processes, too.
    assert "survived" in r.out, r


@pytest.mark.parametrize("act", [
    "mount -t tmpfs x /mnt", "umount /proc", "umount -l /tmp",
    "chroot / true", "mknod d b 8 0", "mknod d c 1 1",
    "nsenter -t 1 -m true", "echo b > /proc/sysrq-trigger",
    "head -c1 /dev/mem", "cat /proc/kcore > /dev/null",
    "echo x > /proc/sys/kernel/core_pattern", "hostname evil",
    "date -s 2001-01-01", "sysctl -w kernel.sysrq=1"])
def test_T_052_administration_is_refused(lab, act):
    r = lab.sh(act)
    assert not r.ok, r
    assert not (lab.work / "d").exists()


def test_T_053_nested_namespaces_cannot_uncover(lab):
    f, token = lab.secret("work/hidden/key")
    p = lab.policy(filesystem={"deny_read": [str(f.parent)]})
    script = ("unshare -Urm sh -c 'umount -l hidden; cat hidden/key; "
              "mkdir -p m; mount --bind . m; cat m/hidden/key'; "
              "bwrap --bind / / cat hidden/key")
    r = lab.sh(script, policy=p)
    assert token not in r.out and not (lab.work / "m").exists(), r


@pytest.fixture(scope="module")
def answers():
    def parse(text):
        return dict(line.split(" ", 1) for line in text.splitlines())
    return parse


WITH_EPERM = ("mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick "
              "open_tree move_mount mount_setattr setns unshare_user "
              "unshare_mount unshare_net clone_user bpf perf_event_open "
              "userfaultfd keyctl add_key request_key init_module "
              "finit_module delete_module kexec_load reboot swapon acct "
              "open_by_handle_at quotactl syslog personality mknod_char "
              "iopl settimeofday").split()
WITH_ENOSYS = ("clone3_user io_uring_setup io_uring_enter io_uring_register "
               "unknown_number").split()
SOCKETS = ("socket_alg socket_packet socket_vsock socket_xfrm socket_rxrpc "
           "socket_raw socket_alg_high").split()
TTY = "tiocsti tiocsti_high tioclinux tioclinux_high".split()
FINE = "getpid socket_unix socket_inet memfd_create".split()


@pytest.mark.parametrize("profile", ["default", "strict"])
def test_T_054_system_calls(lab, answers, profile):
    probe = probe_path("calls")
    control = answers(lab.host(probe).out)
    assert control["unshare_user"] == "0" and control["i386_getpid"] == "0"
    r = lab.run(probe, opts=["--seccomp", profile])
    got = answers(r.out)
    wrong = {}
    for name in WITH_EPERM:
        if got[name] != str(EPERM):
            wrong[name] = got[name]
    for name in WITH_ENOSYS:
        if got[name] != str(ENOSYS):
            wrong[name] = got[name]
    for name in SOCKETS:
        if got[name] not in map(str, (EPERM, EACCES, EPROTONOSUPPORT,
                                      EAFNOSUPPORT)):
            wrong[name] = got[name]
    for name in FINE:
        if got[name] != "0":
            wrong[name] = got[name]
    for name in ("x32_getpid", "i386_getpid"):
        if got[name] != "killed 31":
            wrong[name] = got[name]
    assert not wrong, wrong


def test_T_055_terminal_injection(lab, answers):
    got = answers(lab.run(probe_path("calls")).out)
    assert {n: got[n] for n in TTY} == {n: str(EPERM) for n in TTY}


@pytest.mark.parametrize("opts", [["--network", "none"], HOST_NETWORK],
                         ids=["none", "host"])
def test_T_056_no_capability_in_any_mode(lab, opts):
    r = lab.sh("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status",
               opts=opts)
    got = dict(line.split(":\t") for line in r.lines)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(got[name], 16) == 0, (name, r)
    assert got["NoNewPrivs"] == "1" and got["Seccomp"] == "2", r


def test_T_057_set_uid_programs_give_nothing(lab):
    r = lab.sh("stat -c %a /usr/bin/su /usr/bin/passwd 2>/dev/null; "
               "grep -c nosuid /proc/self/mounts; wc -l < /proc/self/mounts")
    *_, nosuid, mounts = r.lines
    assert nosuid == mounts, r          # every single mount
    if os.geteuid():
        r = lab.run("/usr/bin/su", "-c", "id -u", input="\n")
        assert "0" not in r.lines, r


@pytest.mark.parametrize("code", [
    "import multiprocessing as m; q = m.Queue(); "
    "p = m.Process(target=q.put, args=(1,)); p.start(); print(q.get()); p.join()",
    "from multiprocessing import shared_memory as s; "
    "x = s.SharedMemory(create=True, size=99); x.buf[0] = 1; print(x.buf[0]); "
    "x.close(); x.unlink()",
    "import os, pwd; pwd.getpwuid(os.getuid()).pw_name; print(1)",
    "import os; m, s = os.openpty(); os.write(m, b'x\\n'); "
    "print(len(os.read(s, 9)) - 1)",
    "import threading; t = threading.Thread(target=print, args=(1,)); "
    "t.start(); t.join()",
    "import subprocess; print(subprocess.check_output(['echo', '1'], "
    "text=True), end='')",
    "import socket; a, b = socket.socketpair(); a.send(b'1'); "
    "print(b.recv(1).decode())",
    "import tempfile; f = tempfile.NamedTemporaryFile(); print(1)",
    "import asyncio; asyncio.run(asyncio.sleep(0)); print(1)",
], ids=["queue", "shm", "pwd", "openpty", "thread", "subprocess",
        "socketpair", "tempfile", "asyncio"])
def test_T_058_what_programs_need_works(lab, code):
    r = lab.run("python3", "-c", code)
    assert r.ok and r.out.strip() == "1", r


def test_T_059_tmpdir_and_runtime_dir_are_usable(lab):
    lab.env.update(TMPDIR="/nonexistent/tmp",
                   XDG_RUNTIME_DIR="/nonexistent/run")
    r = lab.sh('for d in "$TMPDIR" "$XDG_RUNTIME_DIR"; do '
               'stat -c "%a %u" "$d" && touch "$d/x" && echo ok; done')
    assert r.out.count("ok") == 2, r
    assert f"700 {os.getuid()}" in r.out, r
    assert lab.sh("ls /tmp").out.count("x") == 0    # nothing stays


def test_T_060_own_uid_and_gid(lab):
    for flag in ("-u", "-g"):
        assert lab.run("id", flag).out == lab.host("id", flag).out
    f = lab.file("home/.sshlike/config", "x\n", 0o600)
    r = lab.run("stat", "-c", "%u", f)
    assert r.out.strip() == str(os.getuid()), r
    assert lab.run("ls", "-ld", "/etc/passwd").ok


@pytest.mark.parametrize("kind", ["stream", "seqpacket", "dgram"])
def test_T_061_host_sockets_are_unreachable(lab, kind):
    """Wherever they lie: outside, in the home directory, in the workspace."""
    types = {"stream": socket.SOCK_STREAM, "dgram": socket.SOCK_DGRAM,
             "seqpacket": socket.SOCK_SEQPACKET}
    made = []
    for where in (lab.outside, lab.home, lab.work):
        s = socket.socket(socket.AF_UNIX, types[kind])
        s.bind(str(where / "s"))
        if kind != "dgram":
            s.listen(5)
        made.append(s)
    script = ("import socket,os,sys\nfor d in sys.argv[1:]:\n"
              " s = socket.socket(socket.AF_UNIX, %d)\n"
              " try: os.chdir(d); s.connect('s'); print('connected', d)\n"
              " except OSError as e: print(e)\n" % types[kind])
    dirs = [str(d) for d in (lab.outside, lab.home, lab.work)]
    control = lab.host("python3", "-c", script, *dirs)
    assert control.out.count("connected") == 3, control
    r = lab.run("python3", "-c", script, *dirs)
    assert "connected" not in r.out, r
    for s in made:
        s.close()


def test_T_061_named_socket_is_let_in(lab):
    s = socket.socket(socket.AF_UNIX)
    s.bind(str(lab.outside / "agent"))
    s.listen(5)
    said = []

    def serve():
        c, _ = s.accept()
        c.sendall(b"hello\n")
        said.append(1)
        c.close()

    t = threading.Thread(target=serve, daemon=True)
    t.start()
    script = ("import socket,os,sys; os.chdir(sys.argv[1]); "
              "s=socket.socket(socket.AF_UNIX); s.connect('agent'); "
              "print(s.recv(9).decode(), end='')")
    r = lab.run("python3", "-c", script, lab.outside)
    assert not r.ok and not said, r
    r = lab.run("python3", "-c", script, lab.outside,
                opts=["--unix-socket", lab.outside / "agent"])
    assert r.out == "hello\n", r
    s.close()


def test_T_061_well_known_sockets(lab):
    r = lab.sh("for s in /run/docker.sock /var/run/docker.sock "
               "/run/containerd/containerd.sock /run/dbus/system_bus_socket "
               '"/run/user/$(id -u)/bus" /tmp/.X11-unix/X0; do '
               'test -S "$s" && echo "$s"; done; true')
    assert r.out == "", r


def test_abstract_sockets_of_the_host_are_unreachable(lab):
    s = socket.socket(socket.AF_UNIX)
    name = f"\0cordon-test-{os.getpid()}"
    s.bind(name)
    s.listen(5)
    script = (f"import socket; s=socket.socket(socket.AF_UNIX); "
              f"s.connect({name!r}); print('connected')")
    assert lab.host("python3", "-c", script).out == "connected\n"
    for network in ("none", "host"):
        r = lab.run("python3", "-c", script, opts=["--network", network])
        assert "connected" not in r.out, (network, r)
    s.close()


def test_network_none_reaches_nothing(lab):
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    script = (f"import socket; s=socket.create_connection(('127.0.0.1', "
              f"{port}), 2); print('connected')")
    assert lab.host("python3", "-c", script).out == "connected\n"
    r = lab.run("python3", "-c", script)
    assert "connected" not in r.out, r
    r = lab.run("python3", "-c", script, opts=HOST_NETWORK)
    assert r.out == "connected\n", r
    assert lab.sh("grep -c : /proc/net/dev").out == "1\n"      # lo
    server.close()


def test_network_none_has_its_own_loopback(lab):
    script = ("import socket; s = socket.create_server(('127.0.0.1', 0)); "
              "c = socket.create_connection(s.getsockname()); print('ok')")
    assert lab.run("python3", "-c", script).out == "ok\n"


def test_ipc_is_private(lab):
    made = lab.host("ipcmk", "-M", "4096")
    assert made.ok
    ident = made.out.split()[-1]
    try:
        assert ident in lab.host("ipcs", "-m").out
        assert ident not in lab.run("ipcs", "-m").out.split()
    finally:
        lab.host("ipcrm", "-m", ident)


def test_init_reaps_orphans(lab):
    script = """
import os, sys
for i in range(50):
    if os.fork() == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.wait()
r, w = os.pipe()
if os.fork() == 0:                      # an orphan that tells when it is one
    if os.fork() == 0:
        os.close(r)
        while os.getppid() != 1: os.sched_yield()
        os._exit(0)
    os._exit(0)
os.close(w); os.wait(); os.read(r, 1)
import select
def is_zombie(p):
    try:
        stat = open(f'/proc/{p}/stat').read()
    except OSError:
        return False                    # reaped since it was listed
    return stat.rsplit(')', 1)[1].split()[0] == 'Z'
for _ in range(100):
    z = sum(is_zombie(p) for p in os.listdir('/proc') if p.isdigit())
    if not z: break
    select.select([], [], [], 0.02)
print(z)
"""
    assert lab.run("python3", "-c", script).out == "0\n"


def test_debuggers_work_in_default_and_not_in_strict(lab):
    script = ("import ctypes, os, signal\npid = os.fork()\n"
              "if not pid: signal.pause()\n"
              "libc = ctypes.CDLL(None, use_errno=True)\n"
              "r = libc.ptrace(0x4206, pid, 0, 0)\n"       # PTRACE_SEIZE
              "os.kill(pid, 9); print(r)\n")
    assert lab.host("python3", "-c", script).out == "0\n"
    assert lab.run("python3", "-c", script).out == "0\n"
    r = lab.run("python3", "-c", script, opts=["--seccomp", "strict"])
    assert r.out == "-1\n", r


def test_hostname_namespace_is_private(lab):
    assert lab.run("uname", "-n").ok
    r = lab.sh("hostname other; uname -n")
    assert lab.host("uname", "-n").out.strip() != "other", r


def test_limits_open_files(lab):
    r = lab.sh("ulimit -n", policy={"limits": {"open_files": 77}})
    assert r.out.strip() == "77", r
    r = lab.sh("ulimit -Hn", policy={"limits": {"open_files": 77}})
    assert r.out.strip() == "77", r


def test_limits_file_size(lab):
    p = {"limits": {"file_size": "64KiB"}}
    r = lab.sh("head -c 200000 /dev/zero > big; stat -c %s big", policy=p)
    assert (lab.work / "big").stat().st_size == 65536, r
    assert lab.sh("head -c 200000 /dev/zero > big").ok          # control


def test_ignored_signals_are_the_callers(lab):
    """What cordon ignores for itself is not inherited by the command."""
    act = ("grep", "SigIgn", "/proc/self/status")
    assert lab.run(*act).out == lab.host(*act).out
