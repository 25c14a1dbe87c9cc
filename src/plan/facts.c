/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/facts.c - looking answers up
 *
 * Runs in:  whoever plans.
 * Trusts:   nothing; without an index it looks at every answer.
 * Must not: look at the file system.
 */
#include "plan/facts.h"

#include <string.h>

#include "base/arena.h"

static size_t hash_path(const char *path)
{
	size_t h = 14695981039346656037ULL;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 1099511628211ULL;
	return h ^ h >> 32;
}

/* Slots hold the position of an answer plus one; of equals the first counts. */
void facts_index_build(struct arena *arena, struct facts *facts)
{
	size_t slots = 64;

	while (slots < 2 * facts->paths.n)
		slots *= 2;
	facts->index = arena_array(arena, uint32_t, slots);
	facts->index_mask = slots - 1;
	for (size_t i = 0; i < facts->paths.n; i++) {
		size_t at = hash_path(facts->paths.v[i].path);

		while (facts->index[at & facts->index_mask])
			at++;
		facts->index[at & facts->index_mask] = (uint32_t)i + 1;
	}
}

const struct facts_path *facts_path_find(const struct facts *facts,
					 const char *path)
{
	if (!facts->index)
		return NULL;
	for (size_t at = hash_path(path);; at++) {
		uint32_t found = facts->index[at & facts->index_mask];

		if (!found)
			return NULL;
		if (!strcmp(facts->paths.v[found - 1].path, path))
			return &facts->paths.v[found - 1];
	}
}
