/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/protect.c - judges a place against the plan, and reports
 *
 * Runs in:  the guard.
 * Trusts:   the plan.
 * Must not: remember anything. A directory on the way to an absent path may be
 *           made, moved and made again, by the box or by the host; each time
 *           the question is where the directory of the call lies now. The
 *           guard does all renames of the box, one by one, so it stays there
 *           until the call is done.
 */
#include "guard/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/judge.h"
#include "guard/place.h"
#include "guard/report.h"
#include "guard/state.h"
#include "plan/plan.h"
#include "wire/frame.h"

enum { DEPTH_MAX = 64 };

static void report(const struct call *call, const struct place *place,
		   size_t absent)
{
	struct report told = { .act = FRAME_CREATE,
			       .by = FRAME_BY_ABSENT,
			       .rule = absent };
	char where[PATH_MAX];

	told.text = where;
	told.n = report_path(call, place->dir, where, sizeof(where));
	report_denied(call, &told);
}

static bool same_id(const struct facts_id *a, const struct facts_id *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

static bool has_id(int fd, const struct facts_id *id)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == id->ino &&
	       st.st_dev == id->dev;
}

/* Is nothing, or no directory, at the end of the names? */
static bool leads_nowhere(int sys)
{
	return sys == ENOENT || sys == ENOTDIR || sys == ELOOP;
}

/*
 * Is @place the directory that lies @depth names below the one where the
 * absent path hangs? From there the names must lead to it, and no link. What
 * cannot be found out counts as yes: the box can take the search permission
 * off its directories, and lower the limit of descriptors of this process.
 */
static bool lies_at(const struct place *place, const struct plan_absent *absent,
		    size_t depth)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS };
	AUTO_CLOSE int top = -1;
	AUTO_CLOSE int down = -1;
	char up[3 * DEPTH_MAX + 1] = "";
	char prefix[PATH_MAX];

	if (!depth)
		return same_id(&place->id, &absent->parent);
	if (depth > DEPTH_MAX ||
	    judge_prefix(absent, depth, prefix, sizeof(prefix)) < 0)
		return true;
	for (size_t i = 0; i < depth; i++)
		memcpy(up + 3 * i, "../", 4);
	top = openat(place->dir, up, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return true;
	if (!has_id(top, &absent->parent))
		return false;
	down = (int)syscall(SYS_openat2, top, prefix, &how, sizeof(how));
	return down < 0 ? !leads_nowhere(errno) : has_id(down, &place->id);
}

static bool forbids(const struct plan_absent *absent, const struct place *place,
		    const struct judge_name *name, unsigned int how)
{
	bool last = false;
	size_t depth = judge_depth(absent, name, 0, &last);

	for (; depth != JUDGE_NOWHERE;
	     depth = judge_depth(absent, name, depth + 1, &last)) {
		/* On the way, only a directory that is empty: nothing is in it
		 * that was not judged. */
		if (!last && how & PROTECT_MKDIR)
			continue;
		if (lies_at(place, absent, depth))
			return true;
	}
	return false;
}

int protect_judge(const struct call *call, const struct place *place,
		  unsigned int how)
{
	const struct plan_absents *absents = &call->guard->plan->absents;
	struct judge_name name;
	struct stat st;

	judge_name_init(&name, place->name, place->len);
	for (size_t i = 0; i < absents->n; i++) {
		if (absents->v[i].action == PLAN_ABSENT_NOTICE ||
		    !forbids(&absents->v[i], place, &name, how))
			continue;
		if (how & PROTECT_NEW && fstatat(place->dir, place->name, &st,
						 AT_SYMLINK_NOFOLLOW) == 0)
			return -EEXIST;
		report(call, place, i);
		return -EACCES;
	}
	return 0;
}

void protect_notice(const struct call *call, const struct place *place)
{
	const struct plan_absents *absents = &call->guard->plan->absents;
	const struct facts_id anywhere = { 0 };
	struct judge_name name;

	judge_name_init(&name, place->name, place->len);
	for (size_t i = 0; i < absents->n; i++) {
		const struct plan_absent *absent = &absents->v[i];

		if (absent->action == PLAN_ABSENT_NOTICE &&
		    (same_id(&absent->parent, &anywhere) ||
		     same_id(&absent->parent, &place->id)) &&
		    judge_name_is(&name, absent->name, strlen(absent->name)))
			report(call, place, i);
	}
}
