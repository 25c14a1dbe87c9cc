/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/peer.c - which unix sockets are the box's own, which are allowed
 *
 * Runs in:  the guard.
 * Trusts:   the plan. Names in writable places are the box's to choose, so what
 *           is known is known by inode.
 * Must not: connect to a socket of the host to find out about it.
 *
 * A socket is the box's own if it lies in its private file system, where nobody
 * else can make one, or if the guard bound it. Of the latter an O_PATH
 * descriptor is held: as long as it is, no other file gets the inode's number.
 */
#include "guard/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "guard/guard.h"
#include "guard/place.h"
#include "guard/report.h"
#include "guard/state.h"
#include "plan/plan.h"
#include "plan/sockets.h"

enum { OWN_MAX = 256 };

struct own {
	int fd; /* O_PATH */
	struct facts_id id;
};

struct peer_room {
	uint64_t private_dev; /* 0: not known */
	int probe; /* -1: none */
	struct own own[OWN_MAX];
	size_t n;
};

int peer_init(struct guard *guard)
{
	guard->peers = calloc(1, sizeof(*guard->peers));
	if (!guard->peers)
		return -1;
	guard->peers->probe = -1;
	return 0;
}

void peer_done(struct guard *guard)
{
	struct peer_room *room = guard->peers;

	for (size_t i = 0; room && i < room->n; i++)
		fd_close(&room->own[i].fd);
	free(room);
	guard->peers = NULL;
}

void guard_know_sockets(struct guard *guard, uint64_t private_dev, int probe)
{
	guard->peers->private_dev = private_dev;
	guard->peers->probe = probe;
}

/*
 * Is somebody bound to this socket file? A datagram socket connects to nobody
 * of another type (EPROTOTYPE), and one of its own type does not notice that
 * it was connected to. 0, or what the kernel would say to the caller.
 */
static int ask_kernel(const struct peer_room *room, int object)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	if (room->probe < 0)
		return 0;
	(void)snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d",
		       object);
	if (connect(room->probe, (struct sockaddr *)&name, sizeof(name)) == 0) {
		(void)connect(room->probe, &none, sizeof(none));
		return 0;
	}
	return errno == ECONNREFUSED || errno == EACCES ? -errno : 0;
}

static bool is_own(const struct peer_room *room, const struct stat *st)
{
	if (room->private_dev && st->st_dev == room->private_dev)
		return true;
	for (size_t i = 0; i < room->n; i++) {
		if (room->own[i].id.ino == st->st_ino &&
		    room->own[i].id.dev == st->st_dev)
			return true;
	}
	return false;
}

/* Nobody can connect to it any more: the name is gone, or who bound it. */
static bool is_over(const struct peer_room *room, const struct own *own)
{
	struct stat st;

	return fstat(own->fd, &st) < 0 || st.st_nlink == 0 ||
	       ask_kernel(room, own->fd) == -ECONNREFUSED;
}

static void drop_those_over(struct peer_room *room)
{
	size_t kept = 0;

	for (size_t i = 0; i < room->n; i++) {
		if (is_over(room, &room->own[i]))
			fd_close(&room->own[i].fd);
		else
			room->own[kept++] = room->own[i];
	}
	room->n = kept;
}

int peer_reserve(const struct call *call, const struct place *place)
{
	struct peer_room *room = call->guard->peers;

	if (room->private_dev && place->id.dev == room->private_dev)
		return 0;
	if (room->n == OWN_MAX)
		drop_those_over(room);
	return room->n < OWN_MAX ? 0 : -ENOBUFS;
}

/*
 * Is it a file that was made just now? Another box that writes in the same
 * place could have put a socket of the host there since bind(2). Where the
 * file system does not know (FUSE), that is not found out.
 */
static bool is_new(int fd, const struct timespec *since)
{
	struct statx x;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BTIME, &x) < 0 ||
	    !(x.stx_mask & STATX_BTIME))
		return true;
	return x.stx_btime.tv_sec > since->tv_sec ||
	       (x.stx_btime.tv_sec == since->tv_sec &&
		x.stx_btime.tv_nsec >= since->tv_nsec);
}

