/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/walk.c - paths that lead through /proc, component by component
 *
 * Runs in:  the guard.
 * Trusts:   nothing: every name and link may be the caller's.
 * Must not: enter the guard's own directory in /proc. The kernel lets a
 *           process open its own memory and descriptors; here that would be
 *           the guard's, opened for the caller. The directory is told by its
 *           inode, since it can be reached without its number: by a descriptor
 *           that the caller opened, or by a link to one.
 */
#include "guard/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/state.h"

enum {
	PROC_ROOT_INO = 1,
	PROC_DEPTH_MAX = 64, /* /proc/sys/… is the deepest part */
	NOSYMFOLLOW = 0x2000, /* ST_NOSYMFOLLOW of statfs(2) */
};

struct walk {
	const struct call *call;
	int dir; /* owned */
	bool proc;
	unsigned int *links;
	const char *next; /* what is left, in text */
	char text[2 * PATH_MAX];
};

bool walk_is_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC;
}

bool walk_is_magic(int dir, const char *name)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_NO_MAGICLINKS };
	AUTO_CLOSE int fd = -1;

	fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	return fd < 0 && errno == ELOOP;
}

static bool is_proc_root(const struct guard *guard, int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && st.st_ino == PROC_ROOT_INO &&
	       st.st_dev == guard->proc_dev;
}

/*
 * A directory of procfs that may be entered: of the box's own procfs, since in
 * another one the guard would not know itself, and not at or below the
 * guard's own.
 */
static int check_proc(const struct guard *guard, int dir)
{
	AUTO_CLOSE int at = fcntl(dir, F_DUPFD_CLOEXEC, 0);

	for (int depth = 0; depth < PROC_DEPTH_MAX; depth++) {
		struct stat st;
		int up;

		if (at < 0 || fstat(at, &st) < 0)
			return -errno;
		if (st.st_dev != guard->proc_dev ||
		    st.st_ino == guard->self_id.ino)
			return -EACCES;
		if (st.st_ino == PROC_ROOT_INO)
			return 0;
		up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd_close(&at);
		at = up;
	}
	return -EACCES;
}

/* Goes on from @dir, which becomes the walk's. */
static int enter(struct walk *walk, int dir)
{
	fd_close(&walk->dir);
	walk->dir = dir;
	walk->proc = walk_is_proc(dir);
	return walk->proc ? check_proc(walk->call->guard, dir) : 0;
}

static int enter_root(struct walk *walk)
{
	int dir = fcntl(walk->call->guard->root, F_DUPFD_CLOEXEC, 0);

	return dir < 0 ? -errno : enter(walk, dir);
}

/* "self" is a number in /proc, but the caller's and not the guard's. */
static int read_self(const struct call *call, const char *name, char *out,
		     size_t room)
{
	struct caller_status status;
	int failed = caller_read_status(&call->caller, &status);

	if (failed)
		return failed;
	if (!strcmp(name, "self"))
		(void)snprintf(out, room, "%d", (int)status.tgid);
	else
		(void)snprintf(out, room, "%d/task/%d", (int)status.tgid,
			       (int)call->caller.tid);
	return 0;
}

int walk_read_link(const struct call *call, int dir, const char *name,
		   char *out, size_t room)
{
	struct statfs fs;
	ssize_t got;

	if ((!strcmp(name, "self") || !strcmp(name, "thread-self")) &&
	    is_proc_root(call->guard, dir))
		return read_self(call, name, out, room);
	if (fstatfs(dir, &fs) == 0 && fs.f_flags & NOSYMFOLLOW)
		return -ELOOP;
	got = readlinkat(dir, name, out, room - 1);
	if (got < 0)
		return -errno;
	if ((size_t)got == room - 1)
		return -ENAMETOOLONG;
	out[got] = '\0';
	return got ? 0 : -ENOENT;
}

/* A link to an object: opening it is the only way to follow it. */
static int jump(struct walk *walk, const char *name)
{
	int dir = openat(walk->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? -errno : enter(walk, dir);
}

/* A link to a path: that path, then what was left. */
static int follow(struct walk *walk, const char *name)
{
	char target[PATH_MAX];
	int failed = walk_read_link(walk->call, walk->dir, name, target,
				    sizeof(target));
	size_t n;

	if (failed)
		return failed;
	n = strlen(target);
	if (n + 1 + strlen(walk->next) >= sizeof(walk->text))
		return -ENAMETOOLONG;
	memmove(walk->text + n + 1, walk->next, strlen(walk->next) + 1);
	memcpy(walk->text, target, n);
	walk->text[n] = '/';
	walk->next = walk->text;
	return target[0] == '/' ? enter_root(walk) : 0;
}

static int step(struct walk *walk, const char *name)
{
	AUTO_CLOSE int fd =
		openat(walk->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return enter(walk, fd_take(&fd));
	if (!S_ISLNK(st.st_mode))
		return -ENOTDIR;
	if (++*walk->links > WALK_LINKS_MAX)
		return -ELOOP;
	if (walk->proc && !is_proc_root(walk->call->guard, walk->dir) &&
	    walk_is_magic(walk->dir, name))
		return jump(walk, name);
	return follow(walk, name);
}

/* Takes the next component off; false when none is left. */
static bool next_name(struct walk *walk, char *out, size_t room, int *failed)
{
	const char *from = walk->next + strspn(walk->next, "/");
	size_t n = strcspn(from, "/");

	if (n >= room)
		*failed = -ENAMETOOLONG;
	if (n == 0 || n >= room)
		return false;
	memcpy(out, from, n);
	out[n] = '\0';
	walk->next = from + n;
	return true;
}

int walk_path(const struct call *call, int base, const char *path,
	      unsigned int *links)
{
	struct walk walk = { .call = call, .dir = -1, .links = links };
	char name[NAME_MAX + 1];
	int failed;

	if (strlen(path) >= sizeof(walk.text))
		return -ENAMETOOLONG;
	strcpy(walk.text, path);
	walk.next = walk.text;
	failed = path[0] == '/' ? enter_root(&walk)
				: enter(&walk, fcntl(base, F_DUPFD_CLOEXEC, 0));
	while (!failed && next_name(&walk, name, sizeof(name), &failed))
		failed = step(&walk, name);
	if (failed) {
		fd_close(&walk.dir);
		return failed;
	}
	return walk.dir;
}
