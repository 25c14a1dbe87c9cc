/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/policy_file.c - files that say what is allowed
 *
 * Runs in:  the caller's process, before anything is decided.
 * Trusts:   root and the user, and nobody who could write in their stead.
 * Must not: look at a name twice: what is checked is the descriptor that is
 *           read from. A fifo must not make it wait.
 */
#include "host/policy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "host/policies.h"

enum { SIZE_LIMIT = 1024 * 1024 };

static int check_own(const char *path, const struct stat *st, struct err *err)
{
	uid_t uid = geteuid();

	if (st->st_uid != uid && st->st_uid != 0)
		return err_set(err, ERR_POLICY,
			       "'%s' belongs to user %u, neither to you (%u) "
			       "nor to root: take it over with "
			       "chown %u '%s' if you know what is in it",
			       path, st->st_uid, uid, uid, path);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, ERR_POLICY,
			       "'%s' is writable by others (owner %u, mode "
			       "%04o): chmod go-w '%s'",
			       path, st->st_uid, st->st_mode & 07777, path);
	return 0;
}

static int check_opened(int fd, const char *path, enum policy_file_kind kind,
			struct policy_file *out, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, "stat '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_POLICY, "'%s' is not a regular file",
			       path);
	if (st.st_size > SIZE_LIMIT)
		return err_set(err, ERR_POLICY,
			       "'%s' is too large for a policy: %lld bytes, at "
			       "most %d are read",
			       path, (long long)st.st_size, SIZE_LIMIT);
	out->dev = st.st_dev;
	out->ino = st.st_ino;
	return kind == POLICY_FILE_PROJECT ? 0 : check_own(path, &st, err);
}

static int fail_open(const char *path, struct err *err)
{
	if (errno == EACCES && path_within(HOST_SYSTEM_DIR, path))
		(void)err_sys(err,
			      "open policy '%s', which every user has to read "
			      "(chmod a+rx %s; chmod a+r %s)",
			      path, HOST_SYSTEM_DIR, path);
	else
		(void)err_sys(err, "open policy '%s'", path);
	return -1;
}

int policy_file_read(struct arena *arena, const char *path,
		     enum policy_file_kind kind, struct policy_file *out,
		     struct err *err)
{
	/* People keep their own files as links into another directory; a
	 * repository has no reason to, and a store would be replaced. */
	int links = kind == POLICY_FILE_OWN ? 0 : O_NOFOLLOW;
	struct policy_file file = { .path = path };
	AUTO_CLOSE int fd = open(
		path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | links);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		*out = file;
		return 0;
	}
	if (fd < 0 && errno == ELOOP && links)
		return err_set(err, ERR_POLICY,
			       "'%s' is a symbolic link: %s has to be a file",
			       path,
			       kind == POLICY_FILE_PROJECT ? "a project's file"
							   : "a trust store");
	if (fd < 0)
		return fail_open(path, err);
	if (check_opened(fd, path, kind, &file, err) < 0 ||
	    fd_read_file(arena, fd, path, SIZE_LIMIT, &file.text, err) < 0)
		return -1;
	file.n = strlen(file.text);
	*out = file;
	return 0;
}

mode_t policy_directory_mode(const char *directory)
{
	return strcmp(directory, HOST_SYSTEM_DIR) ? 0700 : 0755;
}

int policy_directory_make(struct arena *arena, const char *directory,
			  mode_t mode, struct err *err)
{
	char *path = arena_strdup(arena, directory);

	for (char *p = path + 1;; p++) {
		char end = *p;

		if (end != '/' && end != '\0')
			continue;
		*p = '\0';
		if (mkdir(path, mode) < 0 ? errno != EEXIST
					  : chmod(path, mode) < 0)
			return err_sys(err, "make the directory '%s'", path);
		*p = end;
		if (!end)
			return 0;
	}
}

static int write_temporary(int dir, const char *name, const char *text,
			   struct err *err)
{
	AUTO_CLOSE int fd = openat(
		dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		0600);

	if (fd < 0)
		return err_sys(err, "create '%s'", name);
	if (fd_write_all(fd, text, strlen(text), err) < 0)
		return err_wrap(err, "'%s'", name);
	if (fsync(fd) < 0)
		return err_sys(err, "write '%s' to the disk", name);
	return 0;
}

int policy_file_write(struct arena *arena, const char *directory,
		      const char *name, const char *text, struct err *err)
{
	const char *temporary =
		arena_printf(arena, ".%s.%ld", name, (long)getpid());
	AUTO_CLOSE int dir = -1;

	if (policy_directory_make(arena, directory,
				  policy_directory_mode(directory), err) < 0)
		return -1;
	dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(err, "open '%s'", directory);
	/* Left by a process of this number that was killed. */
	if (unlinkat(dir, temporary, 0) < 0 && errno != ENOENT)
		return err_sys(err, "remove '%s/%s'", directory, temporary);
	if (write_temporary(dir, temporary, text, err) < 0) {
		(void)unlinkat(dir, temporary, 0);
		return err_wrap(err, "in '%s'", directory);
	}
	if (renameat(dir, temporary, dir, name) < 0) {
		(void)err_sys(err, "rename to '%s/%s'", directory, name);
		(void)unlinkat(dir, temporary, 0);
		return -1;
	}
	return 0;
}