void peer_add(const struct call *call, const struct place *place,
	      const struct timespec *since)
{
	struct peer_room *room = call->guard->peers;
	AUTO_CLOSE int fd = openat(place->dir, place->name,
				   O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	/* What is not remembered is a socket of the host's from now on. */
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode) ||
	    is_own(room, &st) || room->n == OWN_MAX || !is_new(fd, since))
		return;
	room->own[room->n++] = (struct own){
		.id = { .dev = st.st_dev, .ino = st.st_ino },
		.fd = fd_take(&fd),
	};
}

static void report(const struct call *call, const char *path)
{
	const struct report told = { .act = FRAME_UNIX,
				     .by = FRAME_BY_SOCKETS,
				     .text = path,
				     .n = strlen(path) };

	report_denied(call, &told);
}

/* A socket of the host that is hidden: a mask of ours lies over it. */
static bool is_hidden(const struct call *call, const struct stat *st,
		      const char *path)
{
	const struct plan_rules *rules = &call->guard->plan->rules;

	if (!S_ISREG(st->st_mode) || st->st_mode & 07777 ||
	    st->st_dev != call->guard->peers->private_dev)
		return false;
	for (size_t i = 0; i < rules->n; i++) {
		if (rules->v[i].access == PLAN_HIDDEN &&
		    !strcmp(rules->v[i].read_key, "socket") &&
		    !strcmp(rules->v[i].path, path))
			return true;
	}
	return false;
}

static int judge_foreign(const struct call *call, int object, const char *path)
{
	struct report used = { .act = FRAME_UNIX,
			       .text = path,
			       .n = strlen(path) };
	int failed;

	if (plan_sockets_allow(&call->guard->plan->sockets, path)) {
		if (call->guard->plan->learn)
			report_used(call, &used);
		return 0;
	}
	/* A file that nobody is bound to any more is no secret, and programs
	 * that find one make it anew. */
	failed = ask_kernel(call->guard->peers, object);
	if (failed)
		return failed;
	report(call, path);
	return -EACCES;
}

int peer_judge(const struct call *call, int object)
{
	char path[PATH_MAX];
	struct stat st;

	if (fstat(object, &st) < 0)
		return -errno;
	if (S_ISSOCK(st.st_mode) && is_own(call->guard->peers, &st))
		return 0;
	(void)report_path(call, object, path, sizeof(path));
	if (S_ISSOCK(st.st_mode))
		return judge_foreign(call, object, path);
	if (!is_hidden(call, &st, path))
		return 0;
	report(call, path);
	return -EACCES;
}

/* The path of a place; "", which counts as above everything, if it is too
 * long. */
static void format_place(const struct call *call, const struct place *place,
			 char out[PATH_MAX])
{
	size_t n = report_path(call, place->dir, out, PATH_MAX);

	if (n == 1)
		n = 0;
	if (!n && out[0] != '/')
		return;
	if (n + 1 + place->len >= PATH_MAX) {
		out[0] = '\0';
		return;
	}
	out[n] = '/';
	memcpy(out + n + 1, place->name, place->len);
	out[n + 1 + place->len] = '\0';
}

/* Would a name at @to, or below it, be one that the plan allows, while @from
 * is not? */
static bool leads_to_named(const struct plan *plan, const char *from,
			   const char *to)
{
	for (size_t i = 0; i < plan->sockets.n; i++) {
		const char *named = plan->sockets.v[i];

		if ((path_within(named, to) || path_within(to, named)) &&
		    !path_within(named, from))
			return true;
	}
	return false;
}

int peer_judge_move(const struct call *call, int object, const struct place *to)
{
	const struct plan *plan = call->guard->plan;
	char old[PATH_MAX], new[PATH_MAX];
	struct stat st;

	if (!plan->sockets.n)
		return 0;
	if (fstat(object, &st) < 0)
		return -errno;
	if ((!S_ISDIR(st.st_mode) && !S_ISSOCK(st.st_mode)) ||
	    is_own(call->guard->peers, &st))
		return 0;
	(void)report_path(call, object, old, sizeof(old));
	format_place(call, to, new);
	if (!leads_to_named(plan, old, new))
		return 0;
	report(call, old);
	return -EACCES;
}

int peer_judge_rename(const struct call *call, const struct place *from,
		      const struct place *to)
{
	AUTO_CLOSE int object = -1;

	if (!call->guard->plan->sockets.n)
		return 0;
	object = openat(from->dir, from->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	/* What is not there is not moved. */
	if (object < 0)
		return errno == ENOENT ? 0 : -errno;
	return peer_judge_move(call, object, to);
}
