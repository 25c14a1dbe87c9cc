/* SPDX-License-Identifier: Apache-2.0 */
/* filesystem.strict: which path a pattern denies, and where it would not. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plan/claims.h"
#include "plan/facts.h"
#include "plan/patterns.h"
#include "plan/plan.h"
#include "plan/view.h"
#include "policy/match.h"

/* One pattern, and what is allowed besides: "r:/path" or "w:/path". */
static void build(struct arena *arena, const char *pattern, bool read,
		  const char *allow, struct plan *out)
{
	struct claim claim = {
		.kind = read ? CLAIM_DENY_READ : CLAIM_DENY_WRITE,
		.path = pattern,
		.text = pattern,
		.glob = policy_path_is_glob(pattern),
		.key = read ? "deny_read" : "deny_write",
	};
	struct claims claims = { .v = &claim, .n = 1 };
	struct view_node nodes[2] = { { .path = "/", .read = VIEW_SHOW } };
	struct view view = { .v = nodes, .n = 1 };
	struct policy policy = { 0 };
	struct facts facts = { 0 };

	policy.filesystem.strict.number = 1;
	if (allow) {
		nodes[1] = (struct view_node){
			.path = allow + 2,
			.read = VIEW_SHOW,
			.write = allow[0] == 'w' ? VIEW_WRITE_YES
						 : VIEW_WRITE_INHERIT,
		};
		view.n = 2;
	}
	*out = (struct plan){ 0 };
	plan_patterns_build(arena, &policy, &claims, &view, &facts, out);
	assert_int_equal(out->patterns.n, 1);
}

static const struct {
	const char *pattern;
	const char *allow;
	const char *path;
	bool denied;
} finds[] = {
	{ "/w/.env", NULL, "/w/.env", true },
	{ "/w/.env", NULL, "/w/.env/below", true },
	{ "/w/.env", NULL, "/w/.envrc", false },
	{ "/w/.env", NULL, "/w", false },
	{ "/w/.env", NULL, "/x/.env", false },
	{ "/w/.env", "r:/w/.env", "/w/.env", true },
	{ "/w/.env", "r:/w", "/w/.env", true },
	{ "/w/.env", "r:/w/.env/a", "/w/.env/a/b", false },
	{ "/w/.env", "r:/w/.env/a", "/w/.env/b", true },
	{ "/w/*.pem", NULL, "/w/a.pem", true },
	{ "/w/*.pem", NULL, "/w/d/a.pem", false },
	{ "/w/*.pem", NULL, "/w/a.pem/x", true },
	{ "/w/**/*.pem", NULL, "/w/a.pem", true },
	{ "/w/**/*.pem", NULL, "/w/d/e/a.pem", true },
	{ "/w/**/*.pem", NULL, "/w/d/e/a.pem2", false },
	{ "/w/**/*.pem", NULL, "/v/a.pem", false },
	{ "/w/**/*.pem", "w:/w/d", "/w/d/a.pem", true },
	{ "/w/**/*.pem", "r:/w/a.pem/x", "/w/a.pem/x/y", false },
	{ "/**/secret", NULL, "/secret", true },
	{ "/**/secret", NULL, "/a/b/secret/c", true },
	{ "/w/s/**", NULL, "/w/s", false },
	{ "/w/s/**", NULL, "/w/s/a", true },
	{ "/w/s/**", "r:/w/s/a/b", "/w/s/a/b/c", false },
	{ "/w/[ab]/x?", NULL, "/w/b/xy", true },
	{ "/w/[ab]/x?", NULL, "/w/c/xy", false },
	{ "/w/**/a/**/b", NULL, "/w/a/b", true },
	{ "/w/**/a/**/b", NULL, "/w/x/a/y/z/b", true },
	{ "/w/**/a/**/b", NULL, "/w/x/y/z/b", false },
};

static void a_pattern_denies_what_it_matches_and_all_below(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(finds) / sizeof(*finds); i++) {
		AUTO_ARENA arena = { 0 };
		struct plan plan;

		build(&arena, finds[i].pattern, true, finds[i].allow, &plan);
		if (!!plan_pattern_find(&plan, finds[i].path, false) !=
		    finds[i].denied)
			fail_msg("%s with %s: %s", finds[i].pattern,
				 finds[i].allow ? finds[i].allow : "nothing",
				 finds[i].path);
	}
}

static void writing_is_denied_where_reading_is(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct plan plan;

	(void)state;
	build(&arena, "/w/x", true, "r:/w/x/y", &plan);
	assert_null(plan_pattern_find(&plan, "/w/x/y/z", false));
	assert_non_null(plan_pattern_find(&plan, "/w/x/y/z", true));
	build(&arena, "/w/x", true, "w:/w/x/y", &plan);
	assert_null(plan_pattern_find(&plan, "/w/x/y/z", true));
	build(&arena, "/w/x", false, NULL, &plan);
	assert_null(plan_pattern_find(&plan, "/w/x", false));
	assert_non_null(plan_pattern_find(&plan, "/w/x", true));
}

