# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the egress suite: the world once, a box's lab for each test."""
import shutil

import pytest

from egresslab import Net, World


@pytest.fixture(scope="session")
def world():
    w = World()
    yield w
    shutil.rmtree(w.dir, ignore_errors=True)


@pytest.fixture
def net(lab, world):
    return Net(lab, world)
