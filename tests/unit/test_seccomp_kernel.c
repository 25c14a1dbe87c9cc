/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shipped filters on the running kernel: each call is tried by a process
 * of its own, under the filter and, as a control, without it.
 */
#include "plan/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/plan.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define HIGH	   (1L << 32)
#define ANYTHING   (-1) /* the control says nothing */
#define FINE	   0
#define KILLED	   1000 /* by SIGSYS */
#define NOT_LOADED 250 /* exit status; no errno is that high */
#define X32	   0x40000000

static char file[] = "/tmp/cordon-seccomp-XXXXXX";

struct attempt {
	const char *what;
	enum plan_seccomp_id id;
	long args[7]; /* number first */
	int expected; /* errno, FINE or KILLED */
	int control; /* the same without the filter */
};

#define PATH	 ((long)file)
#define NOWHERE	 ((long)"/nonexistent/x")
#define DEFAULT	 PLAN_SECCOMP_DEFAULT
#define STRICT	 PLAN_SECCOMP_STRICT
#define FLOOR	 PLAN_SECCOMP_FLOOR
#define KEEP	 PLAN_SECCOMP_KEEP
#define GUARD	 PLAN_SECCOMP_GUARD
#define MAP_EXEC PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1

static int load_filter(const struct plan_filter *filter, unsigned int flags)
{
	struct sock_fprog prog = {
		.len = (unsigned short)filter->n,
		.filter = (struct sock_filter *)(uintptr_t)filter->v,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

static int load(enum plan_seccomp_id id, unsigned int flags)
{
	return load_filter(plan_seccomp_find(id), flags);
}

/* The outcome of a child: errno, FINE or KILLED. */
static int collect(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status)) {
		assert_int_equal(WTERMSIG(status), SIGSYS);
		return KILLED;
	}
	assert_int_not_equal(WEXITSTATUS(status), NOT_LOADED);
	return WEXITSTATUS(status);
}

static int try(const struct attempt *t, bool filtered)
{
	pid_t pid = fork();
	long result;

	assert_true(pid >= 0);
	if (pid)
		return collect(pid);
	if (filtered && load(t->id, 0))
		syscall(SYS_exit_group, NOT_LOADED);
	result = syscall(t->args[0], t->args[1], t->args[2], t->args[3],
			 t->args[4], t->args[5], t->args[6]);
	syscall(SYS_exit_group, result < 0 ? errno : FINE);
	abort();
}

static void check(const struct attempt *attempts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct attempt *t = &attempts[i];
		int control = t->control == ANYTHING ? ANYTHING : try(t, false);
		int result = try(t, true);

		if (control != t->control)
			fail_msg("%s: %d without a filter and not %d", t->what,
				 control, t->control);
		if (result != t->expected)
			fail_msg("%s: %d under %s and not %d", t->what, result,
				 plan_seccomp_find(t->id)->name, t->expected);
	}
}

/* Controls are such that they hold for root and for others alike. */
static void the_box_is_refused(void **state)
{
	const struct attempt attempts[] = {
		{ "mount", DEFAULT, { SYS_mount }, EPERM, EFAULT },
		{ "umount2", DEFAULT, { SYS_umount2, 0, -1 }, EPERM, EINVAL },
		{ "fsopen", DEFAULT, { 430 }, EPERM, ANYTHING },
		{ "open_tree", DEFAULT, { 428, -1, 0, -1 }, EPERM, EINVAL },
		{ "unshare",
		  DEFAULT,
		  { SYS_unshare, CLONE_NEWUSER },
		  EPERM,
		  ANYTHING },
		{ "setns", DEFAULT, { SYS_setns, -1, 0 }, EPERM, EBADF },
		{ "clone",
		  DEFAULT,
		  { SYS_clone, CLONE_NEWUSER | SIGCHLD },
		  EPERM,
		  ANYTHING },
		{ "clone3", DEFAULT, { SYS_clone3, 0, 0 }, ENOSYS, EINVAL },
		{ "io_uring_setup", DEFAULT, { 425, 0, 0 }, ENOSYS, ANYTHING },
		{ "bpf", DEFAULT, { SYS_bpf, -1, 0, 0 }, EPERM, ANYTHING },
		{ "keyctl", DEFAULT, { SYS_keyctl, -1 }, EPERM, ANYTHING },
		{ "add_key", DEFAULT, { SYS_add_key }, EPERM, EFAULT },
		{ "kcmp", DEFAULT, { SYS_kcmp, -1, -1, 0 }, EPERM, ESRCH },
		{ "modify_ldt",
		  DEFAULT,
		  { SYS_modify_ldt, 9 },
		  EPERM,
		  ANYTHING },
		{ "open_by_handle_at",
		  DEFAULT,
		  { SYS_open_by_handle_at },
		  EPERM,
		  ANYTHING },
		{ "no ASLR",
		  DEFAULT,
		  { SYS_personality, 0x40000 },
		  EPERM,
		  FINE },
		{ "unknown number", DEFAULT, { 1000 }, ENOSYS, ENOSYS },
		{ "reserved number", STRICT, { 400 }, ENOSYS, ENOSYS },
		{ "floor: mount", FLOOR, { SYS_mount }, EPERM, EFAULT },
		{ "floor: clone3",
		  FLOOR,
		  { SYS_clone3, 0, 0 },
		  ENOSYS,
		  EINVAL },
		{ "floor: setns", FLOOR, { SYS_setns, -1, 0 }, EPERM, EBADF },
	};

	(void)state;
	check(attempts, COUNT(attempts));
}

