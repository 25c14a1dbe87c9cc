# SPDX-License-Identifier: Apache-2.0
"""One function per suite: run it, count what it found."""
import concurrent.futures
import glob
import json
import os
import pathlib
import re
import subprocess

from harness import TREE
import lints

ASAN = TREE / "build-asan"


def unit(h, count):
    """cmocka programs, with address and undefined-behaviour sanitizers."""
    run_meson_tests(count, ASAN, "unit")


def golden(h, count):
    """policy + facts -> plan text, byte by byte."""
    argv = ["/usr/bin/python3", str(TREE / "tests/golden/run.py"),
            str(ASAN / "tests/golden/golden")]
    done = subprocess.run(argv, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    for part in re.split(r"^(?=ok |not ok )", done.stdout, flags=re.M):
        head, _, diff = part.partition("\n")
        if head.startswith("ok "):
            count.ok()
        elif head.startswith("not ok "):
            count.fail(head[7:], "\n".join(diff.splitlines()[:40]))
    if done.returncode and not count.failed:
        count.fail("golden", done.stdout)


def run_meson_tests(count, build, suite):
    log = build / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    done = subprocess.run(["meson", "test", "-C", str(build), "--suite", suite,
                           "--num-processes", "2", "--no-rebuild"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not log.exists():
        count.fail(f"meson test --suite {suite}", done.stdout[-2000:])
        return
    for line in log.read_text().splitlines():
        count_tap(count, json.loads(line))


def count_tap(count, test):
    out = (test.get("stdout") or "") + (test.get("stderr") or "")
    passed = [s for s in out.splitlines() if s.startswith("ok ")]
    failed = [s for s in out.splitlines() if s.startswith("not ok ")]
    count.ok(len(passed))
    for s in failed:
        count.fail(f"{test['name']}: {s}", out[-2000:])
    if test["result"] != "OK" and not failed:
        count.fail(test["name"], f"{test['result']}\n{out[-3000:]}")
    elif not passed and not failed:
        count.fail(test["name"], "ran no case")


def fuzzers():
    for exe in sorted(glob.glob(str(ASAN / "tests/fuzz/fuzz_*"))):
        if os.access(exe, os.X_OK) and os.path.isfile(exe):
            name = os.path.basename(exe)[len("fuzz_"):]
            yield name, exe, TREE / "tests/fuzz/corpus" / name


def fuzz(h, count):
    """Every file of every corpus, once."""
    built = {name for name, _, _ in fuzzers()}
    for c in sorted((TREE / "tests/fuzz").glob("fuzz_*.c")):
        name = c.stem[len("fuzz_"):]
        count.check(f"fuzz {name} is built", name in built, sorted(built))
    for name, exe, corpus in fuzzers():
        inputs = sorted(str(p) for p in corpus.glob("*"))
        if not inputs:
            count.fail(name, "no corpus")
            continue
        done = subprocess.run([exe, *inputs], text=True, errors="replace",
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, cwd=h.scratch)
        if count.check(f"fuzz {name}", done.returncode == 0,
                       done.stdout[-3000:]):
            count.say(f"{name}: {len(inputs)} inputs replayed")
    if not count.passed and not count.failed:
        count.fail("fuzz", "no target was built")


def soak_fuzz(h, count):
    """Every fuzzer for FUZZ_SECONDS; the corpus in the tree stays as it is."""
    seconds = int(os.environ.get("FUZZ_SECONDS") or 60)
    for name, exe, corpus in fuzzers():
        work = h.scratch / f"fuzz-{name}"
        work.mkdir()
        argv = [exe, f"-max_total_time={seconds}", "-print_final_stats=1",
                "-timeout=10", "-rss_limit_mb=1024", str(work), str(corpus)]
        done = subprocess.run(argv, text=True, errors="replace",
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, cwd=h.scratch)
        runs = [s for s in done.stdout.splitlines()
                if "number_of_executed_units" in s]
        count.say(f"{name}: {runs[0].split()[-1] if runs else '?'} runs "
                  f"in {seconds} s")
        count.check(f"fuzz {name}", done.returncode == 0, done.stdout[-4000:])
    if not count.passed and not count.failed:
        count.fail("fuzz", "no target was built")


def lint(h, count):
    for name, function in lints.LINTS.items():
        bad = list(function(TREE))
        count.check(name, not bad, "\n".join(bad[:60]))


def box_user(h, count):
    box(h, count, h.as_user, "user")


def box_root(h, count):
    if may_be_root(h, count, "box-root"):
        box(h, count, h.as_root, "root")


def may_be_root(h, count, name):
    if h.root or not subprocess.run(["sudo", "-n", "true"],
                                    capture_output=True).returncode:
        return True
    count.skip(name, "not root, and sudo wants a password")
    return False


def box(h, count, wrap, who, more=(), env=()):
    cases = h.pytest(count, "tests/box", wrap, who,
                     [f"CORDON={h.stage / 'cordon'}", *env], more)
    h.count_pytest(count, cases, who)


def egress_user(h, count):
    egress(h, count, h.as_user, "user")


def egress_root(h, count):
    if may_be_root(h, count, "egress-root"):
        egress(h, count, h.as_root, "root")


def egress(h, count, wrap, who, more=(), env=()):
    """Filtered network: rules, protocols, real clients, load."""
    cases = h.pytest(count, "tests/egress", wrap, f"egress-{who}",
                     [f"CORDON={h.stage / 'cordon'}",
                      f"CORDON_FAULTS={h.stage / 'cordon-faults'}",
                      f"CORDON_STEPS={' '.join(fault_points())}", *env], more)
    h.count_pytest(count, cases, who)


# What may fail without stopping the start; tests/egress/test_fallback.py
HAS_ANOTHER_WAY = {"tproxy"}


def fault_points():
    """Rows of the step table, and other places that can be told to fail."""
    table = (TREE / "src/enforce/apply.c").read_text()
    rows = re.findall(r'\{ ENFORCE_\w+, "([a-z-]+)"', table)
    for c in sorted(glob.glob(str(TREE / "src/*/*.c"))):
        rows += re.findall(r'fault_injected\("([a-z-]+)"\)',
                           pathlib.Path(c).read_text())
    return sorted(set(rows) - HAS_ANOTHER_WAY)


def fault(h, count):
    """Every step of the set-up made to fail."""
    steps = f"CORDON_STEPS={' '.join(fault_points())}"
    for wrap, who in ((h.as_user, "user"), (h.as_root, "root")):
        cases = h.pytest(count, "tests/fault", wrap, f"fault-{who}",
                         [f"CORDON={h.stage / 'cordon-faults'}", steps])
        h.count_pytest(count, cases, who)


def guard(h, count):
    """The guard alone: same results as without it, races, fuzz."""
    ways = {"user": h.as_user, "root": h.as_root}

    def run(who):
        return who, h.capture(ways[who](
            [str(h.stage / "guardlab"), "-f", "3", "-r", "3000",
             str(h.stage / "tests/probe")]), 300)

    with concurrent.futures.ThreadPoolExecutor() as both:
        texts = list(both.map(run, ways))
    for who, text in texts:
        found = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.M)
        if not found:
            count.fail(f"guardlab as {who}", text[-3000:])
            continue
        count.ok(int(found[-1][0]))
        if found[-1][1] != "0":
            count.fail(f"guardlab as {who}", text[-3000:])


def without(h, count):
    """Kernels that lack something: refuse, or degrade as announced."""
    cases = h.pytest(count, "tests/without", h.as_user, "without",
                     [f"CORDON={h.stage / 'cordon'}"])
    h.count_pytest(count, cases, "user")


# -- attack ----------------------------------------------------------------
GROUPS = "^(FS|SY|SV|CF|RC|EX|NT|RS)-"
LONG = "^(RS-13|RS-14|SY-24|RC-02)$"    # seconds each: soak runs them too
CARELESS_LONG = "^NP-(18|19|21|27|28|29)$"  # nothing that a control could show


def attack_run(h, count, name, wrapper, more=(), cordon="cordon", env=(),
               around=None):
    """One pass of the suite; {id: (verdict, class, reason)}. @around: what
    becomes the user, if not the harness."""
    out = h.shared_dir(f"attack-{name}") / "verdicts"
    argv = (around or h.as_user)(
        ["bash", str(h.stage / "tests/attack/run.sh"), "-w", str(out), *more,
         f"wrappers/{wrapper}.sh"], [f"CORDON={h.stage / cordon}", *env])
    text = h.capture(argv, timeout=3000)
    verdicts = {}
    for line in out.read_text().splitlines() if out.exists() else []:
        ident, verdict, cls, *why = line.split(" ", 3)
        verdicts[ident] = (verdict, cls, why[0] if why else "")
    if not verdicts:
        count.fail(f"attack {name}", text[-3000:])
    return verdicts


def attack(h, count, only=GROUPS, skip=r"^$", env=()):
    """No boundary or hardening attack escapes; limits are documented."""
    base = attack_run(h, count, "baseline", "none",
                      ["-f", "exec exec-name subcmd", "-o", only, "-x",
                       "^FC|" + LONG])
    escaped = [i for i, v in base.items() if v[0] == "FAIL"]
    count.say(f"without a box {len(escaped)} of {len(base)} attacks succeed")
    count.check("the attacks work at all", len(escaped) >= len(base) // 2,
                f"only {len(escaped)} of {len(base)} succeed without a box")
    got = attack_run(h, count, "cordon", "cordon",
                     ["-f", "exec exec-name subcmd", "-o", only, "-x", skip],
                     env=env)
    judge(h, count, got)
    attack_internet(h, count)


def attack_faults(h, count, env=("FC_MAX=2",)):
    """System calls of the set-up made to fail: nothing starts with less."""
    judge(h, count, attack_run(h, count, "faults", "cordon",
                               ["-f", "fault", "-o", "^FC-"], env=env))


# Two namespaces that root makes are the internet of these; in the first one
# the user starts the boxes.
def attack_internet(h, count, only="^(NT|NP)-", more=()):
    """The net and proxy groups against a box with a filtered network."""
    if not may_be_root(h, count, "proxy"):
        return
    lab = str(h.stage / "tests/attack/proxy/netlab.sh")

    def inside(argv, env=()):
        return h.as_root(["bash", lab, "run", h.user, "env", *env, *argv])

    h.capture(h.as_root(["bash", lab, "down"]))     # of a run that was ended
    try:
        said = h.capture(h.as_root(["bash", lab, "up"]))
        if not count.check("netlab up", "lab up" in said, said):
            return
        base = attack_run(h, count, "careless", "naive-proxy",
                          ["-f", "proxy", "-o", "^NP-", "-x", CARELESS_LONG,
                           *more], env=["NAIVE_OPEN=1"], around=inside)
        escaped = [i for i, v in base.items() if v[0] == "FAIL"]
        count.say(f"{len(escaped)} of {len(base)} attacks succeed against a "
                  "careless proxy")
        count.check("the proxy attacks work at all",
                    len(escaped) >= len(base) // 2, base)
        got = attack_run(h, count, "filtered", "cordon",
                         ["-f", "exec proxy", "-o", only, *more],
                         around=inside)
        judge(h, count, {**got, **other_user(h)})
    finally:
        h.capture(h.as_root(["bash", lab, "down"]))


def other_user(h):
    """NP-26, which needs a third uid and is root's to run."""
    text = h.capture(h.as_root(
        ["bash", str(h.stage / "tests/attack/proxy/otheruser.sh"), h.user,
         "wrappers/cordon.sh"], [f"CORDON={h.stage / 'cordon'}"]))
    found = re.findall(r"^NP-26 (\w+) (.*)$", text, re.M)
    verdict, why = found[-1] if found else ("ERR", text[-300:])
    return {"NP-26": (verdict, "boundary", why)}


def judge(h, count, verdicts):
    limits = h.stage / "LIMITS.md"
    documented = limits.read_text() if limits.exists() else ""
    for ident, (verdict, cls, why) in sorted(verdicts.items()):
        if verdict in ("PASS", "pass~"):
            count.ok()
        elif verdict == "SKIP" and why.startswith("needs "):
            continue    # a feature that this build does not have
        elif verdict == "SKIP":
            count.skip(ident, why)
        elif verdict == "FAIL" and cls == "limit" and ident in documented:
            count.ok()
        elif verdict == "FAIL" and cls == "limit":
            count.fail(ident, f"escapes and is not in LIMITS.md: {why}")
        else:
            count.fail(ident, f"{verdict} ({cls}): {why}")


# -- ablation --------------------------------------------------------------
# What must turn red when a layer is left out. One is enough; all are tried.
ABLATION = {
    "landlock": ("test_reopen_stdin or landlock", "^FS-23$"),
    "seccomp": ("T_054 or T_055", "^(SY-09|SY-11|SY-16|NT-07)$"),
    "pins": ("pinned", "^(FS-15|FS-38)$"),
}


def ablation(h, count):
    """A wall that is taken away must be missed by a test."""
    for layer, (tests, attacks) in ABLATION.items():
        exe = f"cordon-no-{layer}"
        probe = subprocess.run([str(h.stage / exe), "version"],
                               capture_output=True)
        if not count.check(f"{layer}: the build works", not probe.returncode,
                           probe.stderr):
            continue
        cases = h.pytest(count, "tests/box", h.as_user, f"ablate-{layer}",
                         [f"CORDON={h.stage / exe}"], ["-k", tests]) or []
        red = [name for name, state, _ in cases if state == "failed"]
        verdicts = attack_run(h, count, f"ablate-{layer}", "cordon",
                              ["-o", attacks], cordon=exe)
        red += [i for i, v in verdicts.items() if v[0] == "FAIL"]
        count.say(f"without {layer}: {', '.join(red) or 'nothing'} turns red")
        count.check(f"{layer} is missed", bool(red),
                    "no test noticed that it is gone")


# -- soak ------------------------------------------------------------------
def soak_unit(h, count):
    """What gcc's analyzer finds. (MemorySanitizer needs libyaml and jansson
    instrumented as well, which Debian does not have.)"""
    sources = sorted(glob.glob(str(TREE / "src/*/*.c")))
    known = (TREE / "tests/lint/analyzer.txt").read_text()
    for c in sources:
        done = subprocess.run(["gcc", "-std=gnu17", "-D_GNU_SOURCE",
                               '-DCORDON_VERSION="0"', "-I", str(TREE / "src"),
                               "-I", str(TREE / "build/src/plan"),
                               "-I", str(TREE / "build/src/policy"), "-O1",
                               "-fanalyzer", "-c", "-o", "/dev/null", c],
                              text=True, capture_output=True)
        found = [s for s in done.stderr.splitlines() if "-Wanalyzer" in s
                 and f"{pathlib.Path(c).name} {s.split('[-')[-1][:-1]}"
                 not in known]
        count.check(f"analyzer {pathlib.Path(c).name}", not found,
                    "\n".join(found))


def soak_egress(h, count):
    egress(h, count, h.as_user, "soak", ["-m", "soak"], ["CORDON_SOAK=1"])


def soak_box(h, count):
    box(h, count, h.as_user, "soak", ["-m", "soak"], ["CORDON_SOAK=1"])


def soak_attack(h, count):
    """All of fault injection, long races, all groups."""
    got = attack_run(h, count, "soak", "cordon",
                     ["-t", "120", "-f", "exec fault", "-o", GROUPS + "|^FC"],
                     env=["FC_MAX=25", "RC_N=2000"])
    judge(h, count, got)
    for ident, (_, _, why) in got.items():
        if ident.startswith("FC"):
            count.say(f"{ident}: {why}")


def soak_oldkernel(h, count):
    """Debian's own kernel under QEMU; see tests/oldkernel/run."""
    text = h.capture(["env", f"CORDON={h.stage / 'cordon'}",
                      f"CORDON_PROBES={h.stage / 'probe'}",
                      str(TREE / "tests/oldkernel/run")])
    found = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.M)
    if not found:
        count.fail("oldkernel", text[-3000:])
        return
    count.ok(int(found[-1][0]))
    for line in re.findall(r"^not ok .*", text, re.M):
        count.fail(line[7:], text[-3000:])


SUITES = {
    "lint": lint, "unit": unit, "golden": golden, "fuzz": fuzz,
    "box-user": box_user, "box-root": box_root, "attack": attack,
    "attack-faults": attack_faults,
    "egress-user": egress_user, "egress-root": egress_root,
    "fault": fault, "without": without, "guard": guard, "ablation": ablation,
    "soak-unit": soak_unit, "soak-fuzz": soak_fuzz, "soak-box": soak_box,
    "soak-egress": soak_egress, "soak-attack": soak_attack,
    "soak-oldkernel": soak_oldkernel,
}
