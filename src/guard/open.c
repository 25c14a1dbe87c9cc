/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/open.c - open(2) and truncate(2), for a caller
 *
 * Runs in:  the guard; what may block runs in a child of it.
 * Trusts:   nothing: the name may become another file, a link or nothing
 *           between any two lines.
 * Must not: create what was not judged.
 *
 * A name that is there is looked at through an O_PATH descriptor, and that
 * very object is opened. A name that is not there is created with O_EXCL. If
 * it has appeared or gone meanwhile, it is looked at again.
 */
#include "guard/open.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/lookup.h"
#include "guard/perform.h"
#include "guard/place.h"
#include "guard/protect.h"
#include "guard/state.h"
#include "guard/strict.h"
#include "guard/target.h"
#include "guard/tell.h"
#include "guard/walk.h"

enum { TRIES_MAX = 64 };

static int create(const struct call *call, const struct place *place, int flags,
		  mode_t mode)
{
	int fd = perform_umask(call);

	if (fd < 0)
		return fd;
	fd = openat(place->dir, place->name,
		    flags | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC,
		    mode & 01777);
	if (fd < 0)
		return -errno;
	protect_notice(call, place);
	tell_made(call, place, false);
	return fd;
}

/*
 * The name is a link: what it leads to, as an O_PATH descriptor where that is
 * an object of procfs; else @place has moved and is to be looked at again.
 */
