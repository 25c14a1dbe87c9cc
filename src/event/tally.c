/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/tally.c - counts what happens again and again
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the events: the box chooses their targets.
 * Must not: grow.
 */
#include "event/tally.h"

#include <stddef.h>

#include "event/event.h"

enum { FIRST = 10, PROBES = 16 };

/* FNV-1a; the end of each string counts. */
static uint64_t mix(uint64_t hash, const char *s)
{
	const unsigned char *p = (const unsigned char *)(s ? s : "");

	do {
		hash = (hash ^ *p) * 0x100000001b3ULL;
	} while (*p++);
	return hash;
}

uint64_t event_tally_add(struct event_tally *tally, const struct event *event)
{
	uint64_t key = tally->seed ^ 0xcbf29ce484222325ULL;

	key = mix(key ^ (uint64_t)event->kind << 8 ^ (uint64_t)event->what,
		  event->target);
	key = mix(mix(key, event->why), event->rule);
	key += key == 0;
	for (size_t i = 0; i < PROBES; i++) {
		size_t at = (key + i) % TALLY_PLACES;

		if (tally->v[at].key && tally->v[at].key != key)
			continue;
		tally->v[at].key = key;
		return ++tally->v[at].count;
	}
	return ++tally->others;
}

bool event_tally_is_due(uint64_t count)
{
	if (count <= FIRST)
		return true;
	while (count % 10 == 0)
		count /= 10;
	return count == 1;
}
