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
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "egress/front.h"
#include "egress/state.h"

enum { AT_ONCE = 32 };

/* One descriptor is kept to be given up for this. */
static void turn_away(struct egress *egress, int listener)
{
	int fd;

	fd_close(&egress->spare);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	fd_close(&fd);
	egress->spare = dup(egress->start->channel);
}

static void door_ready(struct source *source, uint32_t events)
{
	struct door *door =
		(struct door *)((char *)source - offsetof(struct door, source));

	(void)events;
	for (int i = 0; i < AT_ONCE; i++) {
		int fd = accept4(source->fd, NULL, NULL,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			door->open(door, fd);
		} else if (errno == EMFILE || errno == ENFILE) {
			turn_away(door->egress, source->fd);
		} else if (errno != EINTR && errno != ECONNABORTED) {
			break;
		}
	}
}

int door_listen(struct egress *egress, int fd, uint16_t port,
		void (*open)(struct door *door, int fd))
{
	struct door *door = arena_array(&egress->arena, struct door, 1);

	*door = (struct door){
		.source = { .fd = fd, .ready = door_ready },
		.egress = egress,
		.port = port,
		.open = open,
	};
	return source_watch(&egress->loop, &door->source, EPOLLIN);
}
