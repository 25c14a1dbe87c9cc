/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/bound.c - a profile named on the command line holds against files
 *
 * Runs in:  whoever loads a policy.
 * Trusts:   profiles and files alike; who types `-P strict` means it, also
 *           where a file that was written earlier allows more.
 * Must not: make anything wider. A profile cannot widen a file either:
 *           `-P mine` that says nothing of the view, over a `default` that
 *           says `view: host`, must not undo a file's `view: minimal`.
 *           Options can.
 */
#include "policy/bound.h"

#include <string.h>

#include "base/arena.h"
#include "policy/fields.h"
#include "policy/format.h"

/* The item of @list that is the same rule, NULL if there is none. */
static const struct policy_item *find_item(const struct policy_field *field,
					   const struct policy_item *item,
					   const struct policy_list *list)
{
	size_t len = strcspn(item->text, "=");

	for (size_t i = 0; i < list->n; i++) {
		const struct policy_item *other = &list->v[i];
		const char *base = other->base;

		if (field->type == POLICY_MAP
			    ? strcspn(other->text, "=") == len &&
				      !strncmp(other->text, item->text, len)
			    : !strcmp(other->text, item->text) &&
				      !strcmp(base ? base : "",
					      item->base ? item->base : ""))
			return other;
	}
	return NULL;
}

/* What is removed is named by its text, wherever it is relative to. */
static bool is_removed(const struct policy_field *field,
		       const struct policy_bounds *bounds,
		       const struct policy_item *item)
{
	struct policy_item bare = { .text = item->text };

	for (size_t i = 0; i < bounds->n; i++) {
		const struct policy_list *list =
			policy_field_list(field, &bounds->documents[i]);

		if (list->op == POLICY_REMOVE && find_item(field, &bare, list))
			/* Unless a later one gives it again. */
			return !find_item(
				field, item,
				policy_field_list(field, bounds->base));
	}
	return false;
}

static void report(struct arena *arena, const struct policy_field *field,
		   const struct policy_bounds *bounds,
		   const struct policy_item *first, size_t n,
		   struct policy_refusals *refused)
{
	const char *more =
		n > 1 ? arena_printf(arena, " and %zu more", n - 1) : "";

	*ARENA_PUSH(arena, refused) = arena_printf(
		arena,
		"%s: '%s: %s'%s left out: the profile given with -P (%s) "
		"allows less; give it as an option",
		policy_origin_format(arena, &first->origin), field->key,
		first->text, more, bounds->names);
}

static void bound_list(struct arena *arena, const struct policy_field *field,
		       const struct policy_bounds *bounds,
		       const struct policy *said, struct policy *policy,
		       struct policy_refusals *refused)
{
	struct policy_list *list = policy_field_list_of(field, policy);
	const struct policy_list *replaced = policy_field_list(field, said);
	struct policy_item *kept =
		arena_array(arena, struct policy_item, list->n);
	const struct policy_item *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct policy_item *item = &list->v[i], *keep = item;

		if (replaced->op == POLICY_REPLACE)
			keep = find_item(field, item, replaced);
		else if (is_removed(field, bounds, item))
			keep = NULL;
		if (keep)
			kept[n++] = *keep;
		else if (!first)
			first = item;
	}
	if (first)
		report(arena, field, bounds, first, list->n - n, refused);
	list->v = kept;
	list->n = n;
}

int policy_bound(struct arena *arena, const struct policy_context *context,
		 const struct policy *policy,
		 const struct policy_bounds *bounds, struct policy *out,
		 struct policy_refusals *refused, struct err *err)
{
	struct policy_refusals ignored = { 0 };
	struct policy said = { 0 }, ceiling, result;

	for (size_t i = 0; i < bounds->n; i++)
		policy_merge(arena, &said, &bounds->documents[i], &said);
	ceiling = said;
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];
		struct policy_list *list;

		if (!policy_field_is_list(field))
			continue;
		list = policy_field_list_of(field, &ceiling);
		*list = (struct policy_list){ 0 };
		if (field->narrowing == POLICY_NARROW_GROW)
			*list = *policy_field_list(field, bounds->base);
		list->op = POLICY_APPEND;
	}
	/* Nobody has to be told that a profile was meant. */
	if (policy_narrow(arena, context, policy, &ceiling, POLICY_BY_CEILING,
			  &result, &ignored, err) < 0)
		return -1;
	for (size_t i = 0; i < policy_fields_n; i++) {
		if (policy_field_is_list(&policy_fields[i]) &&
		    policy_fields[i].narrowing != POLICY_NARROW_GROW)
			bound_list(arena, &policy_fields[i], bounds, &said,
				   &result, refused);
	}
	*out = result;
	return 0;
}
