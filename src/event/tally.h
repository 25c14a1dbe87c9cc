/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EVENT_TALLY_H
#define CORDON_EVENT_TALLY_H

#include <stdbool.h>
#include <stdint.h>

struct event;

enum { TALLY_PLACES = 512 };

/*
 * How often the same was denied or noticed in one run. A box can ask without
 * end, and for as many different things as it likes: those that find no place
 * are counted together.
 */
struct event_tally {
	uint64_t seed; /* so that nobody can choose what falls together */
	uint64_t others;
	struct {
		uint64_t key; /* 0: free */
		uint64_t count;
	} v[TALLY_PLACES];
};

/* One more of its kind; how many there are now. */
uint64_t event_tally_add(struct event_tally *tally, const struct event *event);

/* Is the @count'th worth a line: one of the first ten, a hundredth, … */
bool event_tally_is_due(uint64_t count);

#endif
