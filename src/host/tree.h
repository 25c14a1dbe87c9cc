/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_TREE_H
#define CORDON_HOST_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/facts.h"

struct arena;
struct err;
struct host_resolver;

/*
 * For each pattern everything below its fixed part that matches it, links not
 * followed, what lies inside a match not listed. Patterns that begin at the
 * same directory cost one walk. ERR_POLICY where it would have to look at more
 * than HOST_TREE_LIMIT names, deeper than 255 directories, or into a directory
 * of the caller's own that is closed: a box could have closed it.
 */
enum { HOST_TREE_LIMIT = 2000000 };

int host_tree_globs(struct host_resolver *resolver, struct facts_globs *globs,
		    struct err *err);

/* Regular files with more than one name. */
struct host_inodes {
	struct facts_id *v;
	size_t n;
};

/*
 * Adds those at or below @at, looking at no more than *@budget names; false
 * where not everything was seen.
 */
bool host_tree_find_multiple(struct host_resolver *resolver, const char *at,
			     size_t *budget, struct host_inodes *out);

/* Every name below @at of one of @inodes, within HOST_TREE_LIMIT names. */
int host_tree_find_names(struct host_resolver *resolver, const char *at,
			 const struct host_inodes *inodes,
			 struct facts_paths *out, struct err *err);

/* Every socket below @at, within HOST_TREE_LIMIT names. */
int host_tree_find_sockets(struct host_resolver *resolver, const char *at,
			   struct facts_paths *out, struct err *err);

#endif
