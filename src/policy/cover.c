/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/cover.c - which items of a list are covered by those of another
 *
 * Runs in:  whoever narrows a policy.
 * Trusts:   nothing.
 * Must not: say yes where it is not sure: a pattern is covered by a directory
 *           that holds all its matches, or by the same pattern.
 */
#include "policy/cover.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policy/fields.h"
#include "policy/names.h"

static bool is_path(const struct policy_field *field)
{
	return field->form == POLICY_FORM_PATH;
}

int cover_items_build(struct arena *arena, const struct policy_context *context,
		      const struct policy_field *field,
		      const struct policy_list *list, struct cover_items *out,
		      struct err *err)
{
	out->v = arena_array(arena, struct cover_item, list->n);
	out->n = list->n;
	for (size_t i = 0; i < list->n; i++) {
		struct cover_item *item = &out->v[i];

		item->item = &list->v[i];
		if (is_path(field) &&
		    policy_path_expand(arena, item->item, context, &item->path,
				       err) < 0)
			return -1;
	}
	return 0;
}

static bool is_pattern(const struct policy_field *field,
		       const struct cover_item *item)
{
	if (is_path(field))
		return item->path.glob;
	if (field->type == POLICY_MAP)
		return false;
	if (field->form == POLICY_FORM_HOST)
		return true; /* one without a port covers others with one */
	return field->form == POLICY_FORM_ENV &&
	       policy_path_is_glob(item->item->text);
}

static const char *key_of(const struct policy_field *field,
			  const struct cover_item *item)
{
	return is_path(field) ? item->path.path : item->item->text;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void cover_build(struct arena *arena, const struct policy_field *field,
		 const struct cover_items *items, struct cover *out)
{
	memset(out, 0, sizeof(*out));
	out->field = field;
	out->exact = arena_array(arena, const char *, items->n);
	out->patterns = arena_array(arena, const char *, items->n);
	for (size_t i = 0; i < items->n; i++) {
		const struct cover_item *item = &items->v[i];

		if (is_pattern(field, item))
			out->patterns[out->patterns_n++] = key_of(field, item);
		else
			out->exact[out->exact_n++] = key_of(field, item);
	}
	qsort(out->exact, out->exact_n, sizeof(*out->exact), compare_strings);
}

static bool find_exact(const struct cover *cover, const char *key)
{
	return cover->exact_n &&
	       bsearch(&key, cover->exact, cover->exact_n,
		       sizeof(*cover->exact), compare_strings);
}

static bool find_same_pattern(const struct cover *cover, const char *pattern)
{
	for (size_t i = 0; i < cover->patterns_n; i++) {
		if (!strcmp(cover->patterns[i], pattern))
			return true;
	}
	return false;
}

static bool find_pattern(const struct cover *cover, const char *path)
{
	for (size_t i = 0; i < cover->patterns_n; i++) {
		if (policy_glob_match(cover->patterns[i], path))
			return true;
	}
	return false;
}

/* Cuts the last component off; false at the root. */
static bool to_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	slash[slash == path] = '\0';
	return true;
}

static enum cover_answer find_path(const struct cover *cover,
				   const struct cover_item *item, size_t *at)
{
	AUTO_ARENA arena = { 0 };
	bool self = !item->path.glob;
	char *path;

	if (item->path.glob && find_same_pattern(cover, item->path.path))
		return COVER_EQUAL;
	path = self ? arena_strdup(&arena, item->path.path)
		    : policy_glob_prefix(&arena, item->path.path);
	do {
		*at = strlen(path);
		if (find_exact(cover, path))
			return self ? COVER_EQUAL : COVER_BELOW;
		if (find_pattern(cover, path))
			return COVER_BELOW;
		self = false;
	} while (to_parent(path));
	*at = 0;
	return cover->everything ? COVER_BELOW : COVER_NOT;
}

static bool pattern_covers(const struct policy_field *field,
			   const char *pattern, const char *text)
{
	if (field->form == POLICY_FORM_HOST)
		return policy_host_covers(pattern, text);
	return !policy_path_is_glob(text) && policy_name_match(pattern, text);
}

enum cover_answer cover_find(const struct cover *cover,
			     const struct cover_item *item, size_t *at)
{
	const char *text = item->item->text;

	*at = 0;
	if (is_path(cover->field))
		return find_path(cover, item, at);
	if (find_exact(cover, text) || find_same_pattern(cover, text))
		return COVER_EQUAL;
	for (size_t i = 0; i < cover->patterns_n; i++) {
		if (pattern_covers(cover->field, cover->patterns[i], text))
			return COVER_BELOW;
	}
	return COVER_NOT;
}