static void the_box_works(void **state)
{
	const struct attempt attempts[] = {
		{ "getpid", DEFAULT, { SYS_getpid }, FINE, FINE },
		{ "personality",
		  DEFAULT,
		  { SYS_personality, ~0L },
		  FINE,
		  FINE },
		{ "read nowhere",
		  DEFAULT,
		  { SYS_read, -1, 0, 0 },
		  EBADF,
		  EBADF },
		{ "chmod", STRICT, { SYS_chmod, PATH, 0640 }, FINE, FINE },
		{ "open",
		  STRICT,
		  { SYS_openat, AT_FDCWD, PATH, O_RDONLY },
		  FINE,
		  FINE },
		{ "tcp",
		  STRICT,
		  { SYS_socket, AF_INET, SOCK_STREAM, 0 },
		  FINE,
		  FINE },
		{ "unix",
		  STRICT,
		  { SYS_socket, HIGH | AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC },
		  FINE,
		  FINE },
		{ "netlink",
		  DEFAULT,
		  { SYS_socket, AF_NETLINK, SOCK_RAW, 0 },
		  FINE,
		  FINE },
		{ "map code",
		  STRICT,
		  { SYS_mmap, 0, 4096, MAP_EXEC },
		  FINE,
		  FINE },
		{ "floor: write", FLOOR, { SYS_write, -1 }, EBADF, EBADF },
	};

	(void)state;
	check(attempts, COUNT(attempts));
}

