/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/patterns.c - denied paths and patterns, for every open
 *
 * Runs in:  the process that plans, and the guard, which asks.
 * Trusts:   the plan; paths may be anything.
 * Must not: allocate or take long where it is asked: every open waits for it.
 *
 * A pattern is a machine whose states are bits of a word: bit i is set when
 * its component i is next. What a directory leaves to be matched below it is
 * that word, so two directories can be compared by it.
 */
#include "plan/patterns.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "plan/claims.h"
#include "plan/facts.h"
#include "plan/plan.h"
#include "plan/view.h"
#include "policy/match.h"

/* As a path has in the kernel: some file systems have names that long. */
enum { NAME_ROOM = 4096 };

/* What host/tree.c takes of a pattern; a longer one stops the start there. */
enum { PARTS_MAX = 63 };

static bool is_double_star(const char *part)
{
	return !strcmp(part, "**");
}

static const char *real_of(const struct facts *facts, const char *path)
{
	const struct facts_path *fact = facts_path_find(facts, path);

	return fact && fact->real ? fact->real : path;
}

/* The components from the first one on that has a wildcard. */
static void split(struct arena *arena, struct plan_pattern *pattern)
{
	const char *p = pattern->pattern;

	pattern->parts = arena_array(arena, const char *, PARTS_MAX);
	for (;;) {
		const char *name = p + strspn(p, "/");
		const char *part;

		p = name + strcspn(name, "/");
		if (p == name || pattern->parts_n == PARTS_MAX)
			return;
		part = arena_strndup(arena, name, (size_t)(p - name));
		if (pattern->parts_n || policy_path_is_glob(part))
			pattern->parts[pattern->parts_n++] = part;
	}
}

static void add(struct arena *arena, const struct claim *claim,
		const char *fixed, struct plan_patterns *out)
{
	struct plan_pattern *pattern = ARENA_PUSH(arena, out);

	*pattern = (struct plan_pattern){
		.pattern = claim->path,
		.read = claim->kind == CLAIM_DENY_READ,
		.origin = claim->origin,
		.key = claim->key,
		.text = claim->text,
		.fixed = fixed,
	};
	if (claim->glob)
		split(arena, pattern);
}

static void add_claim(struct arena *arena, const struct claim *claim,
		      const struct facts *facts, struct plan_patterns *out)
{
	const char *fixed = claim->glob ? policy_glob_prefix(arena, claim->path)
					: claim->path;
	const char *real = real_of(facts, fixed);

	add(arena, claim, real, out);
	/* A link of that name must stay what it is. */
	if (strcmp(real, fixed) != 0)
		add(arena, claim, fixed, out);
}

void plan_patterns_build(struct arena *arena, const struct policy *policy,
			 const struct claims *claims, const struct view *view,
			 const struct facts *facts, struct plan *plan)
{
	struct plan_patterns *out = &plan->patterns;

	if (!policy->filesystem.strict.number)
		return;
	for (size_t i = 0; i < claims->n; i++) {
		const struct claim *claim = &claims->v[i];

		/* Cordon's own are names that it knows: masks and absent
		 * names hold them. */
		if (claim->text && (claim->kind == CLAIM_DENY_READ ||
				    claim->kind == CLAIM_DENY_WRITE))
			add_claim(arena, claim, facts, out);
	}
	out->except = arena_array(arena, struct plan_exception, view->n);
	for (size_t i = 0; i < view->n; i++) {
		const struct view_node *node = &view->v[i];

		if (node->read != VIEW_SHOW && !node->private)
			continue;
		out->except[out->except_n++] = (struct plan_exception){
			.path = node->path,
			.write = node->write == VIEW_WRITE_YES || node->private,
		};
	}
}

/* Takes the first component off *@path, as a string; false if there is none.
 * "" is one without room. */
static bool take_name(const char **path, char *out, size_t room)
{
	const char *from = *path + strspn(*path, "/");
	size_t n = strcspn(from, "/");

	*path = from + n;
	if (!n)
		return false;
	if (n >= room)
		n = 0;
	memcpy(out, from, n);
	out[n] = '\0';
	return true;
}

/* `**` matches no component as well: its successor is next with it. */
static uint64_t closure(const struct plan_pattern *pattern, uint64_t state)
{
	for (size_t i = 0; i < pattern->parts_n; i++) {
		if (state & 1ULL << i && is_double_star(pattern->parts[i]))
			state |= 1ULL << (i + 1);
	}
	return state;
}

