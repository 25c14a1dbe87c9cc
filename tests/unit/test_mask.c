/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Masking of secrets in a stream (T-174): presets, patterns of one's own,
 * every way to cut the stream, bounds, ordinary text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mask_world.h"

#define A20 "abcdefghij0123456789"
#define A36 "abcdefghijklmnopqrstuvwxyz0123456789"

static const struct {
	const char *text;
	const char *expected;
} secrets[] = {
	{ "sk-" A20, "sk-***" },
	{ "key: sk-" A20 ".\n", "key: sk-***.\n" },
	{ "sk-proj-" A20 "_x-y", "sk-***" },
	{ "sk-ant-api03-" A20, "sk-ant-***" },
	{ "(sk-ant-" A20 "-_)", "(sk-ant-***)" },
	{ "AKIAIOSFODNN7EXAMPLE", "AKIA***" },
	{ "id=AKIAIOSFODNN7EXAMPLE, next", "id=AKIA***, next" },
	{ "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
	  "AWS_SECRET_ACCESS_KEY=***\n" },
	{ "AWS_SECRET_ACCESS_KEY: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	  "AWS_SECRET_ACCESS_KEY:***" },
	{ "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	  "aws_secret_access_key ***" },
	{ "{\"AWS_SECRET_ACCESS_KEY\": \"wJalrXUtnFEMI/K7MDENG\"}",
	  "{\"AWS_SECRET_ACCESS_KEY\"***\"}" },
	{ "ghp_" A36, "ghp_***" },
	{ "https://x:gho_" A36 "@github.com/",
	  "https://x:gho_***@github.com/" },
	{ "ghu_" A36 " ghs_" A36 " ghr_" A36, "ghu_*** ghs_*** ghr_***" },
	{ "github_pat_11ABC_" A20 "\n", "github_pat_***\n" },
	{ "Authorization: Bearer eyJhbGciOi.J9_x~y+z/w==",
	  "Authorization: Bearer ***" },
	{ "authorization: bEARER " A20 "\r\n",
	  "authorization: bEARER ***\r\n" },
	/* several in a line, one behind the other */
	{ "sk-" A20 " sk-" A20 ",AKIAIOSFODNN7EXAMPLE",
	  "sk-*** sk-***,AKIA***" },
	{ "Bearer sk-" A20 A20, "Bearer ***" },
};

static void presets_blot_out_their_secrets(void **state)
{
	static struct world w;

	(void)state;
	world_presets(&w, all_presets);
	for (size_t i = 0; i < sizeof(secrets) / sizeof(*secrets); i++)
		check_cuts(&w, secrets[i].text, secrets[i].expected);
	world_done(&w);
}

static const char *const ordinary[] = {
	"task-runner-abcdefghijklmnopqrstuvwxyz0123456789\n",
	"a risk-averse disk-encryption-setup-with-twenty-letters",
	"ask-someone-abcdefghijklmnopqrstuvwxyz",
	"sk-short and sk- and sk-ant- and sk-ant-short",
	"the sk-learn-like package",
	"AKIA is a prefix; AKIAshort; AKIAiosfodnn7example",
	"xAKIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPLE2",
	"AWS_SECRET_ACCESS_KEY is not set",
	"AWS_SECRET_ACCESS_KEY=\nAWS_SECRET_ACCESS_KEY=$KEY\n",
	"MY_AWS_SECRET_ACCESS_KEYS=abcdefghijkl",
	"ghp_short ghp_ ghx_" A36 " xghp_" A36,
	"github_pat_ and github_path_to_something_long_enough",
	"Bearer token; the bearer of this; Bearer\n" A20 A20,
	"forbearer " A20 A20,
	"commit 3f786850e387550fdab836ed7e6dc881de23001b\n",
	"sk-abcdefghij\n0123456789abcdefghij",
	"",
	"\n\n\r\n",
};

static void ordinary_text_stays(void **state)
{
	static struct world w;

	(void)state;
	world_presets(&w, all_presets);
	for (size_t i = 0; i < sizeof(ordinary) / sizeof(*ordinary); i++)
		check_cuts(&w, ordinary[i], ordinary[i]);
	world_done(&w);
}

static void a_preset_alone_leaves_the_others(void **state)
{
	static const char text[] = "sk-" A20 " AKIAIOSFODNN7EXAMPLE";
	static struct world w;

	(void)state;
	world_presets(&w, (const char *const[]){ "aws_key", NULL });
	check_cuts(&w, text, "sk-" A20 " AKIA***");
	world_done(&w);
}

static const struct {
	const char *pattern;
	const char *text;
	const char *expected;
} customs[] = {
	{ "(?i)stripe_key\\s*[=:]\\s*\\S+", "STRIPE_KEY = abc def", "*** def" },
	{ "(?i)(?keep=4)(api_key|secret|password|passwd|token|credential)"
	  "[\"']?\\s*[=:]\\s*\\S+",
	  "Password=hunter2\ntoken : x y", "Pass***\ntoke*** y" },
	{ "(?keep=3)(?i)abcdef", "xABCdefx", "xABC***x" },
	{ "a", "banana", "b***n***n***" },
	{ "ab|abcd", "abc abcd", "***c ***" },
	{ "a+", "caaat", "c***t" },
	{ "x{3}", "xx xxx xxxx xxxxxx", "xx *** *** ***" },
	{ "x{2,3}", "x xx xxxx xxxxx", "x *** *** ***" },
	{ "x{2,}", "x xx xxxxx", "x *** ***" },
	{ "(ab){2}c?", "ab abab ababc", "ab *** ***" },
	{ "^key=.*$", "key=1\nakey=2\nkey=3\r\nkey=4",
	  "***\nakey=2\n***\r\n***" },
	{ "\\bid\\b", "id idx xid id-id", "*** idx xid ***-***" },
	{ "\\Bid", "id xid", "id x***" },
	{ "[[:digit:]]{4}", "12 1234 123456", "12 *** ***" },
	{ "[\\w.-]+@[\\w-.]+", "to a.b-c@ex-am.ple, x@", "to ***, x@" },
	{ "[^ ]+=secret", "a=b c=secret d", "a=b *** d" },
	{ "(?i)[^a]x", "ax Ax bx", "ax Ax ***" },
	{ "(?:ab)+", "ababx", "***x" },
	{ "(?P<name>ab)c", "abc", "***" },
	{ "\\x41\\t[]x]", "A\t] A\tx A\ty", "*** *** A\ty" },
	{ "a\\{b\\}|c{d", "a{b} c{d", "*** ***" },
	{ "a|a[^b]*b", "aaaa", "***" },
	{ "a|a[^b]*b", "aaaab", "***" },
	{ "a|a[^b]*b", "a.a.ab.a.", "***.***." },
	{ "(?keep=1)abc|cde", "xabcdex", "xa***x" },
	{ "(?keep=2)bcd|(?:abcde)", "xabcdex abcd", "xab***x abc***" },
	{ "BEGIN.*END|foo", "BEGIN foo", "BEGIN ***" },
	{ "BEGIN.*END|foo", "BEGIN foo END foo", "*** ***" },
	{ "\xc3\xa9t\xc3\xa9", "un \xc3\xa9t\xc3\xa9 l\xc3\xa0",
	  "un *** l\xc3\xa0" },
};

static void own_patterns_are_blotted_out(void **state)
{
	static struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(customs) / sizeof(*customs); i++) {
		world_pattern(&w, customs[i].pattern);
		check_cuts(&w, customs[i].text, customs[i].expected);
		world_done(&w);
	}
}

static void bytes_that_are_no_text_pass(void **state)
{
	static struct world w;
	char data[3 * 256];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)i;
	world_presets(&w, all_presets);
	for (size_t size = 1; size < 40; size++) {
		world_restart(&w);
		for (size_t at = 0; at < sizeof(data); at += size)
			feed(&w, data + at,
			     size < sizeof(data) - at ? size
						      : sizeof(data) - at);
		(void)end(&w);
		assert_int_equal(w.out.n, sizeof(data));
		assert_memory_equal(w.out.v, data, sizeof(data));
	}
	/* A secret behind a NUL is one all the same. */
	world_restart(&w);
	feed(&w, "x\0AKIAIOSFODNN7EXAMPLE\0y", 24);
	(void)end(&w);
	assert_int_equal(w.out.n, 11);
	assert_memory_equal(w.out.v, "x\0AKIA***\0y", 11);
	world_done(&w);
}

