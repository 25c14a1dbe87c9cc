#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What guardlab has a program do: one mode per run, in the current directory."""
import ctypes
import errno
import fcntl
import itertools
import os
import re
import shutil
import socket
import stat
import sys

libc = ctypes.CDLL(None, use_errno=True)
CWD = -100
FOLLOW, EMPTY = 0x400, 0x1000
EXCHANGE, NOREPLACE, WHITEOUT = 2, 1, 4
# Before Linux 6.10 only a capability let linkat() take a descriptor for a path.
# The guard lets everybody, as going by /proc/self/fd does on every kernel.
LINKS_FD = [int(n) for n in re.findall(r'\d+', os.uname().release)[:2]] >= [6, 10]
NR = dict(open=2, rename=82, mkdir=83, creat=85, link=86, symlink=88,
          mknod=133, openat=257, mkdirat=258, mknodat=259, renameat=264,
          linkat=265, symlinkat=266, renameat2=316, truncate=76, unlink=87, rmdir=84,
          unlinkat=263)


def call(name, *args):
    """The bare system call; a negative errno where it fails."""
    args = [a.encode() if isinstance(a, str) else a for a in args]
    args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    got = libc.syscall(ctypes.c_long(NR[name]), *args)
    return -ctypes.get_errno() if got < 0 else got


def says(got):
    return errno.errorcode.get(-got, got) if got < 0 else 'ok'


# ---- calls: the same answers with and without the guard -------------------

def setup():
    for name in os.listdir('.'):
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.unlink(name)
    os.mkdir('dir')
    os.mkdir('full')
    for name in 'file', 'full/x', 'dir/inner':
        with open(name, 'w') as f:
            f.write('content')
    os.symlink('file', 'link')
    os.symlink('gone', 'dangling')
    os.symlink('dir', 'dirlink')
    os.symlink('loop', 'loop')
    os.symlink('nodir/x', 'deeplink')
    os.mkfifo('fifo')


NAMES = [".../", "...", 'file', 'new', 'dir', 'link', 'dangling', 'dirlink', 'loop', 'deeplink',
         'dir/new', 'dirlink/new', 'file/new', 'nodir/new', 'new/', 'dir/',
         'file/', 'link/', 'dangling/', '.', '..', './', 'dir/.', 'dir/..', '/',
         '//', '', 'dir/../new', 'x' * 255, 'x' * 256, 'dir//new',
         'a/' * 2047 + 'b', 'y' * 4095, 'y' * 4096, '/proc/self/cwd/new',
         '/proc/self/fd/0', '/proc/self/new', '/proc/new', '/dev/null',
         '/proc/thread-self/cwd/file', '/dev/fd/777', '/proc/self/root/',
         '/proc/self/exe/x', '/proc/self', '/proc/self/', '/proc/mounts',
         '/proc/self/fd', '/proc/self/fd/', '/proc/self/fd/0/']
FLAGS = [os.O_WRONLY, os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC,
         os.O_WRONLY | os.O_EXCL, os.O_RDWR | os.O_NOFOLLOW,
         os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, os.O_RDWR | os.O_NONBLOCK,
         os.O_RDONLY | os.O_DIRECTORY, os.O_WRONLY | os.O_SYNC, 3,
         os.O_RDWR | os.O_DIRECTORY | os.O_EXCL, os.O_RDWR | os.O_TMPFILE,
         os.O_RDONLY | os.O_NOATIME, os.O_WRONLY | os.O_NOFOLLOW | os.O_EXCL,
         os.O_PATH, os.O_PATH | os.O_NOFOLLOW]


def show(what, got):
    print(what, says(got))
    if got > 2:
        print('   ', fcntl.fcntl(got, fcntl.F_GETFD),
              # O_NOFOLLOW is no state of an open file
              oct(fcntl.fcntl(got, fcntl.F_GETFL) & ~os.O_NOFOLLOW),
              oct(os.fstat(got).st_mode), os.fstat(got).st_size, got)
        os.close(got)


