/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/merge.c - one policy laid over another
 *
 * Runs in:  whoever loads a policy, and the build, for shipped profiles.
 * Trusts:   both; see narrow.c for a document that is not trusted.
 * Must not: compare every item with every other: lists of ten thousand rules
 *           are sorted instead.
 */
#include "policy/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policy/fields.h"

/* An item on its way through a sort, and back to its place. */
struct entry {
	const struct policy_item *item;
	size_t place;
};

static int compare_places(const struct entry *x, const struct entry *y)
{
	return (x->place > y->place) - (x->place < y->place);
}

static int compare_texts(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->item->text, y->item->text);
}

/* The same text relative to another directory is another path. */
static int compare_items(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_texts(a, b);

	if (!order)
		order = strcmp(x->item->base ? x->item->base : "",
			       y->item->base ? y->item->base : "");
	return order ? order : compare_places(x, y);
}

static int compare_names(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	size_t xn = strcspn(x->item->text, "=");
	size_t yn = strcspn(y->item->text, "=");
	int order = memcmp(x->item->text, y->item->text, xn < yn ? xn : yn);

	return order ? order : (xn > yn) - (xn < yn);
}

/* Of the same name the last one comes first. */
static int compare_variables(const void *a, const void *b)
{
	int order = compare_names(a, b);

	return order ? order : compare_places(b, a);
}

static struct entry *list_entries(struct arena *arena,
				  const struct policy_list *list)
{
	struct entry *entries = arena_array(arena, struct entry, list->n);

	for (size_t i = 0; i < list->n; i++) {
		entries[i].item = &list->v[i];
		entries[i].place = i;
	}
	return entries;
}

/* Are two neighbours in sorted order the same rule? */
static bool is_repeated(const struct policy_field *field,
			const struct entry *first, const struct entry *next)
{
	const char *a = first->item->base, *b = next->item->base;

	if (field->type == POLICY_MAP)
		return !compare_names(first, next);
	return !compare_texts(first, next) && !strcmp(a ? a : "", b ? b : "");
}

/*
 * Drops repetitions; the order stays. Who allowed a path last has allowed it:
 * what a profile means by "." is less than what an option means by it.
 */
static struct policy_list unique_items(struct arena *arena,
				       const struct policy_field *field,
				       const struct policy_list *list)
{
	struct entry *sorted = list_entries(arena, list);
	bool *repeated = arena_array(arena, bool, list->n);
	size_t *last = arena_array(arena, size_t, list->n);
	struct policy_list out = { .op = list->op };
	struct policy_item *v;

	arena_sort(
		arena, sorted, list->n, sizeof(*sorted),
		field->type == POLICY_MAP ? compare_variables : compare_items);
	for (size_t i = 0; i < list->n; i++)
		last[i] = i;
	for (size_t i = 1, kept = 0; i < list->n; i++) {
		if (!is_repeated(field, &sorted[kept], &sorted[i])) {
			kept = i;
			continue;
		}
		repeated[sorted[i].place] = true;
		if (field->narrowing == POLICY_NARROW_PATHS)
			last[sorted[kept].place] = sorted[i].place;
	}
	v = arena_array(arena, struct policy_item, list->n);
	for (size_t i = 0; i < list->n; i++) {
		if (!repeated[i])
			v[out.n++] = list->v[last[i]];
	}
	out.v = v;
	return out;
}

static struct policy_list append_items(struct arena *arena,
				       const struct policy_field *field,
				       const struct policy_list *base,
				       const struct policy_list *over)
{
	struct policy_list both = { .n = base->n + over->n, .op = base->op };
	struct policy_item *v = arena_array(arena, struct policy_item, both.n);

	if (base->n)
		memcpy(v, base->v, base->n * sizeof(*v));
	if (over->n)
		memcpy(v + base->n, over->v, over->n * sizeof(*v));
	both.v = v;
	return unique_items(arena, field, &both);
}

/* What is removed is named by its text, wherever it is relative to. */
static struct policy_list remove_items(struct arena *arena,
				       const struct policy_field *field,
				       const struct policy_list *base,
				       const struct policy_list *gone)
{
	int (*compare)(const void *, const void *) =
		field->type == POLICY_MAP ? compare_names : compare_texts;
	struct entry *sorted = list_entries(arena, gone);
	struct policy_item *v = arena_array(arena, struct policy_item, base->n);
	struct policy_list out = { .v = v, .op = base->op };

	arena_sort(arena, sorted, gone->n, sizeof(*sorted), compare);
	for (size_t i = 0; i < base->n; i++) {
		struct entry wanted = { &base->v[i], 0 };

		if (!bsearch(&wanted, sorted, gone->n, sizeof(*sorted),
			     compare))
			v[out.n++] = base->v[i];
	}
	return out;
}

static struct policy_list merge_list(struct arena *arena,
				     const struct policy_field *field,
				     const struct policy_list *base,
				     const struct policy_list *over)
{
	switch (over->op) {
	case POLICY_APPEND:
		if (!over->n)
			break;
		return append_items(arena, field, base, over);
	case POLICY_REPLACE:
		return unique_items(arena, field, over);
	case POLICY_REMOVE:
		if (!over->n)
			break;
		return remove_items(arena, field, base, over);
	}
	return *base;
}

void policy_merge(struct arena *arena, const struct policy *base,
		  const struct policy *over, struct policy *out)
{
	struct policy merged = *base;

	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];
		const struct policy_scalar *scalar;

		if (policy_field_is_list(field)) {
			*policy_field_list_of(field, &merged) = merge_list(
				arena, field, policy_field_list(field, base),
				policy_field_list(field, over));
			continue;
		}
		scalar = policy_field_scalar(field, over);
		if (scalar->set)
			*policy_field_scalar_of(field, &merged) = *scalar;
	}
	*out = merged;
}