static void arguments_are_looked_at(void **state)
{
	const struct attempt attempts[] = {
		{ "TIOCSTI",
		  DEFAULT,
		  { SYS_ioctl, -1, TIOCSTI },
		  EPERM,
		  EBADF },
		{ "TIOCSTI, high half",
		  DEFAULT,
		  { SYS_ioctl, -1, HIGH | TIOCSTI },
		  EPERM,
		  EBADF },
		{ "TIOCLINUX",
		  STRICT,
		  { SYS_ioctl, -1, HIGH | TIOCLINUX },
		  EPERM,
		  EBADF },
		{ "floor: TIOCSTI",
		  FLOOR,
		  { SYS_ioctl, -1, HIGH | TIOCSTI },
		  EPERM,
		  EBADF },
		{ "keep: truncate",
		  KEEP,
		  { SYS_truncate, PATH, 0 },
		  EACCES,
		  FINE },
		{ "keep: empty while reading",
		  KEEP,
		  { SYS_openat, AT_FDCWD, PATH, HIGH | O_TRUNC },
		  EACCES,
		  FINE },
		{ "keep: empty with both bits",
		  KEEP,
		  { SYS_openat, AT_FDCWD, PATH, O_TRUNC | O_WRONLY | O_RDWR },
		  EACCES,
		  FINE },
		{ "keep: empty while writing",
		  KEEP,
		  { SYS_openat, AT_FDCWD, PATH, O_TRUNC | O_WRONLY },
		  FINE,
		  FINE },
		{ "other ioctl",
		  DEFAULT,
		  { SYS_ioctl, -1, TCGETS },
		  EBADF,
		  EBADF },
		{ "set-uid", DEFAULT, { SYS_chmod, PATH, 04755 }, EPERM, FINE },
		{ "set-gid",
		  STRICT,
		  { SYS_fchmodat, AT_FDCWD, PATH, HIGH | 02755 },
		  EPERM,
		  FINE },
		{ "create set-uid",
		  DEFAULT,
		  { SYS_openat, AT_FDCWD, NOWHERE, O_CREAT, 04755 },
		  EPERM,
		  ENOENT },
		{ "create",
		  DEFAULT,
		  { SYS_openat, AT_FDCWD, NOWHERE, O_CREAT, 0755 },
		  ENOENT,
		  ENOENT },
		{ "open, any mode",
		  DEFAULT,
		  { SYS_openat, AT_FDCWD, NOWHERE, O_RDWR, 04755 },
		  ENOENT,
		  ENOENT },
		{ "whiteout",
		  DEFAULT,
		  { SYS_mknod, NOWHERE, S_IFCHR },
		  EPERM,
		  ENOENT },
		{ "fifo",
		  DEFAULT,
		  { SYS_mknod, NOWHERE, S_IFIFO | 0600 },
		  ENOENT,
		  ENOENT },
		{ "AF_ALG",
		  DEFAULT,
		  { SYS_socket, AF_ALG, SOCK_SEQPACKET, 0 },
		  EAFNOSUPPORT,
		  ANYTHING },
		{ "AF_VSOCK",
		  DEFAULT,
		  { SYS_socket, AF_VSOCK, SOCK_STREAM },
		  EAFNOSUPPORT,
		  ANYTHING },
		{ "MPTCP",
		  DEFAULT,
		  { SYS_socket, AF_INET, SOCK_STREAM, 262 },
		  EPROTONOSUPPORT,
		  ANYTHING },
		{ "netfilter",
		  DEFAULT,
		  { SYS_socket, AF_NETLINK, SOCK_RAW, 12 },
		  EPROTONOSUPPORT,
		  ANYTHING },
		{ "strict: netlink",
		  STRICT,
		  { SYS_socket, AF_NETLINK, SOCK_RAW, 0 },
		  EAFNOSUPPORT,
		  FINE },
	};

	(void)state;
	check(attempts, COUNT(attempts));
}

static void our_own_processes_are_held(void **state)
{
	const struct attempt attempts[] = {
		{ "guard: getpid", GUARD, { SYS_getpid }, FINE, FINE },
		{ "guard: fork", GUARD, { SYS_clone, SIGCHLD }, FINE, FINE },
		{ "guard: old fork", GUARD, { SYS_fork }, FINE, FINE },
		{ "guard: open_tree",
		  GUARD,
		  { 428, -1, 0, -1 },
		  EPERM,
		  EINVAL },
		{ "guard: code",
		  GUARD,
		  { SYS_mmap, 0, 4096, MAP_EXEC },
		  EPERM,
		  FINE },
		{ "guard: connect", GUARD, { SYS_connect, -1 }, EBADF, EBADF },
		{ "guard: exec", GUARD, { SYS_execve }, EPERM, EFAULT },
		{ "guard: socket",
		  GUARD,
		  { SYS_socket, AF_UNIX, SOCK_STREAM },
		  EPERM,
		  FINE },
		{ "guard: ptrace", GUARD, { SYS_ptrace, 0 }, EPERM, FINE },
		{ "guard: tty",
		  GUARD,
		  { SYS_ioctl, -1, TCGETS },
		  EPERM,
		  EBADF },
		{ "guard: device",
		  GUARD,
		  { SYS_mknodat, AT_FDCWD, NOWHERE, S_IFCHR },
		  EPERM,
		  ENOENT },
	};

	(void)state;
	check(attempts, COUNT(attempts));
}

static void x32_is_killed(void **state)
{
	(void)state;
	for (int id = DEFAULT; id <= GUARD; id++) {
		const struct attempt attempt = {
			"x32",
			(enum plan_seccomp_id)id,
			{ X32 | SYS_getpid },
			KILLED,
			ANYTHING,
		};

		check(&attempt, 1);
	}
}

