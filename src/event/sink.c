/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/sink.c - where the events of one run go
 *
 * Runs in:  the supervisor.
 * Trusts:   the descriptors, which are not the command's.
 * Must not: block the box because nobody reads: a full pipe loses the line.
 */
#include "event/sink.h"

#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "event/event.h"

void event_sink_init(struct event_sink *sink)
{
	unsigned long long id = 0;

	*sink = (struct event_sink){ .fd = -1 };
	(void)!getrandom(&id, sizeof(id), 0);
	(void)snprintf(sink->sandbox, sizeof(sink->sandbox), "run-%016llx", id);
}

/*
 * Would the line be taken at once? The descriptor is the caller's and may be
 * shared, so it is not made non-blocking; a pipe that polls as writable has
 * room for PIPE_BUF bytes.
 */
static bool has_room(int fd, size_t n)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };

	return n <= PIPE_BUF && poll(&out, 1, 0) == 1 && out.revents & POLLOUT;
}

int event_emit(struct event_sink *sink, const struct event *event)
{
	AUTO_ARENA arena = { 0 };
	struct text line = { .arena = &arena };
	struct event named = *event;

	if (sink->fd < 0)
		return 0;
	if (!named.sandbox)
		named.sandbox = sink->sandbox;
	event_format(&line, &named);
	text_add(&line, "\n");
	if (!has_room(sink->fd, line.n) ||
	    write(sink->fd, line.v, line.n) != (ssize_t)line.n)
		sink->lost++;
	return 0;
}