def calls():
    os.close(0)
    os.open('/dev/null', os.O_RDONLY)
    os.makedirs('w')
    os.chdir('w')
    for flags, name in itertools.product(FLAGS, NAMES):
        setup()
        show(f'openat {flags:o} {name[:40]}',
             call('openat', CWD, name, os.O_CREAT | flags, 0o640))
    for name in NAMES:
        setup()
        print('creat', name[:40], says(got := call('creat', name, 0o7755)))
        if got > 2:
            os.close(got)
        setup()
        print('mkdir', name[:40], says(call('mkdir', name, 0o7777)))
        for mode in 0, stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK:
            setup()
            print('mknod', mode, name[:40], says(call('mknod', name, mode | 0o666, 0)))
        setup()
        print('symlink', name[:40], says(call('symlink', 'any', name)))
        for other, flags in itertools.product(
                ('new', 'file', 'dir', 'full', 'dangling', 'new/'),
                (0, NOREPLACE, EXCHANGE, EXCHANGE | NOREPLACE, 8)):
            setup()
            print('rename', name[:40], other, flags,
                  says(call('renameat2', CWD, name, CWD, other, flags)))
            setup()
            print('rename to', name[:40], other, flags,
                  says(call('renameat2', CWD, other, CWD, name, flags)))
        for flags in (0, FOLLOW, EMPTY, 1) if LINKS_FD else (0, FOLLOW, 1):
            setup()
            print('link', name[:40], flags,
                  says(call('linkat', CWD, name, CWD, 'hard', flags)))
            setup()
            print('link to', name[:40], flags,
                  says(call('linkat', CWD, 'file', CWD, name, flags)))
    descriptors()


# ---- opens: without O_CREAT --------------------------------------------------

READ_NAMES = NAMES + [
    'full', 'full/', 'fifo', 'dirlink/', 'dirlink/inner', 'link/x', '/etc/passwd',
    '/proc/self/root/etc/passwd', '/proc/version', '/proc/self/exe', '/proc/self/maps',
    '/proc/self/task/1/x', '/proc/1/x', '/proc/self/ns/mnt', '/proc/self/cwd',
    '/dev/fd/0', '/dev/stdin', '/dev/fd', '/dev/fd/', '/proc/net', '/proc/net/dev',
    '/proc/self/../self/stat', '/proc/../etc/passwd', '/usr/../proc/self/comm',
    '/dev/zero', '/dev/full', '/dev/nothing', '/root/x', '/proc/self/fdinfo/0', 'to-self/stat',
    'to-self-slash', '/proc/cpuinfo/x', '/proc/sys/kernel/hostname', '/proc/sys', '/sys/kernel/mm',
    'closed', 'closed/x', 'unreadable', 'unwritable', '/lib', '/bin/sh', '/lib/nothing', '/bin/nothing/x']
READ_FLAGS = [f for f in FLAGS if not f & os.O_PATH] + [
    os.O_RDONLY | os.O_NOFOLLOW, os.O_RDONLY | os.O_CLOEXEC, os.O_RDONLY | os.O_TRUNC,
    os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, os.O_RDONLY | os.O_EXCL,
    os.O_RDONLY | os.O_NONBLOCK | os.O_DIRECTORY, os.O_WRONLY | os.O_DIRECTORY,
    os.O_TMPFILE | os.O_WRONLY | os.O_EXCL, os.O_TMPFILE, (os.O_TMPFILE & ~os.O_DIRECTORY) | os.O_RDWR,
    os.O_RDONLY | os.O_DIRECT, os.O_RDWR | os.O_DSYNC | os.O_APPEND, os.O_RDONLY | os.O_NOCTTY,
    os.O_RDONLY | 0o1000000000]

CHANGES = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_CREAT


def fenced():
    """Ends the program unless Landlock keeps it in its directory."""
    for path in '/etc/passwd', '/bin/sh':
        got = call('open', path, os.O_WRONLY)
        if got >= 0:
            os.close(got)
            sys.exit('the lab is not fenced in')


