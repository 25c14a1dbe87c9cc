# SPDX-License-Identifier: Apache-2.0
"""T-100: a host that makes no network namespaces. Nothing runs there, unless the
caller says that it may, and then it is said."""
import pytest

from lab import cordon_path

# The limit belongs to a user namespace: in one of our own it is ours to set.
NO_NAMESPACES = "echo 0 >/proc/sys/user/max_net_namespaces && exec "


def run(lab, *options, limited=True):
    line = f"{cordon_path()} run {' '.join(options)} -- sh -c 'echo ran'"
    return lab.host("unshare", "-Ur", "sh", "-c",
                       (NO_NAMESPACES if limited else "exec ") + line)


@pytest.mark.parametrize("options", [[], ["--allow-domain", "a.test"]])
def test_without_namespaces_nothing_runs(lab, options):
    assert run(lab, *options, limited=False).out == "ran\n"
    done = run(lab, *options)
    assert done.code == 125 and done.out == "", done
    assert "network_namespaces" in done.err and \
        "--allow-degraded=network_namespaces" in done.err, done


def test_an_explicit_flag_runs_it_and_says_so(lab):
    done = run(lab, "--allow-domain", "a.test",
               "--allow-degraded=network_namespaces")
    assert done.code == 0 and done.out == "ran\n", done
    assert "degraded: network_namespaces" in done.err, done
    assert "shares the host's network" in done.err, done


def test_a_flag_does_not_beat_what_is_required(lab):
    done = run(lab, "--require", "network_namespaces",
               "--allow-degraded=network_namespaces")
    assert done.code == 125 and "required" in done.err, done


def test_the_host_network_needs_none(lab):
    done = run(lab, "--network", "host")
    assert done.code == 0 and done.out == "ran\n", done
