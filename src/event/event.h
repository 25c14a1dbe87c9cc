/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EVENT_EVENT_H
#define CORDON_EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct text;

/*
 * What happened. One struct, one JSON line. Names are part of the interface:
 * see docs/events.schema.json.
 */
enum event_kind {
	EVENT_STARTED,
	EVENT_ENDED,
	EVENT_DENIED,
	EVENT_NOTICED,
	EVENT_MASK_LOST,
	EVENT_MASK_RESTORED,
	EVENT_RULES_CHANGED,
	EVENT_LIMIT_HIT,
	EVENT_USED, /* something was allowed and done: for learning */
	EVENT_KINDS_N,
};

/* What was tried, for EVENT_DENIED and EVENT_USED. */
enum event_what {
	EVENT_WHAT_NONE,
	EVENT_WHAT_READ,
	EVENT_WHAT_WRITE,
	EVENT_WHAT_CREATE,
	EVENT_WHAT_REMOVE,
	EVENT_WHAT_EXEC,
	EVENT_WHAT_CONNECT,
	EVENT_WHAT_DNS,
	EVENT_WHAT_UNIX,
	EVENT_WHAT_SYSCALL,
	EVENT_WHATS_N,
};

/* Members that do not apply are NULL, zero or negative. */
struct event {
	enum event_kind kind;
	enum event_what what;
	const char *sandbox; /* id of the box, or name; NULL: the sink's */
	uint32_t pid; /* in the box */
	const char *comm;
	const char *operation; /* the system call */
	const char *target;
	const char *address; /* that the target resolved to */
	const char *why; /* a word for programs: "blocked-by-allowlist" */
	const char *rule; /* a key of the policy, or a sentence */
	const char *origin; /* of the rule: "profile base:12" */
	const char *remedy;
	char *const *argv; /* NULL-terminated; long ones are cut */
	uint64_t count; /* how often so far; 0: once */
	const char *outcome; /* EVENT_ENDED, as the next ones */
	int exit_code;
	uint64_t denials; /* in the whole run */
	uint64_t unlisted; /* of them, without a line in the audit log */
};

/* What a pipe takes at once, with the end of the line (PIPE_BUF). */
enum { EVENT_LINE_MAX = 4095 };

/* Adds the event as one JSON object, ASCII only, with the time of now: at most
 * EVENT_LINE_MAX bytes. Strings that were cut for that end with "...". */
void event_format(struct text *out, const struct event *event);

/* The word for it; kinds are also found by theirs. */
const char *event_kind_name(enum event_kind kind);
bool event_kind_find(const char *name, enum event_kind *out);

#endif
