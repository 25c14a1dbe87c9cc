/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init/start.c - from box init to the guard and the command
 *
 * Runs in:  box init, then in the processes it makes, until exec.
 * Trusts:   the plan.
 * Must not: reach exec by any way but through all steps.
 *
 * The guard restricts itself with Landlock first and makes the command then:
 * one domain holds both, so Landlock lets the guard look at the command, and
 * what the guard does for the command it cannot do beyond the domain. The
 * command is a child of box init all the same (CLONE_PARENT).
 */
#include "init/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "guard/guard.h"
#include "init/init.h"
#include "plan/plan.h"

enum { EXIT_SETUP = 125 };

_Noreturn void init_fail(const struct init_start *start, const struct err *err)
{
	/* Nobody is left to tell if this fails. */
	(void)!write(start->errors, err, sizeof(*err));
	_exit(EXIT_SETUP);
}

static const char *path_of(char *const *environ_)
{
	for (; *environ_; environ_++) {
		if (!strncmp(*environ_, "PATH=", 5))
			return *environ_ + 5;
	}
	return "/usr/local/bin:/usr/bin:/bin";
}

static bool is_program(const char *path, int *sys)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		if (errno == EACCES)
			*sys = EACCES;
		return false;
	}
	if (S_ISREG(st.st_mode) && faccessat(AT_FDCWD, path, X_OK, 0) == 0)
		return true;
	*sys = EACCES;
	return false;
}

/* Where the command lies, in the tree that the box sees. */
static int find_program(const char *name, char *const *environ_,
			char out[PATH_MAX], struct err *err)
{
	const char *path = path_of(environ_);
	int sys = ENOENT;

	if (strchr(name, '/')) {
		if ((size_t)snprintf(out, PATH_MAX, "%s", name) < PATH_MAX &&
		    is_program(name, &sys))
			return 0;
		path = "";
	}
	while (*path) {
		int len = (int)strcspn(path, ":");
		int n = snprintf(out, PATH_MAX, "%.*s/%s", len ? len : 1,
				 len ? path : ".", name);

		if (n > 0 && n < PATH_MAX && is_program(out, &sys))
			return 0;
		path += len;
		path += *path == ':';
	}
	err->sys = sys;
	if (sys == EACCES)
		return err_set(err, ERR_NOT_EXECUTABLE,
			       "'%s' cannot be executed in the box", name);
	return err_set(err, ERR_NOT_FOUND, "'%s' was not found in the box%s",
		       name, strchr(name, '/') ? "" : " on PATH");
}

static _Noreturn void command_main(const struct init_start *start)
{
	const struct plan *plan = start->plan;
	char program[PATH_MAX];
	struct err err;

	if (find_program(start->argv[0], plan->environ, program, &err) < 0 ||
	    enforce_apply(ENFORCE_COMMAND, plan, start->box, &err) < 0)
		init_fail(start, &err);
	(void)execve(program, start->argv, plan->environ);
	err_sys(&err, "execute '%s'", program);
	err.kind = err.sys == ENOENT ? ERR_NOT_FOUND : ERR_NOT_EXECUTABLE;
	init_fail(start, &err);
}

/* A copy of this process whose parent is ours, for CLONE_PARENT. */
static pid_t fork_sibling(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL,
			      NULL, 0);
}

/* Descriptors that only the command or box init need. */
static void guard_close(const struct init_start *start)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++)
		(void)dup2(null, fd);
	fd_close(&null);
	fd_close(&start->box->pty_slave);
	fd_close(&start->box->pty_master);
	fd_close(&start->box->masks);
}

/* What the processes that are started talk over; see init_start_command(). */
struct channels {
	int commands[2]; /* guard to box init: the command's pid */
	int listeners[2]; /* command to guard: the filter's listener */
	int release[2]; /* box init and guard to command */
};

static _Noreturn void guard_main(const struct init_start *start,
				 struct channels *c)
{
	size_t n = 1;
	int listener;
	char byte;
	pid_t command;
	struct err err;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) {
		err_sys(&err, "tie the guard to box init");
		init_fail(start, &err);
	}
	if (enforce_apply(ENFORCE_SHARED, start->plan, start->box, &err) < 0)
		init_fail(start, &err);
	command = fork_sibling();
	if (command == 0) {
		fd_close(&c->release[1]);
		command_main(start);
	}
	if (command < 0) {
		err_sys(&err, "start the command");
		init_fail(start, &err);
	}
	fd_close(&c->listeners[1]);
	fd_close(&c->release[0]);
	guard_close(start);
	if (fd_write_all(c->commands[1], &command, sizeof(command), &err) < 0 ||
	    enforce_guard_cage(&err) < 0)
		init_fail(start, &err);
	fd_close(&c->commands[1]);
	if (fd_recv(c->listeners[0], &byte, 1, &listener, &n) != 1 || n != 1)
		_exit(EXIT_SETUP); /* the command has said why */
	fd_close(&c->listeners[0]);
	if (fd_write_all(c->release[1], "g", 1, &err) < 0)
		init_fail(start, &err);
	fd_close(&c->release[1]);
	(void)close(start->errors);
	_exit(guard_serve(listener, start->box->control, &start->plan->absents,
			  &err) < 0);
}

static int start_with_guard(const struct init_start *start, struct channels *c,
			    struct init_children *out, struct err *err)
{
	ssize_t got;

	if (pipe2(c->commands, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
		       c->listeners) < 0)
		return err_sys(err, "connect the guard");
	start->box->guard = c->listeners[1];
	start->box->releases = 2;
	out->guard = fork();
	if (out->guard < 0)
		return err_sys(err, "start the guard");
	if (out->guard == 0) {
		fd_close(&c->commands[0]);
		guard_main(start, c);
	}
	fd_close(&c->commands[1]);
	fd_close(&c->listeners[0]);
	fd_close(&c->listeners[1]);
	got = fd_read_all(c->commands[0], &out->command, sizeof(out->command));
	fd_close(&c->commands[0]);
	if (got != sizeof(out->command))
		return err_set(err, ERR_SYS, "the guard did not start");
	return 0;
}

static int start_alone(const struct init_start *start, struct channels *c,
		       struct init_children *out, struct err *err)
{
	start->box->releases = 1;
	out->command = fork();
	if (out->command < 0)
		return err_sys(err, "start the command");
	if (out->command == 0) {
		struct err failed;

		fd_close(&c->release[1]);
		if (enforce_apply(ENFORCE_SHARED, start->plan, start->box,
				  &failed) < 0)
			init_fail(start, &failed);
		command_main(start);
	}
	return 0;
}

int init_start_command(const struct init_start *start,
		       struct init_children *out, struct err *err)
{
	struct channels channels;

	*out = (struct init_children){ 0 };
	if (pipe2(channels.release, O_CLOEXEC) < 0)
		return err_sys(err, "connect the command");
	start->box->release = channels.release[0];
	out->release = channels.release[1];
	if ((start->plan->absents.n
		     ? start_with_guard(start, &channels, out, err)
		     : start_alone(start, &channels, out, err)) < 0)
		return -1;
	fd_close(&channels.release[0]);
	return 0;
}
