/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init/init.c - PID 1 of every box
 *
 * Runs in:  the first process of the box's namespaces.
 * Trusts:   frames from the supervisor; nothing that runs in the box. No
 *           signal from inside reaches it, as it handles none.
 * Must not: read anything that the box writes, or outlive the command.
 */
#include "init/init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environ.h"
#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "guard/guard.h"
#include "init/start.h"
#include "plan/plan.h"
#include "wire/frame.h"

enum { EXIT_SETUP = 125 };

struct init {
	const struct init_start *start;
	struct init_children children;
	struct guard *guard; /* NULL until the box stands */
	int listener;
	int probe; /* see guard_know_sockets() */
	int *programs; /* see guard_programs_open() */
	struct frame_exited exited;
	bool done;
};

static void send_frame(const struct init *init, enum frame_type type,
		       const void *payload, size_t n)
{
	const struct frame frame = { .type = type, .payload = payload, .n = n };
	unsigned char buf[FRAME_HEAD + sizeof(struct frame_exited)];
	size_t size = frame_format(&frame, buf, sizeof(buf));
	struct err err;

	/* If the supervisor is gone, so is this process in a moment. */
	if (size)
		(void)fd_send(init->start->box->control, buf, size, NULL, 0,
			      &err);
}

static uint64_t microseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

static void add_usage(struct init *init, const struct rusage *usage)
{
	init->exited.user_us += microseconds(&usage->ru_utime);
	init->exited.system_us += microseconds(&usage->ru_stime);
	if ((uint64_t)usage->ru_maxrss > init->exited.max_rss_kib)
		init->exited.max_rss_kib = (uint64_t)usage->ru_maxrss;
}

static void child_changed(struct init *init, pid_t pid, int status)
{
	if (pid == init->children.command && WIFSTOPPED(status)) {
		uint32_t sig = (uint32_t)WSTOPSIG(status);

		send_frame(init, FRAME_STOPPED, &sig, sizeof(sig));
	} else if (pid == init->children.command) {
		init->exited.status = (uint32_t)status;
		init->done = true;
	} else if (init->guard && !WIFSTOPPED(status)) {
		guard_child_ended(init->guard, pid);
	}
}

static void reap(struct init *init)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while (!init->done &&
	       (pid = wait4(-1, &status, WNOHANG | WUNTRACED, &usage)) > 0) {
		if (!WIFSTOPPED(status))
			add_usage(init, &usage);
		child_changed(init, pid, status);
	}
}

/* What a terminal would send to a group is sent to the group. */
static void forward_signal(const struct init *init, uint32_t sig)
{
	pid_t command = init->children.command;

	switch (sig) {
	case SIGSTOP:
	case SIGCONT:
		(void)kill(-1, (int)sig);
		break;
	case SIGINT:
	case SIGQUIT:
	case SIGHUP:
	case SIGTSTP:
	case SIGWINCH:
		if (kill(-command, (int)sig) == 0)
			break;
		(void)kill(command, (int)sig);
		break;
	default:
		(void)kill(command, (int)sig);
		break;
	}
}

static void receive(struct init *init)
{
	unsigned char buf[FRAME_HEAD + 64];
	size_t fds = 0;
	struct frame frame;
	uint32_t value;
	ssize_t n = fd_recv(init->start->box->control, buf, sizeof(buf), NULL,
			    &fds);

	/* The supervisor is gone, or does not speak our language. */
	if (n <= 0 || frame_parse(buf, (size_t)n, &frame) < 0 ||
	    frame.n != sizeof(value))
		_exit(EXIT_SETUP);
	memcpy(&value, frame.payload, sizeof(value));
	if (frame.type == FRAME_SIGNAL && value > 0 && value < 65)
		forward_signal(init, value);
}

static void serve_guard(struct init *init, short events)
{
	struct err err;

	/* Without it nothing is judged: the box must not go on. At its end
	 * (POLLHUP) nobody is left who could ask. */
	if (events & POLLIN && guard_serve(init->guard, &err) < 0)
		_exit(EXIT_SETUP);
	if (!(events & POLLIN))
		fd_close(&init->listener);
}

static void serve(struct init *init, int signals, int mounts)
{
	reap(init);
	while (!init->done) {
		struct pollfd polls[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = init->start->box->control, .events = POLLIN },
			{ .fd = mounts, .events = POLLPRI },
			{ .fd = init->listener, .events = POLLIN },
		};
		struct signalfd_siginfo info;
		int n = poll(polls, 4, guard_timeout_ms(init->guard));

		if (n < 0 && errno != EINTR)
			_exit(EXIT_SETUP);
		if (n == 0)
			guard_check(init->guard);
		if (polls[3].revents)
			serve_guard(init, polls[3].revents);
		if (polls[0].revents) {
			(void)!read(signals, &info, sizeof(info));
			reap(init);
		}
		if (polls[1].revents)
			receive(init);
		if (polls[2].revents)
			send_frame(init, FRAME_MOUNTS, &(uint32_t){ 0 },
				   sizeof(uint32_t));
	}
	init->exited.lost = guard_lost(init->guard);
	send_frame(init, FRAME_EXITED, &init->exited, sizeof(init->exited));
}

