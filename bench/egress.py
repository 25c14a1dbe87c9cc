# SPDX-License-Identifier: Apache-2.0
"""The network part of bench/run: the same client in front of the same server,
directly, through cordon, and through what others put between.

Every round runs every way once, in an order shuffled anew. Each starts its own
box; the client measures itself, so that no start is in the figures.
"""
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import time

PROXY = "http://127.0.0.1:3128"
DIRECT, STREAM, CONNECT = "direct", "cordon, transparent", "cordon, CONNECT"
TINYPROXY, SRT = "tinyproxy, socat, bwrap", "srt"
OURS = STREAM, CONNECT
DOWN, UP, UP_HTTP = "down", "up", "up, plain HTTP"
# What is sent opaquely (-o) is looked at no more than TLS is.
BULK = {DOWN: ["get"], UP: ["-o", "put"], UP_HTTP: ["put"]}


class Egress:
    def __init__(self, bench, bwrap):
        self.bench, self.bwrap, self.children = bench, bwrap, []
        self.quick = bench.args.quick
        self.client = bench.compile("client", "musl-gcc")
        self.server = bench.compile("server", "musl-gcc")
        bench.give()
        self.ways = {}

    def spawn(self, argv, **kwargs):
        child = subprocess.Popen(self.bench.as_user(argv),
                                 cwd=self.bench.work, text=True,
                                 start_new_session=True, **kwargs)
        self.children.append(child)
        return child

    def done(self):
        for child in self.children:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()

    def run(self):
        try:
            self.start_server()
            self.bulk()
            self.connections()
            self.start_cost()
            self.memory()
        finally:
            self.done()

    # -- the ways -------------------------------------------------------------
    def start_server(self):
        server = self.spawn([self.server], stdout=subprocess.PIPE)
        self.port, dns = server.stdout.readline().split()
        self.opts = ["--network", "filtered", "--resolver", f"127.0.0.1:{dns}",
                     "--allow-domain", f"bench.test:{self.port}",
                     "--allow-domain", f"127.0.0.1:{self.port}"]
        address, name = f"127.0.0.1:{self.port}", f"bench.test:{self.port}"
        client, box = self.client, self.bench.box
        self.ways = {
            DIRECT: lambda *w: [client, *w, address],
            STREAM: lambda *w: box(client, *w, name, opts=self.opts),
            CONNECT: lambda *w: box(client, "-x", PROXY, *w, name,
                                    opts=self.opts),
        }
        # They are given the address, and so need not look up a name.
        inside = self.start_tinyproxy()
        self.ways[TINYPROXY] = lambda *w: [*inside, client, "-x", PROXY, *w,
                                           address]
        srt = self.install_srt()
        if srt:
            self.ways[SRT] = lambda *w: [
                *srt, " ".join([f'{client} -x "$HTTP_PROXY"', *map(str, w),
                                address])]

    def start_tinyproxy(self):
        """The usual bridge: TCP inside, a socket file, TCP outside."""
        base = self.bench.base
        door, conf, log = base / "door", base / "tiny.conf", base / "tiny.log"
        for port in range(18080, 18180):
            conf.write_text(f"Port {port}\nListen 127.0.0.1\nMaxClients 100\n"
                            f"Allow 127.0.0.1\nConnectPort {self.port}\n"
                            f'LogLevel Error\nLogFile "{log}"\n')
            self.bench.give()
            child = self.spawn(["tinyproxy", "-d", "-c", conf],
                               stdout=subprocess.DEVNULL)
            if self.listens(child, port):
                break
        else:
            raise RuntimeError("tinyproxy finds no free port")
        self.spawn(["socat", f"UNIX-LISTEN:{door},fork",
                    f"TCP:127.0.0.1:{port}"])
        script = ("socat TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr "
                  'UNIX-CONNECT:"$0" >/dev/null 2>&1 & exec "$@"')
        return [*self.bwrap, "--die-with-parent", "sh", "-c", script, door]

    @staticmethod
    def listens(child, port):
        """Is it @child that listens there? It ends if another does."""
        want = f"0100007F:{port:04X} 00000000:0000 0A"
        while child.poll() is None:
            with open("/proc/net/tcp") as table:
                if any(want in line for line in table):
                    time.sleep(0.05)
                    return child.poll() is None
            time.sleep(0.01)
        return False

    def install_srt(self):
        if not shutil.which("npm"):
            print("\n(no npm: srt is left out)")
            return None
        base = self.bench.base / "srt"
        base.mkdir()
        conf = base / "settings.json"
        conf.write_text(json.dumps({
            "network": {"allowedDomains": [f"127.0.0.1:{self.port}"],
                        "deniedDomains": []},
            "filesystem": {"denyRead": [], "allowWrite": ["."],
                           "denyWrite": []}}))
        package = "@anthropic-ai/sandbox-runtime"
        command = [base / "node_modules/.bin/srt", "--settings", conf, "-c"]
        try:
            # With the caller's environment, which may name its registry.
            subprocess.run(["npm", "install", "--ignore-scripts", "--prefix",
                            base, package], timeout=120, check=True,
                           capture_output=True)
            self.bench.give()
            self.bench.run([*command, "true"])
        except (RuntimeError, subprocess.SubprocessError) as e:
            print(f"\n(srt is left out: {e})")
            return None
        version = json.loads((base / "node_modules" / package /
                              "package.json").read_text())["version"]
        print(f"\n(srt {version})")
        return command

    def rounds(self, count, *work):
        """{way: [what the client printed, a list of numbers, …]}"""
        got = {way: [] for way in self.ways}
        order, shuffle = list(self.ways), random.Random(42).shuffle
        for _ in range(count):
            shuffle(order)
            for way in order:
                out = self.bench.run(self.ways[way](*work))
                got[way].append(list(map(float, out.split())))
        return got

    def peers(self, figures):
        return [figures[w] for w in figures if w not in (DIRECT, *OURS)]

    # -- what is measured -----------------------------------------------------
    def bulk(self):
        size = 2**28 if self.quick else 2**30
        for kind, work in BULK.items():
            self.bench.section(f"{size >> 20} MiB over one connection, {kind}")
            got = self.rounds(2 if self.quick else 5, *work, size)
            speed = {}
            for way, runs in got.items():
                each = [size / 1e9 / run[0] for run in runs]
                speed[way] = statistics.median(each)
                print(f"  {way:34} {speed[way]:9.3f} GB/s  best "
                      f"{max(each):6.3f}  "
                      f"{speed[way] / speed[DIRECT]:10.2f} x")
            if kind != UP_HTTP:
                self.bulk_goals(kind, speed)

    def bulk_goals(self, kind, speed):
        for way in OURS:
            self.bench.goal(f"bulk {kind}, {way}, of direct",
                            speed[way] / speed[DIRECT], 0.6, least=True)
        self.bench.goal(f"bulk {kind}, of the best peer",
                        min(speed[w] for w in OURS) /
                        max(self.peers(speed)), 1, least=True)

    def connections(self):
        count = 100 if self.quick else 400
        self.bench.section("a connection and a request of 1 KiB, one after "
                           "the other")
        got = self.rounds(3 if self.quick else 10, "many", count)
        median = {}
        for way, runs in got.items():
            each = sorted(us for run in runs for us in run[1:])
            median[way] = statistics.median(each)
            rate = statistics.median(count / run[0] for run in runs)
            print(f"  {way:34} {rate:9.0f} /s  p50 {median[way]:7.0f} us  "
                  f"p99 {each[len(each) * 99 // 100]:7.0f} us  "
                  f"{median[way] / median[DIRECT]:6.2f} x")
        for way in OURS:
            self.bench.goal(f"new connection, {way}, of direct",
                            median[way] / median[DIRECT], 2.5)
        self.bench.goal("new connection, of the best peer",
                        max(median[w] for w in OURS) /
                        min(self.peers(median)), 1)

    def start_cost(self):
        self.bench.section("start of /bin/true with a filtered network")
        box, t = self.bench.box, "/bin/true"
        got = self.bench.compare(self.bench.rounds, {
            "plain": [t],
            "--network none": box(t, opts=["--network", "none"]),
            "--network filtered": box(t, opts=self.opts)})
        for name, v in got.items():
            self.bench.show(name, v, got["plain"])
        self.bench.goal("start, filtered over none",
                        (got["--network filtered"][0] -
                         got["--network none"][0]) / 1000, 0.5, "ms")

    def memory(self):
        """Before and after it had work."""
        self.bench.section("memory of the egress process")
        if os.geteuid():
            print("  (needs root: the process is closed to its own user)")
            return
        work = (f"{self.client} many 500 bench.test:{self.port} && "
                f"{self.client} get {2**28} bench.test:{self.port}")
        script = f"echo up; read x; {{ {work}; }} >&2 && echo done; read x"
        p = self.spawn(self.bench.box("sh", "-c", script, opts=self.opts),
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
        p.stdout.readline()
        egress = self.find_egress(p.pid)
        idle = self.bench.pss(egress)
        p.stdin.write("\n")
        p.stdin.flush()
        if p.stdout.readline() != "done\n":
            raise RuntimeError("the client failed")
        worked = self.bench.pss(egress)
        print(f"  PSS {idle} KiB at first, {worked} KiB after work")
        self.bench.goal("PSS of egress", max(idle, worked) / 1024, 1.4, "MB")

    def find_egress(self, supervisor):
        for pid in self.bench.descendants(supervisor):
            with open(f"/proc/{pid}/comm") as comm:
                if comm.read() == "cordon-egress\n":
                    return pid
        raise RuntimeError("no egress process")
