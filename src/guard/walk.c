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
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/report.h"
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
	struct walk_way *way;
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
 * Does @dir lie at or below the directory @ino of the box's own procfs? 1, 0,
 * or -EACCES in another procfs, where the guard would not know itself.
 */
static int lies_in(const struct guard *guard, int dir, uint64_t ino)
{
	AUTO_CLOSE int at = -1;

	for (int depth = 0; depth < PROC_DEPTH_MAX; depth++) {
		struct stat st;
		int up;

		if (fstat(at < 0 ? dir : at, &st) < 0)
			return -errno;
		if (st.st_dev != guard->proc_dev)
			return -EACCES;
		if (st.st_ino == ino)
			return 1;
		if (st.st_ino == PROC_ROOT_INO)
			return 0;
		up = openat(at < 0 ? dir : at, "..",
			    O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (up < 0)
			return -errno;
		fd_close(&at);
		at = up;
	}
	return -EACCES;
}

bool walk_is_callers(const struct call *call, int dir)
{
	AUTO_CLOSE int own = -1;
	int tgid = caller_tgid(&call->caller);
	char name[16];
	struct stat st;

	if (tgid < 0)
		return false;
	(void)snprintf(name, sizeof(name), "%d", tgid);
	own = openat(call->guard->proc, name, O_PATH | O_CLOEXEC);
	return own >= 0 && fstat(own, &st) == 0 &&
	       lies_in(call->guard, dir, st.st_ino) == 1;
}

/* Can it be a file of procfs? Only then it is worth a look. */
static bool may_be_proc(const struct guard *guard, const struct stat *st)
{
	return major(st->st_dev) == 0 && st->st_dev != guard->root_dev;
}

/* Goes on from @dir, which becomes the walk's. */
static int enter(struct walk *walk, int dir)
{
	const struct guard *guard = walk->call->guard;
	struct stat st;
	int own;

	fd_close(&walk->dir);
	walk->dir = dir;
	walk->way->own = false;
	walk->proc = false;
	if (fstat(dir, &st) < 0)
		return -errno;
	walk->proc = may_be_proc(guard, &st) && walk_is_proc(dir);
	if (!walk->proc)
		return 0;
	own = lies_in(guard, dir, guard->self_id.ino);
	if (own < 0 || (own && !walk->way->may_be_own))
		return -EACCES;
	walk->way->own = own;
	return 0;
}

/*
 * Goes down into @dir, of which @st is known, where that is simple: below a
 * directory of procfs that was entered, the guard's own is the one itself, or
 * it was entered before.
 */
static int enter_below(struct walk *walk, int dir, const struct stat *st)
{
	const struct guard *guard = walk->call->guard;

	if (!walk->proc || st->st_dev != guard->proc_dev)
		return enter(walk, dir);
	fd_close(&walk->dir);
	walk->dir = dir;
	walk->way->own |= st->st_ino == guard->self_id.ino;
	return walk->way->own && !walk->way->may_be_own ? -EACCES : 0;
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
	int tgid = caller_tgid(&call->caller);

	if (tgid < 0)
		return tgid;
	if (!strcmp(name, "self"))
		(void)snprintf(out, room, "%d", tgid);
	else
		(void)snprintf(out, room, "%d/task/%d", tgid,
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
	int dir;

	/* For everybody else it is closed. */
	if (walk->way->own)
		return -EACCES;
	dir = openat(walk->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
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
		return strcmp(name, "..") != 0
			       ? enter_below(walk, fd_take(&fd), &st)
			       : enter(walk, fd_take(&fd));
	if (!S_ISLNK(st.st_mode))
		return -ENOTDIR;
	if (++walk->way->links > WALK_LINKS_MAX)
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

static int start(struct walk *walk, int base, const char *path)
{
	int dir;

	walk->dir = -1;
	if (strlen(path) >= sizeof(walk->text))
		return -ENAMETOOLONG;
	(void)strcpy(walk->text, path);
	walk->next = walk->text;
	if (path[0] == '/')
		return enter_root(walk);
	dir = fcntl(base, F_DUPFD_CLOEXEC, 0);
	return dir < 0 ? -errno : enter(walk, dir);
}

int walk_path(const struct call *call, int base, const char *path,
	      struct walk_way *way)
{
	struct walk walk = { .call = call, .way = way };
	char name[NAME_MAX + 1];
	int failed = start(&walk, base, path);

	while (!failed && next_name(&walk, name, sizeof(name), &failed))
		failed = step(&walk, name);
	if (failed) {
		fd_close(&walk.dir);
		return failed;
	}
	return walk.dir;
}

/* Is nothing left but slashes? */
static bool is_last(const struct walk *walk)
{
	return !walk->next[strspn(walk->next, "/")];
}

size_t walk_real(const struct call *call, int base, const char *path,
		 bool follow, char *out, size_t room)
{
	struct walk_way way = { .may_be_own = true };
	struct walk walk = { .call = call, .way = &way };
	char name[NAME_MAX + 1] = "";
	int failed = start(&walk, base, path);
	size_t n;
	int more = 0;

	while (!failed && next_name(&walk, name, sizeof(name), &failed)) {
		if (is_last(&walk) && !follow)
			failed = -ENOTDIR;
		else
			failed = step(&walk, name);
		if (!failed)
			name[0] = '\0';
	}
	n = walk.dir < 0 ? 0 : report_path(call, walk.dir, out, room);
	if (n == 1)
		n = 0; /* "/" */
	if (name[0])
		more = snprintf(out + n, room - n, "/%s%s", name,
				is_last(&walk) ? "" : walk.next);
	if (walk.dir >= 0 && !name[0] && !n)
		more = snprintf(out, room, "/");
	fd_close(&walk.dir);
	n += more > 0 ? (size_t)more : 0;
	return n < room ? n : room - 1;
}

/* A component that is the name under which procfs is mounted. */
static bool has_proc(const char *path)
{
	for (const char *at = path; (at = strstr(at, "proc")); at += 4) {
		if ((at == path || at[-1] == '/') && (at[4] == '/' || !at[4]))
			return true;
	}
	return false;
}

bool walk_may_be_proc(int base, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS };
	AUTO_CLOSE int fd = -1;

	/* Without a link there is only one way into it. */
	if (has_proc(path))
		return true;
	fd = (int)syscall(SYS_openat2, base, path, &how, sizeof(how));
	if (fd < 0 && errno == ELOOP)
		return true;
	/* The last name is a link, which was followed. */
	if (fd >= 0)
		return true;
	return path[0] != '/' && walk_is_proc(base);
}
