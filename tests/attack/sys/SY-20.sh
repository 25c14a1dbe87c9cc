#!/bin/sh
# id: SY-20
# title: device nodes present and openable: kvm, vda, loop-control, fuse, net/tun, vsock, userfaultfd, mem, kmsg, vga_arbiter, tty0
# class: hardening
# expect: only null zero full random urandom tty ptmx pts (shm)
# layer: private /dev
. "$(dirname "$0")/../lib/atk.sh"
bad=""; for d in kvm vda sda loop-control loop0 fuse net/tun vsock userfaultfd mem kmsg vga_arbiter tty0 tty1 btrfs-control cpu_dma_latency hwrng vhost-net vhost-vsock dri/card0 snd/seq input/event0 uinput; do [ -e "/dev/$d" ] && { (exec 3<"/dev/$d") 2>/dev/null || (exec 3>"/dev/$d") 2>/dev/null; } && bad="$bad $d"; done
[ "$bad" ] && escaped "openable:$bad"
blocked
