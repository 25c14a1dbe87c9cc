/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_LOOP_H
#define CORDON_EGRESS_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct err;

/*
 * One thread, one epoll, level-triggered. Members of sources and timers are
 * the loop's, but for those that say otherwise.
 */

/* A descriptor that is waited for. Lives in whoever owns the descriptor. */
struct source {
	int fd; /* the owner's */
	void (*ready)(struct source *source, uint32_t events); /* the owner's */
	uint32_t events; /* what is waited for; 0: not watched */
	bool shared; /* the owner's: another process may have it too */
};

/* All timers of a queue last equally long, so the first to end is first. */
struct timer {
	struct timer *next;
	struct timer *prev;
	struct timer_queue *queue; /* NULL: not running */
	uint64_t due_ms;
	void (*expired)(struct timer *timer); /* the owner's */
};

struct timer_queue {
	struct timer_queue *next;
	struct timer *first;
	struct timer *last;
	unsigned int ms;
};

struct loop {
	int epoll;
	struct timer_queue *queues;
	uint64_t now_ms; /* when this round began; monotonic */
	bool stop;
	/* what was closed in this round must not be served in it */
	void *round;
	int round_n;
};

int loop_init(struct loop *loop, struct err *err);
/* Until loop->stop; -1 if the kernel fails us. */
int loop_run(struct loop *loop, struct err *err);

/* Waits for @events (EPOLLIN, EPOLLOUT); 0 waits for nothing, not even the
 * end. -1 with errno. */
int source_watch(struct loop *loop, struct source *source, uint32_t events);
/* Stops waiting, closes, and drops what this round has still to say of it. */
void source_close(struct loop *loop, struct source *source);

/* @queue is zeroed but for ms. */
void timer_queue_add(struct loop *loop, struct timer_queue *queue);
/* Starts anew where it runs already. */
void timer_start(struct loop *loop, struct timer_queue *queue,
		 struct timer *timer);
void timer_stop(struct timer *timer);

#endif
