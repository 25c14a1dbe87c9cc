#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bind and connect in every form, for guardlab: it prints the answers, which
must be the same with and without the guard."""
import ctypes
import errno
import itertools
import os
import select
import shutil
import signal
import socket
import struct
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
NR = dict(connect=42, bind=49)


def call(name, fd, address, n):
    """The bare system call; a negative errno where it fails."""
    if isinstance(address, int):
        address = ctypes.c_long(address)
    got = libc.syscall(ctypes.c_long(NR[name]), ctypes.c_long(fd), address,
                       ctypes.c_long(n))
    return -ctypes.get_errno() if got < 0 else got


def says(got):
    return errno.errorcode.get(-got, got) if got < 0 else 'ok'


def setup():
    for name in os.listdir('.'):
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.unlink(name)
    os.mkdir('dir')
    open('file', 'w').close()
    os.symlink('file', 'link')
    os.symlink('gone', 'dangling')
    os.symlink('dir', 'dirlink')
    os.symlink('loop', 'loop')
    os.mkfifo('fifo')


KINDS = [socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM]
LONG = 'n' * 100


def unix(name, n=None):
    """A struct sockaddr_un with the bytes of @name, and its length."""
    raw = struct.pack('H', socket.AF_UNIX) + os.fsencode(name)
    return raw, len(raw) if n is None else n


def inet(address, port):
    return struct.pack('!2s2s4s8x', struct.pack('H', socket.AF_INET),
                       struct.pack('!H', port), socket.inet_aton(address)), 16


def tell(what, got):
    print(what, says(got))
    return got


def limit(s, seconds):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO,
                 struct.pack('ll', int(seconds), int(seconds % 1 * 1e6)))


def socket_names():
    """bind and connect at every kind of name, with every kind of socket."""
    names = ['s', './s', 'dir/s', 'dirlink/s', 'dir/../s', 'nodir/s', 'file/s',
             'file', 'dir', 'link', 'dangling', 'loop', 'fifo', 's/', '.', '..',
             '/', 's\0x', '/proc/self/cwd/s', '/proc/thread-self/cwd/s',
             os.getcwd() + '/s', LONG, 'dir/' + LONG, '/proc/self/fd/0',
             '/proc/self/fd/999', 'x' * 108, 'x' * 120, '\0abstract', '', '\0',
             '../' * 10 + 'nonexistent/s']
    for kind, name in itertools.product(KINDS, names):
        setup()
        server, client = (socket.socket(socket.AF_UNIX, kind) for _ in '12')
        what = f'{int(kind)} {name[:40]!r}'
        tell(f'{what} nobody', call('connect', client.fileno(), *unix(name)))
        got = tell(f'{what} bind', call('bind', server.fileno(), *unix(name)))
        print(what, 'name', server.getsockname() if name.strip('\0') and
              not name.startswith('/proc') else '')
        tell(f'{what} again', call('bind', server.fileno(), *unix(name)))
        tell(f'{what} taken', call('bind', client.fileno(), *unix(name)))
        tell(f'{what} deaf', call('connect', client.fileno(), *unix(name)))
        if got == 0 and kind != socket.SOCK_DGRAM:
            server.listen()
        tell(f'{what} connect', call('connect', client.fileno(), *unix(name)))
        tell(f'{what} twice', call('connect', client.fileno(), *unix(name)))
        other = socket.socket(socket.AF_UNIX, KINDS[KINDS.index(kind) - 1])
        tell(f'{what} type', call('connect', other.fileno(), *unix(name)))
        server.close()
        other = socket.socket(socket.AF_UNIX, kind)
        tell(f'{what} gone', call('connect', other.fileno(), *unix(name)))
        for end in server, client, other:
            end.close()


def socket_links():
    """Other names of a socket; its mode; a name that others cannot reach."""
    setup()
    for mask in 0o000, 0o027, 0o777:
        os.umask(mask)
        s = socket.socket(socket.AF_UNIX)
        s.bind(f'm{mask}')
        print('mode', oct(os.stat(f'm{mask}').st_mode))
        s.close()
    os.umask(0o022)
    s = socket.socket(socket.AF_UNIX)
    s.bind('s')
    s.listen()
    os.symlink('s', 'sym')
    os.link('s', 'hard')
    os.rename('s', 'moved')
    fd = os.open('moved', os.O_PATH)
    for name in 's', 'sym', 'hard', 'moved', f'/proc/self/fd/{fd}':
        c = socket.socket(socket.AF_UNIX)
        tell(f'link {name[:13]}', call('connect', c.fileno(), *unix(name)))
        c.close()
    os.chmod('hard', 0o500)
    c = socket.socket(socket.AF_UNIX)
    tell('no write', call('connect', c.fileno(), *unix('hard')))
    os.chmod('dir', 0)
    tell('no search', call('bind', c.fileno(), *unix('dir/s')))
    os.chmod('dir', 0o500)
    tell('no new name', call('bind', c.fileno(), *unix('dir/s')))
    os.chmod('dir', 0o755)


def socket_arguments():
    setup()
    c = socket.socket(socket.AF_UNIX)
    d = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    t = socket.socket()
    path = os.open('file', os.O_PATH)
    plain = os.open('file', os.O_RDWR)
    whole = unix('s' * 20)[0]
    for name in 'connect', 'bind':
        for fd in -1, 999, path, plain, c.fileno(), d.fileno(), t.fileno():
            for n in -1, 0, 1, 2, 3, 22, 129, 1 << 31:
                tell(f'{name} {fd} {n}', call(name, fd, whole, n))
            tell(f'{name} {fd} nowhere', call(name, fd, 8, 16))
            for family in 0, 1, 2, 10, 16, 255:
                raw = struct.pack('H', family) + b's2' + bytes(24)
                tell(f'{name} {fd} family {family}', call(name, fd, raw, 28))


def socket_inet():
    server, dead = socket.socket(), socket.socket()
    for s in server, dead:
        s.bind(('127.0.0.1', 0))
    server.listen()
    port, nobody = server.getsockname()[1], dead.getsockname()[1]
    for blocking in True, False:
        for where in port, nobody:
            c = socket.socket()
            c.setblocking(blocking)
            what = f'tcp {blocking} {where == port}'
            got = call('connect', c.fileno(), *inet('127.0.0.1', where))
            tell(what, got)
            select.select([], [c], [])
            print(what, c.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
            tell(what, call('connect', c.fileno(), *inet('127.0.0.1', where)))
            tell(what, call('connect', c.fileno(), bytes(16), 16))
            tell(what, call('bind', c.fileno(), *inet('127.0.0.1', port)))
            print(what, c.getblocking(),
                  c.getsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, 16))
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for where in '127.0.0.1', '240.0.0.1', '255.255.255.255':
        if where != '240.0.0.1':    # depends on the host's routes
            tell(f'udp {where}', call('connect', u.fileno(), *inet(where, 9)))
    tell('udp none', call('connect', u.fileno(), bytes(16), 16))
    n = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    raw = struct.pack('HHII', socket.AF_NETLINK, 0, 0, 0)
    tell('netlink bind', call('bind', n.fileno(), raw, 12))
    tell('netlink', call('connect', n.fileno(), raw, 12))


def fill(s):
    """Connects until nobody more is taken in."""
    held = []
    while True:
        c = socket.socket(s.family)
        c.setblocking(False)
        held.append(c)
        if call('connect', c.fileno(), *address(s)) not in (0,
                                                            -errno.EINPROGRESS):
            return held
        if s.family == socket.AF_INET and not select.select([], [c], [], .2)[1]:
            return held


def address(s):
    name = s.getsockname()
    return unix(name) if s.family == socket.AF_UNIX else inet(*name)


def socket_waiting(s):
    """A connect that has to wait: for long, for a while, until a signal."""
    family = int(s.family)
    s.listen(0)
    held = fill(s)
    c = socket.socket(s.family)
    limit(c, .3)
    before = time.monotonic()
    tell(f'{family} limit', call('connect', c.fileno(), *address(s)))
    print(family, 'waited', time.monotonic() - before > .25,
          c.getsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, 16))
    for limited, restart in ((0, 0), (0, 1), (5, 0), (5, 1)):
        seen = []
        signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        signal.siginterrupt(signal.SIGALRM, not restart)
        c = socket.socket(s.family)
        limit(c, limited)
        if restart and not limited:
            wake = threading.Timer(.5, lambda: [h.close() for h in held] +
                                   [s.accept() for _ in range(2)])
            wake.start()
        signal.setitimer(signal.ITIMER_REAL, .2)
        what = f'{family} signal {limited} {restart}'
        tell(what, call('connect', c.fileno(), *address(s)))
        print(what, len(seen))
        if restart and not limited:
            wake.join()
            held = fill(s)


socket_names()
socket_links()
socket_arguments()
socket_inet()
setup()
for server, where in ((socket.socket(socket.AF_UNIX), 'full.sock'),
                      (socket.socket(), ('127.0.0.1', 0))):
    server.bind(where)
    socket_waiting(server)