static void what_cannot_be_a_secret_is_not_held(void **state)
{
	static struct world w;

	(void)state;
	world_presets(&w, all_presets);
	feed(&w, "$ ", 2);
	assert_string_equal(text_str(&w.out), "$ ");
	assert_false(mask_holds(w.stream));
	feed(&w, "ls", 2); /* "s" behind "l" is no beginning, but near one */
	flush(&w);
	assert_string_equal(text_str(&w.out), "$ ls");
	feed(&w, " sk", 3);
	assert_string_equal(text_str(&w.out), "$ ls ");
	assert_true(mask_holds(w.stream));
	feed(&w, "i", 1);
	assert_string_equal(text_str(&w.out), "$ ls ski");
	assert_false(mask_holds(w.stream));
	/* A line that has ended is decided. */
	feed(&w, " sk-abc\n", 8);
	assert_false(mask_holds(w.stream));
	world_done(&w);
}

static void a_stream_that_rests_is_given_out(void **state)
{
	static struct world w;

	(void)state;
	world_presets(&w, all_presets);
	feed(&w, "sk-abc", 6);
	assert_int_equal(w.out.n, 0);
	flush(&w);
	assert_string_equal(text_str(&w.out), "sk-abc");
	assert_false(mask_holds(w.stream));
	/* What comes of the secret afterwards is blotted out. */
	feed(&w, "defghij0123456789abcdef rest", 28);
	assert_string_equal(end(&w), "sk-abc*** rest");
	/* One that is whole when the stream rests is not shown at all. */
	world_restart(&w);
	feed(&w, "AKIAIOSFODNN7EXAMPLE", 20);
	flush(&w);
	assert_string_equal(text_str(&w.out), "AKIA***");
	flush(&w);
	assert_string_equal(end(&w), "AKIA***");
	/* One that still grows grows silently. */
	world_restart(&w);
	feed(&w, "ghp_" A36, 40);
	flush(&w);
	feed(&w, A36 "\n", 37);
	assert_string_equal(end(&w), "ghp_***\n");
	world_done(&w);
}

