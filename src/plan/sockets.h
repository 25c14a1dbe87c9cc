/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_SOCKETS_H
#define CORDON_PLAN_SOCKETS_H

#include <stdbool.h>

struct arena;
struct claims;
struct facts;
struct facts_strings;

/*
 * The real paths of network.unix_sockets: sockets, directories of sockets, and
 * what does not exist yet. Of a pattern, what matches it now.
 */
void plan_sockets_build(struct arena *arena, const struct claims *claims,
			const struct facts *facts, struct facts_strings *out);

/* Is it one of them, or does it lie in one? @real is real too. */
bool plan_sockets_allow(const struct facts_strings *sockets, const char *real);

#endif
