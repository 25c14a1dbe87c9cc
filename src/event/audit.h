/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EVENT_AUDIT_H
#define CORDON_EVENT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;

/*
 * The audit log: a directory with a file of JSON lines for each UTC day. Each
 * line has a number, the hash of the line before and its own; `head` knows the
 * last one. Whoever can write the directory can make up a whole log: what is
 * found is what was changed, lost or removed without doing that.
 *
 * A line is in the page cache when append returns, which outlives every
 * process but not a power cut.
 */

/* Makes @dir and what is missing above it, 0700. *@made: it was not there. */
int event_audit_make(const char *dir, bool *made, struct err *err);

/*
 * Appends @object, one object on a line as event_format() makes it. Nothing
 * stays open. It is there as a whole, or, after an error, not at all. A new
 * file begins when one has @rotate_bytes; 0: 64 MiB.
 */
int event_audit_append(const char *dir, const char *object, size_t n,
		       uint64_t rotate_bytes, struct err *err);

/* What to look for. */
struct audit_query {
	unsigned int kinds; /* bits 1 << enum event_kind; 0: all */
	const char *sandbox; /* NULL: all */
	const char *since; /* as in "ts"; NULL: no bound */
	const char *until; /* the first moment that is too late */
	uint64_t limit; /* the last ones only; 0: all */
};

/* -1 with the error ends the query. @line has no line feed. */
typedef int audit_line_fn(void *data, const char *line, size_t n,
			  struct err *err);

/* Calls @found for each line, in the order of writing; no log is no lines.
 * What is not a line of events is passed over: verify finds it. */
int event_audit_query(const char *dir, const struct audit_query *query,
		      audit_line_fn *found, void *data, struct err *err);

struct audit_problem {
	const char *file;
	uint64_t line; /* 0: the file as such */
	const char *text;
};

struct audit_report {
	uint64_t files;
	uint64_t records;
	uint64_t first, last; /* numbers of records */
	struct audit_problem *v;
	size_t n;
	uint64_t more; /* problems that are not listed */
	const char *note; /* about what is no problem; or NULL */
};

/* Checks all of it; with @pruned the oldest files may be gone. -1 only where
 * it could not be read. */
int event_audit_verify(struct arena *arena, const char *dir, bool pruned,
		       struct audit_report *out, struct err *err);

#endif
