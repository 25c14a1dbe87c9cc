/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EVENT_EVENT_H
#define CORDON_EVENT_EVENT_H

#include <stdint.h>

/* What happened. One struct, one JSON line. Names are part of the interface. */
enum event_kind {
	EVENT_STARTED,
	EVENT_ENDED,
	EVENT_DENIED,
	EVENT_NOTICED,
	EVENT_MASK_LOST,
	EVENT_MASK_RESTORED,
	EVENT_RULES_CHANGED,
};

/* Members that do not apply are NULL, zero or negative. */
struct event {
	enum event_kind kind;
	uint32_t pid; /* in the box */
	const char *comm;
	const char *operation; /* the system call */
	const char *target;
	const char *address; /* that the target resolved to */
	const char *why; /* a word for programs: "blocked-by-allowlist" */
	const char *rule;
	const char *remedy;
	const char *outcome; /* EVENT_ENDED */
	int exit_code;
};

/* Writes one line with the time of now; an error is the reader's loss. */
void event_write(int fd, const struct event *event);

#endif
