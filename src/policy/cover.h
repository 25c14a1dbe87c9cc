/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_COVER_H
#define CORDON_POLICY_COVER_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/match.h"
#include "policy/policy.h"

struct arena;
struct err;
struct policy_field;

/*
 * Which items of one list are covered by those of another: the question
 * behind every narrowing. Internal to policy/.
 */

/* An item, and what it means where it is a path. */
struct cover_item {
	const struct policy_item *item;
	struct policy_path path;
};

struct cover_items {
	struct cover_item *v;
	size_t n;
};

struct cover {
	const struct policy_field *field;
	/* sorted: texts, or paths that are no patterns */
	const char **exact;
	size_t exact_n;
	const char **patterns;
	size_t patterns_n;
	bool everything; /* covers all paths */
};

enum cover_answer { COVER_NOT, COVER_EQUAL, COVER_BELOW };

/* Paths of @list are expanded, others taken as they are. */
int cover_items_build(struct arena *arena, const struct policy_context *context,
		      const struct policy_field *field,
		      const struct policy_list *list, struct cover_items *out,
		      struct err *err);

void cover_build(struct arena *arena, const struct policy_field *field,
		 const struct cover_items *items, struct cover *out);

/*
 * Is @item in the list, or below something in it? For a path *@at becomes
 * the length of the longest ancestor that covers it.
 */
enum cover_answer cover_find(const struct cover *cover,
			     const struct cover_item *item, size_t *at);

#endif
