/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Could one path rule reach into another? Against a list, and against the
 * paths that both match.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "cmd/import_overlap.h"
#include "policy/match.h"

static bool overlap(const char *inner, const char *outer, bool self)
{
	AUTO_ARENA arena = { 0 };
	struct policy_path a = { .path = inner,
				 .glob = policy_path_is_glob(inner) };
	struct policy_path b = { .path = outer,
				 .glob = policy_path_is_glob(outer) };
	struct overlap_path x, y;

	overlap_path_build(&arena, &a, &x);
	overlap_path_build(&arena, &b, &y);
	return overlap_check(&x, &y, self);
}

struct overlap_case {
	const char *inner;
	const char *outer;
	bool below;
	bool self; /* or the same */
};

static const struct overlap_case cases[] = {
	{ "/a/b", "/a", true, true },
	{ "/a", "/a", false, true },
	{ "/a", "/a/b", false, false },
	{ "/ab", "/a", false, false },
	{ "/a", "/", true, true },
	{ "/", "/", false, true },
	{ "/a/b/c", "/*/b", true, true },
	{ "/a/b/c", "/*/c", false, false },
	{ "/a/b", "/**/b", false, true },
	{ "/b", "/**/b", false, true },
	{ "/x/b/c", "/**/b", true, true },
	{ "/*/c", "/a", true, true },
	{ "/*", "/a", false, true },
	{ "/**/c", "/a", true, true },
	{ "/**", "/a", true, true },
	{ "/a/*.ts", "/a/*.pem", false, false },
	{ "/a/*.ts", "/a/x*", false, true },
	{ "/a/x*/y", "/a/y*", false, false },
	{ "/a/**/y", "/a/b/*", true, true },
	{ "/a/**/y", "/**/b/**", true, true },
	{ "/a/[xy]/z", "/a/x", true, true },
	{ "/a/\\*/z*", "/a/b", true, true }, /* not sure: yes */
};

static void rules_that_can_meet_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct overlap_case *c = &cases[i];

		if (overlap(c->inner, c->outer, false) != c->below ||
		    overlap(c->inner, c->outer, true) != c->self)
			fail_msg("'%s' in '%s'", c->inner, c->outer);
	}
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static const char *random_path(struct arena *arena, uint32_t *seed,
			       const char *const *parts, size_t n)
{
	const char *path = "";
	size_t depth = 1 + next(seed) % 4;

	while (depth--)
		path = arena_printf(arena, "%s/%s", path,
				    parts[next(seed) % n]);
	return path;
}

static bool has_parent(struct arena *arena, const char *rule, const char *path)
{
	char *p = arena_strdup(arena, path);
	char *slash;

	while ((slash = strrchr(p, '/')) && slash != p) {
		*slash = '\0';
		if (policy_glob_match(rule, p))
			return true;
	}
	return false;
}

/* Never a no where there is a path for a yes. */
static void no_path_that_both_match_is_missed(void **state)
{
	static const char *const patterns[] = { "a",  "b",  "ab", "*",
						"**", "a*", "*b", "[ab]" };
	static const char *const names[] = { "a", "b", "ab", "abb", "c" };
	uint32_t seed = 1;
	size_t met = 0;

	(void)state;
	for (size_t i = 0; i < 200 * 1000; i++) {
		AUTO_ARENA arena = { 0 };
		const char *in = random_path(&arena, &seed, patterns, 8);
		const char *out = random_path(&arena, &seed, patterns, 8);
		const char *path = random_path(&arena, &seed, names, 5);

		if (!policy_glob_match(in, path) ||
		    !has_parent(&arena, out, path))
			continue;
		met++;
		if (!overlap(in, out, false))
			fail_msg("'%s' in '%s': '%s'", in, out, path);
	}
	assert_true(met > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_that_can_meet_are_found),
		cmocka_unit_test(no_path_that_both_match_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
