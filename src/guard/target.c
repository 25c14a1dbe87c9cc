/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/target.c - opens an object that was found, for a caller
 *
 * Runs in:  the guard; what may block runs in a child of it.
 * Trusts:   that who found the object has judged it.
 * Must not: block, or give away what the kernel opens only because it is the
 *           guard that asks.
 *
 * Files of procfs ask at the open whether the opener may look at the process
 * that they are about. The guard may look at whom the caller may look at: all
 * have one user, one Landlock domain and no capability, and the guard is an
 * ancestor of all, as Yama wants it. So it opens what is not about a process,
 * and what is about another one (with Yama, a caller so gets at the memory of
 * its siblings; they are one box). About itself it would be told too much:
 * what is its own, and what could be, is opened by a child, which is nobody
 * special. A caller that made itself undumpable may look at itself but not be
 * looked at, so for its own files alone CAP_SYS_PTRACE is raised. What is
 * asked at each read or write is asked of who reads or writes.
 */
#include "guard/target.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/place.h"
#include "guard/state.h"
#include "guard/tell.h"
#include "guard/waiting.h"
#include "guard/walk.h"

enum {
	MEM_MAJOR = 1, /* null, zero, random, … */
	TTY_MAJOR = 5, /* tty, console, ptmx */
	PTS_MAJOR = 136,
	PTS_MAJOR_LAST = 143,
	/* What fcntl(F_SETFL) can change. */
	SETTABLE = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK,
};

bool target_is_written(int flags)
{
	return (flags & TARGET_ACCESS) != O_RDONLY || flags & O_TRUNC;
}

/*
 * Opens the object that was looked at, through the descriptor. Only in a
 * sticky directory the name is given to the kernel again, with O_CREAT: its
 * rules on files of other users there (fs.protected_regular and _fifos) look
 * at both. O_NOFOLLOW keeps that to the judged name.
 */
static int open_object(const struct target *target, int fds, int extra)
{
	int flags = target->flags | O_NOCTTY | O_CLOEXEC | extra;
	char name[16];
	int fd;

	if (target->by_name) {
		fd = openat(target->place->dir, target->place->name,
			    (flags & ~O_EXCL) | O_NOFOLLOW, target->mode);
	} else {
		if (flags & O_CREAT)
			flags &= ~(O_CREAT | O_EXCL);
		(void)snprintf(name, sizeof(name), "%d", target->fd);
		fd = openat(fds, name, flags & ~O_NOFOLLOW, target->mode);
	}
	return fd < 0 ? -errno : fd;
}

/* In a child. */
static int open_blocking(const struct call *call, const void *what)
{
	const struct target *target = what;

	if (call->guard->self_fd < 0)
		return -EMFILE;
	/* It may wait for long: hold no directory meanwhile. */
	if (target->place && !target->by_name)
		(void)close(target->place->dir);
	if (target->proc >= 0)
		(void)close(target->proc);
	return open_object(target, call->guard->self_fd, 0);
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

/* A pipe without a name, reached by /proc/self/fd: nobody waits there. */
static bool is_pipe(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
}

/*
 * Can it be opened at once with O_NONBLOCK and be the same afterwards? A fifo
 * to be read cannot: it would open without waiting for a writer.
 */
static bool is_quick(const struct target *target)
{
	mode_t mode = target->st.st_mode;

	if (S_ISFIFO(mode))
		return (target->flags & TARGET_ACCESS) != O_RDONLY ||
		       target->flags & O_NONBLOCK || is_pipe(target->fd);
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

/* Opens without waiting; @extra may be O_NONBLOCK, and is taken off again. */
static int open_now(const struct call *call, const struct target *target,
		    int extra)
{
	int fd = open_object(target, call->guard->self_fd, extra);

	if (fd < 0 || !extra || target->flags & extra ||
	    fcntl(fd, F_SETFL, target->flags & SETTABLE) == 0)
		return fd;
	extra = -errno;
	(void)close(fd);
	return extra;
}

static int open_proc(const struct call *call, const struct target *target)
{
	int fd = open_now(call, target, 0);

	if ((fd != -EACCES && fd != -EPERM) || !call->caller.can_ptrace ||
	    !walk_is_callers(call, target->proc))
		return fd;
	if (caller_raise_ptrace() < 0)
		return fd;
	fd = open_now(call, target, 0);
	caller_lower_ptrace();
	return fd;
}

static int open_and_answer(const struct call *call, const struct target *target)
{
	int fd;

	if (target->child || !is_quick(target))
		return wait_and_answer(call, target);
	if (target->proc >= 0)
		fd = open_proc(call, target);
	else
		fd = open_now(call, target,
			      S_ISDIR(target->st.st_mode) ? 0 : O_NONBLOCK);
	if (fd < 0 && would_wait(target, fd))
		return wait_and_answer(call, target);
	if (fd < 0)
		return fd;
	tell_opened(call, target, fd);
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

int target_open(const struct call *call, struct target *target)
{
	mode_t type = target->st.st_mode;

	if (S_ISLNK(type))
		return target->flags & O_DIRECTORY ? -ENOTDIR : -ELOOP;
	if (S_ISDIR(type) && target->flags & O_CREAT)
		return -EISDIR;
	if (S_ISCHR(type) && target->st.st_rdev == makedev(TTY_MAJOR, 0))
		return open_tty(call, target);
	return open_and_answer(call, target);
}
