/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/strict.c - judges objects and names against denied patterns
 *
 * Runs in:  the guard.
 * Trusts:   the plan, and the kernel for the path of what is held open.
 * Must not: judge a path that the caller wrote: links lead elsewhere. What
 *           counts is where the object lies that will be opened.
 *
 * A name that is denied must not become another one: neither it nor a
 * directory above it is renamed so that a pattern no longer matches, and no
 * second name is given to it. The guard does all renames of the box, one by
 * one, so between judging and acting only the host can move things.
 */
#include "guard/strict.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "guard/place.h"
#include "guard/report.h"
#include "guard/state.h"
#include "plan/patterns.h"
#include "plan/plan.h"

/* What the kernel puts behind the path of a file that is gone. */
static const char gone[] = " (deleted)";

static bool is_strict(const struct call *call)
{
	return call->guard->plan->patterns.n > 0;
}

static int refuse(const struct call *call, const struct plan_pattern *pattern,
		  enum frame_act act, const char *path)
{
	const struct report told = {
		.act = act,
		.by = FRAME_BY_PATTERN,
		.rule = (size_t)(pattern - call->guard->plan->patterns.v),
		.text = path,
		.n = strlen(path),
	};

	report_denied(call, &told);
	return -EACCES;
}

int strict_judge_object(const struct call *call, int fd, bool write)
{
	const struct plan *plan = call->guard->plan;
	const struct plan_pattern *pattern;
	char path[PATH_MAX + sizeof(gone)];
	size_t n;

	if (!is_strict(call))
		return 0;
	n = report_path(call, fd, path, sizeof(path));
	/* A path that is too long to be told is not known. */
	if (!n || n == sizeof(path) - 1)
		return -EACCES;
	if (path[0] != '/')
		return 0; /* a pipe, a socket: no name of a file */
	pattern = plan_pattern_find(plan, path, write);
	/* It may be its name, or that of a file which is held open still. */
	if (!pattern && n > sizeof(gone) &&
	    !strcmp(path + n - (sizeof(gone) - 1), gone)) {
		path[n - (sizeof(gone) - 1)] = '\0';
		pattern = plan_pattern_find(plan, path, write);
	}
	return pattern ? refuse(call, pattern, write ? FRAME_WRITE : FRAME_READ,
				path)
		       : 0;
}

static int path_of(const struct call *call, const struct place *place,
		   char *out, size_t room)
{
	return report_place(call, place, out, room) ? 0 : -EACCES;
}

static bool exists(const struct place *place, struct stat *st)
{
	return fstatat(place->dir, place->name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

int strict_judge_name(const struct call *call, const struct place *place,
		      enum frame_act act, bool new)
{
	const struct plan_pattern *pattern;
	char path[PATH_MAX + NAME_MAX];
	struct stat st;
	int failed;

	if (!is_strict(call) || place_is_dots(place))
		return 0;
	failed = path_of(call, place, path, sizeof(path));
	if (failed)
		return failed;
	pattern = plan_pattern_find(call->guard->plan, path, true);
	if (!pattern)
		return 0;
	return new &&exists(place, &st) ? -EEXIST
					: refuse(call, pattern, act, path);
}

int strict_judge_move(const struct call *call, const struct place *from,
		      const struct place *to)
{
	const struct plan_pattern *lost;
	char old[PATH_MAX + NAME_MAX], new[PATH_MAX + NAME_MAX];
	struct stat st;
	int failed;

	if (!is_strict(call))
		return 0;
	failed = strict_judge_name(call, from, FRAME_REMOVE, false);
	if (!failed)
		failed = strict_judge_name(call, to, FRAME_CREATE, false);
	if (failed || !exists(from, &st) || !S_ISDIR(st.st_mode))
		return failed;
	failed = path_of(call, from, old, sizeof(old));
	if (!failed)
		failed = path_of(call, to, new, sizeof(new));
	if (failed)
		return failed;
	lost = plan_pattern_lost(call->guard->plan, old, new);
	return lost ? refuse(call, lost, FRAME_REMOVE, old) : 0;
}
