/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/events.c - opens what the events of a run are written to
 *
 * Runs in:  the caller's process, before the box is made.
 * Trusts:   the command line and the policy.
 * Must not: write where the command could: it would make up events of its own.
 */
#include "cmd/events.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "cmd/prepare.h"
#include "event/audit.h"
#include "event/sink.h"
#include "plan/explain.h"
#include "policy/format.h"

const char *events_audit_dir(struct arena *arena, const char *state_dir)
{
	return path_join(arena, state_dir, "audit");
}

int events_check_apart(const char *option, int fd, const struct host_args *host,
		       struct err *err)
{
	struct stat a, b;

	for (size_t i = 0; i < host->fds_n; i++) {
		int commands = host->fds[i];

		if (fstat(fd, &a) < 0 || fstat(commands, &b) < 0)
			return err_sys(err, "look at descriptor %d", fd);
		if (fd == commands ||
		    (a.st_dev == b.st_dev && a.st_ino == b.st_ino))
			return err_set(err, ERR_USAGE,
				       "--%s: descriptor %d is one that the "
				       "command has (its %d)",
				       option, fd, commands);
	}
	return 0;
}

static int open_audit(struct arena *arena, const struct host_args *host,
		      struct prepared *prepared, struct event_sink *sink,
		      struct err *err)
{
	const struct policy_scalar *on_error =
		&prepared->policy.policy.audit_on_error;
	const char *dir = events_audit_dir(arena, prepared->context.state_dir);
	bool made;

	sink->audit_must = on_error->number == POLICY_ON_ERROR_STOP;
	if (event_audit_make(dir, &made, err) < 0) {
		if (sink->audit_must)
			return err_wrap(
				err,
				"the audit log cannot be written "
				"('audit.on_error: stop', %s)",
				policy_origin_format(arena, &on_error->origin));
		sink->audit_err = *err;
		sink->unaudited = 1;
		return 0;
	}
	sink->audit = dir;
	/* What was not there when the plan was made is not hidden by it. */
	return made ? prepare_plan(arena, host, NULL, prepared, err) : 0;
}

/* Private directories are the box's own: what has the same name on the host is
 * not reached. */
static int check_out_of_reach(struct arena *arena, const struct plan *plan,
			      const char *file, const char *path,
			      struct err *err)
{
	struct plan_verdict verdict;

	plan_explain_path(arena, plan, path, true, &verdict);
	if (!verdict.allowed || (verdict.rule && verdict.rule->write_key &&
				 !strcmp(verdict.rule->write_key, "private")))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--events: '%s' lies where the command can write (%s): "
		       "choose another place",
		       file, verdict.reason);
}

/* The directory that @file lies in, as a descriptor and by its real path. */
static int open_parent(struct arena *arena, const char *file, int *out,
		       const char **out_path, struct err *err)
{
	const char *slash = strrchr(file, '/');
	const char *parent =
		slash ? arena_strndup(arena, file, (size_t)(slash - file) + 1)
		      : ".";
	char link[40], path[PATH_MAX];
	ssize_t n;

	*out = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*out < 0)
		return err_sys(err, "--events: open '%s'", parent);
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", *out);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return err_sys(err, "--events: find '%s'", parent);
	*out_path = arena_strndup(arena, path, (size_t)n);
	return 0;
}

static int open_file(struct arena *arena, const struct host_args *host,
		     const char *file, const struct plan *plan, int *out,
		     struct err *err)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	AUTO_CLOSE int dir = -1, fd = -1;
	const char *parent;
	struct stat st;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return err_set(err, ERR_USAGE, "--events: '%s' is no file",
			       file);
	if (open_parent(arena, file, &dir, &parent, err) < 0 ||
	    check_out_of_reach(arena, plan, file,
			       path_join(arena, parent, name), err) < 0)
		return -1;
	fd = openat(dir, name,
		    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
			    O_NOCTTY | O_CLOEXEC,
		    0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, "--events: open '%s'", file);
	if (S_ISREG(st.st_mode) && st.st_nlink > 1)
		return err_set(err, ERR_USAGE,
			       "--events: '%s' has %lu names, and the command "
			       "may be able to write one of them",
			       file, (unsigned long)st.st_nlink);
	if (events_check_apart("events", fd, host, err) < 0)
		return -1;
	*out = fd_take(&fd);
	return 0;
}

int events_open(struct arena *arena, const struct host_args *host,
		const char *file, struct prepared *prepared,
		struct event_sink *sink, struct err *err)
{
	if (file &&
	    open_file(arena, host, file, &prepared->plan, &sink->file, err) < 0)
		return -1;
	return open_audit(arena, host, prepared, sink, err);
}
