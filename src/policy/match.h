/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_MATCH_H
#define CORDON_POLICY_MATCH_H

#include <stdbool.h>

#include "policy/policy.h"

struct arena;
struct err;
struct text;

/* What an item of a path list means to one caller. */
struct policy_path {
	const char *path; /* absolute and normal; a pattern if @glob */
	/* @glob: the same with `*`, `?` and `[` taken as characters, else
	 * equal to @path */
	const char *literal;
	bool glob;
};

/*
 * Expands `~`, `$HOME` and `$XDG_…` at the beginning, puts the base or the
 * working directory before a relative path, folds `.`, `..` and `//`. A
 * backslash takes the next character literally. Fails with ERR_POLICY and
 * the origin of the item.
 */
int policy_path_expand(struct arena *arena, const struct policy_item *item,
		       const struct policy_context *context,
		       struct policy_path *out, struct err *err);

/* Adds @n bytes of a path as a policy has to name it: nothing in them is part
 * of a pattern. */
void policy_path_escape(struct text *out, const char *path, size_t n);

/* Has it a `*`, `?` or `[` that no backslash makes literal? */
bool policy_path_is_glob(const char *text);

/*
 * Both absolute and normal. `*` and `?` stay within a component, `[a-z]` and
 * `[!a-z]` are sets, `**` as a component is any number of components; a
 * leading dot is a character like others.
 */
bool policy_glob_match(const char *pattern, const char *path);

/* Could the pattern match something below @directory? */
bool policy_glob_match_below(const char *pattern, const char *directory);

/* The longest directory that all matches lie in, unescaped: where to walk. */
char *policy_glob_prefix(struct arena *arena, const char *pattern);

/* `*`, `?` and sets over the whole name: of a variable, or one component of
 * a path, as policy_glob_match() takes it. */
bool policy_name_match(const char *pattern, const char *name);

#endif
