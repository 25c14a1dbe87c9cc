/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_GUARDLAB_BOX_H
#define CORDON_TESTS_GUARDLAB_BOX_H

/*
 * Part of guardlab.c: the box in miniature. A command under a filter that
 * notifies, and the guard that serves it, as init/ starts them in a real one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "guard/guard.h"
#include "plan/plan.h"
#include "plan/seccomp.h"
#include "wire/frame.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct lab {
	const char *scripts;
	char dir[64]; /* holds everything */
	char work[80]; /* where the commands run */
	int fuzz_seconds;
	int race_tries;
	unsigned int passed;
	unsigned int failed;
};

/* One run of a command. */
struct job {
	bool guarded;
	bool landlock; /* writes only in @cwd */
	const char *fence; /* else only below this, /dev and /proc: what it does
			    * as root must not reach the host */
	bool ptrace; /* leave the guard CAP_SYS_PTRACE */
	const char *cwd;
	const char *output; /* NULL: ours */
	const struct plan_absents *absents;
	bool opens; /* every open is the guard's, not only what creates */
	bool learn; /* plan->learn */
	int (*command)(void *arg);
	void *arg;
	unsigned int denied; /* result: frames that came */
	struct frame_told last;
	char where[512]; /* its text */
	char used[2048]; /* what was used: a line for each, act and name */
};

static void check(struct lab *lab, bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok    " : "FAILED", what);
	if (ok)
		lab->passed++;
	else
		lab->failed++;
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "guardlab: %s: %s\n", what, strerror(errno));
	_exit(99);
}

/* As a box has it, without what is not about files. */
static int install_filter(bool opens)
{
	const struct plan_filter *filter =
		plan_seccomp_notify(opens ? PLAN_NOTIFY_OPENS : 0);
	struct sock_fprog prog = {
		.len = (unsigned short)filter->n,
		.filter = (struct sock_filter *)(uintptr_t)filter->v,
	};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER |
				    SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
			    &prog);
}

static void keep_capability(bool ptrace)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };

	for (int i = 0; i <= CAP_LAST_CAP; i++)
		(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	if (syscall(SYS_capget, &head, data) < 0)
		die("capget");
	data[0].permitted &= ptrace ? 1U << CAP_SYS_PTRACE : 0;
	data[0].effective = data[0].inheritable = 0;
	memset(&data[1], 0, sizeof(data[1]));
	if (syscall(SYS_capset, &head, data) < 0)
		die("capset");
}

static bool has_ptrace(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };

	return syscall(SYS_capget, &head, data) == 0 &&
	       data[0].permitted & 1U << CAP_SYS_PTRACE;
}

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* Linux 6.2 */
#endif

static void allow_beneath(int set, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = access,
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
	};

	if (syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH,
		    &rule, 0) < 0)
		die("landlock_add_rule");
	close(rule.parent_fd);
}

/* Writing only below the directories; returns false without Landlock. */
static bool apply_landlock(const char *const *dirs)
{
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE |
				     LANDLOCK_ACCESS_FS_REMOVE_FILE |
				     LANDLOCK_ACCESS_FS_REMOVE_DIR |
				     LANDLOCK_ACCESS_FS_MAKE_SOCK |
				     LANDLOCK_ACCESS_FS_REFER |
				     LANDLOCK_ACCESS_FS_MAKE_REG |
				     LANDLOCK_ACCESS_FS_MAKE_DIR |
				     LANDLOCK_ACCESS_FS_MAKE_SYM |
				     LANDLOCK_ACCESS_FS_MAKE_FIFO,
	};
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_CREATE_RULESET_VERSION);
	int set;

	/* Before that, a file can be emptied that cannot be written. */
	if (abi < 3)
		return false;
	attr.handled_access_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	set = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (set < 0)
		return false;
	for (; *dirs; dirs++)
		allow_beneath(set, *dirs, attr.handled_access_fs);
	if (syscall(SYS_landlock_restrict_self, set, 0) < 0)
		die("landlock_restrict_self");
	close(set);
	return true;
}

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static _Noreturn void command_main(const struct job *job)
{
	if (job->output) {
		int fd = open(job->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
			die(job->output);
		close(fd);
	}
	exit(job->command(job->arg));
}

/* Installs the filter in the command and hands the listener over. */
static _Noreturn void start_command(const struct job *job, int sock)
{
	struct err err;
	int listener;

	keep_capability(false);
	listener = install_filter(job->opens);
	if (listener < 0)
		die("seccomp");
	if (fd_send(sock, "l", 1, &listener, 1, &err) < 0)
		die(err.msg);
	close(listener);
	close(sock);
	command_main(job);
}

static void reap(struct guard *guard, pid_t command, int *status)
{
	pid_t pid;
	int ended;

	while ((pid = waitpid(-1, &ended, WNOHANG)) > 0) {
		if (pid == command)
			*status = ended;
		else
			guard_child_ended(guard, pid);
	}
}

static int serve_one(struct guard *guard, struct pollfd *polls, pid_t command,
		     int *status, struct err *err)
{
	int n = poll(polls, 2, guard_timeout_ms(guard));
	struct signalfd_siginfo info;

	if (n == 0)
		guard_check(guard);
	if (polls[1].revents && read(polls[1].fd, &info, sizeof(info)) > 0)
		reap(guard, command, status);
	return polls[0].revents & POLLIN ? guard_serve(guard, err) : 0;
}

/*
 * What box init does with the guard, until nobody is left who could call. It
 * reaps meanwhile: until Linux 6.11 the kernel counts who was not.
 */
static int serve_all(int listener, int report, const struct job *job,
		     pid_t command, int *status, struct err *err)
{
	struct plan_rule all = { .path = "/", .access = PLAN_WRITE };
	const struct plan plan = { .absents = *job->absents,
				   .rules = { &all, 1 },
				   .learn = job->learn,
				   .exec.judged = job->learn };
	struct guard *guard = guard_new(listener, report, &plan, err);
	AUTO_CLOSE int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd polls[2] = { { .fd = listener, .events = POLLIN },
				   { .events = POLLIN } };
	int failed = guard ? 0 : -1;
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	polls[1].fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (polls[1].fd < 0)
		die("signalfd");
	if (guard) {
		guard_know_sockets(guard, 0, probe);
		reap(guard, command, status);
	}
	while (!failed && (polls[0].revents & (POLLIN | POLLHUP)) != POLLHUP)
		failed = serve_one(guard, polls, command, status, err);
	close(polls[1].fd);
	guard_free(guard);
	return failed;
}

static _Noreturn void guard_main(const struct job *job, int report)
{
	size_t nfds = 1;
	int listener = -1;
	struct err err;
	int socks[2];
	int before;
	int status = -1; /* not known yet */
	pid_t command;
	char c;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) < 0)
		die("socketpair");
	command = fork();
	if (command == 0) {
		close(socks[0]);
		close(report);
		start_command(job, socks[1]);
	}
	close(socks[1]);
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		die("prctl");
	if (fd_recv(socks[0], &c, 1, &listener, &nfds) <= 0 || nfds != 1)
		die("no listener");
	before = count_fds();
	if (serve_all(listener, report, job, command, &status, &err) < 0) {
		fprintf(stderr, "guardlab: guard: %s\n", err.msg);
		_exit(98);
	}
	if (count_fds() != before) {
		fprintf(stderr,
			"guardlab: guard leaks: %d descriptors, then "
			"%d\n",
			before, count_fds());
		_exit(97);
	}
	if (status == -1 && waitpid(command, &status, 0) != command)
		die("waitpid");
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

