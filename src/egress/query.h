/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_QUERY_H
#define CORDON_EGRESS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "egress/loop.h"
#include "egress/servers.h"

struct arena;
struct dns_reply;

/* What all questions share. */
struct querier {
	struct arena *arena;
	struct loop *loop;
	struct servers servers; /* of queries that begin from now on */
	struct timer_queue timeouts[SERVERS_TIMEOUT_MAX_S]; /* by seconds */
	size_t turn; /* of servers that rotate */
	struct query_stream *streams; /* that are free */
	size_t streams_n; /* that there are */
};

/*
 * A question for one type of a name's records: by datagram, from a socket and
 * a port of its own each time, to one server after the other; by stream where
 * an answer was cut. Lives in its owner, zeroed at first.
 */
struct query {
	struct source source;
	struct timer timer;
	struct querier *querier; /* NULL: it does not run */
	struct servers servers; /* those that there were when it began */
	const char *name;
	uint16_t type;
	uint16_t id;
	size_t tries; /* so far */
	size_t server; /* that is asked */
	struct query_stream *stream; /* NULL: by datagram */
	/* The owner's: called once, perhaps before query_start() returns,
	 * never after query_stop(). The reply says that there are records, or
	 * that there are none; NULL: nobody said either. */
	void (*done)(struct query *query, const struct dns_reply *reply);
	void *owner;
};

void querier_init(struct querier *querier, struct arena *arena,
		  struct loop *loop, const struct servers *servers);

/* @name is borrowed until it is done. */
void query_start(struct querier *querier, struct query *query, const char *name,
		 uint16_t type);
void query_stop(struct query *query);

#endif
