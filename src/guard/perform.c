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
#include "guard/strict.h"
#include "guard/tell.h"
#include "plan/plan.h"

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
	tell_made(call, place, false);
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
	failed = protect_judge(call, out, PROTECT_NEW | how);
	return failed ? failed
		      : strict_judge_name(call, out, FRAME_CREATE, true);
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
	if (mkdirat(place.dir, place.name, (mode_t)call->args[2] & 01777) < 0)
		return -errno;
	protect_notice(call, &place);
	tell_made(call, &place, true);
	return 0;
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
	if (!failed)
		failed = strict_judge_link(call, &place, true);
	if (failed)
		return failed;
	return made(call, &place, symlinkat(target, place.dir, place.name));
}

/* May the one name become the other? */
static int judge_rename(const struct call *call, const struct place *from,
			const struct place *to, unsigned int flags)
{
	int failed = protect_judge(call, to,
				   flags & RENAME_NOREPLACE ? PROTECT_NEW : 0);

	if (!failed)
		failed = strict_judge_move(call, from, to);
	if (!failed)
		failed = peer_judge_rename(call, from, to);
	if (failed || !(flags & RENAME_EXCHANGE))
		return failed;
	/* An exchange makes both names. */
	failed = protect_judge(call, from, 0);
	if (!failed)
		failed = strict_judge_move(call, to, from);
	return failed ? failed : peer_judge_rename(call, to, from);
}

