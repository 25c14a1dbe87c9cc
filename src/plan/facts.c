/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/facts.c - looking answers up
 *
 * Runs in:  whoever plans.
 * Trusts:   that the answers are sorted by path.
 * Must not: look at the file system.
 */
#include "plan/facts.h"

#include <stdlib.h>
#include <string.h>

static int by_path(const void *key, const void *element)
{
	const struct facts_path *path = element;

	return strcmp(key, path->path);
}

const struct facts_path *facts_path_find(const struct facts *facts,
					 const char *path)
{
	return bsearch(path, facts->paths.v, facts->paths.n,
		       sizeof(facts->paths.v[0]), by_path);
}
