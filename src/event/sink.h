/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EVENT_SINK_H
#define CORDON_EVENT_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "event/tally.h"

struct event;

enum { EVENT_SANDBOX_MAX = 64 };

/* Where the events of one run go. */
struct event_sink {
	char sandbox[EVENT_SANDBOX_MAX]; /* of events that name none */
	int fd; /* lines of JSON, the caller's; -1: none */
	int file; /* likewise, a file of our own; -1: none */
	const char *audit; /* directory of the audit log; NULL: none */
	bool audit_must; /* without it, nothing may run */
	uint64_t lost; /* lines that a descriptor did not take */
	uint64_t unaudited; /* records that the log did not take */
	struct err audit_err; /* why, the first time */
	bool audit_stuck; /* somebody holds its lock: not waited for again */
	uint64_t denials;
	uint64_t unlisted; /* of them, left out of the log as repetitions */
	struct event_tally tally;
};

/* No descriptor, no log, and an id for a box that has no name:
 * "run-<16 digits>". */
void event_sink_init(struct event_sink *sink);

/* Closes what is its own. */
void event_sink_done(struct event_sink *sink);

#define AUTO_SINK __attribute__((cleanup(event_sink_done))) struct event_sink

/*
 * Writes the event to all of them, with the time of now. A reader who does not
 * read loses lines, which are counted. The same denial is in the log ten times
 * and then at the powers of ten, with its count; what was used is not in it.
 * -1 if the log did not take it: audit_err says why.
 */
int event_emit(struct event_sink *sink, const struct event *event);

/* The log cannot be written and must be: the run has to end. */
bool event_sink_must_stop(const struct event_sink *sink);

#endif
