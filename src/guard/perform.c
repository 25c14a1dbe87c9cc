/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/perform.c - the calls that make and remove names, done for a caller
 *
 * Runs in:  the guard.
 * Trusts:   the plan; of the caller nothing.
 * Must not: use a path after it was judged. Each call is done on the directory
 *           and the name that were judged, without following a link.
 */
#include "guard/perform.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/exec.h"
#include "guard/open.h"
#include "guard/peer.h"
#include "guard/place.h"
#include "guard/protect.h"
#include "guard/refuse.h"
#include "guard/socket.h"
#include "guard/state.h"

int perform_umask(const struct call *call)
{
	struct caller_status status;
	int failed = caller_read_status(&call->caller, &status);

	if (failed)
		return failed;
	/* Directories with a default ACL do without it, so it must be in force
	 * and not just taken off the mode. */
	if (call->guard->umask != status.umask)
		(void)umask(status.umask);
	call->guard->umask = status.umask;
	return 0;
}

/* What the kernel said to a call that makes @place. */
static int made(const struct call *call, const struct place *place,
		int returned)
{
	if (returned < 0)
		return -errno;
	protect_notice(call, place);
	return 0;
}

/* Finds and judges a name that must be new. */
static int find_new(const struct call *call, int dirfd, uint64_t addr,
		    unsigned int how, struct place *out)
{
	int failed = place_find(call, dirfd, addr, out);

	if (failed)
		return failed;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	return protect_judge(call, out, PROTECT_NEW | how);
}

/* mkdirat(dirfd, path, mode) */
static int perform_mkdir(const struct call *call)
{
	AUTO_PLACE place = { .dir = -1 };
	int failed = find_new(call, (int)call->args[0], call->args[1],
			      PROTECT_MKDIR, &place);

	if (!failed)
		failed = perform_umask(call);
	if (failed)
		return failed;
	return made(
		call, &place,
		mkdirat(place.dir, place.name, (mode_t)call->args[2] & 01777));
}

/* mknodat(dirfd, path, mode, dev) */
static int perform_mknod(const struct call *call)
{
	AUTO_PLACE place = { .dir = -1 };
	mode_t mode = (mode_t)call->args[2];
	int failed;

	if (mode & S_IFMT && !S_ISREG(mode) && !S_ISFIFO(mode) &&
	    !S_ISSOCK(mode))
		return -EPERM;
	failed = find_new(call, (int)call->args[0], call->args[1], 0, &place);
	if (!failed)
		failed = perform_umask(call);
	if (failed)
		return failed;
	return made(call, &place,
		    mknodat(place.dir, place.name, mode & (S_IFMT | 01777), 0));
}

/* symlinkat(target, dirfd, path) */
static int perform_symlink(const struct call *call)
{
	AUTO_PLACE place = { .dir = -1 };
	char target[PATH_MAX];
	int failed = caller_read_path(&call->caller, call->args[0], target);

	if (!failed)
		failed = find_new(call, (int)call->args[1], call->args[2], 0,
				  &place);
	if (failed)
		return failed;
	return made(call, &place, symlinkat(target, place.dir, place.name));
}

/* renameat2(olddirfd, oldpath, newdirfd, newpath, flags) */
static int perform_rename(const struct call *call)
{
	AUTO_PLACE from = { .dir = -1 };
	AUTO_PLACE to = { .dir = -1 };
	unsigned int flags = (unsigned int)call->args[4];
	int failed;

	if (flags > RENAME_EXCHANGE ||
	    flags == (RENAME_NOREPLACE | RENAME_EXCHANGE))
		return -EINVAL;
	failed = place_find(call, (int)call->args[0], call->args[1], &from);
	if (!failed)
		failed = place_find(call, (int)call->args[2], call->args[3],
				    &to);
	if (failed)
		return failed;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	failed = protect_judge(call, &to,
			       flags & RENAME_NOREPLACE ? PROTECT_NEW : 0);
	/* An exchange makes both names. */
	if (!failed && flags & RENAME_EXCHANGE)
		failed = protect_judge(call, &from, 0);
	if (!failed)
		failed = peer_judge_rename(call, &from, &to);
	if (!failed && flags & RENAME_EXCHANGE)
		failed = peer_judge_rename(call, &to, &from);
	if (failed)
		return failed;
	return made(call, &to,
		    (int)syscall(SYS_renameat2, from.dir, from.name, to.dir,
				 to.name, flags));
}

/* Hard links the object behind the guard's descriptor @fd to @place. */
static int link_fd(const struct call *call, int fd, const struct place *place)
{
	char name[16];
	int failed = peer_judge_move(call, fd, place);

	if (failed)
		return failed;
	(void)snprintf(name, sizeof(name), "%d", fd);
	return made(call, place,
		    linkat(call->guard->self_fd, name, place->dir, place->name,
			   AT_SYMLINK_FOLLOW));
}

/* linkat(olddirfd, "", newdirfd, newpath, AT_EMPTY_PATH) */
static int link_descriptor(const struct call *call, const struct place *to)
{
	AUTO_CLOSE int fd = caller_open_fd(&call->caller, (int)call->args[0]);

	if (fd < 0)
		return fd;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	return link_fd(call, fd, to);
}

