/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_NETWORK_BOX_H
#define CORDON_TESTS_NETWORK_BOX_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "enforce/steps.h"
#include "plan/plan.h"

/* A process that becomes a box as far as its network goes, and its sockets. */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MISSING	 77 /* exit status: this kernel cannot do it */

/* What a box does is no case of cmocka's: it ends with the first mistake. */
#define MUST(what)                                                             \
	do {                                                                   \
		if (!(what)) {                                                 \
			fprintf(stderr, "# line %d: not true: %s (%s)\n",      \
				__LINE__, #what, strerror(errno));             \
			_exit(1);                                              \
		}                                                              \
	} while (0)

enum {
	HTTP,
	DNS,
	STREAM,
	STREAM_80,
	STREAM_443,
	HOST4,
	HOST6,
	LISTENERS,
};

static struct egress_listener wanted[LISTENERS] = {
	[HTTP] = { EGRESS_PROXY, EGRESS_AT_LOOPBACK, EGRESS_HTTP_PORT },
	[DNS] = { EGRESS_DNS, EGRESS_AT_ANY, EGRESS_DNS_PORT },
	[STREAM] = { EGRESS_STREAM, EGRESS_AT_ANY, EGRESS_DNS_PORT },
	[STREAM_80] = { EGRESS_STREAM_PORT, EGRESS_AT_ANY, 80 },
	[STREAM_443] = { EGRESS_STREAM_PORT, EGRESS_AT_ANY, 443 },
	[HOST4] = { EGRESS_HOST_PORT, EGRESS_AT_LOOPBACK, 5432 },
	[HOST6] = { EGRESS_HOST_PORT, EGRESS_AT_LOOPBACK6, 5432 },
};

/* What egress has: its descriptors by index, -1 where none was sent. */
struct outside {
	bool tproxy;
	int fds[LISTENERS];
};

static const struct plan filtered = {
	.network = POLICY_MODE_FILTERED,
	.egress.listeners = { wanted, LISTENERS },
};

static inline void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	MUST(fd >= 0 && write(fd, text, strlen(text)) > 0);
	close(fd);
}

/* One uid that is not 0, as a box of an ordinary user has. */
static inline void enter_namespaces(void)
{
	unsigned int uid = geteuid(), gid = getegid();
	char uids[32], gids[32];

	snprintf(uids, sizeof(uids), "1000 %u 1", uid);
	snprintf(gids, sizeof(gids), "1000 %u 1", gid);
	MUST(unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0);
	write_file("/proc/self/setgroups", "deny");
	write_file("/proc/self/uid_map", uids);
	write_file("/proc/self/gid_map", gids);
}

static inline void drop_capabilities(void)
{
	struct err err;

	MUST(enforce_caps_set(0, 0, &err) == 0);
}

static inline struct outside receive(int control)
{
	struct outside outside = { .tproxy = false };
	unsigned char message[256];
	int fds[FD_MESSAGE_MAX];
	size_t n = COUNT(fds);
	ssize_t size = fd_recv(control, message, sizeof(message), fds, &n);

	MUST(size == 2 + (ssize_t)n && message[0] == 'L' && message[1] <= 1);
	outside.tproxy = message[1];
	memset(outside.fds, -1, sizeof(outside.fds));
	for (size_t i = 0; i < n; i++) {
		MUST(message[2 + i] < LISTENERS);
		MUST(outside.fds[message[2 + i]] == -1);
		outside.fds[message[2 + i]] = fds[i];
	}
	return outside;
}

static inline struct outside make_network(void)
{
	struct outside outside;
	struct err err = { 0 };
	int pair[2];

	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	if (enforce_network(&filtered, &(struct box){ .control = pair[1] },
			    &err) < 0) {
		fprintf(stderr, "# %s\n", err.msg);
		_exit(1);
	}
	outside = receive(pair[0]);
	close(pair[0]);
	close(pair[1]);
	return outside;
}

static inline struct outside make_box(void)
{
	struct outside outside;

	enter_namespaces();
	outside = make_network();
	drop_capabilities();
	if (outside.fds[HOST6] == -1)
		_exit(MISSING);
	return outside;
}

static inline struct outside make_tproxy_box(void)
{
	struct outside outside = make_box();

	if (!outside.tproxy)
		_exit(MISSING);
	return outside;
}

struct place {
	const char *address;
	uint16_t port;
};

union name {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static inline socklen_t name_of(const struct place *place, union name *out)
{
	*out = (union name){ .in6.sin6_family = AF_INET6,
			     .in6.sin6_port = htons(place->port) };
	if (inet_pton(AF_INET6, place->address, &out->in6.sin6_addr) == 1)
		return sizeof(out->in6);
	*out = (union name){ .in.sin_family = AF_INET,
			     .in.sin_port = htons(place->port) };
	MUST(inet_pton(AF_INET, place->address, &out->in.sin_addr) == 1);
	return sizeof(out->in);
}

static inline int socket_for(const struct place *place, int type)
{
	union name name;
	int fd;

	name_of(place, &name);
	fd = socket(name.any.sa_family, type | SOCK_CLOEXEC, 0);
	MUST(fd >= 0);
	return fd;
}

/* A socket that is connected, or -errno. */
static inline int connect_to(struct place place, int type)
{
	struct timeval limit = { .tv_sec = 5 };
	int fd = socket_for(&place, type);
	union name name;
	socklen_t n = name_of(&place, &name);

	MUST(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ==
	     0);
	MUST(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ==
	     0);
	if (connect(fd, &name.any, n) < 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

/* A listening or bound socket, or -errno. */
static inline int serve_at(struct place place, int type)
{
	int fd = socket_for(&place, type);
	union name name;
	socklen_t n = name_of(&place, &name);

	/* What a program might try in order to share a port. */
	MUST(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 },
			sizeof(int)) == 0);
	MUST(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &(int){ 1 },
			sizeof(int)) == 0);
	if (bind(fd, &name.any, n) < 0 ||
	    (type == SOCK_STREAM && listen(fd, 4) < 0)) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

static inline int accept_from(int listener)
{
	struct pollfd ready = { .fd = listener, .events = POLLIN };

	MUST(poll(&ready, 1, 5000) == 1);
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

/* Is it @place that @fd, of either family, calls its own? */
static inline bool is_at(int fd, struct place place)
{
	char text[INET6_ADDRSTRLEN];
	struct sockaddr_in6 in6;
	union name name;
	socklen_t n = sizeof(name);

	MUST(getsockname(fd, &name.any, &n) == 0);
	if (name.any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &name.in.sin_addr, text, sizeof(text));
		return !strcmp(text, place.address) &&
		       ntohs(name.in.sin_port) == place.port;
	}
	in6 = name.in6;
	if (IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr))
		inet_ntop(AF_INET, in6.sin6_addr.s6_addr + 12, text,
			  sizeof(text));
	else
		inet_ntop(AF_INET6, &in6.sin6_addr, text, sizeof(text));
	return !strcmp(text, place.address) &&
	       ntohs(in6.sin6_port) == place.port;
}

/* A connection to @place comes out at @listener, which learns of @place, and
 * bytes pass both ways. */
static inline void must_reach(int listener, struct place place)
{
	int client = connect_to(place, SOCK_STREAM);
	int server;
	char byte;

	MUST(client >= 0);
	server = accept_from(listener);
	MUST(server >= 0 && is_at(server, place));
	MUST(write(client, "a", 1) == 1 && read(server, &byte, 1) == 1);
	MUST(write(server, "b", 1) == 1 && read(client, &byte, 1) == 1);
	MUST(byte == 'b');
	close(client);
	close(server);
}

#endif
