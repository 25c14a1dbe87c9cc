# SPDX-License-Identifier: Apache-2.0
"""What the suites stand on: builds, the test user, counting, the sum."""
import fnmatch
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as xml

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
USER = "cordon-test"

# name: meson options, environment, what to build
VARIANTS = {
    # as `make` does it; the variants are glibc's, so that both are tested
    "build": (["--native-file", "tools/musl.ini"], {},
              ["all", "tests/guardlab"]),
    "build-asan": (["-Db_sanitize=address,undefined", "-Db_lundef=false",
                    "-Dfuzz=true", "-Dc_args=-fsanitize=fuzzer-no-link"],
                   {"CC": "clang-14"}, ["all", "tests"]),
    "build-faults": (["-Dfaults=true"], {}, ["src/cmd/cordon"]),
    "build-no-landlock": (["-Dablate=landlock"], {}, ["src/cmd/cordon"]),
    "build-no-seccomp": (["-Dablate=seccomp"], {}, ["src/cmd/cordon"]),
    "build-no-pins": (["-Dablate=pins"], {}, ["src/cmd/cordon"]),
    "build-msan": (["-Db_sanitize=memory", "-Db_lundef=false"],
                   {"CC": "clang-14"}, ["tests"]),
}
NEEDS = {
    "lint": ["build"],
    "unit": ["build-asan"],
    "golden": ["build-asan"],
    "fuzz": ["build-asan"],
    "soak-fuzz": ["build-asan"],
    "box-root": ["build"],
    "box-user": ["build"],
    "egress-root": ["build", "build-faults"],
    "egress-user": ["build", "build-faults"],
    "attack": ["build"],
    "attack-faults": ["build"],
    "without": ["build"],
    "guard": ["build"],
    "fault": ["build-faults"],
    "ablation": ["build-no-landlock", "build-no-seccomp", "build-no-pins"],
    "soak-unit": ["build"],
    "soak-box": ["build"],
    "soak-egress": ["build", "build-faults"],
    "soak-attack": ["build"],
}


class Count:
    """What one suite found. Names are kept for what did not pass."""

    def __init__(self, suite):
        self.suite, self.passed = suite, 0
        self.failed, self.skipped, self.text = [], [], []

    def ok(self, n=1):
        self.passed += n

    def fail(self, name, why=""):
        self.failed.append((name, str(why).strip()))

    def skip(self, name, why):
        self.skipped.append((name, str(why).strip()))

    def check(self, name, done, why=""):
        self.ok() if done else self.fail(name, why)
        return done

    def say(self, line):
        self.text.append(line)