def opens():
    os.close(0)
    os.open('/dev/null', os.O_RDONLY)
    os.makedirs('w')
    os.chdir('w')
    # Below this, nothing outside is to be harmed: the lab may be root.
    fenced()
    for flags in READ_FLAGS:
        for name in READ_NAMES:
            if 'fifo' in name and not flags & os.O_NONBLOCK and flags & 3 != os.O_RDWR:
                continue  # would wait
            if name.startswith('/') and not name.startswith('/dev/') and flags & CHANGES:
                continue  # the host's, which root could empty
            if name.startswith('/dev/fd') and flags & os.O_TMPFILE & ~os.O_DIRECTORY:
                continue  # only its owner may try to write there, and cannot
            setup()
            for n, mode in ('unreadable', 0o200), ('unwritable', 0o400), ('closed/x', 0o600):
                os.makedirs('closed', exist_ok=True)
                with open(n, 'w') as f:
                    f.write(n)
                os.chmod(n, mode)
            os.symlink('/proc/self', 'to-self')
            os.symlink('/proc/self/', 'to-self-slash')
            os.chmod('closed', 0)
            # A file of procfs is asked again at each look, and so may differ.
            show_open(f'open {flags:o} {name[:40]}', call('open', name, flags, 0o644), name)
            os.chmod('closed', 0o700)
    for name in READ_NAMES:
        for length in 0, 3, 20, -1:
            if name.startswith(('/', '..')):
                continue
            setup()
            print('truncate', name[:40], length, says(call('truncate', name, length)))
        for flags in 0, 0x200, 1:
            if os.path.realpath(name).startswith(os.getcwd() + '/'):
                setup()
                print('unlinkat', name[:40], flags, says(call('unlinkat', CWD, name, flags)))
    setup()
    d = os.open('dir', os.O_RDONLY)
    p = os.open('dir', os.O_PATH)
    f = os.open('file', os.O_PATH)
    l = os.open('link', os.O_PATH | os.O_NOFOLLOW)
    for fd, label in ((d, 'dir'), (p, 'path'), (f, 'file'), (l, 'link'), (-1, '-1'), (999, '999'),
                      (-100, 'cwd'), (d | 1 << 40, 'high')):
        for name in 'inner', '../file', '.', '..', '', '/etc/passwd', 'nothing':
            show(f'openat {label} {name}', call('openat', fd, name, os.O_RDONLY))
        if fd > 2 and fd < 1 << 30:
            show(f'reopen {label}', call('open', f'/proc/self/fd/{fd}', os.O_RDONLY))
            show(f'reopen rw {label}', call('open', f'/dev/fd/{fd}', os.O_RDWR))
    os.unlink('file')
    show('gone', call('open', f'/proc/self/fd/{f}', os.O_RDONLY))
    for bad in 0, 1, 2**47 - 1, 2**63, -1, 4096:
        print('pointer', bad, says(call('openat', CWD, bad, os.O_RDONLY)),
              says(call('truncate', bad, 1)), says(call('unlink', bad)))
    # The lowest number, each time.
    print([call('open', 'dir', os.O_RDONLY) - p for _ in range(3)] == [3, 4, 5])
    lease()