static int follow(const struct call *call, struct place *place, int flags)
{
	int fd;

	if (flags & O_NOFOLLOW)
		return -ELOOP;
	fd = place_follow(call, place);
	if (fd != PLACE_MAGIC)
		return fd < 0 ? fd : -EAGAIN;
	fd = openat(place->dir, place->name, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* In another procfs the guard does not know itself. */
static bool is_other_proc(const struct target *target)
{
	return target->st.st_dev != target->place->id.dev &&
	       walk_is_proc(target->fd);
}

/* The name exists, and @fd is an O_PATH descriptor of it. */
static int open_found(const struct call *call, struct place *place, int fd,
		      int flags, mode_t mode)
{
	AUTO_CLOSE int object = -1;
	struct target target = { .fd = fd,
				 .place = place,
				 .flags = flags,
				 .mode = mode & 01777,
				 .proc = -1 };
	int failed;

	if (fstat(fd, &target.st) < 0)
		return -errno;
	if (S_ISLNK(target.st.st_mode)) {
		object = follow(call, place, flags);
		if (object < 0)
			return object;
		if (fstat(object, &target.st) < 0)
			return -errno;
		target.fd = object;
	} else if (place->mode & S_ISVTX && target_is_written(flags)) {
		/* Judged, so it may be made again if it is gone by now. */
		failed = perform_umask(call);
		if (failed)
			return failed;
		target.by_name = true;
	}
	target.child = target.st.st_dev == call->guard->proc_dev;
	if (!target.child && is_other_proc(&target))
		return -EACCES;
	failed = strict_judge_object(call, target.fd, target_is_written(flags));
	return failed ? failed : target_open(call, &target);
}

/* May the name come into being, or be written to as if it had? */
static int judge(const struct call *call, const struct place *place, int flags)
{
	int failed =
		protect_judge(call, place, flags & O_EXCL ? PROTECT_NEW : 0);

	return failed ? failed
		      : strict_judge_name(call, place, FRAME_CREATE,
					  flags & O_EXCL);
}

/* One look at the name; -EAGAIN if it has to be looked at again. */
static int try_open(const struct call *call, struct place *place, int flags,
		    mode_t mode)
{
	AUTO_CLOSE int fd = -ENOENT;
	int failed = 0;

	/* As the kernel says it: only "." and ".." are seen to exist. */
	if (place_has_slash(place))
		return flags & O_EXCL && place_is_dots(place) ? -EEXIST
							      : -EISDIR;
	if (!(flags & O_EXCL))
		fd = openat(place->dir, place->name,
			    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1 && errno != ENOENT)
		return -errno;
	if (fd < 0)
		failed = judge(call, place, flags);
	else if (target_is_written(flags))
		failed = protect_judge(call, place, 0);
	if (failed)
		return failed;
	if (fd >= 0)
		return open_found(call, place, fd, flags, mode);
	fd = create(call, place, flags, mode);
	if (fd == -EEXIST && !(flags & O_EXCL))
		return -EAGAIN;
	return fd < 0 ? fd : call_answer_fd(call, fd_take(&fd), flags);
}

static int open_or_create(const struct call *call, int flags, mode_t mode)
{
	AUTO_PLACE place = { .dir = -1 };
	int failed =
		place_find(call, (int)call->args[0], call->args[1], &place);

	if (failed)
		return failed;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	for (int i = 0; i < TRIES_MAX; i++) {
		failed = try_open(call, &place, flags, mode);
		if (failed != -EAGAIN)
			return failed;
	}
	return -EEXIST;
}

/* A file without a name, in a directory. */
static bool is_tmpfile(int flags)
{
	return flags & TARGET_TMPFILE;
}

static int open_existing(const struct call *call, int flags, mode_t mode)
{
	AUTO_LOOKUP found = LOOKUP_INIT;
	struct target target = { .flags = flags, .mode = mode & 01777 };
	int failed = lookup_find(call, (int)call->args[0], call->args[1], flags,
				 &found);

	if (failed)
		return failed;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	if (is_tmpfile(flags))
		failed = perform_umask(call);
	else
		failed = strict_judge_object(call, found.fd,
					     target_is_written(flags));
	if (failed)
		return failed;
	target.fd = found.fd;
	target.st = found.st;
	target.proc = found.proc ? found.dir : -1;
	target.child = found.proc && found.own;
	return target_open(call, &target);
}

/* What the kernel finds wrong with the flags before it looks at the path. */
static bool is_nonsense(int flags)
{
	if (flags & O_CREAT)
		return flags & (O_DIRECTORY | TARGET_TMPFILE);
	return is_tmpfile(flags) &&
	       (!(flags & O_DIRECTORY) || (flags & TARGET_ACCESS) == O_RDONLY);
}

int open_perform(const struct call *call)
{
	int flags = (int)call->args[2];
	mode_t mode = (mode_t)call->args[3];

	/* A descriptor of O_PATH cannot be handed over, so the filter lets such
	 * a call through, with O_CREAT too, which it ignores. */
	if (flags & O_PATH || is_nonsense(flags))
		return -EINVAL;
	return flags & O_CREAT ? open_or_create(call, flags, mode)
			       : open_existing(call, flags, mode);
}

/* A file grows as far as the caller's own limit lets it. */
static int check_limit(const struct call *call, const struct stat *st)
{
	uint64_t length = call->args[2];
	int tgid;

	if (length <= (uint64_t)st->st_size ||
	    length <= caller_read_file_limit(&call->caller))
		return 0;
	tgid = caller_tgid(&call->caller);
	if (tgid > 0)
		(void)syscall(SYS_tgkill, tgid, call->caller.tid, SIGXFSZ);
	return -EFBIG;
}

int open_truncate(const struct call *call)
{
	AUTO_LOOKUP found = LOOKUP_INIT;
	AUTO_CLOSE int file = -1;
	char name[16];
	int failed;

	if ((int64_t)call->args[2] < 0)
		return -EINVAL;
	failed =
		lookup_find(call, (int)call->args[0], call->args[1], 0, &found);
	if (failed)
		return failed;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	/* As the kernel says it. */
	if (S_ISDIR(found.st.st_mode))
		return -EISDIR;
	if (!S_ISREG(found.st.st_mode) || found.proc)
		return -EINVAL;
	failed = strict_judge_object(call, found.fd, true);
	if (!failed)
		failed = check_limit(call, &found.st);
	if (failed)
		return failed;
	(void)snprintf(name, sizeof(name), "%d", found.fd);
	file = openat(call->guard->self_fd, name,
		      O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	if (ftruncate(file, (off_t)call->args[2]) < 0)
		return -errno;
	tell_written(call, file);
	return 0;
}
