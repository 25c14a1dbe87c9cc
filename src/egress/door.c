/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/door.c - accepts connections
 *
 * Runs in:  the egress process.
 * Trusts:   nothing.
 * Must not: spin when there are no descriptors left: what cannot be served is
 *           turned away.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "egress/front.h"
#include "egress/state.h"

/* One descriptor is kept to be given up for this. */
static void turn_away(struct egress *egress, int listener)
{
	int fd;

	fd_close(&egress->spare);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	fd_close(&fd);
	egress->spare = dup(egress->start->channel);
}

/* One at a time: there is seldom another, and asking costs. */
static void door_ready(struct source *source, uint32_t events)
{
	struct door *door =
		(struct door *)((char *)source - offsetof(struct door, source));
	struct sockaddr_in6 peer = { 0 }; /* its port is where IPv4 has it */
	socklen_t n = sizeof(peer);
	int fd;

	(void)events;
	if (door->egress->draining) {
		(void)source_watch(&door->egress->loop, source, 0);
		return;
	}
	fd = accept4(source->fd, (struct sockaddr *)&peer, &n,
		     SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		door->open(door, fd, ntohs(peer.sin6_port));
	else if (errno == EMFILE || errno == ENFILE)
		turn_away(door->egress, source->fd);
}

int door_listen(struct egress *egress, int fd, uint16_t port,
		void (*open)(struct door *door, int fd, uint16_t from))
{
	struct door *door = arena_array(&egress->arena, struct door, 1);

	*door = (struct door){
		.source = { .fd = fd, .ready = door_ready },
		.egress = egress,
		.port = port,
		.open = open,
	};
	/* What is accepted has it from the start. */
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)) <
	    0)
		return -1;
	return source_watch(&egress->loop, &door->source, EPOLLIN);
}
