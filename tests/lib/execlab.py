# SPDX-License-Identifier: Apache-2.0
"""Programs to be denied, policies that deny them, and the events of a box."""
import json
import shutil
import subprocess

import pytest

# Prints a line that tells which program it is, as a script cannot: it has no
# interpreter whose own name could be judged.
TOOL = r"""
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	printf("%s %s\n", argc > 1 ? argv[1] : "denied", "ran");
	return 0;
}
"""


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    where = tmp_path_factory.mktemp("tool")
    (where / "tool.c").write_text(TOOL)
    subprocess.run(["cc", "-O1", "-o", where / "tool", where / "tool.c"],
                   check=True)
    return where / "tool"


@pytest.fixture
def tools(lab, built):
    """Two equal programs, outside the workspace and on PATH."""
    where = lab.outside / "bin"
    where.mkdir()
    for name in ("denytool", "oktool"):
        shutil.copy(built, where / name)
    # not the same content: a copy of the one must not be the other
    with open(where / "oktool", "ab") as f:
        f.write(b"\0")
    lab.env["PATH"] = f"{where}:{lab.env['PATH']}"
    return where


def deny(*rules, allow=(), **more):
    return {"exec": {"deny": list(rules), "allow": list(allow), **more}}


def events(lab, *argv, policy=None, opts=()):
    """The command's result, and the events of its box."""
    log = lab.base / "events"
    with open(log, "w") as f:
        r = lab.run(*argv, policy=policy,
                    opts=[*opts, "--events-fd", str(f.fileno())],
                    pass_fds=[f.fileno()])
    return r, [json.loads(s) for s in log.read_text().splitlines()]
