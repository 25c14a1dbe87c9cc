/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/given.c - the files that the command is given open
 *
 * Runs in:  the supervisor, with the user's rights, before any namespace.
 * Trusts:   the kernel's answers.
 * Must not: read from a descriptor, which is the command's.
 *
 * The kernel tells the name under which a file was opened, as it is now. A
 * file that lost that name may have others, which nobody can find.
 */
#include "host/given.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/facts.h"

static struct facts_id id_of(const struct stat *st)
{
	return (struct facts_id){ .dev = st->st_dev, .ino = st->st_ino };
}

/* Not O_ACCMODE, which musl takes for O_PATH too: a descriptor with that one is
 * opened again as easily, and so is one with both bits, which gives neither. */
static bool is_for_writing(int fd)
{
	int mode = fcntl(fd, F_GETFL) & (O_WRONLY | O_RDWR);

	return mode == O_WRONLY || mode == O_RDWR;
}

static int read_name(struct arena *arena, int fd, char **out, struct err *err)
{
	char buf[PATH_MAX];
	ssize_t n = readlink(arena_printf(arena, "/proc/self/fd/%d", fd), buf,
			     sizeof(buf));

	if (n < 0)
		return err_sys(err, "read the name of descriptor %d", fd);
	if ((size_t)n == sizeof(buf))
		return err_set(err, ERR_HOST,
			       "the name of descriptor %d is too long; use a "
			       "pipe",
			       fd);
	*out = arena_strndup(arena, buf, (size_t)n);
	return 0;
}

static bool is_at(const char *path, const struct stat *file)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

/* The kernel adds a word to a name that is gone; files can be called so. */
static void strip_deleted(char *path)
{
	static const char word[] = " (deleted)";
	size_t n = strlen(path), m = sizeof(word) - 1;

	if (n > m && !strcmp(path + n - m, word))
		path[n - m] = '\0';
}

static void probe_above(struct arena *arena, const char *path,
			struct facts_ids *out)
{
	char *dir = arena_strdup(arena, path);
	char *slash;

	while ((slash = strrchr(dir, '/'))) {
		struct stat st = { 0 };

		slash[slash == dir ? 1 : 0] = '\0';
		(void)stat(dir, &st); /* unknown: no identity */
		*ARENA_PUSH(arena, out) = id_of(&st);
		*slash = '\0';
	}
}

static int probe_one(struct arena *arena, int fd, struct facts_givens *out,
		     struct err *err)
{
	struct facts_given given = { .fd = fd };
	struct stat st;
	char *path;

	/* A block device is all the files on it. */
	if (fstat(fd, &st) < 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
		return 0;
	/* Not executed as long as it is, but mapped as a loader does. */
	given.writable = is_for_writing(fd);
	if (given.writable && (fd == STDOUT_FILENO || fd == STDERR_FILENO))
		return 0;
	/* Without a name (here-documents) nobody else reads it. */
	if (given.writable || !st.st_nlink) {
		*ARENA_PUSH(arena, out) = given;
		return 0;
	}
	if (read_name(arena, fd, &path, err) < 0)
		return -1;
	given.gone = !is_at(path, &st);
	if (given.gone)
		strip_deleted(path);
	given.path = path;
	*ARENA_PUSH(arena, &given.ids) = id_of(&st);
	if (!given.gone)
		probe_above(arena, path, &given.ids);
	*ARENA_PUSH(arena, out) = given;
	return 0;
}

int host_given_probe(struct arena *arena, const struct plan_queries *queries,
		     struct facts_givens *out, struct err *err)
{
	for (size_t i = 0; i < queries->fds_n; i++) {
		if (probe_one(arena, queries->fds[i], out, err) < 0)
			return -1;
	}
	return 0;
}
