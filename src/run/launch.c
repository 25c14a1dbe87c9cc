/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/launch.c - from a plan to a running box
 *
 * Runs in:  the supervisor, with the user's rights and no threads.
 * Trusts:   the plan.
 * Must not: let the command start before every step has held: between parent
 *           and child there is one "go", and one error or end of file back.
 */
#include "run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "init/init.h"
#include "plan/plan.h"
#include "run/run.h"

enum { EXIT_SETUP = 125 };

#ifndef CLONE_CLEAR_SIGHAND
#define CLONE_CLEAR_SIGHAND 0x100000000ULL
#endif

int run_check_streams(struct err *err)
{
	static const char *const names[] = { "input", "output", "error" };

	for (int fd = 0; fd < 3; fd++) {
		struct stat st;

		if (fstat(fd, &st) < 0)
			return err_set(err, ERR_USAGE,
				       "standard %s is closed; open it, for "
				       "example on /dev/null",
				       names[fd]);
		if (S_ISDIR(st.st_mode))
			return err_set(err, ERR_USAGE,
				       "standard %s is a directory, through "
				       "which the command could leave the box",
				       names[fd]);
	}
	return 0;
}

static int check_passed(const struct run_request *request, struct err *err)
{
	for (size_t i = 0; i < request->pass_fds_n; i++) {
		int fd = request->pass_fds[i];
		struct stat st;

		if (fd < 3 || fstat(fd, &st) < 0)
			return err_set(err, ERR_USAGE,
				       "descriptor %d cannot be passed: it is "
				       "not open, or a standard stream",
				       fd);
		if (S_ISDIR(st.st_mode))
			return err_set(err, ERR_USAGE,
				       "descriptor %d is a directory, through "
				       "which the command could leave the box",
				       fd);
	}
	return 0;
}

/* With 3 no process may read another, and the guard has to read the paths of
 * its callers: every call that makes a name would fail. */
static int check_yama(struct err *err)
{
	AUTO_CLOSE int fd = -1;
	char value = '0';

	fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &value, 1) != 1 || value != '3')
		return 0;
	return err_set(err, ERR_HOST,
		       "kernel.yama.ptrace_scope is 3, with which what the "
		       "command does cannot be judged; set it to 2 or less in "
		       "/etc/sysctl.d and boot");
}

static int explain_clone(struct err *err)
{
	bool inside = getenv("CORDON_SANDBOX") != NULL;

	switch (errno) {
	case ENOSYS:
	case EPERM:
	case EACCES:
		return err_set(err, ERR_HOST,
			       "user_namespaces: this process may not make "
			       "them (%s); %s",
			       strerror(errno),
			       inside ? "it is inside a box already, where no "
					"box can be made"
				      : "run `cordon doctor` for the reason "
					"and the remedy");
	case ENOSPC:
	case EUSERS:
		return err_set(err, ERR_HOST,
			       "user_namespaces: the limit of namespaces is "
			       "reached or zero; raise "
			       "user.max_user_namespaces");
	default:
		return err_sys(err, "make the namespaces");
	}
}

