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
 * Everything below the fixed part of @pattern that matches it, links not
 * followed, what lies inside a match not listed. ERR_POLICY where more than
 * HOST_TREE_LIMIT names had to be looked at.
 */
enum { HOST_TREE_LIMIT = 2000000 };

int host_tree_glob(struct host_resolver *resolver, const char *pattern,
		   struct facts_paths *out, struct err *err);

/* Regular files with more than one name. */
struct host_inodes {
	struct facts_id *v;
	size_t n;
};

/*
 * Adds those at or below @at, looking at no more than *@budget names; false
 * where the budget ran out before the end.
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
