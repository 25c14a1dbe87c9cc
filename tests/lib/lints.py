# SPDX-License-Identifier: Apache-2.0
"""Lints: each is a function that yields what is wrong in the tree."""
import os
import pathlib
import re
import subprocess
import tempfile

C_DIRS = ("src", "tests/unit", "tests/fuzz", "tests/golden", "tests/probe",
          "bench", "tools")
TEXT = {".c", ".h", ".py", ".sh", ".md", ".yaml", ".yml", ".txt", ".build",
        ".1", ".5", ".in", ""}
LONGEST = 600
GENERATED = re.compile(r'^\.\\" BEGIN: .*?^\.\\" END$', re.M | re.S)
# Places and names that only one machine has.
MACHINE = re.compile(r"/work/(main|shared)\b|/tmp/(brief|b-)|/root/\.pyenv"
                     r"|\blocalhost:[0-9]{4,}/|\.internal:[0-9]+/")


def files(root):
    """Every file that git knows or would know."""
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard",
                          "-z"], cwd=root, capture_output=True, check=True,
                         text=True).stdout
    for name in sorted(filter(None, out.split("\0"))):
        path = root / name
        if path.is_file() and not path.is_symlink():
            yield name, path


def sources(root, *suffixes):
    for name, path in files(root):
        if name.startswith(C_DIRS) and path.suffix in suffixes:
            yield name, path


def is_attack(name):
    """The catalogue has a format of its own: one screen per attack."""
    return name.startswith("tests/attack/")


def is_corpus(name):
    return "/corpus/" in name or "/cases/" in name or "/data/" in name


def tool(argv, root, ok=(0,)):
    done = subprocess.run(argv, cwd=root, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode not in ok:
        yield from done.stdout.splitlines() or [f"{argv[0]} failed"]


def clang_format(root):
    names = [n for n, _ in sources(root, ".c", ".h")]
    yield from tool(["clang-format-14", "--dry-run", "-Werror", *names], root)


def layers(root):
    yield from tool(["/usr/bin/python3", "tests/lint/layers.py", str(root),
                     str(root / "build")], root)


def sizes(root):
    for name, path in files(root):
        if path.suffix not in TEXT or is_corpus(name) or name == "LICENSE":
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        # What the program writes into its manual is not written by hand.
        n = len(GENERATED.sub("", text).splitlines())
        if n > LONGEST:
            yield f"{name}: {n} lines; {LONGEST} is the longest a file gets"


def machine(root):
    for name, path in files(root):
        if name == "tests/lib/lints.py" or is_corpus(name):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for n, line in enumerate(text.splitlines(), 1):
            if MACHINE.search(line):
                yield f"{name}:{n}: a path or host of one machine: {line[:80]}"


def licence(root):
    for name, path in files(root):
        if is_attack(name) or is_corpus(name):
            continue
        if path.suffix not in (".c", ".h", ".py") and not (
                name.startswith(("tools/", "bench/")) and not path.suffix):
            continue
        if "SPDX-License-Identifier: Apache-2.0" not in path.read_text()[:200]:
            yield f"{name}: no SPDX line"


def heads(root):
    """Each .c of the program says where it runs and what it trusts; base/
    runs everywhere and trusts nobody."""
    for name, path in sources(root, ".c"):
        if not name.startswith("src/") or name.startswith("src/base/"):
            continue
        head = path.read_text()[:1500]
        for word in ("Runs in", "Trusts", "Must not"):
            if word not in head:
                yield f"{name}: the head does not say '{word}'"


def variables(root):
    """No mutable variable at file scope; base/log.c has the one exception."""
    for archive in sorted((root / "build").glob("src/*/lib*.a")):
        out = subprocess.run(["nm", "-f", "sysv", str(archive)], text=True,
                             capture_output=True, check=True).stdout
        member = ""
        for line in out.splitlines():
            if line.startswith("Symbols from"):
                member = line.partition("[")[2].rstrip("]:")
            words = [w.strip() for w in line.split("|")]
            if len(words) != 7 or words[3] != "OBJECT" or \
                    "log.c" in member:
                continue
            # .data.rel.ro holds constants with addresses in them
            if re.match(r"\.(data|bss)(?!\.rel\.ro)", words[6]):
                yield f"{archive.name} {member}: variable {words[0]}"


def todo(root):
    for name, path in sources(root, ".c", ".h"):
        for n, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\b(TODO|FIXME|XXX)\b(?!.*#\d)", line):
                yield f"{name}:{n}: {line.strip()}"


def clang_tidy(root):
    names = [n for n, _ in sources(root, ".c") if n.startswith("src/")]
    # The compile commands of gcc name flags that clang does not have.
    base = ["clang-tidy-14", "--quiet", "-p", str(root / "build-asan"),
            f"--config-file={root / 'tests/lint/clang-tidy.yaml'}"]
    if not (root / "build-asan/compile_commands.json").exists():
        base = base[:2] + base[4:]
        names += ["--", "-std=gnu17", "-D_GNU_SOURCE", "-Isrc",
                  '-DCORDON_VERSION="0"', "-Ibuild/src/plan",
                  "-Ibuild/src/policy"]
    out = subprocess.run([*base, *names], cwd=root, text=True,
                         errors="replace", stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    for line in out.splitlines():
        if re.search(r": (warning|error): ", line):
            yield line.replace(f"{root}/", "")


def cppcheck(root):
    with tempfile.TemporaryDirectory() as cache:
        argv = ["cppcheck", "--quiet", "--inline-suppr", "--std=c11", "-Isrc",
                "--enable=warning,portability", "--error-exitcode=1",
                "-D_GNU_SOURCE", "-D__x86_64__", '-DCORDON_VERSION="0"',
                "--max-configs=1", "-j2", f"--cppcheck-build-dir={cache}",
                f"--suppressions-list={root / 'tests/lint/cppcheck.txt'}",
                "src"]
        yield from tool(argv, root)


def manual(root):
    pages = [n for n, _ in files(root) if re.fullmatch(r"man/.*\.[1-9]", n)]
    if not pages:
        yield "man/: no manual pages"
        return
    yield from tool(["mandoc", "-Tlint", "-Wwarning", *pages], root)
    if (root / "man/check.sh").exists():
        yield from tool(["sh", "man/check.sh", "build/cordon"], root)


def shell(root):
    names = []
    for name, path in files(root):
        if is_attack(name) or name.startswith("tests/probe/"):
            continue    # what they do is odd on purpose
        if path.suffix == ".sh" or (
                not path.suffix and os.access(path, os.X_OK) and
                re.match(rb"#!.*\b(ba)?sh\b", path.read_bytes()[:40])):
            names.append(name)
    yield from tool(["shellcheck", *names], root)


def python(root):
    for name, path in files(root):
        if path.suffix == ".py" and not is_attack(name):
            try:
                compile(path.read_text(), name, "exec")
            except SyntaxError as e:
                yield f"{name}:{e.lineno}: {e.msg}"
        if not is_attack(name) and name.startswith("tests/") and \
                path.suffix == ".py" and "time.sleep(" in path.read_text() \
                and pathlib.Path(name).name != "lints.py":
            yield f"{name}: sleeps; wait for a line or a descriptor"


LINTS = {
    "clang-format": clang_format, "layers": layers, "file sizes": sizes,
    "machine paths": machine, "licence": licence, "file heads": heads,
    "file-scope variables": variables, "todo": todo, "manual pages": manual,
    "shellcheck": shell, "python": python, "cppcheck": cppcheck,
    "clang-tidy": clang_tidy,
}
