/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/tell.c - what a box is refused, and what it uses
 *
 * Runs in:  the guard and its children.
 * Trusts:   nothing: what is told is for people, and for policies that people
 *           look at.
 * Must not: change what a call does or gives.
 */
#include "guard/tell.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "guard/place.h"
#include "guard/report.h"
#include "guard/state.h"
#include "guard/target.h"
#include "guard/walk.h"
#include "plan/explain.h"
#include "plan/plan.h"

/* What was told already, by its hash. A path that is lost to another with the
 * same hash would be one in 2^40 runs. */
enum { SEEN_MAX = 64 * 1024, PROBES = 16 };

struct seen {
	uint64_t v[SEEN_MAX]; /* 0: free */
};

int tell_init(struct guard *guard)
{
	if (!guard->plan->learn)
		return 0;
	guard->seen = calloc(1, sizeof(*guard->seen));
	return guard->seen ? 0 : -1;
}

void tell_done(struct guard *guard)
{
	free(guard->seen);
	guard->seen = NULL;
}

static uint64_t hash(const char *text, size_t n, unsigned int act)
{
	uint64_t h = 0xcbf29ce484222325U ^ act;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3U;
	return h ? h : 1;
}

/* Is it new? Where there is no room it is, each time: twice told is better
 * than never. */
static bool is_new(struct seen *seen, uint64_t h)
{
	for (size_t i = 0; i < PROBES; i++) {
		uint64_t *at = &seen->v[(h + i) % SEEN_MAX];

		if (*at == h)
			return false;
		if (!*at) {
			*at = h;
			return true;
		}
	}
	return true;
}

static void tell_path(const struct call *call, enum frame_act act,
		      const char *path, size_t n)
{
	const struct report used = { .act = act, .text = path, .n = n };

	if (is_new(call->guard->seen, hash(path, n, act)))
		report_used(call, &used);
}

/* Directories are told with a slash behind them. */
static void tell_file(const struct call *call, enum frame_act act, int fd,
		      bool dir)
{
	char path[PATH_MAX + 1];
	size_t n = report_path(call, fd, path, PATH_MAX);

	if (path[0] != '/')
		return; /* a pipe, a socket */
	if (dir && n > 1)
		path[n++] = '/';
	tell_path(call, act, path, n);
}

void tell_opened(const struct call *call, const struct target *target, int fd)
{
	/* No rule of a policy is about procfs, which every box has its own
	 * of; a file without a name comes to be where it gets one. */
	if (!call->guard->seen || target->proc >= 0 || target->child ||
	    target->flags & TARGET_TMPFILE)
		return;
	tell_file(call,
		  target_is_written(target->flags) ? FRAME_WRITE : FRAME_READ,
		  fd, S_ISDIR(target->st.st_mode));
}

void tell_written(const struct call *call, int fd)
{
	if (call->guard->seen)
		tell_file(call, FRAME_WRITE, fd, false);
}

static void tell_place(const struct call *call, enum frame_act act,
		       const struct place *place, bool dir)
{
	char path[PATH_MAX + NAME_MAX + 2];
	size_t n;

	if (!call->guard->seen || place_is_dots(place))
		return;
	n = report_place(call, place, path, sizeof(path) - 1);
	if (!n || path[0] != '/')
		return;
	if (dir)
		path[n++] = '/';
	tell_path(call, act, path, n);
}

void tell_made(const struct call *call, const struct place *place, bool dir)
{
	tell_place(call, FRAME_CREATE, place, dir);
}

void tell_removed(const struct call *call, const struct place *place, bool dir)
{
	tell_place(call, FRAME_REMOVE, place, dir);
}

/*
 * EBUSY is what a mount says to who would remove or rename it, and here mounts
 * are protections. Who may not have O_NOATIME opens again without.
 */
static bool is_refusal(int failed, const struct tell_path *path)
{
	if (failed == -EPERM)
		return !(path->flags & O_NOATIME);
	return failed == -EACCES || failed == -EROFS ||
	       (failed == -EBUSY && path->act == FRAME_REMOVE);
}

static size_t read_real(const struct call *call, const struct tell_path *path,
			char *out, size_t room)
{
	AUTO_CLOSE int base = -1;
	char asked[PATH_MAX];

	if (caller_read_path(&call->caller, path->addr, asked) < 0 || !asked[0])
		return 0;
	if (asked[0] != '/')
		base = caller_open_dir(&call->caller, path->dirfd);
	if (asked[0] != '/' && base < 0)
		return 0;
	return walk_real(call, asked[0] == '/' ? call->guard->root : base,
			 asked, path->follow, out, room);
}

/* What an open that was refused would have done. */
static enum frame_act open_act(const struct call *call, int flags,
			       const char *path)
{
	struct stat st;

	if (flags & TARGET_TMPFILE)
		return FRAME_CREATE;
	if (flags & O_CREAT &&
	    /* Not by "/", for which libc may take an older call. */
	    fstatat(call->guard->root, path + 1, &st, AT_SYMLINK_NOFOLLOW) <
		    0 &&
	    errno == ENOENT)
		return FRAME_CREATE;
	return target_is_written(flags) ? FRAME_WRITE : FRAME_READ;
}

void tell_refused(const struct call *call, int failed,
		  const struct tell_path *v, int n)
{
	const struct plan *plan = call->guard->plan;
	struct report told = { .by = FRAME_BY_RULE };
	/* What a minimal view does not show is not there. */
	const bool absent = plan->learn && failed == -ENOENT;
	char path[2 * PATH_MAX];

	if (!(plan->explain || plan->learn) || call->guard->told || !n ||
	    (!absent && !is_refusal(failed, &v[0])))
		return;
	/* Of two paths, the one that the plan keeps; else the first. */
	for (int i = n - 1; i >= 0; i--) {
		told.act = v[i].act;
		told.n = read_real(call, &v[i], path, sizeof(path));
		if (told.n && plan_explain_access(plan, path) != PLAN_WRITE)
			break;
	}
	if (!told.n ||
	    (absent && plan_explain_access(plan, path) != PLAN_HIDDEN))
		return;
	if (v[0].act == FRAME_READ)
		told.act = open_act(call, v[0].flags, path);
	told.text = path;
	report_denied(call, &told);
}
