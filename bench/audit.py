# SPDX-License-Identifier: Apache-2.0
"""The audit log with a million events: written, verified, searched."""
import os
import resource
import subprocess

EVENTS = 1_000_000


class Audit:
    def __init__(self, bench, tree):
        self.bench = bench
        self.events = EVENTS // 10 if bench.args.quick else EVENTS
        subprocess.run(["ninja", "-C", tree / "build", "tests/audit_load"],
                       check=True, stdout=subprocess.DEVNULL)
        self.load = bench.base / "audit_load"
        self.load.write_bytes((tree / "build/tests/audit_load").read_bytes())
        self.load.chmod(0o755)
        self.state = bench.base / "state"
        self.log = self.state / "cordon" / "audit"

    @staticmethod
    def used():
        of = resource.getrusage(resource.RUSAGE_CHILDREN)
        return of.ru_utime + of.ru_stime

    def time(self, argv, code=0):
        """Seconds of the processor, which others may use too, and what it
        wrote; the best of three."""
        best = None
        for _ in range(3):
            begun = self.used()
            done = subprocess.run(
                self.bench.as_user(["env", f"XDG_STATE_HOME={self.state}",
                                    *argv]),
                cwd=self.bench.work, capture_output=True)
            took = self.used() - begun
            if done.returncode != code:
                raise RuntimeError(f"{argv}: {done.stderr[-300:]}")
            best = min(best or took, took)
        return best, done.stdout

    def show(self, name, seconds, of=None, what=""):
        ratio = f"{seconds / of:6.2f} x of {what}" if of else ""
        print(f"  {name:34} {seconds:9.3f} s  "
              f"{seconds / self.events * 1e6:8.2f} us each  {ratio}")

    def run(self):
        b = self.bench
        b.section(f"audit log, {self.events} events")
        self.state.mkdir(mode=0o700)
        b.give()
        out = b.run([self.load, self.log, self.events])
        line, each = map(float, out.split())
        print(f"  {'one line made':34} {line:9.2f} us of the processor")
        print(f"  {'one event written':34} {each:9.2f} us of the processor")
        b.goal("an event made into a line, us", line, 10, "us")
        files = sorted(self.log.glob("*.jsonl"))
        size = sum(os.path.getsize(f) for f in files)
        print(f"  {size / self.events:.0f} bytes each, {len(files)} files")
        cordon = [str(b.cordon), "audit"]
        sums, _ = self.time(["sha256sum", *files])
        grep, _ = self.time(["grep", "-hF", '"event":"ended"', *files])
        verify, out = self.time([*cordon, "verify"])
        if f"whole: {self.events} records".encode() not in out:
            raise RuntimeError(f"verify: {out[-300:]}")
        self.show("sha256sum of the files", sums)
        self.show("audit verify", verify, sums, "sha256sum")
        self.show("grep for a kind", grep)
        for name, argv, n in (
                ("--kind ended --json", ["--kind", "ended", "--json"],
                 self.events // 100),
                ("--kind ended", ["--kind", "ended"], self.events // 100),
                ("--kind denied --limit 100",
                 ["--kind", "denied", "--limit", "100", "--json"], 100),
                ("--sandbox ID",
                 ["--sandbox", f"run-{5:016x}", "--json"], 100)):
            took, out = self.time([*cordon, *argv])
            if out.count(b"\n") != n:
                raise RuntimeError(f"{name}: {out.count(10)} lines")
            self.show(f"audit {name}", took, grep, "grep")
            b.goal(f"{name} among {self.events} events, s", took, 1, "s")
