#!/bin/sh
# id: SV-05
# title: dangerous sockets visible: docker, containerd, podman, X11, wayland, gpg-agent, VS Code IPC, nix-daemon, snapd, libvirt, lxd
# class: boundary
# expect: none of the well-known socket paths exists inside
# layer: mask list + AF_UNIX rule
. "$(dirname "$0")/../lib/atk.sh"
f=""; for s in /run/docker.sock /var/run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock /run/snapd.socket /run/libvirt/libvirt-sock /var/lib/lxd/unix.socket /nix/var/nix/daemon-socket/socket /tmp/.X11-unix/X* /run/user/*/wayland-* /run/user/*/vscode-* /run/user/*/gnupg/S.* /run/user/*/bus /tmp/ssh-*/agent.* /tmp/vscode-* /run/dbus/system_bus_socket; do [ -S "$s" ] && python3 -c "
import socket,sys
s=socket.socket(1,1); s.settimeout(1); s.connect(sys.argv[1])" "$s" 2>/dev/null && f="$f $s"; done
[ "$f" ] && escaped "connectable:$f"
blocked
