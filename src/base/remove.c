/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/remove.c - takes a tree away
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the tree: a box may have made it as deep, as wide and
 *           as closed as it liked.
 * Must not: recurse, follow a link, or leave the tree.
 *
 * A directory that is not empty gives up its directories to the top of the
 * tree first, under numbers: so nothing is ever more than one level down.
 */
#include "base/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

struct remover {
	int top; /* where directories are moved to */
	unsigned int next; /* number for the next one */
};

/* What to do with each name of a directory; -1 with errno ends it. */
typedef int entry_fn(struct remover *r, int dir, const char *name);

static int for_each(struct remover *r, int dir, entry_fn *entry, size_t *seen)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;
	int result = 0, sys;

	if (!names) {
		fd_close(&copy);
		return -1;
	}
	errno = 0;
	while (result == 0 && (e = readdir(names))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		++*seen;
		result = entry(r, dir, e->d_name);
		if (result == 0)
			errno = 0;
	}
	sys = errno;
	(void)closedir(names);
	errno = sys;
	return result < 0 || sys ? -1 : 0;
}

static bool is_directory(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

/* 1 if it is gone, 0 if it is a directory with something in it. */
static int remove_one(int dir, const char *name)
{
	int sys;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 1;
	sys = errno;
	if (!is_directory(dir, name)) {
		errno = sys;
		return -1;
	}
	if (unlinkat(dir, name, AT_REMOVEDIR) == 0)
		return 1;
	return errno == ENOTEMPTY || errno == EEXIST ? 0 : -1;
}

/* Moving a directory to another parent writes its "..": it has to be open. */
static int open_up(int dir, const char *name)
{
	return is_directory(dir, name) ? fchmodat(dir, name, 0700, 0) : 0;
}

static int lift(struct remover *r, int dir, const char *name)
{
	int gone = remove_one(dir, name);
	char number[16];

	if (gone)
		return gone < 0 ? -1 : 0;
	if (open_up(dir, name) < 0)
		return -1;
	for (;;) {
		(void)snprintf(number, sizeof(number), "%u", r->next++);
		if (renameat(dir, name, r->top, number) == 0)
			return 0;
		/* A name that the tree has. */
		if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
			return -1;
	}
}

static int remove_top(struct remover *r, int dir, const char *name)
{
	AUTO_CLOSE int fd = -1;
	size_t seen = 0;
	int gone = remove_one(dir, name);

	if (gone)
		return gone < 0 ? -1 : 0;
	if (open_up(dir, name) < 0)
		return -1;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || for_each(r, fd, lift, &seen) < 0)
		return -1;
	/* What was left out of the listing is there the next time. */
	return remove_one(dir, name) < 0 ? -1 : 0;
}

int remove_tree(int dir, const char *name, struct err *err)
{
	struct remover r = { .top = -1 };
	AUTO_CLOSE int top = -1;
	size_t seen = 1;
	int gone = remove_one(dir, name);

	if (gone > 0)
		return 0;
	if (gone == 0 && open_up(dir, name) == 0)
		top = openat(dir, name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0)
		return err_sys(err, "remove '%s'", name);
	r.top = top;
	while (seen) {
		seen = 0;
		if (for_each(&r, top, remove_top, &seen) < 0)
			return err_sys(err, "empty '%s'", name);
	}
	if (unlinkat(dir, name, AT_REMOVEDIR) < 0)
		return err_sys(err, "remove '%s'", name);
	return 0;
}
