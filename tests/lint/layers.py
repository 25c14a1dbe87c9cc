#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where a file includes a header of a layer that it may not know, or
where a pure layer imports a function that touches the world.

    layers.py SOURCE_ROOT BUILD_ROOT
"""
import pathlib
import re
import subprocess
import sys

# Downwards only. What is not listed here is not a layer.
ORDER = "base wire event policy plan host enforce guard init egress run cmd".split()

# Pure: no system call, no file, no clock, no environment. A list of what is
# harmless stays true when libc grows; a list of what is not, does not.
PURE = {
    "wire": r"",
    "policy": r"|json_\w+|yaml_tree_parse|yaml_node_\w+|free",
    "plan": r"|json_\w+|policy_\w+|command_\w+|address_\w+|free",
}
HARMLESS = (
    r"(mem|str|strn)\w+|bcmp|__mem\w+_chk|v?snprintf|qsort|bsearch|abort"
    r"|isalnum|isalpha|isdigit|isspace|isxdigit|tolower|toupper"
    r"|__ctype_(b|tolower|toupper)_loc|__errno_location|__assert_fail"
    r"|__isoc(99|23)_(sscanf|strto\w+)|strto\w+|fnmatch"
    r"|__\w+_chk|__stack_chk_fail|__(a|ub)san_\w+|__sanitizer_\w+|__sancov_\w+"
    r"|__start___\w+|__stop___\w+"
    r"|(arena|err|path|text|str|vec|yaml_doc|doc|plan|policy|frame|facts)_\w+"
)
# The one library that reads files or opens streams by itself.
NOT_PURE = re.compile(r"json_(load_file|loadfd|load_callback|dump_file"
                      r"|dumpf|dumpfd|loadf)|strerror_l|strsignal")


def lint_includes(root):
    for f in sorted((root / "src").rglob("*.[ch]")):
        layer = f.relative_to(root / "src").parts[0]
        if layer not in ORDER:
            yield f"{f}: {layer}/ is not a layer"
            continue
        known = ORDER[: ORDER.index(layer) + 1]
        for n, line in enumerate(f.read_text().splitlines(), 1):
            m = re.match(r'\s*#\s*include\s+"([^"]*)"', line)
            if not m:
                continue
            there, slash, _ = m[1].partition("/")
            if not slash and not (f.parent / m[1]).exists():
                continue  # generated at build time
            if not slash:
                yield f'{f}:{n}: write "{layer}/{m[1]}"'
            elif there not in known:
                yield f"{f}:{n}: {layer}/ may not include {there}/"


def lint_imports(build):
    for layer, more in PURE.items():
        found = list(build.glob(f"src/{layer}/lib{layer}.a"))
        if not found:
            yield f"{build}/src/{layer}/lib{layer}.a: not built"
        for archive in found:
            yield from lint_archive(archive, re.compile(HARMLESS + more))


def lint_archive(archive, harmless):
    out = subprocess.run(["nm", "-A", archive], text=True, check=True,
                         capture_output=True).stdout
    symbols = [line.rpartition(":")[2].split() for line in out.splitlines()]
    own = {s[-1] for s in symbols if len(s) == 3}
    for s in sorted({s[-1] for s in symbols if s and s[0] in "Uw"} - own):
        if not harmless.fullmatch(s) or NOT_PURE.fullmatch(s):
            yield f"{archive}: a pure layer uses {s}"


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    bad = [*lint_includes(root), *lint_imports(build)]
    print("\n".join(bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
