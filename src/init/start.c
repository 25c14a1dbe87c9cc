/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init/start.c - from box init to the command
 *
 * Runs in:  box init, then in the process it makes, until exec.
 * Trusts:   the plan.
 * Must not: reach exec by any way but through all steps.
 *
 * Box init restricts itself with Landlock first and makes the command then:
 * one domain holds both, so Landlock lets the guard in box init look at the
 * command, and what it does for the command it cannot do beyond the domain.
 */
#include "init/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
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

	if (stat(path, &st) < 0)
		return false;
	if (S_ISREG(st.st_mode) && faccessat(AT_FDCWD, path, X_OK, 0) == 0)
		return true;
	*sys = EACCES;
	return false;
}

/* Where the command lies, in the tree that the box sees. */
static int find_program(const char *name, char *const *environ_,
			bool only_system, char out[PATH_MAX], struct err *err)
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
			       "'%s' cannot be executed in the box%s", name,
			       only_system ? ", which executes nothing that it "
					     "can write (exec.only_system)"
					   : "");
	return err_set(err, ERR_NOT_FOUND, "'%s' was not found in the box%s",
		       name, strchr(name, '/') ? "" : " on PATH");
}

static _Noreturn void command_main(const struct init_start *start)
{
	const struct plan *plan = start->plan;
	char program[PATH_MAX];
	struct err err;

	if (find_program(start->argv[0], plan->environ, plan->exec.only_system,
			 program, &err) < 0 ||
	    enforce_apply(ENFORCE_COMMAND, plan, start->box, &err) < 0)
		init_fail(start, &err);
	(void)execve(program, start->argv, plan->environ);
	err_sys(&err, "execute '%s'", program);
	err.kind = err.sys == ENOENT ? ERR_NOT_FOUND : ERR_NOT_EXECUTABLE;
	init_fail(start, &err);
}

int init_start_command(const struct init_start *start,
		       struct init_children *out, struct err *err)
{
	int listeners[2] = { -1, -1 }, release[2];

	*out = (struct init_children){ .listeners = -1, .release = -1 };
	if (pipe2(release, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, listeners) <
		    0)
		return err_sys(err, "connect the command");
	if (enforce_apply(ENFORCE_SHARED, start->plan, start->box, err) < 0)
		return -1;
	start->box->release = release[0];
	start->box->guard = listeners[1];
	out->command = fork();
	if (out->command < 0)
		return err_sys(err, "start the command");
	if (out->command == 0) {
		(void)close(release[1]);
		fd_close(&listeners[0]);
		command_main(start);
	}
	fd_close(&start->box->release);
	fd_close(&start->box->guard);
	out->release = release[1];
	out->listeners = listeners[0];
	return 0;
}
