/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_REPORT_H
#define CORDON_GUARD_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/frame.h"

struct call;
struct guard;
struct place;

/* What is told of a call; see struct frame_told. */
struct report {
	enum frame_act act;
	enum frame_by by;
	size_t rule;
	const char *text;
	size_t n; /* of the text; what does not fit is cut */
	bool cut; /* there was more already */
	bool doubt;
};

/* Room for counting what was not told; -1 with errno. */
int report_init(struct guard *guard);
void report_done(struct guard *guard);

/* Told if there is room: a supervisor that does not listen must not stop the
 * box. Else it is counted, and the next frame has the number. */
void report_denied(const struct call *call, const struct report *report);

/* Waits for room: what is learned must be whole. */
void report_used(const struct call *call, const struct report *report);

/* The path of the guard's descriptor @fd as the box has it; only for people
 * and patterns. Returns its length, 0 if there is none. */
size_t report_path(const struct call *call, int fd, char *out, size_t room);

/* The same for a name in a directory; 0 also if it does not fit. */
size_t report_place(const struct call *call, const struct place *place,
		    char *out, size_t room);

#endif