static void tell_renamed(const struct call *call, const struct place *from,
			 const struct place *to)
{
	struct stat st;
	bool dir;

	if (!call->guard->seen)
		return;
	dir = fstatat(to->dir, to->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	      S_ISDIR(st.st_mode);
	tell_removed(call, from, dir);
	tell_made(call, to, dir);
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
	failed = judge_rename(call, &from, &to, flags);
	if (failed)
		return failed;
	if (syscall(SYS_renameat2, from.dir, from.name, to.dir, to.name,
		    flags) < 0)
		return -errno;
	protect_notice(call, &to);
	tell_renamed(call, &from, &to);
	return 0;
}

/* Hard links the object behind the guard's descriptor @fd to @place. */
static int link_fd(const struct call *call, int fd, const struct place *place)
{
	char name[16];
	struct stat st;
	int failed = strict_judge_object(call, fd, true);

	if (!failed && (fstat(fd, &st) < 0 || S_ISLNK(st.st_mode)))
		failed = strict_judge_link(call, place, false);
	if (!failed)
		failed = peer_judge_move(call, fd, place);
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
		failed = strict_judge_name(call, from, FRAME_READ, false);
		if (!failed)
			failed = strict_judge_second(call, from, to);
		if (!failed)
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
	failed = strict_judge_name(call, &place, FRAME_REMOVE, false);
	if (failed)
		return failed;
	if (unlinkat(place.dir, place.name, flags) < 0)
		return -errno;
	tell_removed(call, &place, flags & AT_REMOVEDIR);
	return 0;
}

/* Where an argument of the *at form is found in an older form. */
enum {
	CWD = -1, /* AT_FDCWD stands for it */
	NIL = -2, /* 0 stands for it */
	CREAT = -3, /* the flags that creat(2) means */
	DIRECTORY = -4, /* the flag that rmdir(2) means */
};

/* A path among the arguments of the *at form, and what happens to it. */
struct path_arg {
	unsigned char at; /* which is the directory; the path follows it */
	unsigned char act; /* enum frame_act */
	bool follow;
};

/* clang-format off */
#define OPENS	{ { 0, FRAME_READ, true } }, 1
#define MAKES	{ { 0, FRAME_CREATE, false } }, 1
#define MAKES_AT(n) { { n, FRAME_CREATE, false } }, 1
#define MOVES	{ { 0, FRAME_REMOVE, false }, { 2, FRAME_CREATE, false } }, 2
#define REMOVES	{ { 0, FRAME_REMOVE, false } }, 1
#define WRITES	{ { 0, FRAME_WRITE, true } }, 1
#define RUNS	{ { 0, FRAME_READ, true } }, 1
#define NOTHING	{ { 0, 0, false } }, 0
/* clang-format on */

static const struct row {
	int nr;
	const char *name;
	int (*perform)(const struct call *call);
	int args[5];
	struct path_arg paths[2]; /* that are told if it is refused */
	int paths_n;
} calls[] = {
	{ SYS_openat, "openat", open_perform, { 0, 1, 2, 3 }, OPENS },
	{ SYS_mkdirat, "mkdirat", perform_mkdir, { 0, 1, 2 }, MAKES },
	{ SYS_mknodat, "mknodat", perform_mknod, { 0, 1, 2, 3 }, MAKES },
	{ SYS_renameat2,
	  "renameat2",
	  perform_rename,
	  { 0, 1, 2, 3, 4 },
	  MOVES },
	{ SYS_linkat, "linkat", perform_link, { 0, 1, 2, 3, 4 }, MAKES_AT(2) },
	{ SYS_symlinkat,
	  "symlinkat",
	  perform_symlink,
	  { 0, 1, 2 },
	  MAKES_AT(1) },
	{ SYS_connect, "connect", socket_connect, { 0, 1, 2 }, NOTHING },
	{ SYS_bind, "bind", socket_bind, { 0, 1, 2 }, NOTHING },
	{ SYS_execveat, "execveat", exec_judge, { 0, 1, 2, 3, 4 }, RUNS },
	{ SYS_execve, "execve", exec_judge, { CWD, 0, 1, 2, NIL }, RUNS },
	{ SYS_memfd_create, "memfd_create", exec_memfd, { 0, 1 }, NOTHING },
	{ SYS_unlinkat, "unlinkat", perform_unlink, { 0, 1, 2 }, REMOVES },
	{ SYS_truncate, "truncate", open_truncate, { CWD, 0, 1 }, WRITES },
#ifdef SYS_renameat
	{ SYS_renameat,
	  "renameat",
	  perform_rename,
	  { 0, 1, 2, 3, NIL },
	  MOVES },
#endif
#ifdef SYS_open
	{ SYS_open, "open", open_perform, { CWD, 0, 1, 2 }, OPENS },
	{ SYS_creat, "creat", open_perform, { CWD, 0, CREAT, 1 }, OPENS },
	{ SYS_mkdir, "mkdir", perform_mkdir, { CWD, 0, 1 }, MAKES },
	{ SYS_mknod, "mknod", perform_mknod, { CWD, 0, 1, 2 }, MAKES },
	{ SYS_rename,
	  "rename",
	  perform_rename,
	  { CWD, 0, CWD, 1, NIL },
	  MOVES },
	{ SYS_link,
	  "link",
	  perform_link,
	  { CWD, 0, CWD, 1, NIL },
	  MAKES_AT(2) },
	{ SYS_symlink, "symlink", perform_symlink, { 0, CWD, 1 }, MAKES_AT(1) },
	{ SYS_unlink, "unlink", perform_unlink, { CWD, 0, NIL }, REMOVES },
	{ SYS_rmdir, "rmdir", perform_unlink, { CWD, 0, DIRECTORY }, REMOVES },
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

static void tell(const struct call *call, const struct row *row, int failed)
{
	struct tell_path paths[2];

	for (int i = 0; i < row->paths_n; i++) {
		const struct path_arg *path = &row->paths[i];

		paths[i] = (struct tell_path){
			.act = (enum frame_act)path->act,
			.dirfd = (int)call->args[path->at],
			.addr = call->args[path->at + 1],
			.follow = path->follow,
		};
	}
	if (row->perform == open_perform) {
		paths[0].flags = (int)call->args[2];
		paths[0].follow = !(paths[0].flags & O_NOFOLLOW);
	}
	tell_refused(call, failed, paths, row->paths_n);
}

static const struct row *find_row(int nr)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].nr == nr)
			return &calls[i];
	}
	return NULL;
}

void perform_refused(const struct call *call, int failed)
{
	const struct plan *plan = call->guard->plan;

	if (failed < 0 && (plan->explain || plan->learn) && call->row)
		tell(call, call->row, failed);
}

int perform_call(struct call *call, const struct seccomp_data *data)
{
	const struct row *row = find_row(data->nr);
	int failed = refuse_call(call, data);

	if (failed)
		return failed;
	if (!row)
		return -ENOSYS;
	call->row = row;
	call->name = row->name;
	for (size_t a = 0; a < 5; a++)
		call->args[a] = argument(data, row->args[a]);
	failed = row->perform(call);
	perform_refused(call, failed);
	return failed;
}
