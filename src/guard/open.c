/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/open.c - open(2) with O_CREAT, for a caller
 *
 * Runs in:  the guard; what may block runs in a child of it.
 * Trusts:   nothing: the name may become another file, a link or nothing
 *           between any two lines.
 * Must not: block, create what was not judged, or give away what the kernel
 *           opens only because it is the guard that asks.
 *
 * A name that is there is looked at through an O_PATH descriptor, and that
 * very object is opened. A name that is not there is created with O_EXCL. If
 * it has appeared or gone meanwhile, it is looked at again.
 */
#include "guard/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/perform.h"
#include "guard/place.h"
#include "guard/protect.h"
#include "guard/state.h"
#include "guard/waiting.h"
#include "guard/walk.h"

enum {
	TRIES_MAX = 64,
	MEM_MAJOR = 1, /* null, zero, random, … */
	TTY_MAJOR = 5, /* tty, console, ptmx */
	PTS_MAJOR = 136,
	PTS_MAJOR_LAST = 143,
	/* __O_TMPFILE, which O_TMPFILE joins with O_DIRECTORY */
	TMPFILE_BIT = O_TMPFILE & ~O_DIRECTORY,
	/* O_ACCMODE, to which some libraries add O_PATH */
	ACCESS = O_RDONLY | O_WRONLY | O_RDWR,
	/* What fcntl(F_SETFL) can change. */
	SETTABLE = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK,
};

/* An object that exists and shall be opened. */
struct target {
	int fd; /* O_PATH; borrowed */
	const struct place *place;
	struct stat st;
	int flags; /* the caller's */
	mode_t mode;
	bool by_name; /* the kernel must see directory and name */
};

static bool may_write(int flags)
{
	return (flags & ACCESS) != O_RDONLY || flags & O_TRUNC;
}

/*
 * Opens the object that was looked at, through the descriptor. Only in a
 * sticky directory the name is given to the kernel again, with O_CREAT: its
 * rules on files of other users there (fs.protected_regular and _fifos) look
 * at both. O_NOFOLLOW keeps that to the judged name.
 */
static int open_target(const struct target *target, int fds, int extra)
{
	int flags = (target->flags & ~O_EXCL) | O_NOCTTY | O_CLOEXEC | extra;
	char name[16];
	int fd;

	if (target->by_name) {
		fd = openat(target->place->dir, target->place->name,
			    flags | O_NOFOLLOW, target->mode);
	} else {
		(void)snprintf(name, sizeof(name), "%d", target->fd);
		fd = openat(fds, name, flags & ~(O_CREAT | O_NOFOLLOW));
	}
	return fd < 0 ? -errno : fd;
}

/* In a child, which has a /proc/self of its own. */
static int open_blocking(const struct call *call, const void *what)
{
	const struct target *target = what;
	int fds;

	fds = openat(call->guard->proc, "self/fd",
		     O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fds < 0)
		return -errno;
	/* It may wait for long: hold no directory meanwhile. */
	if (!target->by_name)
		(void)close(target->place->dir);
	return open_target(target, fds, 0);
}

static int wait_and_answer(const struct call *call, const struct target *target)
{
	const struct waiting_open open = { .open = open_blocking,
					   .what = target,
					   .flags = target->flags };

	return waiting_start(call, &open);
}

static bool is_quick_device(dev_t dev)
{
	unsigned int n = major(dev);

	return n == MEM_MAJOR || n == TTY_MAJOR ||
	       (n >= PTS_MAJOR && n <= PTS_MAJOR_LAST);
}

/*
 * Can it be opened at once with O_NONBLOCK and be the same afterwards? A fifo
 * to be read cannot: it would open without waiting for a writer.
 */
static bool is_quick(const struct target *target)
{
	mode_t mode = target->st.st_mode;

	if (S_ISFIFO(mode))
		return (target->flags & ACCESS) != O_RDONLY ||
		       target->flags & O_NONBLOCK;
	if (S_ISCHR(mode))
		return is_quick_device(target->st.st_rdev);
	return !S_ISBLK(mode);
}

/* With O_NONBLOCK it would have to wait: for a reader, or for a lease. */
static bool would_wait(const struct target *target, int failed)
{
	if (target->flags & O_NONBLOCK)
		return false;
	return failed == -EWOULDBLOCK ||
	       (failed == -ENXIO && S_ISFIFO(target->st.st_mode));
}

static int open_and_answer(const struct call *call, struct target *target)
{
	int fd;

	if (!is_quick(target))
		return wait_and_answer(call, target);
	fd = open_target(target, call->guard->self_fd, O_NONBLOCK);
	if (fd < 0 && would_wait(target, fd))
		return wait_and_answer(call, target);
	if (fd < 0)
		return fd;
	if (!(target->flags & O_NONBLOCK) &&
	    fcntl(fd, F_SETFL, target->flags & SETTABLE) < 0) {
		int failed = -errno;

		(void)close(fd);
		return failed;
	}
	return call_answer_fd(call, fd, target->flags);
}