static const struct {
	const char *pattern;
	const char *from;
	const char *to;
	bool lost;
} moves[] = {
	{ "/w/c/*.key", "/w/c", "/w/d", true },
	{ "/w/c/*.key", "/w", "/v", true },
	{ "/w/c/s.key", "/w/c", "/w/d", true },
	{ "/w/c/s.key", "/w/e", "/w/d", false },
	{ "/w/c/s.key", "/w/c/x", "/w/d", false },
	{ "/w/**/*.key", "/w/c", "/w/d", false },
	{ "/w/**/*.key", "/w/c", "/w/d/e", false },
	{ "/w/**/*.key", "/w/c", "/v/c", true },
	{ "/w/**/*.key", "/w", "/v", true },
	{ "/w/**/*.key", "/v/c", "/w/c", false },
	{ "/w/**/c/*.key", "/w/c", "/w/d", true },
	{ "/w/**/c/*.key", "/w/c", "/w/d/c", false },
	{ "/w/**/c/*.key", "/w/x", "/w/y", false },
	{ "/w/*/s.key", "/w/a", "/w/b", false },
	{ "/w/*/s.key", "/w/a", "/w/b/a", true },
};

static void a_directory_must_not_leave_a_pattern(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		AUTO_ARENA arena = { 0 };
		struct plan plan;

		build(&arena, moves[i].pattern, true, NULL, &plan);
		if (!!plan_pattern_lost(&plan, moves[i].from, moves[i].to) !=
		    moves[i].lost)
			fail_msg("%s: %s to %s", moves[i].pattern,
				 moves[i].from, moves[i].to);
	}
}

static const struct {
	const char *pattern;
	const char *from;
	const char *to;
	bool gained;
} gains[] = {
	{ "/w/**/h.d/*", "/w/t", "/w/h.d", true },
	{ "/w/**/h.d/*", "/w/t", "/w/d/h.d", true },
	{ "/w/**/h.d/*", "/w/t", "/w/u", false },
	{ "/w/**/h.d/*", "/w/h.d", "/w/d/h.d", false },
	{ "/w/**/h.d/*", "/w", "/w/h.d", true }, /* a link of that name */
	{ "/w/**/h.d/*", "/w", "/w/l", false },
	{ "/w/**/*.key", "/v/c", "/w/c", true },
	{ "/w/c/s.key", "/w/d", "/w/c", true },
	{ "/w/c/s.key", "/w/d", "/w/c/d", false },
	{ "/w/c/s.key", "/v", "/w", true },
	{ "/w/*/s.key", "/w/a", "/w/b", false },
	{ "/w/*/s.key", "/w", "/w/b", true },
};

static void a_directory_must_not_come_into_a_pattern(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(gains) / sizeof(*gains); i++) {
		AUTO_ARENA arena = { 0 };
		struct plan plan;

		build(&arena, gains[i].pattern, false, NULL, &plan);
		if (!!plan_pattern_gained(&plan, gains[i].from, gains[i].to) !=
		    gains[i].gained)
			fail_msg("%s: %s to %s", gains[i].pattern,
				 gains[i].from, gains[i].to);
	}
}

static void long_names_are_no_way_around(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct plan plan;
	char path[4096];

	(void)state;
	build(&arena, "/w/**/*.key", true, NULL, &plan);
	memset(path, 'a', sizeof(path));
	memcpy(path, "/w/", 3);
	(void)strcpy(path + 3 + 251, ".key");
	assert_non_null(plan_pattern_find(&plan, path, false));
	/* Some file systems have longer ones. */
	memset(path + 3, 'a', 400);
	(void)strcpy(path + 3 + 400, ".key");
	assert_non_null(plan_pattern_find(&plan, path, false));
	(void)strcpy(path + 3 + 400, ".kez");
	assert_null(plan_pattern_find(&plan, path, false));
	(void)strcpy(path + 3 + 400, "/b.key");
	assert_non_null(plan_pattern_find(&plan, path, false));
}

/* Longer than any name: nobody knows, so it is denied. */
static void a_name_that_cannot_be_read_is_denied(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct plan plan;
	char *path = arena_array(&arena, char, 10000);

	(void)state;
	build(&arena, "/w/**/*.key", true, NULL, &plan);
	memset(path, 'a', 9000);
	memcpy(path, "/w/", 3);
	assert_non_null(plan_pattern_find(&plan, path, false));
	memcpy(path, "/v/", 3);
	assert_null(plan_pattern_find(&plan, path, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_pattern_denies_what_it_matches_and_all_below),
		cmocka_unit_test(writing_is_denied_where_reading_is),
		cmocka_unit_test(a_directory_must_not_leave_a_pattern),
		cmocka_unit_test(a_directory_must_not_come_into_a_pattern),
		cmocka_unit_test(long_names_are_no_way_around),
		cmocka_unit_test(a_name_that_cannot_be_read_is_denied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
