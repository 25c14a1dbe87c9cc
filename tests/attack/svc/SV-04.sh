#!/bin/sh
# id: SV-04
# title: systemd --user: start a transient unit outside (systemd-run --user, /run/user/UID/systemd/private)
# class: boundary
# expect: no contact
# layer: mask /run/user, AF_UNIX rule
. "$(dirname "$0")/../lib/atk.sh"
U=/run/user/$(id -u); [ -S "$U/systemd/private" ] || [ -S "/run/user/$REAL_UID/systemd/private" ] || skip "no systemd --user instance on this host"
systemd-run --user --wait sh -c "touch '$FX/outside/sdpwn'" 2>&1; XDG_RUNTIME_DIR="/run/user/$REAL_UID" systemd-run --user sh -c "touch '$FX/outside/sdpwn'" 2>&1
blocked
