/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/loop.c - waits for descriptors and times
 *
 * Runs in:  the egress process.
 * Trusts:   its callers.
 * Must not: serve what was closed in the same round: its memory is another's
 *           by then.
 */
#include "egress/loop.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"

enum { ROUND = 64 };

static uint64_t clock_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int loop_init(struct loop *loop, struct err *err)
{
	*loop = (struct loop){ .now_ms = clock_ms() };
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	return loop->epoll < 0 ? err_sys(err, "make an epoll") : 0;
}

int source_watch(struct loop *loop, struct source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };
	int how = EPOLL_CTL_MOD;

	if (events == source->events)
		return 0;
	/* Errors and hang-ups cannot be left out: who waits for nothing is
	 * taken off. */
	if (!events)
		how = EPOLL_CTL_DEL;
	else if (!source->events)
		how = EPOLL_CTL_ADD;
	if (epoll_ctl(loop->epoll, how, source->fd, &event) < 0)
		return -1;
	source->events = events;
	return 0;
}

void source_close(struct loop *loop, struct source *source)
{
	struct epoll_event *round = loop->round;

	for (int i = 0; i < loop->round_n; i++) {
		if (round[i].data.ptr == source)
			round[i].data.ptr = NULL;
	}
	/* Where nobody else has it, closing ends the waiting. */
	if (source->shared && source->fd >= 0)
		(void)source_watch(loop, source, 0);
	source->events = 0;
	fd_close(&source->fd);
}

void timer_queue_add(struct loop *loop, struct timer_queue *queue)
{
	queue->next = loop->queues;
	loop->queues = queue;
}

void timer_stop(struct timer *timer)
{
	struct timer_queue *queue = timer->queue;

	if (!queue)
		return;
	if (timer->prev)
		timer->prev->next = timer->next;
	else
		queue->first = timer->next;
	if (timer->next)
		timer->next->prev = timer->prev;
	else
		queue->last = timer->prev;
	timer->queue = NULL;
}

void timer_start(struct loop *loop, struct timer_queue *queue,
		 struct timer *timer)
{
	timer_stop(timer);
	timer->queue = queue;
	timer->due_ms = loop->now_ms + queue->ms;
	timer->next = NULL;
	timer->prev = queue->last;
	if (queue->last)
		queue->last->next = timer;
	else
		queue->first = timer;
	queue->last = timer;
}

static int wait_ms(const struct loop *loop)
{
	uint64_t due = UINT64_MAX, now = loop->now_ms;

	for (const struct timer_queue *q = loop->queues; q; q = q->next) {
		if (q->first && q->first->due_ms < due)
			due = q->first->due_ms;
	}
	if (due == UINT64_MAX)
		return -1;
	/* Of durations that are hours at most. One more, as ours is rounded
	 * down. */
	return due > now ? (int)(due - now) + 1 : 0;
}

static void expire(struct loop *loop)
{
	for (struct timer_queue *q = loop->queues; q; q = q->next) {
		while (q->first && q->first->due_ms <= loop->now_ms) {
			struct timer *timer = q->first;

			timer_stop(timer);
			timer->expired(timer);
		}
	}
}

int loop_run(struct loop *loop, struct err *err)
{
	struct epoll_event round[ROUND];

	while (!loop->stop) {
		int n = epoll_wait(loop->epoll, round, ROUND, wait_ms(loop));

		if (n < 0 && errno != EINTR)
			return err_sys(err, "wait");
		loop->now_ms = clock_ms();
		loop->round = round;
		loop->round_n = n > 0 ? n : 0;
		for (int i = 0; i < loop->round_n; i++) {
			struct source *source = round[i].data.ptr;

			if (source)
				source->ready(source, round[i].events);
		}
		loop->round_n = 0;
		expire(loop);
	}
	return 0;
}
