/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TOOLS_SECCOMP_OWN_H
#define CORDON_TOOLS_SECCOMP_OWN_H

#include "seccomp-rules.h"

/*
 * The filters of cordon's own processes in the box. They are allow-lists; what
 * is missing is EPERM and not death, so that an oversight is an error message.
 */

/* clang-format off */
/* libc: memory, messages, signals, the end */
#define LIBC_CALLS                                                         \
	ALLOW(brk), EXCEPT(mmap, no_exec_rules), ALLOW(munmap),            \
		ALLOW(mremap), ALLOW(madvise),                             \
		EXCEPT(mprotect, no_exec_rules), ALLOW(futex),             \
		ALLOW(getrandom), ALLOW(rt_sigaction),                     \
		ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn),                \
		ALLOW(rt_sigtimedwait), ALLOW(rt_sigpending),              \
		ALLOW(rt_sigsuspend), ALLOW(sigaltstack),                  \
		ALLOW(restart_syscall), ALLOW(exit), ALLOW(exit_group),    \
		ALLOW(clock_gettime), ALLOW(gettimeofday), ALLOW(time),    \
		ALLOW(nanosleep), ALLOW(clock_nanosleep), ALLOW(getpid),   \
		ALLOW(gettid), ALLOW(getppid), ALLOW(getuid),              \
		ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid)
/* descriptors that are already there */
#define FD_CALLS                                                           \
	ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev),            \
		ALLOW(pread64), ALLOW(close), ALLOW(close_range),          \
		ALLOW(dup), ALLOW(dup2), ALLOW(dup3), ALLOW(fcntl),        \
		ALLOW(poll), ALLOW(ppoll), ALLOW(recvmsg),                 \
		ALLOW(recvfrom), ALLOW(sendmsg), ALLOW(sendto),            \
		ALLOW(fstat), ALLOW(newfstatat), ALLOW(statx),             \
		ALLOW(fstatfs), ALLOW(readlinkat)

/* waits for children and for the supervisor, passes signals on */
#define INIT_CALLS                                                         \
	ALLOW(wait4), ALLOW(waitid), ALLOW(prctl), ALLOW(kill), ALLOW(tgkill)

RULES(guard_ioctl_rules, WHEN(RET_ALLOW, IN(1,
	SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND,
	SECCOMP_IOCTL_NOTIF_ID_VALID, SECCOMP_IOCTL_NOTIF_ADDFD,
	SECCOMP_IOW(4, uint64_t) /* …_NOTIF_SET_FLAGS, Linux 6.6 */)));

RULES(guard_seccomp_rules, WHEN(RET_ALLOW, IN(0, SECCOMP_GET_NOTIF_SIZES)));

/* Box init, PID 1, once the box is built. It is the guard too: reads the
 * arguments of a caller and acts in its place. No socket of its own, no exec,
 * no ptrace, no mount. */
static const struct call guard_calls[] = {
	LIBC_CALLS,
	FD_CALLS,
	INIT_CALLS,
	ONLY(ioctl, guard_ioctl_rules),	/* notifications and answers */
	ONLY(seccomp, guard_seccomp_rules),	/* how large they are */
	/* the caller: its memory, directories, umask */
	ALLOW(process_vm_readv), ALLOW(pidfd_open), ALLOW(pidfd_getfd),
	ALLOW(pidfd_send_signal), ALLOW(lseek), ALLOW(getdents64),
	/* the act, never one that the caller's own filter would refuse */
	EXCEPT(openat, openat_rules), ALLOW(openat2),
	EXCEPT(mknodat, mknodat_rules), ALLOW(mkdirat), ALLOW(renameat2),
	ALLOW(linkat), ALLOW(symlinkat), ALLOW(unlinkat), ALLOW(truncate),
	ALLOW(ftruncate), ALLOW(faccessat),
	/* on the caller's own socket, for a limited time */
	ALLOW(connect), ALLOW(bind), ALLOW(getsockopt), ALLOW(setsockopt),
	ALLOW(setitimer),
	/* as the caller: its umask, its directory, its rights */
	ALLOW(umask), ALLOW(fchdir), ALLOW(capget), ALLOW(capset),
	/* an open that may block (FIFO) gets a process of its own */
	EXCEPT(clone, clone_rules), ALLOW(fork),	/* glibc's, musl's */
	ALLOW(set_robust_list), ALLOW(rseq), ALLOW(pipe2),
};

/* TCP, and UDP for name servers; never a socket of another kind. */
RULES(egress_socket_rules, WHEN(RET_ALLOW, IN(0, AF_INET, AF_INET6)));

/* The egress process, and the one that makes sockets in a box's network:
 * connections, and nothing of the file system. What it listens on it was
 * given. */
static const struct call egress_calls[] = {
	LIBC_CALLS,
	ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev),
	ALLOW(recvfrom), ALLOW(sendto), ALLOW(recvmsg), ALLOW(sendmsg),
	ALLOW(close), ALLOW(dup), ALLOW(fcntl), ALLOW(shutdown),
	ONLY(socket, egress_socket_rules), ALLOW(connect), ALLOW(accept4),
	ALLOW(getsockname), ALLOW(getpeername), ALLOW(setsockopt),
	ALLOW(getsockopt), ALLOW(epoll_ctl), ALLOW(epoll_wait),
	ALLOW(epoll_pwait), ALLOW(poll), ALLOW(pipe2), ALLOW(splice),
};
/* clang-format on */

#endif
