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
 * second name is given to it. Nor does anything that was made under another
 * name become a denied one. The guard does all renames of the box, one by
 * one, so between judging and acting only the host can move things.
 */
#include "guard/strict.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "guard/place.h"
#include "guard/report.h"
#include "guard/state.h"
#include "plan/patterns.h"
#include "plan/plan.h"

enum {
	NAMES_MAX = 4096, /* of a directory that is renamed into a pattern */
	DEPTH_MAX = 64,
};

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

/*
 * Is a link called @to one that leads past a pattern? What lies behind it has
 * another real path, by which it may be written, and whoever on the host goes
 * by the link finds it where the pattern denies it.
 */
static const struct plan_pattern *find_bypass(const struct plan *plan,
					      const char *to)
{
	char parent[PATH_MAX + NAME_MAX];
	size_t n = (size_t)(strrchr(to, '/') - to);

	memcpy(parent, to, n);
	(void)snprintf(parent + n, sizeof(parent) - n, "%s", n ? "" : "/");
	return plan_pattern_gained(plan, parent, to);
}

int strict_judge_link(const struct call *call, const struct place *to, bool new)
{
	const struct plan_pattern *pattern;
	char path[PATH_MAX + NAME_MAX];
	struct stat st;
	int failed;

	if (!is_strict(call) || place_is_dots(to))
		return 0;
	failed = path_of(call, to, path, sizeof(path));
	if (failed)
		return failed;
	pattern = find_bypass(call->guard->plan, path);
	if (!pattern)
		return 0;
	return new &&exists(to, &st)
		       ? -EEXIST
		       : refuse(call, pattern, FRAME_CREATE, path);
}

int strict_judge_second(const struct call *call, const struct place *from,
			const struct place *to)
{
	struct stat st;

	if (!is_strict(call) || !exists(from, &st) || !S_ISLNK(st.st_mode))
		return 0;
	return strict_judge_link(call, to, false);
}

/* What is looked at of a directory that shall be called otherwise. */
struct content {
	const struct call *call;
	char path[PATH_MAX + NAME_MAX]; /* as it would be called */
	unsigned int left; /* how many names are still looked at */
};

static int judge_content(struct content *content, int dir, unsigned int depth);

/* One name of the directory @dir, which would be content->path[0..n]. */
static int judge_entry(struct content *content, int dir, size_t n,
		       const char *name, unsigned int depth)
{
	const struct plan *plan = content->call->guard->plan;
	size_t room = sizeof(content->path) - n;
	const struct plan_pattern *pattern;
	AUTO_CLOSE int below = -1;
	struct stat st;

	if (!content->left-- ||
	    (size_t)snprintf(content->path + n, room, "/%s", name) >= room ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -EACCES;
	pattern = plan_pattern_find(plan, content->path, true);
	if (!pattern && S_ISLNK(st.st_mode))
		pattern = find_bypass(plan, content->path);
	if (pattern)
		return refuse(content->call, pattern, FRAME_CREATE,
			      content->path);
	if (!S_ISDIR(st.st_mode))
		return 0;
	below = openat(dir, name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return below < 0 ? -EACCES : judge_content(content, below, depth + 1);
}

static int judge_content(struct content *content, int dir, unsigned int depth)
{
	size_t n = strlen(content->path);
	int copy = depth > DEPTH_MAX ? -1 : fcntl(dir, F_DUPFD_CLOEXEC, 0);
	DIR *names = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int failed = 0;

	if (!names) {
		fd_close(&copy);
		return -EACCES;
	}
	while (!failed && (entry = readdir(names))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			failed = judge_entry(content, dir, n, entry->d_name,
					     depth);
		content->path[n] = '\0';
	}
	(void)closedir(names);
	return failed;
}

/*
 * The directory @from shall be called @new, below which more is denied: is
 * anything of that in it? The guard makes all names of the box, so there is
 * nothing more in it when it is renamed.
 */
static int judge_gain(const struct call *call, const struct place *from,
		      const struct plan_pattern *gained, const char *new)
{
	struct content content = { .call = call, .left = NAMES_MAX };
	AUTO_CLOSE int dir =
		openat(from->dir, from->name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int failed;

	call->guard->told = false;
	(void)snprintf(content.path, sizeof(content.path), "%s", new);
	failed = dir < 0 ? -EACCES : judge_content(&content, dir, 0);
	/* What could not be looked at is told by the directory. */
	if (failed && !call->guard->told)
		(void)refuse(call, gained, FRAME_CREATE, new);
	return failed;
}

static int judge_directory(const struct call *call, const struct place *from,
			   const struct place *to)
{
	const struct plan *plan = call->guard->plan;
	const struct plan_pattern *pattern;
	char old[PATH_MAX + NAME_MAX], new[PATH_MAX + NAME_MAX];
	int failed = path_of(call, from, old, sizeof(old));

	if (!failed)
		failed = path_of(call, to, new, sizeof(new));
	if (failed)
		return failed;
	pattern = plan_pattern_lost(plan, old, new);
	if (pattern)
		return refuse(call, pattern, FRAME_REMOVE, old);
	pattern = plan_pattern_gained(plan, old, new);
	return pattern ? judge_gain(call, from, pattern, new) : 0;
}

int strict_judge_move(const struct call *call, const struct place *from,
		      const struct place *to)
{
	struct stat st;
	int failed;

	if (!is_strict(call))
		return 0;
	failed = strict_judge_name(call, from, FRAME_REMOVE, false);
	if (!failed)
		failed = strict_judge_name(call, to, FRAME_CREATE, false);
	if (failed || !exists(from, &st))
		return failed;
	if (S_ISLNK(st.st_mode))
		return strict_judge_link(call, to, false);
	return S_ISDIR(st.st_mode) ? judge_directory(call, from, to) : 0;
}
