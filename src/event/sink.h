/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EVENT_SINK_H
#define CORDON_EVENT_SINK_H

#include <stdint.h>

struct event;

enum { EVENT_SANDBOX_MAX = 64 };

/* Where the events of one run go. */
struct event_sink {
	char sandbox[EVENT_SANDBOX_MAX]; /* of events that name none */
	int fd; /* lines of JSON, the caller's; -1: none */
	uint64_t lost; /* lines that a descriptor did not take */
};

/* No descriptor, and an id for a box that has no name: "run-<16 digits>". */
void event_sink_init(struct event_sink *sink);

/*
 * Writes the event to all of them, with the time of now. A reader who does not
 * read loses lines, which are counted. -1 if the audit log did not take it.
 */
int event_emit(struct event_sink *sink, const struct event *event);

#endif
