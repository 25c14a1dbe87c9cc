/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/lookup.c - which object a path means
 *
 * Runs in:  the guard.
 * Trusts:   nothing: path and file system may change at any time. What is
 *           found is a descriptor, and what is judged is that descriptor.
 * Must not: take what the kernel finds on procfs for the guard, where "self"
 *           is the guard, for what the caller means.
 *
 * Nearly every path is found by one call of the kernel's. Only what ends on
 * procfs, or fails where procfs may have a part in it, is walked by hand.
 */
#include "guard/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/place.h"
#include "guard/state.h"
#include "guard/walk.h"

enum { BY_HAND = 1 };

void lookup_done(struct lookup *lookup)
{
	fd_close(&lookup->fd);
	fd_close(&lookup->dir);
}

/* The root's device is never procfs, nor is one with a number. */
static bool is_proc(const struct call *call, const struct lookup *found)
{
	return found->st.st_dev != call->guard->root_dev &&
	       major(found->st.st_dev) == 0 && walk_is_proc(found->fd);
}

static int find_fast(const struct call *call, int base, int flags,
		     struct lookup *out)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC |
			 ((unsigned int)flags & (O_NOFOLLOW | O_DIRECTORY)),
		.resolve = RESOLVE_NO_MAGICLINKS,
	};
	int failed;

	out->fd = (int)syscall(SYS_openat2, base, out->path, &how, sizeof(how));
	if (out->fd < 0) {
		failed = -errno;
		return failed == -ELOOP || walk_may_be_proc(base, out->path)
			       ? BY_HAND
			       : failed;
	}
	if (fstat(out->fd, &out->st) < 0)
		return -errno;
	if (!is_proc(call, out))
		return 0;
	fd_close(&out->fd);
	return BY_HAND;
}

/* With slashes at its end it is a directory, and every link is followed. */
static int find_directory(const struct call *call, int base, struct lookup *out)
{
	struct walk_way way = { .may_be_own = true };

	out->fd = walk_path(call, base, out->path, &way);
	if (out->fd < 0)
		return out->fd;
	out->own = way.own;
	return 0;
}

/* What the link that @place names leads to, if that is no path. */
static int open_magic(const struct place *place, struct lookup *out)
{
	/* For everybody else it is closed. */
	if (place->way.own)
		return -EACCES;
	fd_close(&out->fd);
	out->fd = openat(place->dir, place->name, O_PATH | O_CLOEXEC);
	if (out->fd < 0)
		return -errno;
	/* Where that lies in procfs nobody knows. */
	out->own = true;
	return 0;
}

static int find_name(const struct call *call, struct place *place, int flags,
		     struct lookup *out)
{
	for (;;) {
		int failed;

		/* A link whose text ends in a slash: to a directory. */
		if (place_has_slash(place)) {
			out->fd = walk_path(call, place->dir, place->name,
					    &place->way);
			out->own = place->way.own;
			return out->fd < 0 ? out->fd : 0;
		}
		out->fd = openat(place->dir, place->name,
				 O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (out->fd < 0 || fstat(out->fd, &out->st) < 0)
			return -errno;
		out->own = place->way.own;
		if (!S_ISLNK(out->st.st_mode) || flags & O_NOFOLLOW)
			return 0;
		failed = place_follow(call, place);
		if (failed == PLACE_MAGIC)
			return open_magic(place, out);
		fd_close(&out->fd);
		if (failed < 0)
			return failed;
	}
}

static int find_by_hand(const struct call *call, int base, int flags,
			struct lookup *out)
{
	AUTO_PLACE place = { .dir = -1, .way.may_be_own = true };
	size_t n = strlen(out->path);
	int failed;

	if (out->path[n - 1] == '/') {
		failed = find_directory(call, base, out);
	} else {
		memcpy(place.text, out->path, n + 1);
		failed = place_find_from(call, base, &place);
		if (!failed)
			failed = find_name(call, &place, flags, out);
	}
	if (failed)
		return failed;
	if (fstat(out->fd, &out->st) < 0)
		return -errno;
	if (flags & O_DIRECTORY && !S_ISDIR(out->st.st_mode))
		return -ENOTDIR;
	out->proc = is_proc(call, out);
	/* In another procfs the guard does not know itself. */
	if (out->proc && out->st.st_dev != call->guard->proc_dev)
		return -EACCES;
	if (S_ISDIR(out->st.st_mode) &&
	    out->st.st_ino == call->guard->self_id.ino)
		out->own = true;
	if (out->proc)
		out->dir = fd_take(&place.dir);
	return 0;
}

int lookup_find(const struct call *call, int dirfd, uint64_t addr, int flags,
		struct lookup *out)
{
	AUTO_CLOSE int caller = -1;
	int base = call->guard->root;
	int failed = caller_read_path(&call->caller, addr, out->path);

	if (failed)
		return failed;
	if (!out->path[0])
		return -ENOENT;
	if (out->path[0] != '/') {
		base = caller = caller_open_dir(&call->caller, dirfd);
		if (base < 0)
			return base;
	}
	failed = strncmp(out->path, "/proc/", 6) != 0
			 ? find_fast(call, base, flags, out)
			 : BY_HAND;
	return failed == BY_HAND ? find_by_hand(call, base, flags, out)
				 : failed;
}