static int block_signals(struct err *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_sys(err, "block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "open a signal descriptor");
	return fd;
}

/* Tells when the mount table of the box changes; -1 if nothing depends on it.
 * It is polled once here, as the first answer is about the past. */
static int watch_mounts(const struct plan *plan, struct err *err)
{
	struct pollfd first = { .events = POLLPRI };

	if (!plan->watches.n)
		return -1;
	first.fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (first.fd < 0)
		return err_sys(err, "watch the mounts");
	(void)poll(&first, 1, 0);
	return first.fd;
}

/* Descriptors of the caller that are none of the box's business. */
static void close_others(const struct init_start *start)
{
	int limit = start->box->control > start->errors ? start->box->control
							: start->errors;

	for (size_t i = 0; i < start->box->pass_fds_n; i++) {
		if (start->box->pass_fds[i] > limit)
			limit = start->box->pass_fds[i];
	}
	for (int fd = 3; fd <= limit; fd++) {
		bool keep = fd == start->box->control || fd == start->errors;

		for (size_t i = 0; i < start->box->pass_fds_n; i++)
			keep |= fd == start->box->pass_fds[i];
		if (!keep)
			(void)close(fd);
	}
	(void)syscall(SYS_close_range, (unsigned int)limit + 1, ~0U, 0);
}

/* From the supervisor: the maps are written; and, with a filtered network,
 * that it is served. */
static void wait_for_go(const struct init_start *start)
{
	size_t fds = 0;
	char byte;

	if (fd_recv(start->box->control, &byte, 1, NULL, &fds) != 1)
		_exit(EXIT_SETUP);
}

/*
 * What the supervisor needs to mount again in this namespace what the host
 * replaced, and the terminal: see run_launch().
 */
static void send_descriptors(const struct init_start *start)
{
	struct box *box = start->box;
	int fds[4];
	size_t n = 0;
	struct err err;

	if (start->plan->watches.n) {
		fds[n++] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
		fds[n++] = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
		fds[n++] = box->masks;
		if (fds[0] < 0 || fds[1] < 0) {
			err_sys(&err, "open the namespaces of the box");
			init_fail(start, &err);
		}
	}
	if (box->pty_master >= 0)
		fds[n++] = box->pty_master;
	if (n && fd_send(box->control, "D", 1, fds, n, &err) < 0)
		init_fail(start, &err);
	for (size_t i = 0; i < n; i++)
		(void)close(fds[i]);
	if (start->plan->watches.n)
		box->masks = -1;
	box->pty_master = -1;
}

/* The command has sent it, or has said on the pipe why it could not. */
static void await_listener(struct init *init)
{
	size_t n = 1;
	char byte;

	if (fd_recv(init->children.listeners, &byte, 1, &init->listener, &n) !=
		    1 ||
	    n != 1)
		_exit(EXIT_SETUP);
	fd_close(&init->children.listeners);
}

static int open_guard(struct init *init, struct err *err)
{
	const struct init_start *start = init->start;

	await_listener(init);
	init->guard = guard_new(init->listener, start->box->control,
				start->plan, err);
	if (!init->guard)
		return -1;
	guard_know_sockets(init->guard, start->box->private_dev, init->probe);
	guard_know_programs(init->guard, init->programs);
	return 0;
}

/* After the command was started: nothing more is needed of the host. */
static void settle(struct init *init)
{
	const struct init_start *start = init->start;
	struct err err;

	fd_close(&start->box->pty_slave);
	for (int fd = 0; fd < 3; fd++)
		(void)close(fd);
	/* Caged it can make none. */
	init->probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (init->probe < 0) {
		err_sys(&err, "make a socket for the guard");
		init_fail(start, &err);
	}
	if (enforce_init_cage(&err) < 0 || open_guard(init, &err) < 0) {
		err_wrap(&err, "cage box init");
		init_fail(start, &err);
	}
	if (start->plan->network == POLICY_MODE_FILTERED)
		wait_for_go(start);
	if (fd_write_all(init->children.release, "i", 1, &err) < 0) {
		err_wrap(&err, "cage box init");
		init_fail(start, &err);
	}
	fd_close(&init->children.release);
	(void)close(start->errors);
}

_Noreturn void init_main(const struct init_start *start)
{
	struct init init = { .start = start, .listener = -1, .probe = -1 };
	struct err err;
	int signals, mounts;

	close_others(start);
	wait_for_go(start);
	if (guard_programs_open(start->plan, &init.programs, &err) < 0 ||
	    enforce_apply(ENFORCE_BOX, start->plan, start->box, &err) < 0)
		init_fail(start, &err);
	send_descriptors(start);
	signals = block_signals(&err);
	mounts = watch_mounts(start->plan, &err);
	if (signals < 0 || (mounts < 0 && start->plan->watches.n) ||
	    init_start_command(start, &init.children, &err) < 0)
		init_fail(start, &err);
	environ_forget();
	settle(&init);
	serve(&init, signals, mounts);
	_exit(0);
}
