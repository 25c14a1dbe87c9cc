/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hooks_file.c - reads and replaces the files of agents
 *
 * Runs in:  the process of `cordon hooks`.
 * Trusts:   the person who names the file.
 * Must not: leave half a file, a copy, or a file that others can read where
 *           there was none.
 */
#include "cmd/hooks_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "host/policy_file.h"

enum { SIZE_LIMIT = 4 * 1024 * 1024 };

/* The path of the file itself. A link that leads nowhere is somebody's
 * mistake, not a place for a new file. */
static int find_path(struct arena *arena, const char *path,
		     struct hooks_file *out, struct err *err)
{
	char real[PATH_MAX];
	struct stat st;

	out->path = path;
	if (lstat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : err_sys(err, "look at '%s'", path);
	out->exists = true;
	if (!S_ISLNK(st.st_mode))
		return 0;
	if (!realpath(path, real))
		return err_sys(err, "follow the link '%s'", path);
	out->linked = true;
	out->path = arena_strdup(arena, real);
	return 0;
}

int hooks_file_read(struct arena *arena, const char *path,
		    struct hooks_file *out, struct err *err)
{
	AUTO_CLOSE int fd = -1;

	*out = (struct hooks_file){ 0 };
	if (find_path(arena, path, out, err) < 0)
		return -1;
	if (!out->exists)
		return 0;
	/* Not blocking: it may be a fifo. */
	fd = open(out->path,
		  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0)
		return err_sys(err, "open '%s'", out->path);
	if (fstat(fd, &out->st) < 0)
		return err_sys(err, "look at '%s'", out->path);
	if (!S_ISREG(out->st.st_mode))
		return err_set(err, ERR_POLICY, "'%s' is not a regular file",
			       out->path);
	return fd_read_file(arena, fd, out->path, SIZE_LIMIT, &out->text, err);
}

static int fail_changed(const struct hooks_file *file, struct err *err)
{
	return err_set(err, ERR_SYS, "'%s' was changed meanwhile: try again",
		       file->path);
}

/* Is what lies at @path now the very file that was read? Times do not tell:
 * they have a grain, and can be set. */
static bool is_as_read(const struct hooks_file *file, const char *path)
{
	AUTO_ARENA arena = { 0 };
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
					       O_NOCTTY | O_NOFOLLOW);
	struct err ignored = { 0 };
	struct stat st;
	char *text;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_dev == file->st.st_dev && st.st_ino == file->st.st_ino &&
	       fd_read_file(&arena, fd, path, SIZE_LIMIT, &text, &ignored) ==
		       0 &&
	       !strcmp(text, file->text);
}

static int rename_with(const char *from, const char *to, unsigned int flags)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

/*
 * Puts @temporary in its place. The two are exchanged, so that what was there
 * can be looked at when nobody finds it by its name any more, and be put back;
 * @stuck: it could not, and is at @temporary.
 */
static int put_in_place(const struct hooks_file *file, const char *temporary,
			bool *stuck, struct err *err)
{
	unsigned int flags = file->exists ? RENAME_EXCHANGE : RENAME_NOREPLACE;
	bool done = rename_with(temporary, file->path, flags) == 0;

	if (!done && (errno == EEXIST || errno == ENOENT))
		return fail_changed(file, err);
	/* Some file systems have neither. */
	if (!done && errno != EINVAL)
		return err_sys(err, "rename to '%s'", file->path);
	if (!done) {
		if (file->exists ? !is_as_read(file, file->path)
				 : access(file->path, F_OK) == 0)
			return fail_changed(file, err);
		if (rename(temporary, file->path) < 0)
			return err_sys(err, "rename to '%s'", file->path);
		return 0;
	}
	if (!file->exists || is_as_read(file, temporary))
		return 0;
	*stuck = rename_with(temporary, file->path, RENAME_EXCHANGE) < 0;
	if (*stuck)
		return err_sys(err, "put '%s' back in its place; it is '%s'",
			       file->path, temporary);
	return fail_changed(file, err);
}

static int write_temporary(const struct hooks_file *file, const char *path,
			   const char *text, struct err *err)
{
	AUTO_CLOSE int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0600);

	if (fd < 0)
		return err_sys(err, "make '%s'", path);
	if (file->exists &&
	    (file->st.st_uid != geteuid() || file->st.st_gid != getegid()) &&
	    fchown(fd, file->st.st_uid, file->st.st_gid) < 0)
		return err_sys(err, "keep the owner of '%s'", file->path);
	if (file->exists && fchmod(fd, file->st.st_mode & 07777) < 0)
		return err_sys(err, "keep the mode of '%s'", file->path);
	if (fd_write_all(fd, text, strlen(text), err) < 0)
		return err_wrap(err, "'%s'", path);
	if (fsync(fd) < 0)
		return err_sys(err, "write '%s' to the disk", path);
	return 0;
}

/* The directories that are missing. */
static int make_parents(struct arena *arena, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return 0;
	return policy_directory_make(
		arena, arena_strndup(arena, path, (size_t)(slash - path)), 0700,
		err);
}

static const char *temporary_name(struct arena *arena,
				  const struct hooks_file *file)
{
	return arena_printf(arena, "%s.cordon-%ld", file->path, (long)getpid());
}

int hooks_file_write(struct arena *arena, const struct hooks_file *file,
		     const char *text, struct err *err)
{
	const char *temporary = temporary_name(arena, file);
	bool stuck = false;
	int result;

	if (!file->exists && make_parents(arena, file->path, err) < 0)
		return -1;
	/* Left by a process of this number that was killed. */
	if (unlink(temporary) < 0 && errno != ENOENT)
		return err_sys(err, "remove '%s'", temporary);
	result = write_temporary(file, temporary, text, err);
	if (!result)
		result = put_in_place(file, temporary, &stuck, err);
	/* It holds what nobody needs: our text, or after an exchange the one
	 * that was read. */
	if (!stuck)
		(void)unlink(temporary);
	return result;
}

int hooks_file_remove(const struct hooks_file *file, struct err *err)
{
	AUTO_ARENA arena = { 0 };
	const char *temporary = temporary_name(&arena, file);

	/* Not by its name: that may be another file's by then. */
	if (rename_with(file->path, temporary, RENAME_NOREPLACE) < 0) {
		if (errno == EINVAL && is_as_read(file, file->path) &&
		    unlink(file->path) == 0)
			return 0;
		if (errno == ENOENT)
			return fail_changed(file, err);
		return err_sys(err, "remove '%s'", file->path);
	}
	if (!is_as_read(file, temporary)) {
		if (rename_with(temporary, file->path, RENAME_NOREPLACE) < 0)
			return err_sys(err,
				       "put '%s' back in its place; it is '%s'",
				       file->path, temporary);
		return fail_changed(file, err);
	}
	if (unlink(temporary) < 0)
		return err_sys(err, "remove '%s'", temporary);
	return 0;
}
