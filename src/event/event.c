/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/event.c - events as JSON lines
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the strings; paths need not be UTF-8.
 * Must not: block the box because nobody reads: a full pipe loses the line.
 */
#include "event/event.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"

static const char *const kinds[] = {
	[EVENT_STARTED] = "started",
	[EVENT_ENDED] = "ended",
	[EVENT_DENIED] = "denied",
	[EVENT_NOTICED] = "noticed",
	[EVENT_MASK_LOST] = "mask-lost",
	[EVENT_MASK_RESTORED] = "mask-restored",
	[EVENT_RULES_CHANGED] = "rules-changed",
};

static void set_string(json_t *o, const char *key, const char *value)
{
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	json_t *s;

	if (!value)
		return;
	s = json_string(value);
	if (!s) {
		text_add_escaped(&text, value);
		s = json_string(text_str(&text));
	}
	json_object_set_new(o, key, s);
}

static void set_time(json_t *o)
{
	struct timespec now;
	struct tm tm;
	char text[40];
	size_t n;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0 ||
	    !gmtime_r(&now.tv_sec, &tm))
		return;
	n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, sizeof(text) - n, ".%03ldZ", now.tv_nsec / 1000000);
	json_object_set_new(o, "ts", json_string(text));
}

/*
 * Would the line be taken at once? The descriptor is the caller's and may be
 * shared, so it is not made non-blocking; a pipe that polls as writable has
 * room for PIPE_BUF bytes.
 */
static bool has_room(int fd, size_t n)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };

	return n < PIPE_BUF && poll(&out, 1, 0) == 1 && out.revents & POLLOUT;
}

void event_write(int fd, const struct event *event)
{
	json_t *o;
	char *line;

	if (fd < 0)
		return;
	o = json_object();
	set_time(o);
	json_object_set_new(o, "schema", json_integer(1));
	set_string(o, "event", kinds[event->kind]);
	if (event->pid)
		json_object_set_new(o, "pid", json_integer(event->pid));
	set_string(o, "comm", event->comm);
	set_string(o, "op", event->operation);
	set_string(o, "target", event->target);
	set_string(o, "address", event->address);
	set_string(o, "why", event->why);
	set_string(o, "rule", event->rule);
	set_string(o, "hint", event->remedy);
	if (event->kind == EVENT_ENDED) {
		set_string(o, "outcome", event->outcome);
		json_object_set_new(o, "exit_code",
				    json_integer(event->exit_code));
	}
	line = json_dumps(o, JSON_COMPACT);
	json_decref(o);
	if (line && has_room(fd, strlen(line))) {
		const struct iovec parts[] = {
			{ .iov_base = line, .iov_len = strlen(line) },
			{ .iov_base = (char[]){ "\n" }, .iov_len = 1 },
		};

		(void)!writev(fd, parts, 2);
	}
	free(line);
}