/* Of names in the working directory; the others are libraries and the like. */
static void note_used(struct job *job, const struct frame *frame)
{
	size_t at = strlen(job->used), n, skip = strlen(job->cwd);
	struct frame_told head;
	const char *text;

	frame_told_parse(frame, &head, &text, &n);
	if (n > skip && !strncmp(text, job->cwd, skip))
		(void)snprintf(job->used + at, sizeof(job->used) - at,
			       "%u %.*s\n", head.act, (int)(n - skip),
			       text + skip);
}

static void count_denied(struct job *job, int report)
{
	char buf[FRAME_TOLD_MAX];
	const char *text;
	ssize_t n;

	job->denied = 0;
	while ((n = recv(report, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
		struct frame frame;
		size_t len;

		if (frame_parse(buf, (size_t)n, &frame) < 0 ||
		    (frame.type != FRAME_DENIED && frame.type != FRAME_USED))
			die("not a frame");
		if (frame.type == FRAME_USED) {
			note_used(job, &frame);
			continue;
		}
		frame_told_parse(&frame, &job->last, &text, &len);
		(void)snprintf(job->where, sizeof(job->where), "%.*s", (int)len,
			       text);
		job->denied++;
	}
}

static bool fence_in(const struct job *job)
{
	const char *const inside[] = { job->cwd, NULL };
	const char *const lab[] = { job->fence, "/dev", "/proc", NULL };

	if (job->landlock)
		return apply_landlock(inside);
	return !job->fence || apply_landlock(lab);
}

/* The exit status of the command; 97 to 99 are the lab's own troubles. */
static int job_run(struct job *job)
{
	int report[2];
	int status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) < 0)
		die("socketpair");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(report[0]);
		if (chdir(job->cwd) < 0)
			die(job->cwd);
		keep_capability(job->ptrace && job->guarded);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
			die("no_new_privs");
		if (!fence_in(job))
			_exit(77);
		if (job->guarded)
			guard_main(job, report[1]);
		close(report[1]);
		command_main(job);
	}
	close(report[1]);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	count_denied(job, report[0]);
	close(report[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int run_argv(void *arg)
{
	char *const *argv = arg;

	execvp(argv[0], argv);
	die(argv[0]);
}

/* Runs a shell command and returns its status. */
static int __attribute__((format(printf, 1, 2))) shell(const char *format, ...)
{
	char command[768];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	return system(command);
}

/* For names that may or may not be there: the state is looked at later. */
static void try_symlink(const char *target, const char *name)
{
	if (symlink(target, name) < 0)
		return;
}

static void fresh_work(struct lab *lab)
{
	if (shell("test ! -e %s || { chmod -R u+rwX %s; rm -rf %s; }",
		  lab->work, lab->work, lab->work) != 0 ||
	    mkdir(lab->work, 0755) < 0)
		die(lab->work);
}

static struct facts_id identify(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		die(path);
	return (struct facts_id){ .dev = st.st_dev, .ino = st.st_ino };
}

#endif