static void rests_at_any_place_show_no_more_than_they_must(void **state)
{
	static const char text[] = "x ghp_" A36 " y";
	static struct world w;
	size_t n = sizeof(text) - 1;

	(void)state;
	world_presets(&w, all_presets);
	for (size_t cut = 1; cut < n; cut++) {
		const char *out;

		world_restart(&w);
		feed(&w, text, cut);
		flush(&w);
		feed(&w, text + cut, n - cut);
		out = end(&w);
		assert_non_null(strstr(out, "***"));
		assert_null(strstr(out, "56789"));
		assert_string_equal(out + strlen(out) - 2, " y");
	}
	world_done(&w);
}

/* @n times @fill between @head and @tail. */
static char *long_text(struct arena *arena, const char *head, char fill,
		       size_t n, const char *tail)
{
	struct text text = { .arena = arena };

	text_add(&text, head);
	for (size_t i = 0; i < n; i++)
		text_addn(&text, &fill, 1);
	text_add(&text, tail);
	return text.v;
}

static void a_match_can_be_longer_than_what_is_held(void **state)
{
	static struct world w;

	(void)state;
	world_pattern(&w, "(?keep=4)key=\\S+");
	assert_string_equal(masked(&w, long_text(&w.arena, "a key=", 'x',
						 300000, " b key=yy\n")),
			    "a key=*** b key=***\n");
	world_done(&w);
}