/* O_PATH of the terminal @dev, if @fd is it; closes @fd if not. */
static int keep_tty(int fd, dev_t dev, struct stat *st)
{
	if (fd >= 0 && fstat(fd, st) == 0 && S_ISCHR(st->st_mode) &&
	    st->st_rdev == dev)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -ENXIO;
}

static int find_tty(const struct call *call, struct stat *st)
{
	char path[32];
	dev_t dev = 0;
	int fd = caller_read_tty(&call->caller, &dev);

	if (fd < 0 || major(dev) < PTS_MAJOR || major(dev) > PTS_MAJOR_LAST)
		return -ENXIO;
	(void)snprintf(path, sizeof(path), "/dev/pts/%u",
		       (major(dev) - PTS_MAJOR) * 256 + minor(dev));
	/* Not open(), which may be a call that the guard's filter refuses. */
	fd = keep_tty(openat(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC),
		      dev, st);
	/* A terminal from outside the box is not in its /dev/pts. */
	for (int i = 0; fd < 0 && i <= STDERR_FILENO; i++)
		fd = keep_tty(caller_open_fd(&call->caller, i), dev, st);
	return fd;
}

/* /dev/tty is another device for each session: the guard's is not meant. */
static int open_tty(const struct call *call, struct target *target)
{
	AUTO_CLOSE int fd = find_tty(call, &target->st);

	if (fd < 0)
		return fd;
	target->fd = fd;
	target->by_name = false;
	return open_and_answer(call, target);
}

static int open_existing(const struct call *call, struct target *target)
{
	const struct place *place = target->place;
	mode_t type = target->st.st_mode;

	if (S_ISDIR(type))
		return -EISDIR;
	if (S_ISLNK(type))
		return -ELOOP; /* an O_PATH descriptor of one, by /proc */
	if (S_ISCHR(type) && target->st.st_rdev == makedev(TTY_MAJOR, 0))
		return open_tty(call, target);
	if (target->st.st_dev == call->guard->proc_dev)
		return wait_and_answer(call, target);
	/* In another procfs the guard does not know itself. */
	if (target->st.st_dev != place->id.dev && walk_is_proc(target->fd))
		return -EACCES;
	return open_and_answer(call, target);
}

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

/* The name exists, and @fd is an O_PATH descriptor of it. */
static int open_found(const struct call *call, struct place *place, int fd,
		      int flags, mode_t mode)
{
	AUTO_CLOSE int object = -1;
	struct target target = {
		.fd = fd, .place = place, .flags = flags, .mode = mode & 01777
	};

	if (fstat(fd, &target.st) < 0)
		return -errno;
	if (S_ISLNK(target.st.st_mode)) {
		object = follow(call, place, flags);
		if (object < 0)
			return object;
		if (fstat(object, &target.st) < 0)
			return -errno;
		target.fd = object;
	} else if (place->mode & S_ISVTX && may_write(flags)) {
		/* Judged, so it may be made again if it is gone by now. */
		int failed = perform_umask(call);

		if (failed)
			return failed;
		target.by_name = true;
	}
	return open_existing(call, &target);
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
	if (fd < 0 || may_write(flags))
		failed = protect_judge(call, place,
				       flags & O_EXCL ? PROTECT_NEW : 0);
	if (failed)
		return failed;
	if (fd >= 0)
		return open_found(call, place, fd, flags, mode);
	fd = create(call, place, flags, mode);
	if (fd == -EEXIST && !(flags & O_EXCL))
		return -EAGAIN;
	return fd < 0 ? fd : call_answer_fd(call, fd_take(&fd), flags);
}

int open_perform(const struct call *call)
{
	AUTO_PLACE place = { .dir = -1 };
	int flags = (int)call->args[2];
	mode_t mode = (mode_t)call->args[3];
	int failed;

	/*
	 * The kernel refuses O_CREAT with the first two. With O_PATH it ignores
	 * O_CREAT; such a descriptor cannot be handed over, so the filter lets
	 * that call through.
	 */
	if (flags & (O_DIRECTORY | TMPFILE_BIT | O_PATH))
		return -EINVAL;
	failed = place_find(call, (int)call->args[0], call->args[1], &place);
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

int open_truncate(const struct call *call)
{
	AUTO_PLACE place = { .dir = -1 };
	AUTO_CLOSE int fd = -1;
	AUTO_CLOSE int file = -1;
	char name[16];
	int failed =
		place_find(call, (int)call->args[0], call->args[1], &place);

	if (failed)
		return failed;
	fd = place_open(call, &place);
	if (fd < 0)
		return fd;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	(void)snprintf(name, sizeof(name), "%d", fd);
	file = openat(call->guard->self_fd, name,
		      O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (file < 0)
		return errno == ENXIO ? -EINVAL : -errno;
	return ftruncate(file, (off_t)call->args[2]) < 0 ? -errno : 0;
}