/* What is next after @name; *@out_whole: the pattern matches up to there. */
static uint64_t advance(const struct plan_pattern *pattern, uint64_t state,
			const char *name, bool *out_whole)
{
	const uint64_t end = 1ULL << pattern->parts_n;
	uint64_t next = 0;

	for (size_t i = 0; i < pattern->parts_n; i++) {
		if (!(state & 1ULL << i))
			continue;
		if (is_double_star(pattern->parts[i]))
			next |= 1ULL << i;
		else if (policy_name_match(pattern->parts[i], name))
			next |= 1ULL << (i + 1);
	}
	*out_whole = next & end;
	/* A trailing `**` is any number of components, none as well. */
	if (is_double_star(pattern->parts[pattern->parts_n - 1]))
		*out_whole |= (next & end >> 1) != 0;
	return closure(pattern, next) & ~end;
}

/*
 * How much of @path, from its start, the pattern denies: the first name on the
 * way down that it matches. 0: nothing. *@out_state: what is next below.
 */
static size_t match(const struct plan_pattern *pattern, const char *path,
		    uint64_t *out_state)
{
	char name[NAME_ROOM];
	const char *rest;
	uint64_t state;

	*out_state = 0;
	if (!path_within(pattern->fixed, path))
		return 0;
	rest = path + (pattern->fixed[1] ? strlen(pattern->fixed) : 0);
	if (!pattern->parts_n)
		return pattern->fixed[1] ? (size_t)(rest - path) : 1;
	state = closure(pattern, 1);
	while (state && take_name(&rest, name, sizeof(name))) {
		bool whole = true; /* what cannot be compared is denied */

		if (*name)
			state = advance(pattern, state, name, &whole);
		if (whole)
			return (size_t)(rest - path);
	}
	*out_state = state;
	return 0;
}

/* How much of @path the deepest exception covers. */
static size_t excepted(const struct plan_patterns *patterns, const char *path,
		       bool write)
{
	size_t most = 0;

	for (size_t i = 0; i < patterns->except_n; i++) {
		const struct plan_exception *except = &patterns->except[i];
		size_t n = strlen(except->path);

		if (n > most && (except->write || !write) &&
		    path_within(except->path, path))
			most = n;
	}
	return most;
}

const struct plan_pattern *plan_pattern_find(const struct plan *plan,
					     const char *path, bool write)
{
	const struct plan_patterns *patterns = &plan->patterns;

	for (size_t i = 0; i < patterns->n; i++) {
		const struct plan_pattern *pattern = &patterns->v[i];
		uint64_t state;
		size_t n;

		if (!write && !pattern->read)
			continue;
		n = match(pattern, path, &state);
		if (n && n >= excepted(patterns, path, write))
			return pattern;
	}
	return NULL;
}

static bool is_lost(const struct plan_pattern *pattern, const char *from,
		    const char *to)
{
	uint64_t before, after;

	/* All that it matches lies below, and would no longer. */
	if (path_within(from, pattern->fixed))
		return strcmp(from, pattern->fixed) != 0 || pattern->parts_n;
	if (match(pattern, from, &before) || !before)
		return false;
	return !match(pattern, to, &after) && (before & ~after);
}

const struct plan_pattern *plan_pattern_lost(const struct plan *plan,
					     const char *from, const char *to)
{
	for (size_t i = 0; i < plan->patterns.n; i++) {
		if (is_lost(&plan->patterns.v[i], from, to))
			return &plan->patterns.v[i];
	}
	return NULL;
}

static bool is_gained(const struct plan_pattern *pattern, const char *from,
		      const char *to)
{
	uint64_t before, after;

	/* All that it matches would lie below. */
	if (path_within(to, pattern->fixed))
		return strcmp(to, pattern->fixed) != 0 || pattern->parts_n;
	if (match(pattern, to, &after))
		return false;
	(void)match(pattern, from, &before);
	return after & ~before;
}

const struct plan_pattern *plan_pattern_gained(const struct plan *plan,
					       const char *from, const char *to)
{
	for (size_t i = 0; i < plan->patterns.n; i++) {
		if (is_gained(&plan->patterns.v[i], from, to))
			return &plan->patterns.v[i];
	}
	return NULL;
}
