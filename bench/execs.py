# SPDX-License-Identifier: Apache-2.0
"""What rules for executions cost, and what it costs to be told exactly: an
exec loop and a build, each with and without."""
import json

# by path: as a name it could be an applet of busybox, which no mask tells
DENIED = [f"/usr/{where}" for where in (
    "bin/sudo", "bin/su", "sbin/mkfs", "sbin/fdisk", "sbin/chroot",
    "bin/unshare", "bin/nsenter", "bin/nc", "bin/ssh", "bin/perl")]
ARGUMENTS = ["git push", "kubectl delete", "docker run --privileged",
             "dd if=", "npm publish", "systemctl reboot"]


class Execs:
    def __init__(self, bench):
        self.bench = bench
        self.policies = {
            "masks only": {"exec": {"deny": DENIED, "report": False}},
            "masks, told": {"exec": {"deny": DENIED}},
            "arguments": {"exec": {"deny": DENIED + ARGUMENTS}},
            "strict": {"filesystem": {"strict": True,
                                      "deny_read": ["**/.env"]}},
        }

    def opts(self, name):
        path = self.bench.base / f"{name.replace(' ', '-')}.yaml"
        path.write_text(json.dumps(self.policies[name]))
        self.bench.give()
        return ["-s", path]

    def loop(self, n=1000):
        bench = self.bench
        bench.section(f"fork and exec of /bin/true, {n} times")
        act = [bench.loop, "exec", n, bench.work]
        ways = {"bare": act, "no rules": bench.box(*act)}
        for name in ("masks only", "masks, told", "arguments"):
            ways[name] = bench.box(*act, opts=self.opts(name))
        got = bench.compare(3 if bench.args.quick else 9, ways)
        for name, v in got.items():
            bench.show(name, v, got["bare"])
            print(f"  {'':34} {v[0] / n:9.2f} us each")
        base = got["no rules"][0]
        bench.goal("masks, of no rules", got["masks only"][0] / base, 1.02)
        bench.goal("argument rules, per execution",
                   (got["arguments"][0] - base) / n, 60, "us")

    def build(self, make):
        bench = self.bench
        bench.section("the same build with rules, and told exactly")
        ways = {"bare": make, "no rules": bench.box(*make)}
        for name in self.policies:
            ways[name] = bench.box(*make, opts=self.opts(name))
        ways["--explain"] = bench.box(*make, opts=["--explain"])
        ways["learn"] = [bench.cordon, "learn", "-q", "-o", "-", "--", *make]
        got = bench.compare(3 if bench.args.quick else 9, ways)
        for name, v in got.items():
            bench.show(name, v, got["bare"])
        bench.goal("learn, of bare", got["learn"][0] / got["bare"][0], 2)
