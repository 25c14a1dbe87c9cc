/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/sockets.c - which unix sockets of the host the box may connect to
 *
 * Runs in:  the process that reads the policy; the guard asks it too.
 * Trusts:   facts.
 * Must not: look at the file system.
 */
#include "plan/sockets.h"

#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "plan/claims.h"
#include "plan/facts.h"

static void add(struct arena *arena, const struct facts_path *fact,
		struct facts_strings *out)
{
	if (fact && fact->real)
		*ARENA_PUSH(arena, out) = fact->real;
}

static void add_found(struct arena *arena, const struct facts *facts,
		      const char *pattern, struct facts_strings *out)
{
	for (size_t i = 0; i < facts->globs.n; i++) {
		const struct facts_glob *glob = &facts->globs.v[i];

		if (strcmp(glob->pattern, pattern) != 0)
			continue;
		for (size_t k = 0; k < glob->found.n; k++)
			add(arena, &glob->found.v[k], out);
	}
}

void plan_sockets_build(struct arena *arena, const struct claims *claims,
			const struct facts *facts, struct facts_strings *out)
{
	for (size_t i = 0; i < claims->n; i++) {
		const struct claim *claim = &claims->v[i];

		if (strcmp(claim->key, "unix_sockets") != 0)
			continue;
		add(arena,
		    facts_path_find(facts,
				    claim->glob ? claim->literal : claim->path),
		    out);
		if (claim->glob)
			add_found(arena, facts, claim->path, out);
	}
}

bool plan_sockets_allow(const struct facts_strings *sockets, const char *real)
{
	for (size_t i = 0; i < sockets->n; i++) {
		if (path_within(sockets->v[i], real))
			return true;
	}
	return false;
}
