/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_FRONT_H
#define CORDON_EGRESS_FRONT_H

#include <stddef.h>
#include <stdint.h>

#include "egress/loop.h"

struct egress;

/* A socket that is accepted from. */
struct door {
	struct source source;
	struct egress *egress;
	uint16_t port; /* where a host port or a published port leads */
	/* takes the connection of the client with this port */
	void (*open)(struct door *door, int fd, uint16_t from);
};

/* Each listens until the loop ends; -1 with errno. @fd stays the caller's. */
int front_proxy_listen(struct egress *egress, int fd);
int front_stream_listen(struct egress *egress, int fd);
int front_host_listen(struct egress *egress, int fd, uint16_t port);
int front_publish_listen(struct egress *egress, int fd, uint16_t port);

/* Shared by them: accepts what is there and hands it to door->open. */
int door_listen(struct egress *egress, int fd, uint16_t port,
		void (*open)(struct door *door, int fd, uint16_t from));

#endif