class Harness:
    def __init__(self):
        self.strict = os.environ.get("CORDON_TEST_STRICT") == "1"
        self.root = os.geteuid() == 0
        self.counts, self.lock, self.began = [], threading.Lock(), time.time()
        self.stage = self.scratch = None
        self.allowed_skips = self.read_skips()

    # -- who and where -----------------------------------------------------
    def __enter__(self):
        self.user = self.make_user() if self.root else pwd.getpwuid(
            os.getuid()).pw_name
        home = pwd.getpwnam(self.user).pw_dir
        # The clone may lie where the test user cannot look.
        self.stage = pathlib.Path(tempfile.mkdtemp(prefix="stage-", dir=home))
        self.stage.chmod(0o755)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="cordon-run-",
                                                     dir="/var/tmp"))
        self.scratch.chmod(0o711)
        return self

    def __exit__(self, *_):
        for d in (self.stage, self.scratch):
            shutil.rmtree(d, ignore_errors=True)

    def make_user(self):
        try:
            pwd.getpwnam(USER)
        except KeyError:
            subprocess.run(["useradd", "--create-home", "--shell", "/bin/sh",
                            USER], check=True)
        return USER

    def shared_dir(self, name):
        """A directory that the test user may write."""
        d = self.scratch / name
        d.mkdir(exist_ok=True)
        if self.root:
            shutil.chown(d, self.user, self.user)
        return d

    def as_user(self, argv, env=()):
        """The command line that runs @argv as the unprivileged user."""
        p = pwd.getpwnam(self.user)
        clean = ["env", "-i", f"HOME={p.pw_dir}", f"USER={self.user}",
                 "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                 "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", *env, *argv]
        if not self.root:
            return clean
        return ["runuser", "-u", self.user, "--", *clean]

    def as_root(self, argv, env=()):
        clean = ["env", "-i", "HOME=/root", "USER=root",
                 "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
                 "/sbin:/bin", "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1",
                 *env, *argv]
        return clean if self.root else ["sudo", "-n", *clean]

    # -- building ----------------------------------------------------------
    def build(self, lanes):
        wanted = []
        for suite in (s for lane in lanes for s in lane):
            wanted += [v for v in NEEDS.get(suite, ["build"])
                       if v not in wanted]
        if "build" not in wanted:
            wanted.insert(0, "build")
        count = Count("build")
        for variant in wanted:
            self.build_variant(variant, count)
        if not count.failed:
            self.build_probes(count)
            self.fill_stage(count)
        self.report(count)
        return not count.failed

    def build_variant(self, variant, count):
        options, env, targets = VARIANTS[variant]
        env = {**os.environ, **env}
        where = TREE / variant
        log = []
        if not (where / "build.ninja").exists():
            log.append(["meson", "setup", *options, str(where), str(TREE)])
        jobs = os.environ.get("JOBS")
        ninja = ["ninja", *(["-j", jobs] if jobs else [])]
        for argv in log:
            if not self.step(count, f"{variant}: configure", argv, env):
                return
        more = self.test_targets(where) if "tests" in targets else []
        names = [t for t in targets if t != "tests"] + more
        if self.step(count, f"{variant}: build",
                     [*ninja, "-C", str(where), *names], env):
            if variant == "build":
                self.link(where / "src/cmd/cordon", where / "cordon")

    @staticmethod
    def link(target, name):
        name.unlink(missing_ok=True)
        os.link(target, name)

    @staticmethod
    def test_targets(where):
        # a changed meson.build must be read before its targets are listed
        subprocess.run(["ninja", "-C", str(where), "build.ninja"],
                       capture_output=True)
        out = subprocess.run(["ninja", "-C", str(where), "-t", "targets",
                              "all"], text=True, capture_output=True).stdout
        names = [line.partition(":")[0] for line in out.splitlines()]
        return [n for n in names if not n.endswith((".o", ".a")) and
                os.path.basename(n).startswith(("test_", "fuzz_", "golden",
                                              "guardlab"))
                and ".p/" not in n and n.startswith("tests/")]

    def step(self, count, name, argv, env=None):
        done = subprocess.run(argv, cwd=TREE, env=env, text=True,
                              errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return count.check(name, done.returncode == 0, done.stdout[-4000:])

    def build_probes(self, count):
        """Small static programs that tests run in a box or around cordon."""
        out = TREE / "build" / "probe"
        out.mkdir(exist_ok=True)
        for c in sorted(glob.glob(str(TREE / "tests/probe/*.c"))):
            if c.endswith("guardlab.c"):
                continue        # knows the layers: meson builds it
            exe = out / pathlib.Path(c).stem
            if exe.exists() and exe.stat().st_mtime > os.stat(c).st_mtime:
                continue
            self.step(count, f"probe {exe.name}",
                      ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-Wall",
                       "-Wextra", "-Werror", "-static", "-pthread", "-I",
                       str(TREE / "src"), "-o", str(exe), c])

    def fill_stage(self, count):
        """What the test user needs, where that user can read it."""
        shutil.copytree(TREE / "tests", self.stage / "tests", symlinks=True,
                        ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(TREE / "build" / "probe", self.stage / "probe")
        for name in ("LIMITS.md", "docs", "man"):
            if (TREE / name).is_dir():
                shutil.copytree(TREE / name, self.stage / name)
            elif (TREE / name).exists():
                shutil.copy(TREE / name, self.stage / name)
        for variant in VARIANTS:
            exe = TREE / variant / "src/cmd/cordon"
            if exe.exists() and variant not in ("build-asan", "build-msan"):
                shutil.copy(exe, self.stage / variant.replace("build",
                                                              "cordon"))
        shutil.copy(TREE / "build/tests/guardlab", self.stage / "guardlab")
        count.ok()

    # -- running -----------------------------------------------------------
    def lanes(self, lanes, suites):
        def lane(names):
            for name in names:
                count = Count(name)
                try:
                    suites[name](self, count)
                except Exception as e:  # a suite that breaks has failed
                    count.fail("the suite itself", f"{type(e).__name__}: {e}")
                self.report(count)

        threads = [threading.Thread(target=lane, args=(names,))
                   for names in lanes]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def pytest(self, count, where, wrap, name, env=(), more=(), timeout=900):
        """Runs pytest through @wrap (as_user, as_root) and counts."""
        out = self.shared_dir(f"junit-{name}") / "result.xml"
        argv = wrap(["/usr/bin/python3", "-m", "pytest", "-q", "-p",
                     "no:cacheprovider", "--tb=short", f"--junitxml={out}",
                     *more, str(self.stage / where)],
                    [f"CORDON_PROBES={self.stage / 'probe'}", *env])
        done = self.capture(argv, timeout)
        if not out.exists():
            count.fail(name, done[-3000:])
            return None
        return self.read_junit(out)

    def count_pytest(self, count, cases, name):
        for case, state, why in cases or []:
            if state == "passed":
                count.ok()
            elif state == "skipped":
                count.skip(f"{name}:{case}", why)
            else:
                count.fail(f"{name}:{case}", why)

    @staticmethod
    def read_junit(path):
        cases = []
        for case in xml.parse(path).getroot().iter("testcase"):
            name, state, why = case.get("name"), "passed", ""
            for child in case:
                if child.tag in ("failure", "error"):
                    state, why = "failed", child.text or child.get("message")
                elif child.tag == "skipped":
                    state, why = "skipped", child.get("message") or ""
            cases.append((name, state, why))
        return cases

    def capture(self, argv, timeout=900, **kw):
        """What a command prints; at the deadline its whole group ends."""
        with tempfile.TemporaryFile() as out:
            p = subprocess.Popen(argv, cwd="/", stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=subprocess.STDOUT,
                                 start_new_session=True, **kw)
            try:
                p.wait(timeout)
                late = ""
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
                late = f"\nno end after {timeout} s"
            out.seek(0)
            return out.read().decode(errors="replace") + late

    # -- the sum -----------------------------------------------------------
    @staticmethod
    def read_skips():
        """suite:name pattern, two blanks or a tab, reason."""
        allowed = []
        path = TREE / "tests" / "skips.txt"
        for line in path.read_text().splitlines() if path.exists() else []:
            pattern = line.split("#")[0].split()
            if pattern:
                allowed.append(pattern[0])
        return allowed

    def report(self, count):
        with self.lock:
            self.counts.append(count)
            left = []
            for name, why in count.skipped:
                known = any(fnmatch.fnmatchcase(name, p) or
                            fnmatch.fnmatchcase(f"{count.suite}:{name}", p)
                            for p in self.allowed_skips)
                if self.strict and not known:
                    count.fail(name, f"skipped without a listed reason: {why}")
                else:
                    left.append((name, why))
            count.skipped = left
            for line in count.text:
                print(f"   {line}")
            for name, why in count.skipped:
                print(f"   skipped {name}: {why}")
            for name, why in count.failed:
                print(f"   FAILED {name}")
                for line in why.splitlines():
                    print(f"      | {line}")
            print(f"== {count.suite}: {count.passed} ok, "
                  f"{len(count.failed)} not, {len(count.skipped)} skipped "
                  f"({time.time() - self.began:.0f} s)")
            sys.stdout.flush()

    def close(self):
        passed = sum(c.passed for c in self.counts)
        failed = sum(len(c.failed) for c in self.counts)
        skipped = sum(len(c.skipped) for c in self.counts)
        more = f", {skipped} skipped" if skipped else ""
        print(f"{passed} passed, {failed} failed{more}")
        return 1 if failed or not passed else 0