static pid_t make_namespaces(const struct plan *plan, int *pidfd)
{
	struct clone_args args = {
		.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID |
			 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP |
			 CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
		.pidfd = (uintptr_t)pidfd,
		.exit_signal = SIGCHLD,
	};

	if (plan->network != POLICY_MODE_HOST)
		args.flags |= CLONE_NEWNET;
	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static int write_proc(int dir, const char *name, const char *text,
		      struct err *err)
{
	AUTO_CLOSE int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		return err_sys(err, "write %s of box init", name);
	return 0;
}

/* The user is the same inside: one uid and one gid, mapped onto themselves. */
static int map_ids(pid_t pid, const struct plan *plan, struct err *err)
{
	AUTO_CLOSE int dir = -1;
	char path[32], uid[32], gid[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	snprintf(uid, sizeof(uid), "%u %u 1", plan->uid, plan->uid);
	snprintf(gid, sizeof(gid), "%u %u 1", plan->gid, plan->gid);
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(err, "open '%s'", path);
	if (write_proc(dir, "setgroups", "deny", err) < 0 ||
	    write_proc(dir, "uid_map", uid, err) < 0 ||
	    write_proc(dir, "gid_map", gid, err) < 0)
		return -1;
	return 0;
}

/* End of file: every step held and the command was executed. */
static int await_exec(int errors, struct err *err)
{
	struct err reported;
	ssize_t n = fd_read_all(errors, &reported, sizeof(reported));

	if (n == 0)
		return 0;
	if (n != (ssize_t)sizeof(reported))
		return err_set(err, ERR_SYS,
			       "box init ended without saying why");
	reported.msg[sizeof(reported.msg) - 1] = '\0';
	*err = reported;
	return -1;
}

/* Sent by send_descriptors() of box init. */
static int await_descriptors(struct run_box *box, const struct plan *plan,
			     struct err *err)
{
	bool terminal =
		box->terminals[0] || box->terminals[1] || box->terminals[2];
	size_t wanted = (plan->watches.n ? 3U : 0U) + (terminal ? 1U : 0U);
	size_t n = 4, at = 0;
	int fds[4];
	char byte;

	if (!wanted)
		return 0;
	if (fd_recv(box->control, &byte, 1, fds, &n) != 1 || n != wanted)
		return err_set(err, ERR_SYS,
			       "the box did not send its descriptors");
	if (plan->watches.n) {
		box->namespaces[0] = fds[at++];
		box->namespaces[1] = fds[at++];
		box->masks = fds[at++];
	}
	if (terminal)
		box->terminal = fds[at];
	return 0;
}

/* Is box init still there? Its death before exec is a failure of set-up. */
static int check_alive(const struct run_box *box, struct err *err)
{
	siginfo_t info = { 0 };

	if (waitid(P_PIDFD, (id_t)box->pidfd, &info,
		   WEXITED | WNOHANG | WNOWAIT) < 0)
		return err_sys(err, "look at box init");
	if (info.si_pid && info.si_code != CLD_EXITED)
		return err_set(err, ERR_SYS,
			       "box init was killed by signal %d while it set "
			       "the box up",
			       info.si_status);
	return 0;
}

static void destroy(struct run_box *box)
{
	siginfo_t info;

	/* The namespace dies with its first process. */
	(void)kill(box->pid, SIGKILL);
	run_network_stop(&box->network);
	while (waitid(P_PID, (id_t)box->pid, &info, WEXITED) < 0 &&
	       errno == EINTR)
		;
	output_close(&box->output);
	fd_close(&box->terminal);
	fd_close(&box->control);
	fd_close(&box->pidfd);
}

/* What the network ends in serves before the command may start. */
static int start_network(struct run_box *box, const struct plan *plan,
			 int errors, struct err *err)
{
	int result;

	if (plan->network != POLICY_MODE_FILTERED)
		return 0;
	result = run_network_start(plan, box->control, &box->network, err);
	if (result < 0)
		return -1;
	if (result == 0 && fd_send(box->control, "E", 1, NULL, 0, err) == 0)
		return 0;
	/* The box has failed and says why; or waits for a word that will not
	 * come. */
	fd_close(&box->control);
	return await_exec(errors, err) < 0
		       ? -1
		       : err_set(err, ERR_SYS,
				 "the sockets of the box could not be taken "
				 "over");
}

static int prepare(struct run_box *box, const struct plan *plan, int errors,
		   struct err *err)
{
	if (map_ids(box->pid, plan, err) < 0 ||
	    fd_send(box->control, "G", 1, NULL, 0, err) < 0 ||
	    start_network(box, plan, errors, err) < 0 ||
	    await_exec(errors, err) < 0 || check_alive(box, err) < 0 ||
	    await_descriptors(box, plan, err) < 0)
		return -1;
	return 0;
}

/* What the command writes goes where the supervisor reads. */
static void take_outputs(const int inside[3])
{
	for (int fd = 1; fd < 3; fd++) {
		if (inside[fd] >= 0 && dup2(inside[fd], fd) < 0)
			_exit(EXIT_SETUP);
	}
}

static void close_outputs(int inside[3])
{
	if (inside[2] == inside[1])
		inside[2] = -1;
	fd_close(&inside[1]);
	fd_close(&inside[2]);
}

int run_launch(const struct run_request *request, struct run_box *out,
	       struct err *err)
{
	AUTO_CLOSE int errors = -1;
	int pair[2], pipes[2], outputs[3], result;
	struct run_box box = { .pidfd = -1,
			       .control = -1,
			       .terminal = -1,
			       .namespaces = { -1, -1 },
			       .masks = -1 };

	if (check_passed(request, err) < 0 || check_yama(err) < 0 ||
	    run_network_bind(request->plan, &box.network, err) < 0)
		return -1;
	for (int fd = 0; fd < 3; fd++)
		box.terminals[fd] = isatty(fd);
	if (output_open(request->plan, box.terminals, &box.output, outputs,
			err) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ||
	    pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(err, "connect to the box");
	box.pid = make_namespaces(request->plan, &box.pidfd);
	if (box.pid == 0) {
		struct box inside = {
			.control = pair[1],
			.masks = -1,
			.pty_master = -1,
			.pty_slave = -1,
			.guard = -1,
			.release = -1,
			.pass_fds = request->pass_fds,
			.pass_fds_n = request->pass_fds_n,
		};

		memcpy(inside.terminal, box.terminals, sizeof(inside.terminal));
		(void)close(pair[0]);
		(void)close(pipes[0]);
		take_outputs(outputs);
		init_main(&(struct init_start){ .plan = request->plan,
						.box = &inside,
						.argv = request->argv,
						.errors = pipes[1] });
	}
	errors = pipes[0];
	box.control = pair[0];
	result = box.pid < 0 ? explain_clone(err) : 0;
	(void)close(pair[1]);
	(void)close(pipes[1]);
	close_outputs(outputs);
	if (result == 0) {
		result = prepare(&box, request->plan, errors, err);
		if (result < 0)
			destroy(&box);
	} else {
		output_close(&box.output);
		fd_close(&box.control);
		run_network_stop(&box.network);
	}
	if (result == 0)
		*out = box;
	return result;
}