static long call_i386(long nr)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(nr), "b"(0L), "c"(0L), "d"(0L)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void i386_is_killed(void **state)
{
	(void)state;
	for (int id = DEFAULT; id <= GUARD; id++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			if (load((enum plan_seccomp_id)id, 0))
				_exit(NOT_LOADED);
			call_i386(20 /* getpid */);
			_exit(FINE);
		}
		assert_int_equal(collect(pid), KILLED);
	}
}

/* Serves one notification, as the guard does: with EXDEV. */
static int serve_one(int listener, int expected_nr)
{
	struct seccomp_notif request = { 0 };
	struct seccomp_notif_resp answer = { 0 };

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
		return -1;
	answer.id = request.id;
	answer.error = request.data.nr == expected_nr ? -EXDEV : -EIO;
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

/* Runs under the filters: each call that fails otherwise than expected has
 * its number in the exit status. */
static int make_names(void)
{
	if (open(file, O_RDONLY) < 0)
		return 1;
	if (open("/nonexistent/x", O_CREAT, 04755) >= 0 || errno != EPERM)
		return 2; /* refused by default, so never notified */
	if (mknod(file, S_IFCHR, 0) == 0 || errno != EPERM)
		return 3;
	if (syscall(437, AT_FDCWD, file, NULL, 0) >= 0 || errno != ENOSYS)
		return 4;
	if (mkdir(file, 0700) == 0 || errno != EXDEV)
		return 5;
	if (connect(-1, NULL, 0) == 0 || errno != EXDEV)
		return 6;
	if (bind(-1, NULL, 0) == 0 || errno != EXDEV)
		return 7;
	return 0;
}

/* The same where refusals are told. */
static int be_refused(void)
{
	if (open("/nonexistent/x", O_CREAT, 04755) >= 0 || errno != EXDEV)
		return 11;
	if (syscall(SYS_mount, 0, 0, 0, 0, 0) == 0 || errno != EXDEV)
		return 12;
	if (syscall(SYS_clone3, 0, 0) >= 0 || errno != ENOSYS)
		return 13;
	if (unlink("/nonexistent/x") == 0 || errno != EXDEV)
		return 14;
	if (connect(-1, NULL, 0) == 0 || errno != EXDEV)
		return 15;
	return getppid() > 0 ? 0 : 16;
}

/* A command under @notify, of which @calls are notified, in that order. */
static int guard_and_child(const struct plan_filter *notify, int (*act)(void),
			   const int *calls)
{
	int listener, status;
	pid_t pid;

	listener = load_filter(notify, SECCOMP_FILTER_FLAG_NEW_LISTENER);
	if (listener < 0)
		return NOT_LOADED;
	pid = fork();
	if (!pid)
		_exit(act());
	alarm(20); /* a notification that nobody expected */
	for (; pid > 0 && *calls >= 0; calls++)
		if (serve_one(listener, *calls))
			return 99;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 98;
	return WEXITSTATUS(status);
}

static void creating_calls_reach_the_listener(void **state)
{
	const int calls[] = { SYS_mkdir, SYS_connect, SYS_bind, -1 };
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		_exit(load(DEFAULT, 0) ? NOT_LOADED
				       : guard_and_child(plan_seccomp_notify(0),
							 make_names, calls));
	assert_int_equal(collect(pid), 0);
}

static void refusals_reach_the_listener(void **state)
{
	const int calls[] = { SYS_openat, SYS_mount, SYS_unlink, SYS_connect,
			      -1 };
	AUTO_ARENA arena = { 0 };
	struct plan plan = { .explain = true,
			     .seccomp = *plan_seccomp_find(DEFAULT) };
	struct err err;
	pid_t pid;

	(void)state;
	assert_int_equal(plan_seccomp_choose(&arena, &plan, &err), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(guard_and_child(&plan.notify, be_refused, calls));
	assert_int_equal(collect(pid), 0);
}

static int make_file(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_box_is_refused),
		cmocka_unit_test(the_box_works),
		cmocka_unit_test(arguments_are_looked_at),
		cmocka_unit_test(our_own_processes_are_held),
		cmocka_unit_test(x32_is_killed),
		cmocka_unit_test(i386_is_killed),
		cmocka_unit_test(creating_calls_reach_the_listener),
		cmocka_unit_test(refusals_reach_the_listener),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
