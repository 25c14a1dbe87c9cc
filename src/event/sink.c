/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/sink.c - where the events of one run go
 *
 * Runs in:  the supervisor.
 * Trusts:   the descriptors, which are not the command's.
 * Must not: block the box because nobody reads: a full pipe loses the line.
 */
#include "event/sink.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/text.h"
#include "event/audit.h"
#include "event/event.h"

enum { LINE_ROOM = 2048 };

void event_sink_init(struct event_sink *sink)
{
	unsigned long long random[2] = { 0 };

	*sink = (struct event_sink){ .fd = -1, .file = -1 };
	(void)!getrandom(random, sizeof(random), 0);
	sink->tally.seed = random[1];
	(void)snprintf(sink->sandbox, sizeof(sink->sandbox), "run-%016llx",
		       random[0]);
}

void event_sink_done(struct event_sink *sink)
{
	fd_close(&sink->file);
}

/*
 * Would the line be taken at once? The descriptor is the caller's and may be
 * shared, so it is not made non-blocking; a pipe that polls as writable has
 * room for PIPE_BUF bytes. A file takes any length.
 */
static bool has_room(int fd, size_t n)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };
	struct stat st;

	if (n > PIPE_BUF && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		return false;
	return poll(&out, 1, 0) == 1 && out.revents & POLLOUT;
}

static void write_line(struct event_sink *sink, int fd, const char *line,
		       size_t n)
{
	ssize_t done;

	if (fd < 0)
		return;
	done = has_room(fd, n) ? write(fd, line, n) : -1;
	if (done == (ssize_t)n)
		return;
	sink->lost++;
	/* A full disk: what came of the line must not become part of the
	 * next one. */
	if (done > 0)
		(void)!write(fd, "\n", 1);
}

static int audit(struct event_sink *sink, const struct event *event,
		 const char *object, size_t n)
{
	struct err err;

	if (!sink->audit || event->kind == EVENT_USED)
		return 0;
	if (!event_tally_is_due(event->count)) {
		sink->unlisted += event->kind == EVENT_DENIED;
		return 0;
	}
	if (sink->audit_stuck && event->kind != EVENT_ENDED) {
		sink->unaudited++;
		return -1;
	}
	if (event_audit_append(sink->audit, object, n, 0, &err) == 0)
		return 0;
	sink->audit_stuck = err.sys == EWOULDBLOCK;
	if (!sink->unaudited++)
		sink->audit_err = err;
	return -1;
}

/* Without the caller's doing. */
static bool can_repeat(enum event_kind kind)
{
	return kind == EVENT_DENIED || kind == EVENT_NOTICED ||
	       kind == EVENT_MASK_LOST || kind == EVENT_MASK_RESTORED ||
	       kind == EVENT_LIMIT_HIT;
}

int event_emit(struct event_sink *sink, const struct event *event)
{
	AUTO_ARENA arena = { 0 };
	char room[LINE_ROOM];
	/* Nearly all lines need no memory. */
	struct text line = { .arena = &arena, .v = room, .room = sizeof(room) };
	struct event full = *event;

	if (!full.sandbox)
		full.sandbox = sink->sandbox;
	if (can_repeat(full.kind))
		full.count = event_tally_add(&sink->tally, &full);
	sink->denials += full.kind == EVENT_DENIED;
	if (full.kind == EVENT_ENDED) {
		full.denials = sink->denials;
		full.unlisted = sink->unlisted;
	}
	if (sink->fd < 0 && sink->file < 0 && !sink->audit)
		return 0;
	event_format(&line, &full);
	text_add(&line, "\n");
	write_line(sink, sink->fd, line.v, line.n);
	write_line(sink, sink->file, line.v, line.n);
	return audit(sink, &full, line.v, line.n - 1);
}

bool event_sink_must_stop(const struct event_sink *sink)
{
	return sink->audit_must && sink->unaudited;
}