static int link_path(const struct call *call, struct place *from,
		     const struct place *to, int flags)
{
	AUTO_CLOSE int fd = -1;
	int failed;

	/* With a slash it is a directory, which the kernel does not link. */
	if (!(flags & AT_SYMLINK_FOLLOW) || place_has_slash(from)) {
		failed = peer_judge_rename(call, from, to);
		if (failed)
			return failed;
		return made(
			call, to,
			linkat(from->dir, from->name, to->dir, to->name, 0));
	}
	fd = place_open(call, from);
	return fd < 0 ? fd : link_fd(call, fd, to);
}

/* linkat(olddirfd, oldpath, newdirfd, newpath, flags) */
static int perform_link(const struct call *call)
{
	AUTO_PLACE from = { .dir = -1 };
	AUTO_PLACE to = { .dir = -1 };
	int flags = (int)call->args[4];
	bool empty;
	int failed;

	if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	failed = place_find(call, (int)call->args[0], call->args[1], &from);
	empty = failed == -ENOENT && !from.text[0] && flags & AT_EMPTY_PATH;
	if (failed && !empty)
		return failed;
	failed = find_new(call, (int)call->args[2], call->args[3], 0, &to);
	if (failed)
		return failed;
	return empty ? link_descriptor(call, &to)
		     : link_path(call, &from, &to, flags);
}

/* unlinkat(dirfd, path, flags) */
static int perform_unlink(const struct call *call)
{
	AUTO_PLACE place = { .dir = -1 };
	int flags = (int)call->args[2];
	int failed;

	if (flags & ~AT_REMOVEDIR)
		return -EINVAL;
	failed = place_find(call, (int)call->args[0], call->args[1], &place);
	if (failed)
		return failed;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	return unlinkat(place.dir, place.name, flags) < 0 ? -errno : 0;
}

/* Where an argument of the *at form is found in an older form. */
enum {
	CWD = -1, /* AT_FDCWD stands for it */
	NIL = -2, /* 0 stands for it */
	CREAT = -3, /* the flags that creat(2) means */
	DIRECTORY = -4, /* the flag that rmdir(2) means */
};

static const struct {
	int nr;
	const char *name;
	int (*perform)(const struct call *call);
	int args[5];
} calls[] = {
	{ SYS_openat, "openat", open_perform, { 0, 1, 2, 3 } },
	{ SYS_mkdirat, "mkdirat", perform_mkdir, { 0, 1, 2 } },
	{ SYS_mknodat, "mknodat", perform_mknod, { 0, 1, 2, 3 } },
	{ SYS_renameat2, "renameat2", perform_rename, { 0, 1, 2, 3, 4 } },
	{ SYS_linkat, "linkat", perform_link, { 0, 1, 2, 3, 4 } },
	{ SYS_symlinkat, "symlinkat", perform_symlink, { 0, 1, 2 } },
	{ SYS_connect, "connect", socket_connect, { 0, 1, 2 } },
	{ SYS_bind, "bind", socket_bind, { 0, 1, 2 } },
	{ SYS_execveat, "execveat", exec_judge, { 0, 1, 2, 3, 4 } },
	{ SYS_execve, "execve", exec_judge, { CWD, 0, 1, 2, NIL } },
	{ SYS_memfd_create, "memfd_create", exec_memfd, { 0, 1 } },
	{ SYS_unlinkat, "unlinkat", perform_unlink, { 0, 1, 2 } },
	{ SYS_truncate, "truncate", open_truncate, { CWD, 0, 1 } },
#ifdef SYS_renameat
	{ SYS_renameat, "renameat", perform_rename, { 0, 1, 2, 3, NIL } },
#endif
#ifdef SYS_open
	{ SYS_open, "open", open_perform, { CWD, 0, 1, 2 } },
	{ SYS_creat, "creat", open_perform, { CWD, 0, CREAT, 1 } },
	{ SYS_mkdir, "mkdir", perform_mkdir, { CWD, 0, 1 } },
	{ SYS_mknod, "mknod", perform_mknod, { CWD, 0, 1, 2 } },
	{ SYS_rename, "rename", perform_rename, { CWD, 0, CWD, 1, NIL } },
	{ SYS_link, "link", perform_link, { CWD, 0, CWD, 1, NIL } },
	{ SYS_symlink, "symlink", perform_symlink, { 0, CWD, 1 } },
	{ SYS_unlink, "unlink", perform_unlink, { CWD, 0, NIL } },
	{ SYS_rmdir, "rmdir", perform_unlink, { CWD, 0, DIRECTORY } },
#endif
};

static uint64_t argument(const struct seccomp_data *data, int from)
{
	switch (from) {
	case CWD:
		return (uint64_t)AT_FDCWD;
	case NIL:
		return 0;
	case CREAT:
		return O_CREAT | O_WRONLY | O_TRUNC;
	case DIRECTORY:
		return AT_REMOVEDIR;
	default:
		return data->args[from];
	}
}

int perform_call(struct call *call, const struct seccomp_data *data)
{
	int refused = refuse_call(call, data);

	if (refused)
		return refused;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].nr != data->nr)
			continue;
		call->name = calls[i].name;
		for (size_t a = 0; a < 5; a++)
			call->args[a] = argument(data, calls[i].args[a]);
		return calls[i].perform(call);
	}
	return -ENOSYS;
}
