/* SPDX-License-Identifier: Apache-2.0 */
/* Which names the guard takes for an absent one, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guard/judge.h"
#include "plan/plan.h"

static bool is(const char *name, const char *absent)
{
	struct judge_name judged;

	judge_name_init(&judged, name, strlen(name));
	return judge_name_is(&judged, absent, strlen(absent));
}

static void test_other_spellings_are_the_same_name(void **state)
{
	static const char *const spellings[] = {
		".mcp.json",	   ".MCP.JSON",	     ".mcp.jSon",
		".mcp.json.",	   ".mcp.json . .",  ".mc\u200dp.json",
		".mcp\ufeff.json", ".mcp.j\u017fon",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		assert_true(is(spellings[i], ".mcp.json"));
	assert_true(is("Ma\u212aefile", "makefile"));
	assert_true(is("\xff.bashrc", ".bashrc"));
}

static void test_other_names_are_allowed(void **state)
{
	static const char *const names[] = {
		"mcp.json",   ".mcp.jso",
		".mcp.json5", ".mcp.json~",
		".mcp",	      "",
		".",	      "..",
		" .mcp.json", ".mcp.json.tmp",
		"_mcp.json",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(is(names[i], ".mcp.json"));
}

static void test_a_name_outside_ascii_is_only_itself(void **state)
{
	(void)state;
	assert_true(is("\u00e9.txt", "\u00e9.txt"));
	assert_false(is("\u00fc.txt", "\u00e9.txt"));
	assert_false(is(".txt", "\u00e9.txt"));
}

static void test_long_names_are_no_name(void **state)
{
	char name[NAME_MAX + 2];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	assert_false(is(name, "a"));
	name[NAME_MAX] = '\0';
	assert_true(is(name, name));
}

static size_t depth(const struct plan_absent *absent, const char *name,
		    size_t from, bool *last)
{
	struct judge_name judged;

	judge_name_init(&judged, name, strlen(name));
	return judge_depth(absent, &judged, from, last);
}

static void test_a_path_is_searched_by_component(void **state)
{
	const struct plan_absent one = { .name = "a" };
	const struct plan_absent many = { .name = "a", .below = "b/a/c" };
	bool last;

	(void)state;
	assert_int_equal(depth(&one, "a", 0, &last), 0);
	assert_true(last);
	assert_true(depth(&one, "a", 1, &last) == JUDGE_NOWHERE);
	assert_true(depth(&one, "b", 0, &last) == JUDGE_NOWHERE);

	assert_int_equal(depth(&many, "a", 0, &last), 0);
	assert_false(last);
	assert_int_equal(depth(&many, "a", 1, &last), 2);
	assert_false(last);
	assert_true(depth(&many, "a", 3, &last) == JUDGE_NOWHERE);
	assert_int_equal(depth(&many, "C", 0, &last), 3);
	assert_true(last);
	assert_true(depth(&many, "b/a", 0, &last) == JUDGE_NOWHERE);
}

static void test_a_prefix_has_that_many_components(void **state)
{
	const struct plan_absent absent = { .name = "a", .below = "bc/d/e" };
	static const char *const want[] = { "a", "a/bc", "a/bc/d", "a/bc/d/e" };
	char out[16];

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_int_equal(judge_prefix(&absent, i + 1, out, sizeof(out)),
				 0);
		assert_string_equal(out, want[i]);
	}
	assert_int_equal(judge_prefix(&absent, 1, out, 8), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_spellings_are_the_same_name),
		cmocka_unit_test(test_other_names_are_allowed),
		cmocka_unit_test(test_a_name_outside_ascii_is_only_itself),
		cmocka_unit_test(test_long_names_are_no_name),
		cmocka_unit_test(test_a_path_is_searched_by_component),
		cmocka_unit_test(test_a_prefix_has_that_many_components),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