static void a_match_that_is_not_whole_in_time_is_not_found(void **state)
{
	static struct world w;
	char *within, *beyond;

	(void)state;
	world_pattern(&w, "<[^>]*>");
	within = long_text(&w.arena, "a<", 'x', MASK_HOLD - 2, ">b");
	assert_string_equal(masked(&w, within), "a***b");
	beyond = long_text(&w.arena, "a<", 'x', MASK_HOLD, ">b <x>");
	world_restart(&w);
	for (size_t i = 0; beyond[i]; i++)
		feed(&w, beyond + i, 1);
	assert_string_equal(
		end(&w), long_text(&w.arena, "a<", 'x', MASK_HOLD, ">b ***"));
	assert_string_equal(masked(&w, beyond), text_str(&w.out));
	world_done(&w);
}

static void what_may_continue_a_match_is_held_for_a_while(void **state)
{
	static struct world w;

	(void)state;
	world_pattern(&w, "a|a[^b]*b");
	assert_string_equal(
		masked(&w, long_text(&w.arena, "a", '.', MASK_HOLD - 1, "b.")),
		"***.");
	assert_string_equal(
		masked(&w, long_text(&w.arena, "a", '.', MASK_HOLD, "b.")),
		long_text(&w.arena, "***", '.', MASK_HOLD, "b."));
	world_done(&w);
}

static void the_output_keeps_within_its_room(void **state)
{
	static struct world w;
	struct text text = { 0 };

	(void)state;
	/* Every second byte a match, as many as can be held and fed. */
	world_pattern(&w, "x|<[^>]*>");
	text.arena = &w.arena;
	text_add(&text, "<.");
	while (text.n < MASK_HOLD + MASK_FEED)
		text_add(&text, "x.");
	world_restart(&w);
	feed(&w, text.v, MASK_HOLD);
	assert_int_equal(w.out.n, 0);
	feed(&w, text.v + MASK_HOLD, MASK_FEED);
	(void)end(&w);
	assert_int_equal(w.out.n, 2 + 2 * (text.n - 2));
	world_done(&w);
}

/* What would be read again and again by a machine that goes back. */
static void no_text_takes_more_than_linear_time(void **state)
{
	static const char *const patterns[] = { "a[^b]*b|x", "(a|aa)+b|x",
						"(a*)*b|x|[^b]*bb" };
	static struct world w;
	struct text text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		world_pattern(&w, patterns[i]);
		text = (struct text){ .arena = &w.arena };
		while (text.n < 1 << 18)
			text_add(&text, "ax");
		world_restart(&w);
		feed(&w, text.v, text.n);
		assert_int_equal(strncmp(end(&w), "a***a***", 8), 0);
		world_done(&w);
	}
}

static void too_much_together_is_refused(void **state)
{
	static struct world w;
	struct policy_item items[16] = { 0 };
	struct policy policy = { .mask_patterns = { .v = items, .n = 16 } };
	struct plan plan = { 0 };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < 16; i++)
		items[i] = (struct policy_item){ .text = "(a{100}){19}",
						 .origin = { "f.yaml", 3 } };
	plan_masks_build(&w.arena, &policy, &plan);
	assert_int_equal(mask_build(&w.arena, &plan.masks, &w.mask, &err), -1);
	assert_int_equal(err.kind, ERR_POLICY);
	assert_non_null(strstr(err.msg, "f.yaml"));
	world_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_blot_out_their_secrets),
		cmocka_unit_test(ordinary_text_stays),
		cmocka_unit_test(a_preset_alone_leaves_the_others),
		cmocka_unit_test(own_patterns_are_blotted_out),
		cmocka_unit_test(bytes_that_are_no_text_pass),
		cmocka_unit_test(what_cannot_be_a_secret_is_not_held),
		cmocka_unit_test(a_stream_that_rests_is_given_out),
		cmocka_unit_test(
			rests_at_any_place_show_no_more_than_they_must),
		cmocka_unit_test(a_match_can_be_longer_than_what_is_held),
		cmocka_unit_test(
			a_match_that_is_not_whole_in_time_is_not_found),
		cmocka_unit_test(what_may_continue_a_match_is_held_for_a_while),
		cmocka_unit_test(the_output_keeps_within_its_room),
		cmocka_unit_test(no_text_takes_more_than_linear_time),
		cmocka_unit_test(too_much_together_is_refused),
	};

	return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
