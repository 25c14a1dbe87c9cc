/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of regular expressions: what it refuses, and that what it takes
 * means the same as to regexec(3).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <regex.h>

#include "mask_world.h"
#include "policy/regex.h"

static const struct {
	const char *pattern;
	const char *word; /* of what is said */
} broken[] = {
	{ "", "empty" },
	{ "a*", "empty" },
	{ "(a|)", "empty" },
	{ "^", "empty" },
	{ "(", "'('" },
	{ "a)", "')'" },
	{ "[abc", "'['" },
	{ "[z-a]", "range" },
	{ "[[:nope:]]", "[:name:]" },
	{ "[\xc3\xa9]", "ASCII" },
	{ "*a", "repeat" },
	{ "a|*", "repeat" },
	{ "a**", "parentheses" },
	{ "a*?", "longest" },
	{ "a+?b", "longest" },
	{ "a{1,2}?b", "longest" },
	{ "a{2,1}", "smaller" },
	{ "a{,3}", "{0,m}" },
	{ "a{0}b", "none" },
	{ "a{1001}", "1000" },
	{ "(a{1000}){1000}", "too large" },
	{ "((((a{99}){99}){99}){99}){99}", "too large" },
	{ "\\bb\\b*", "edge" },
	{ "a\\", "backslash" },
	{ "(a)\\1", "references" },
	{ "\\p{L}", "backslash" },
	{ "\\xg0", "hexadecimal" },
	{ "(?=a)b", "look-around" },
	{ "(?<!a)b", "look-around" },
	{ "a(?i)b", "beginning" },
	{ "(?s)a", "beginning" },
	{ "(?keep=)a", "number" },
	{ "(?keep=1)a", "shortest" },
	{ "(?keep=3)a{2,9}", "shortest" },
};

static void broken_patterns_are_refused_with_a_word(void **state)
{
	char deep[128] = "", longer[REGEX_TEXT_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		const char *wrong = regex_check(broken[i].pattern);

		if (!wrong || !strstr(wrong, broken[i].word))
			fail_msg("'%s': %s", broken[i].pattern,
				 wrong ? wrong : "no error");
	}
	memset(deep, '(', REGEX_DEPTH_MAX + 1);
	assert_non_null(strstr(regex_check(deep), "deep"));
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_non_null(strstr(regex_check(longer), "longer"));
	longer[sizeof(longer) - 2] = '\0';
	assert_null(regex_check(longer));
	assert_null(regex_check("(a{100}){20}"));
}

/* The longest match that begins at @start; 0: none. */
static size_t longest_by_libc(struct arena *arena, const regex_t *re,
			      const char *text, size_t start)
{
	for (size_t end = strlen(text); end > start; end--) {
		const char *part =
			arena_strndup(arena, text + start, end - start);

		if (regexec(re, part, 0, NULL, 0) == 0)
			return end;
	}
	return 0;
}

/* Every byte that is in a match, by regexec(3) on every part of @text. */
static const char *expected_by_libc(struct arena *arena, const regex_t *re,
				    const char *text)
{
	struct text out = { .arena = arena };
	size_t covered = 0;

	for (size_t i = 0; text[i]; i++) {
		size_t end = longest_by_libc(arena, re, text, i);

		if (end && (i > covered || !i))
			text_add(&out, "***");
		if (end > covered)
			covered = end;
		if (i >= covered)
			text_addn(&out, text + i, 1);
	}
	return text_str(&out);
}

static unsigned int roll(uint32_t *seed, unsigned int sides)
{
	*seed = *seed * 1664525U + 1013904223U;
	return (*seed >> 16) % sides;
}

static void random_pattern(uint32_t *seed, int depth, char **at)
{
	static const char *const atoms[] = { "a", "b", "[ab]", "[^a]", "." };
	static const char *const repeats[] = { "",  "",	   "*",	    "+",
					       "?", "{2}", "{1,3}", "{2,}" };
	unsigned int items = 1 + roll(seed, 3);

	for (unsigned int i = 0; i < items; i++) {
		if (i && roll(seed, 4) == 0)
			*at += sprintf(*at, "|");
		if (depth && roll(seed, 3) == 0) {
			*at += sprintf(*at, "(");
			random_pattern(seed, depth - 1, at);
			*at += sprintf(*at, ")");
		} else {
			*at += sprintf(*at, "%s", atoms[roll(seed, 5)]);
		}
		*at += sprintf(*at, "%s", repeats[roll(seed, 8)]);
	}
}

static void matches_are_those_of_the_c_library(void **state)
{
	static struct world w;
	uint32_t seed = 1;
	int compared = 0;

	(void)state;
	for (int i = 0; i < 500; i++) {
		char pattern[512], anchored[520], text[24], *at = pattern;
		regex_t re;

		random_pattern(&seed, 2, &at);
		/* A match that may be empty is refused by ours. */
		if (regex_check(pattern))
			continue;
		(void)snprintf(anchored, sizeof(anchored), "^(%s)$", pattern);
		assert_int_equal(regcomp(&re, anchored, REG_EXTENDED), 0);
		world_pattern(&w, pattern);
		for (int k = 0; k < 8; k++) {
			size_t n = roll(&seed, sizeof(text));
			const char *expected;

			for (size_t c = 0; c < n; c++)
				text[c] = "aabbc"[roll(&seed, 5)];
			text[n] = '\0';
			expected = expected_by_libc(&w.arena, &re, text);
			if (strcmp(masked(&w, text), expected))
				fail_msg("'%s' on '%s': '%s', not '%s'",
					 pattern, text, masked(&w, text),
					 expected);
			check_cuts(&w, text, expected);
			compared++;
		}
		regfree(&re);
		world_done(&w);
	}
	assert_true(compared > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_patterns_are_refused_with_a_word),
		cmocka_unit_test(matches_are_those_of_the_c_library),
	};

	return cmocka_run_group_tests_name("regex", tests, NULL, NULL);
}
