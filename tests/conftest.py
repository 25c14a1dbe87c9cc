# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the suites that need a kernel: box, fault, without."""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))

from lab import Lab  # noqa: E402  (after the path is known)


@pytest.fixture
def lab():
    # Not below /tmp: a box has a /tmp of its own.
    where = os.environ.get("CORDON_TEST_BASE") or os.path.expanduser("~")
    base = os.path.realpath(tempfile.mkdtemp(prefix="cordon-box-", dir=where))
    try:
        yield Lab(base)
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", base], check=False,
                       stderr=subprocess.DEVNULL)
        shutil.rmtree(base, ignore_errors=True)


def pytest_collection_modifyitems(items):
    """Marks decide who runs a test, so that nothing is skipped by rule."""
    other = "only_user" if os.geteuid() == 0 else "only_root"
    soak = os.environ.get("CORDON_SOAK") == "1"
    items[:] = [i for i in items if not i.get_closest_marker(other) and
                bool(i.get_closest_marker("soak")) == soak]


def keep_state_apart():
    """Root's audit log is the host's own: here it is one of ours."""
    libc = ctypes.CDLL(None, use_errno=True)
    CLONE_NEWNS, MS_SLAVE, MS_REC = 0x20000, 1 << 19, 1 << 14
    where = b"/var/lib/cordon"
    os.makedirs(where, mode=0o700, exist_ok=True)
    for done in (libc.unshare(CLONE_NEWNS),
                 libc.mount(b"none", b"/", None, MS_SLAVE | MS_REC, None),
                 libc.mount(b"tmpfs", where, b"tmpfs", 0, b"mode=0700")):
        if done != 0:
            raise OSError(ctypes.get_errno(), "a place for the audit log")


def pytest_configure(config):
    if os.geteuid() == 0:
        keep_state_apart()
    config.addinivalue_line("markers", "only_root: needs to be root")
    config.addinivalue_line("markers", "soak: long; only with CORDON_SOAK=1")
    config.addinivalue_line("markers", "only_user: makes no sense as root")
