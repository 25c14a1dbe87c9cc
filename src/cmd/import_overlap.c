/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_overlap.c - could one path rule reach into another?
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing.
 * Must not: say no where two patterns have a path in common.
 */
#include "cmd/import_overlap.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "policy/match.h"

/* Rules deeper than this are taken to overlap. */
enum { DEPTH_MAX = 24 };

void overlap_path_build(struct arena *arena, const struct policy_path *path,
			struct overlap_path *out)
{
	const char *s = path->path;

	memset(out, 0, sizeof(*out));
	out->glob = path->glob;
	while (*s) {
		size_t len = strcspn(s, "/");

		if (len)
			*ARENA_PUSH(arena, out) = arena_strndup(arena, s, len);
		s += len + (s[len] == '/');
	}
}

/* Have two patterns of a name, if one matches, an end of theirs in common? */
static bool ends_agree(const char *a, const char *b)
{
	static const char special[] = "*?[]\\";
	size_t an = strlen(a), bn = strlen(b);

	for (size_t i = 0;; i++) {
		if (!a[i] || !b[i] || strchr(special, a[i]) ||
		    strchr(special, b[i]))
			break;
		if (a[i] != b[i])
			return false;
	}
	for (size_t i = 1; i <= an && i <= bn; i++) {
		if (strchr(special, a[an - i]) || strchr(special, b[bn - i]))
			break;
		if (a[an - i] != b[bn - i])
			return false;
	}
	return true;
}

static bool names_agree(const struct overlap_path *a, size_t i,
			const struct overlap_path *b, size_t k)
{
	bool a_glob = a->glob && policy_path_is_glob(a->v[i]);
	bool b_glob = b->glob && policy_path_is_glob(b->v[k]);

	/* In a pattern, a component that is none may still have escapes. */
	if ((a->glob && strchr(a->v[i], '\\')) ||
	    (b->glob && strchr(b->v[k], '\\')))
		return true;
	if (!a_glob && !b_glob)
		return !strcmp(a->v[i], b->v[k]);
	if (a_glob && b_glob)
		return ends_agree(a->v[i], b->v[k]);
	return a_glob ? policy_name_match(a->v[i], b->v[k])
		      : policy_name_match(b->v[k], a->v[i]);
}

static bool is_any_depth(const struct overlap_path *path, size_t i)
{
	return path->glob && !strcmp(path->v[i], "**");
}

/*
 * reached[k]: after components of @inner so far, the first k of @outer can have
 * been matched. One bit each.
 */
static uint64_t skip_any_depth(const struct overlap_path *outer,
			       uint64_t reached)
{
	for (size_t k = 0; k < outer->n; k++) {
		if (reached >> k & 1 && is_any_depth(outer, k))
			reached |= UINT64_C(1) << (k + 1);
	}
	return reached;
}

/* One component of @inner further. */
static uint64_t step(const struct overlap_path *inner, size_t i,
		     const struct overlap_path *outer, uint64_t reached)
{
	uint64_t next = 0;

	for (size_t k = 0; k < outer->n; k++) {
		if (!(reached >> k & 1))
			continue;
		if (is_any_depth(outer, k))
			next |= UINT64_C(1) << k;
		else if (names_agree(inner, i, outer, k))
			next |= UINT64_C(1) << (k + 1);
	}
	return skip_any_depth(outer, next);
}

/* `**` of @inner stands for names that may be anything, or for none. */
static uint64_t step_any_depth(const struct overlap_path *outer,
			       uint64_t reached)
{
	for (size_t k = 0; k < outer->n; k++) {
		if (reached >> k & 1)
			reached |= UINT64_C(1) << (k + 1);
	}
	return reached;
}

bool overlap_check(const struct overlap_path *inner,
		   const struct overlap_path *outer, bool self)
{
	uint64_t end = UINT64_C(1) << (outer->n & 63);
	uint64_t reached = 1;

	if (inner->n > DEPTH_MAX || outer->n > DEPTH_MAX)
		return true;
	reached = skip_any_depth(outer, reached);
	for (size_t i = 0; i < inner->n && reached; i++) {
		/* All of @outer, and there is more of @inner below it. */
		if (reached & end)
			return true;
		if (is_any_depth(inner, i))
			reached = step_any_depth(outer, reached);
		else
			reached = step(inner, i, outer, reached);
		/* It goes on below what it has just been. */
		if (is_any_depth(inner, i) && reached & end)
			return true;
	}
	return self && reached & end;
}