def lease():
    """A writer's lease is broken before a reader gets in."""
    import signal
    with open('leased', 'w') as f:
        f.write('x')
    holder = os.open('leased', os.O_RDWR)

    def give_up(*_):
        fcntl.fcntl(holder, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    signal.signal(signal.SIGIO, give_up)
    try:
        fcntl.fcntl(holder, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError as e:
        print('lease', e.errno)
        return
    pid = os.fork()
    if pid == 0:
        print('nonblocking', says(call('open', 'leased', os.O_RDONLY | os.O_NONBLOCK)), flush=True)
        got = call('open', 'leased', os.O_RDONLY)
        print('blocking', says(got), os.read(got, 9), flush=True)
        os._exit(0)
    os.waitpid(pid, 0)  # goes on after the signal


def show_open(what, got, name):
    print(what, says(got))
    if got < 0:
        return
    flags = fcntl.fcntl(got, fcntl.F_GETFL) & ~os.O_NOFOLLOW
    st = os.fstat(got)
    print('   ', fcntl.fcntl(got, fcntl.F_GETFD), oct(flags), oct(st.st_mode),
          st.st_size if 'proc' not in name and not name.startswith('/sys') else '', got)
    if flags & (3 | os.O_DIRECT) == os.O_RDONLY and stat.S_ISREG(st.st_mode) and '/' not in name:
        print('   ', os.read(got, 99))
    os.close(got)


def descriptors():
    setup()
    d = os.open('dir', os.O_RDONLY)
    p = os.open('dir', os.O_PATH)
    f = os.open('file', os.O_RDWR)
    t = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)
    for fd, label in ((d, 'dir'), (p, 'path'), (f, 'file'), (-1, '-1'), (999, '999'),
                      (-100, 'cwd'), (2**31 - 1, 'big'), (d | 1 << 40, 'high')):
        for name in 'sub', '../sub', '/proc/self/fd/0', '', 'x/y':
            print('openat', label, name, says(got := call(
                'openat', fd, name, os.O_CREAT | os.O_RDWR, 0o600)))
            if got > 2:
                os.close(got)
            print('mkdirat', label, name, says(call('mkdirat', fd, name + 'd', 0o700)))
            print('symlinkat', label, name, says(call('symlinkat', 'a', fd, name + 'l')))
            print('renameat', label, name,
                  says(call('renameat', fd, name, CWD, 'moved')))
            print('linkat', label, name,
                  says(call('linkat', CWD, 'file', fd, name + 'h', 0)))
        if LINKS_FD and label not in ('dir', 'path', 'cwd'):
            print('linkat empty', label, says(call('linkat', fd, '', CWD, 'e' + label, EMPTY)))
    print('tmpfile', says(call('linkat', CWD, f'/proc/self/fd/{t}', CWD, 'named', FOLLOW)))
    print('again', says(call('linkat', CWD, f'/proc/self/fd/{t}', CWD, 'named', FOLLOW)))
    for bad in 0, 1, 2**47 - 1, 2**63, -1, 4096:
        print('pointer', bad, says(call('openat', CWD, bad, os.O_CREAT, 0)),
              says(call('mkdir', bad, 0)), says(call('symlink', bad, 'x')),
              says(call('rename', 'file', bad)), says(call('link', bad, 'x')))
    # What a write to an old descriptor and a reopened one do to each other.
    o = os.open('/proc/self/fd/%d' % f, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(o, b'tail')
    print(os.pread(f, 99, 0))
    os.unlink('file')
    o = os.open('/proc/self/fd/%d' % f, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    print(os.fstat(o).st_nlink, os.fstat(f).st_size)


# ---- absent: every way to make a name --------------------------------------

def ways(name, here):
    """Pairs of a label and a function that would make @name in @here."""
    path = f'{here}/{name}'
    base = os.path.basename(here)
    d = os.open('.', os.O_RDONLY)
    sub = os.open('sub', os.O_PATH)
    create = os.O_CREAT | os.O_WRONLY
    spellings = {
        'relative': name, 'absolute': path, 'dot': f'./{name}',
        'slashes': f'.//{name}', 'dotdot': f'sub/../{name}',
        'outside': f'../{base}/{name}', 'link to directory': f'here/{name}',
        'double link': f'sub/up/here/{name}', 'cwd': f'/proc/self/cwd/{name}',
        'thread cwd': f'/proc/thread-self/cwd/{name}',
        'pid cwd': f'/proc/{os.getpid()}/cwd/{name}',
        'root': f'/proc/self/root{path}', 'dev fd': f'/dev/fd/{d}/{name}',
        'self fd': f'/proc/self/fd/{d}/{name}', 'absolute dots': f'/..{here}/./{name}',
        'other case': name.upper(), 'trailing dot': name + '.',
        'no shape': name[:3] + '\u200d' + name[3:], 'long s': name.replace('s', '\u017f'),
    }
    for label, s in spellings.items():
        yield f'open {label}', lambda s=s: call('open', s, create, 0o600)
        yield f'open excl {label}', lambda s=s: call('open', s, create | os.O_EXCL, 0o600)
        yield f'creat {label}', lambda s=s: call('creat', s, 0o600)
        yield f'mkdir {label}', lambda s=s: call('mkdir', s, 0o700)
        yield f'mkdir slash {label}', lambda s=s: call('mkdir', s + '/', 0o700)
        yield f'mknod {label}', lambda s=s: call('mknod', s, 0o600, 0)
        yield f'mkfifo {label}', lambda s=s: call('mknod', s, stat.S_IFIFO | 0o600, 0)
        yield f'socket {label}', lambda s=s: call('mknod', s, stat.S_IFSOCK | 0o600, 0)
        yield f'symlink {label}', lambda s=s: call('symlink', 'x', s)
        yield f'link {label}', lambda s=s: call('link', 'file', s)
        yield f'rename {label}', lambda s=s: call('rename', 'file', s)
        yield f'rename dir {label}', lambda s=s: call('rename', 'dir', s)
        yield f'rename dir slash {label}', lambda s=s: call('rename', 'dir/', s + '/')
        yield f'noreplace {label}', lambda s=s: call('renameat2', CWD, 'file', CWD, s, NOREPLACE)
    for fd, rel in ((d, name), (sub, f'../{name}'), (d, f'sub/../{name}')):
        yield f'openat {rel}', lambda fd=fd, rel=rel: call('openat', fd, rel, create, 0o600)
        yield f'mkdirat {rel}', lambda fd=fd, rel=rel: call('mkdirat', fd, rel, 0o700)
        yield f'mknodat {rel}', lambda fd=fd, rel=rel: call('mknodat', fd, rel, 0o600, 0)
        yield f'symlinkat {rel}', lambda fd=fd, rel=rel: call('symlinkat', 'x', fd, rel)
        yield f'linkat {rel}', lambda fd=fd, rel=rel: call('linkat', CWD, 'file', fd, rel, 0)
        yield f'renameat {rel}', lambda fd=fd, rel=rel: call('renameat', CWD, 'file', fd, rel)
    for link in ('to-relative', 'to-absolute', 'to-cwd', 'chain', 'sub/to-up'):
        yield f'open by {link}', lambda link=link: call('open', link, create, 0o600)
    if LINKS_FD:
        yield 'linkat empty', lambda: call('linkat', os.open('file', os.O_RDWR), '', CWD, name, EMPTY)
    yield 'linkat follow', lambda: call('linkat', CWD, 'chain-file', CWD, name, FOLLOW)
    yield 'tmpfile', lambda: call(
        'linkat', CWD, '/proc/self/fd/%d' % os.open('.', os.O_TMPFILE | os.O_RDWR),
        CWD, name, FOLLOW)
    yield 'chdir', lambda: (os.chdir('sub'), call('mkdir', f'../{name}', 0o700),
                            os.chdir('..'))[1]


def prepare(name, here):
    setup()
    os.mkdir('sub')
    for link, target in (('here', '.'), ('sub/up', '..'), ('to-relative', name),
                         ('to-absolute', f'{here}/{name}'), ('chain', 'to-cwd'),
                         ('to-cwd', f'/proc/self/cwd/{name}'),
                         ('sub/to-up', f'../here/{name}'), ('chain-file', 'link')):
        os.symlink(target, link)


def same_name(a, b):
    a = a.casefold().replace('\u200d', '').rstrip('.')
    return a == b.casefold()


def absent(denied):
    bad = 0
    here = os.getcwd()
    for name in '.mcp.json', '.vscode':
        prepare(name, here)
        for label, way in list(ways(name, here)):
            prepare(name, here)
            keep = os.open('.', os.O_RDONLY)
            got = way()
            there = [n for n in os.listdir(here) if same_name(n, name)]
            if denied:
                # a slash behind a name is refused before that
                ok = not there and got == -errno.EACCES
            else:
                ok = len(there) == 1 and got >= 0
            if not ok:
                bad += 1
                print('wrong:', name, label, says(got), there)
            if got > 2:
                os.close(got)
            os.close(keep)
        # An exchange makes the other name, too; here it exists already.
        if denied:
            prepare(name, here)
            for args in ((CWD, 'file', CWD, name), (CWD, name, CWD, 'file')):
                if call('renameat2', *args, EXCHANGE) != -errno.EACCES:
                    bad += 1
                    print('wrong: exchange', args)
    return bad


# ---- passage: conf may be made, conf/foo/config may not ----------------------

def passage():
    bad = 0
    create = os.O_CREAT | os.O_WRONLY

    def expect(want, name, *args):
        nonlocal bad
        got = call(name, *args)
        if says(got) != want:
            bad += 1
            print('wrong:', name, args, says(got))
        if got > 2:
            os.close(got)

    setup()
    expect('EACCES', 'symlink', 'dir', 'conf')
    expect('EACCES', 'rename', 'full', 'conf')
    expect('EACCES', 'link', 'file', 'conf')
    expect('EACCES', 'open', 'conf', create, 0o600)
    expect('EACCES', 'mknod', 'Conf', 0o600, 0)
    expect('ok', 'mkdir', 'conf', 0o700)
    expect('EEXIST', 'mkdir', 'conf', 0o700)
    expect('ok', 'open', 'conf/config', create, 0o600)
    expect('EACCES', 'symlink', '../dir', 'conf/foo')
    expect('EACCES', 'rename', 'dir', 'conf/foo')
    expect('ok', 'mkdir', 'conf/foo', 0o700)
    for way in (('open', create, 0o600), ('mkdir', 0o700), ('mknod', 0o600, 0)):
        expect('EACCES', way[0], 'conf/foo/config', *way[1:])
        expect('EACCES', way[0], '/proc/self/cwd/conf/x/../foo/config'.replace('x/../', ''),
               *way[1:])
    expect('EACCES', 'rename', 'file', 'conf/foo/config')
    expect('EACCES', 'link', 'file', 'conf/foo/config')
    expect('ok', 'open', 'conf/foo/other', create, 0o600)
    expect('ok', 'mkdir', 'conf/foo/foo', 0o700)
    expect('ok', 'open', 'conf/foo/foo/config', create, 0o600)
    # Elsewhere it is nothing special; it does not come back.
    expect('ok', 'rename', 'conf', 'moved')
    expect('ok', 'open', 'moved/foo/config', create, 0o600)
    expect('EACCES', 'rename', 'moved', 'conf')
    expect('ok', 'mkdir', 'conf', 0o700)
    expect('EACCES', 'rename', 'moved/foo', 'conf/foo')
    expect('EACCES', 'renameat2', CWD, 'moved', CWD, 'conf', EXCHANGE)
    expect('EACCES', 'renameat2', CWD, 'conf', CWD, 'moved', EXCHANGE)
    expect('ok', 'mkdir', 'conf/foo', 0o700)
    expect('EACCES', 'rename', 'moved/foo/config', 'conf/foo/config')
    d = os.open('conf/foo', os.O_PATH)
    expect('EACCES', 'openat', d, 'config', create, 0o600)
    expect('EACCES', 'symlinkat', 'x', d, './config')
    expect('ok', 'mkdir', 'conf/foo/foo', 0o700)
    expect('ok', 'mkdir', 'dir/.git', 0o700)
    expect('ok', 'mkdir', 'conf/.git', 0o700)
    expect('EEXIST', 'mkdir', 'conf/.git', 0o700)
    return bad


# ---- walls -------------------------------------------------------------------

def guard():
    """The guard is our parent: nothing of it may be had through it."""
    bad = 0
    pid = os.getppid()
    d = os.open(f'/proc/{pid}', os.O_PATH)
    os.symlink(f'/proc/{pid}', 'to-guard')
    for what in 'mem', 'environ', 'fd/0', 'cwd/x', 'root/tmp/x', 'exe', 'task', \
            f'task/{pid}/mem', 'oom_score_adj', 'fd/../mem', 'maps', 'comm', \
            'coredump_filter', 'clear_refs':
        paths = [(CWD, f'/proc/{pid}/{what}'), (d, what), (CWD, f'/proc/self/fd/{d}/{what}'),
                 (CWD, f'to-guard/{what}'), (CWD, f'/dev/fd/{d}/./{what}')]
        try:
            f = os.open(f'/proc/{pid}/{what}', os.O_PATH)
            paths += [(CWD, f'/proc/self/fd/{f}'), (CWD, f'/dev/fd/{f}')]
            os.symlink(f'/proc/self/fd/{f}', 'l' + what.replace('/', '_'))
            paths += [(CWD, 'l' + what.replace('/', '_'))]
        except OSError:
            pass
        for (fd, path), flags in itertools.product(paths, (os.O_RDWR, os.O_RDONLY, os.O_WRONLY)):
            got = call('openat', fd, path, os.O_CREAT | flags, 0o600)
            # What is open to everybody outside the guard may be opened.
            direct = call('openat', fd, path, flags, 0o600)
            if got >= 0 and direct < 0:
                bad += 1
                print('wrong: opened', path, flags)
            for n in got, direct:
                if n > 2:
                    os.close(n)
        for fd, path in paths:
            if call('mkdirat', fd, path, 0o700) >= 0 or \
                    call('linkat', fd, path, CWD, 'stolen', FOLLOW) >= 0:
                bad += 1
                print('wrong: made', path)
    # Control: the same with our own.
    if call('open', f'/proc/{os.getpid()}/mem', os.O_RDWR | os.O_CREAT, 0) < 0 or \
            call('open', '/proc/self/mem', os.O_RDWR | os.O_CREAT, 0) < 0:
        bad += 1
        print('wrong: our own memory')
    return bad


def landlock():
    bad = 0
    if call('open', 'inside', os.O_CREAT | os.O_WRONLY, 0o600) < 0:
        bad += 1
        print('wrong: nothing can be made inside')
    outside = os.path.dirname(os.getcwd())
    os.close(0)
    if os.open(os.path.join(outside, 'given'), os.O_RDONLY) != 0:
        return 1
    for path in ('/proc/self/fd/0', '/dev/stdin', f'{outside}/new',
                 f'/proc/self/cwd/../new', f'{outside}/given'):
        for flags in os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_TRUNC:
            if call('open', path, os.O_CREAT | flags, 0o600) != -errno.EACCES:
                bad += 1
                print('wrong: opened', path, flags)
    if call('mkdir', f'{outside}/d', 0o700) != -errno.EACCES:
        bad += 1
        print('wrong: mkdir')
    return bad


def hidden():
    libc.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    bad = 0
    os.mkdir('dir')
    d = os.open('dir', os.O_RDONLY)
    for name, args in (('open', ('a', os.O_CREAT | os.O_WRONLY, 0o600)), ('mkdir', ('b', 0o700)),
                       ('symlink', ('x', 'c')), ('open', ('a', os.O_RDONLY)),
                       ('openat', (d, 'n', os.O_CREAT | os.O_WRONLY, 0o600)),
                       ('openat', (d, 'n', os.O_RDONLY)), ('open', ('/proc/self/maps', os.O_RDONLY)),
                       ('open', ('/proc/self/status', os.O_RDONLY))):
        if call(name, *args) < 0:
            bad += 1
            print('wrong:', name)
    s, c = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    s.bind('s')
    s.listen()
    c.connect('s')
    return bad


MODES = {'calls': calls, 'opens': opens, 'allowed': lambda: absent(False), 'denied': lambda: absent(True),
         'passage': passage,
         'guard': guard, 'landlock': landlock, 'hidden': hidden}
sys.exit(min(MODES[sys.argv[1]]() or 0, 90))
