/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/probe/calls.c - what the kernel answers to calls a box must not have
 *
 * Prints "name errno" for each; 0 means that it worked, "killed N" that the
 * process was ended by signal N. Every call is made in a child, with
 * arguments that do no harm where it works.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define HIGH (1UL << 32)

struct call {
	const char *name;
	long number;
	unsigned long arg[5];
};

static const char text[] = "tmpfs", none[] = "/nonexistent", root[] = "/";
static uint32_t params[64];
static struct clone_args clone_user = { .flags = CLONE_NEWUSER,
					.exit_signal = SIGCHLD };

#define P(x) ((unsigned long)(uintptr_t)(x))

static const struct call calls[] = {
	{ "mount", SYS_mount, { P(text), P(none), P(text), 0, 0 } },
	{ "umount2", SYS_umount2, { P(none), 2 } },
	{ "pivot_root", SYS_pivot_root, { P(root), P(root) } },
	{ "chroot", SYS_chroot, { P(root) } },
	{ "fsopen", 430, { P(text), 0 } },
	{ "fsconfig", 431, { (unsigned long)-1, 6, 0, 0, 0 } },
	{ "fsmount", 432, { (unsigned long)-1, 0, 0 } },
	{ "fspick", 433, { (unsigned long)-100, P(root), 0 } },
	{ "open_tree", 428, { (unsigned long)-100, P(root), 1 } },
	{ "move_mount",
	  429,
	  { (unsigned long)-100, P(root), (unsigned long)-100, P(root), 0 } },
	{ "mount_setattr", 442, { (unsigned long)-100, P(root), 0, 0, 0 } },
	{ "setns", SYS_setns, { (unsigned long)-1, 0 } },
	{ "unshare_user", SYS_unshare, { CLONE_NEWUSER } },
	{ "unshare_mount", SYS_unshare, { CLONE_NEWNS } },
	{ "unshare_net", SYS_unshare, { CLONE_NEWNET } },
	{ "clone_user", SYS_clone, { CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0 } },
	{ "clone3_user", 435, { P(&clone_user), sizeof(clone_user) } },
	{ "io_uring_setup", 425, { 4, P(params) } },
	{ "io_uring_enter", 426, { (unsigned long)-1, 0, 0, 0, 0 } },
	{ "io_uring_register", 427, { (unsigned long)-1, 0, 0, 0 } },
	{ "bpf", SYS_bpf, { 0, P(params), 16 } },
	{ "perf_event_open",
	  SYS_perf_event_open,
	  { P(params), 0, (unsigned long)-1, (unsigned long)-1, 0 } },
	{ "userfaultfd", SYS_userfaultfd, { O_CLOEXEC | 1 } },
	{ "keyctl", SYS_keyctl, { 0, (unsigned long)-3, 0 } },
	{ "add_key",
	  SYS_add_key,
	  { P("user"), P("x"), P("y"), 1, (unsigned long)-2 } },
	{ "request_key", SYS_request_key, { P("user"), P("x"), 0, 0 } },
	{ "init_module", SYS_init_module, { P(none), 0, P(none) } },
	{ "finit_module", SYS_finit_module, { (unsigned long)-1, P(none), 0 } },
	{ "delete_module", SYS_delete_module, { P(none), 0 } },
	{ "kexec_load", SYS_kexec_load, { 0, 0, 0, 0 } },
	{ "reboot", SYS_reboot, { 0xfee1dead, 672274793, 0, 0 } },
	{ "swapon", SYS_swapon, { P(none), 0 } },
	{ "acct", SYS_acct, { P(none) } },
	{ "open_by_handle_at",
	  SYS_open_by_handle_at,
	  { (unsigned long)-100, P(params), 0 } },
	{ "quotactl", SYS_quotactl, { 0, P(none), 0, 0 } },
	{ "syslog", SYS_syslog, { 10, 0, 0 } },
	{ "personality", SYS_personality, { 0x0040000 } },
	{ "mknod_char", SYS_mknod, { P("/tmp/x"), 0020600, 0x103 } },
	{ "iopl", SYS_iopl, { 3 } },
	{ "settimeofday", SYS_settimeofday, { P(params), 0 } },
	{ "socket_alg", SYS_socket, { 38, 5, 0 } },
	{ "socket_packet", SYS_socket, { 17, 3, 0 } },
	{ "socket_vsock", SYS_socket, { 40, 1, 0 } },
	{ "socket_xfrm", SYS_socket, { 16, 3, 6 } },
	{ "socket_rxrpc", SYS_socket, { 33, 2, 2 } },
	{ "socket_raw", SYS_socket, { 2, 3, 1 } },
	{ "socket_alg_high", SYS_socket, { HIGH | 38, 5, 0 } },
	{ "tiocsti", SYS_ioctl, { 0, TIOCSTI, P("x") } },
	{ "tiocsti_high", SYS_ioctl, { 0, HIGH | TIOCSTI, P("x") } },
	{ "tioclinux", SYS_ioctl, { 0, 0x541c, P("\3") } },
	{ "tioclinux_high", SYS_ioctl, { 0, HIGH | 0x541c, P("\3") } },
	{ "unknown_number", 999, { 0 } },
	{ "x32_getpid", 0x40000000 | SYS_getpid, { 0 } },
	/* Controls: a box has these. */
	{ "getpid", SYS_getpid, { 0 } },
	{ "socket_unix", SYS_socket, { 1, 1, 0 } },
	{ "socket_inet", SYS_socket, { 2, 1, 0 } },
	{ "memfd_create", SYS_memfd_create, { P(text), 0 } },
};

static long i386_getpid(void)
{
	long r;

	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(20L), "b"(0L), "c"(0L), "d"(0L)
			 : "memory", "r8", "r9", "r10", "r11");
	return r;
}

static void report(const char *name, pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("%s killed %d\n", name, WTERMSIG(status));
	else
		printf("%s %d\n", name, WEXITSTATUS(status));
	fflush(stdout);
}

static void try_call(const struct call *c)
{
	pid_t pid = fork();
	long r;

	if (pid) {
		report(c->name, pid);
		return;
	}
	r = syscall(c->number, c->arg[0], c->arg[1], c->arg[2], c->arg[3],
		    c->arg[4]);
	_exit(r < 0 ? errno : 0);
}

int main(void)
{
	pid_t pid;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		try_call(&calls[i]);
	pid = fork();
	if (!pid)
		_exit(i386_getpid() > 0 ? 0 : 1);
	report("i386_getpid", pid);
	return 0;
}
