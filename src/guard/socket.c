/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/socket.c - connect(2) and bind(2), for a caller
 *
 * Runs in:  the guard; what waits for a server runs in a child of it.
 * Trusts:   nothing of the caller: another thread can change the address and
 *           put another socket at the number. Both are taken once; what was
 *           taken is judged and used.
 * Must not: wait, or use an address that the caller can still change.
 *
 * The call is made on the caller's very socket: it is one open file, with its
 * options, its O_NONBLOCK and whoever else waits for it.
 */
#include "guard/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/limit.h"
#include "guard/peer.h"
#include "guard/perform.h"
#include "guard/place.h"
#include "guard/protect.h"
#include "guard/state.h"
#include "guard/strict.h"
#include "guard/waiting.h"

/* A socket of the caller and the address that it named. */
struct target {
	int fd; /* owned */
	socklen_t len;
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_storage room;
	} addr;
	int first; /* what the guard's own try gave; 0: there was none */
};

static void target_done(struct target *target)
{
	if (target->fd < 0)
		return;
	/* If it is the last one by now, SO_LINGER may wait here. */
	limit_begin();
	fd_close(&target->fd);
	limit_end();
}

#define AUTO_TARGET __attribute__((cleanup(target_done))) struct target

static int read_target(const struct call *call, struct target *out)
{
	int len = (int)call->args[2];
	int failed = 0;

	out->fd = caller_get_fd(&call->caller, (int)call->args[0]);
	if (out->fd < 0)
		return out->fd;
	if (len < 0 || (size_t)len > sizeof(out->addr))
		return -EINVAL;
	if (len)
		failed = caller_read(&call->caller, call->args[1], &out->addr,
				     (size_t)len);
	out->len = (socklen_t)len;
	if (failed)
		return failed;
	return call_valid(call) ? 0 : GUARD_ANSWERED;
}

/*
 * The address is no good, and perhaps the descriptor neither: connect(2) looks
 * at the address before it asks for a socket, bind(2) after.
 */
static int error_of(const struct target *target, int failed, bool socket_first)
{
	socklen_t n = sizeof(int);
	int type;

	if (failed >= 0 || target->fd < 0 ||
	    getsockopt(target->fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0)
		return failed;
	return socket_first || errno == EBADF ? -errno : failed;
}

static int option(int fd, int name)
{
	socklen_t n = sizeof(int);
	int value = 0;

	return getsockopt(fd, SOL_SOCKET, name, &value, &n) < 0 ? -1 : value;
}

/* Is it a path to a unix socket, as the kernel would take it? */
static bool has_path(const struct target *target)
{
	return target->len > offsetof(struct sockaddr_un, sun_path) &&
	       target->len <= sizeof(struct sockaddr_un) &&
	       target->addr.any.sa_family == AF_UNIX &&
	       target->addr.un.sun_path[0] &&
	       option(target->fd, SO_DOMAIN) == AF_UNIX;
}

/* Where the path leads; *@base is the caller's directory if it is relative. */
static int find_place(const struct call *call, const struct target *target,
		      int *base, struct place *out)
{
	size_t room = target->len - offsetof(struct sockaddr_un, sun_path);
	size_t n = strnlen(target->addr.un.sun_path, room);

	memcpy(out->text, target->addr.un.sun_path, n);
	out->text[n] = '\0';
	if (out->text[0] == '/')
		return place_find_from(call, call->guard->root, out);
	*base = caller_open_dir(&call->caller, AT_FDCWD);
	return *base < 0 ? *base : place_find_from(call, *base, out);
}

/* ---- connect ---------------------------------------------------------- */

static int connect_now(const struct target *target)
{
	return connect(target->fd, &target->addr.any, target->len) < 0 ? -errno
								       : 0;
}

/* In the guard: -EINTR if it would have waited. */
static int connect_limited(const struct target *target)
{
	int failed;

	limit_begin();
	failed = connect_now(target);
	limit_end();
	return failed;
}

/* In a child. */
static int connect_waiting(const struct call *call, const void *what)
{
	const struct target *target = what;
	int failed = connect_now(target);

	(void)call;
	/* The time limit of the caller's, told for its first and only call. */
	if (failed == -EALREADY &&
	    (target->first == -EINPROGRESS || target->first == -EINTR))
		return -EINPROGRESS;
	return failed;
}

static bool is_zero(const struct timeval *time)
{
	return !time->tv_sec && !time->tv_usec;
}

static struct timeval read_limit(int fd)
{
	struct timeval limit = { 0 };
	socklen_t n = sizeof(limit);

	(void)getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &n);
	return limit;
}

static int hand_over(const struct call *call, const struct target *target)
{
	const struct timeval limit = read_limit(target->fd);
	const struct waiting_open connect = { .open = connect_waiting,
					      .what = target,
					      .plain = true,
					      .timed = !is_zero(&limit) };

	return waiting_start(call, &connect);
}

enum wait { WAIT_NEVER, WAIT_TIMED, WAIT_UNKNOWN };

/* How does a connect on this socket wait, if it blocks? */
static enum wait how_it_waits(int fd)
{
	int type = option(fd, SO_TYPE);

