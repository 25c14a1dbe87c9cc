/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_DIAL_H
#define CORDON_EGRESS_DIAL_H

#include <stddef.h>
#include <stdint.h>

#include "egress/loop.h"
#include "egress/resolve.h"
#include "policy/address.h"

struct dial;

struct attempt {
	struct source source;
	struct dial *dial;
};

/*
 * A connection to the first of some addresses that answers: each gets a head
 * start of 250 ms before the next is tried beside it (RFC 8305).
 */
struct dial {
	/* The owner's: called once, perhaps before dial_start() returns, with
	 * a connected socket, or -1 and why the last attempt failed. */
	void (*done)(struct dial *dial, int fd, int sys);
	/* The owner's: makes the sockets; NULL: socket(). -1 with errno. */
	int (*make)(struct dial *dial, int family);
	struct loop *loop;
	struct timer_queue *head_starts;
	struct timer timer;
	struct address to[LOOKUP_ADDRESSES_MAX];
	uint16_t port;
	size_t n;
	size_t next; /* to be tried */
	size_t open; /* attempts that wait */
	size_t reached; /* which it was */
	int sys;
	struct attempt attempts[LOOKUP_ADDRESSES_MAX];
};

enum { DIAL_HEAD_START_MS = 250 };

/* @head_starts is a queue of the loop's, of DIAL_HEAD_START_MS. */
void dial_start(struct dial *dial, struct loop *loop,
		struct timer_queue *head_starts, const struct address *to,
		size_t n, uint16_t port);
void dial_cancel(struct dial *dial);

#endif