	switch (option(fd, SO_DOMAIN)) {
	case AF_INET:
	case AF_INET6:
		if (type == SOCK_DGRAM || type == SOCK_RAW)
			return WAIT_NEVER;
		return option(fd, SO_PROTOCOL) == IPPROTO_TCP ? WAIT_TIMED
							      : WAIT_UNKNOWN;
	case AF_UNIX:
		return type == SOCK_DGRAM ? WAIT_NEVER : WAIT_TIMED;
	case AF_NETLINK:
	case -1: /* no socket */
		return WAIT_NEVER;
	default:
		return WAIT_UNKNOWN;
	}
}

/*
 * A try that waits no longer than the kernel's clock ticks: on one machine a
 * connection is made at once or not. O_NONBLOCK instead would show to whoever
 * else uses the open file. Whoever that is can set the limit back at once;
 * then it ends a little later.
 */
static int connect_shortly(const struct target *target)
{
	const struct timeval tick = { .tv_usec = 1 };
	const struct timeval limit = read_limit(target->fd);
	int failed;

	if (setsockopt(target->fd, SOL_SOCKET, SO_SNDTIMEO, &tick,
		       sizeof(tick)) < 0)
		return -errno;
	failed = connect_limited(target);
	(void)setsockopt(target->fd, SOL_SOCKET, SO_SNDTIMEO, &limit,
			 sizeof(limit));
	return failed;
}

static bool is_unfinished(int failed)
{
	return failed == -EINPROGRESS || failed == -EALREADY ||
	       failed == -EAGAIN || failed == -EINTR;
}

static int connect_target(const struct call *call, struct target *target)
{
	int flags = fcntl(target->fd, F_GETFL);
	enum wait how = WAIT_NEVER;

	if (flags >= 0 && !(flags & O_NONBLOCK))
		how = how_it_waits(target->fd);
	if (how == WAIT_UNKNOWN)
		return hand_over(call, target);
	target->first = how == WAIT_TIMED ? connect_shortly(target)
					  : connect_limited(target);
	if (how == WAIT_TIMED ? is_unfinished(target->first)
			      : target->first == -EINTR)
		return hand_over(call, target);
	return target->first;
}

/* What was judged is connected to, by its descriptor. */
static int connect_path(const struct call *call, struct target *target)
{
	AUTO_CLOSE int base = -1;
	AUTO_CLOSE int object = -1;
	AUTO_PLACE place = { .dir = -1 };
	int failed = find_place(call, target, &base, &place);

	if (failed)
		return failed;
	object = place_open(call, &place);
	if (object < 0)
		return object;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	failed = peer_judge(call, object);
	if (failed)
		return failed;
	(void)snprintf(target->addr.un.sun_path,
		       sizeof(target->addr.un.sun_path), "/proc/self/fd/%d",
		       object);
	target->len = sizeof(target->addr.un);
	return connect_target(call, target);
}

int socket_connect(const struct call *call)
{
	AUTO_TARGET target = { .fd = -1 };
	int failed = read_target(call, &target);

	if (failed)
		return error_of(&target, failed, false);
	return has_path(&target) ? connect_path(call, &target)
				 : connect_target(call, &target);
}

/* ---- bind ------------------------------------------------------------- */

static int bind_now(const struct target *target)
{
	return bind(target->fd, &target->addr.any, target->len) < 0 ? -errno
								    : 0;
}

/*
 * The path is part of the socket's address, which getsockname(2) and whoever
 * gets a datagram from it see: so it is bound by the caller's own words, seen
 * from the caller's directory. All renames and links of the box are the
 * guard's, so they lead where they led a moment ago. Only a path through /proc
 * means something else to the guard; there the place and its name are used.
 */
static int bind_place(const struct call *call, struct target *target, int base,
		      const struct place *place)
{
	int from = place->walked ? place->dir : base;
	int failed;

	if (place->walked) {
		size_t n = strlen(place->name);

		/* It was a part of the same path, so there is room. */
		memcpy(target->addr.un.sun_path, place->name, n);
		target->len =
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	}
	if (from >= 0 && fchdir(from) < 0)
		return -errno;
	failed = bind_now(target);
	if (from >= 0)
		(void)!fchdir(call->guard->root);
	return failed;
}

static int bind_path(const struct call *call, struct target *target)
{
	AUTO_CLOSE int base = -1;
	AUTO_PLACE place = { .dir = -1 };
	struct timespec now = { 0 };
	int failed = find_place(call, target, &base, &place);

	if (failed)
		return failed;
	if (!call_valid(call))
		return GUARD_ANSWERED;
	failed = protect_judge(call, &place, PROTECT_NEW);
	if (!failed)
		failed = strict_judge_name(call, &place, FRAME_CREATE, true);
	if (failed)
		return failed == -EEXIST ? -EADDRINUSE : failed;
	failed = peer_reserve(call, &place);
	if (!failed)
		failed = perform_umask(call);
	if (failed)
		return failed;
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
	failed = bind_place(call, target, base, &place);
	if (failed)
		return failed;
	protect_notice(call, &place);
	peer_add(call, &place, &now);
	return 0;
}

int socket_bind(const struct call *call)
{
	AUTO_TARGET target = { .fd = -1 };
	int failed = read_target(call, &target);

	if (failed)
		return error_of(&target, failed, true);
	return has_path(&target) ? bind_path(call, &target) : bind_now(&target);
}
