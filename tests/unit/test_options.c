/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option engine: what a command line means, and what it is refused for.
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
#include "base/text.h"
#include "cmd/options.h"

struct sub_args {
	struct opt_values keys;
};

struct args {
	bool quiet;
	bool force;
	const char *settings;
	struct opt_number fd;
	struct opt_values profiles;
	struct sub_args sub;
};

static const struct opt options[] = {
	{ .name = "quiet",
	  .letter = 'q',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct args, quiet),
	  .help = "say nothing" },
	{ .name = "force",
	  .letter = 'f',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct args, force),
	  .help = "do it all the same" },
	{ .name = "settings",
	  .letter = 's',
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct args, settings),
	  .arg = "FILE",
	  .help = "use this file" },
	{ .name = "events-fd",
	  .kind = OPT_NUMBER,
	  .offset = offsetof(struct args, fd),
	  .arg = "N",
	  .help = "write there" },
	{ .name = "profile",
	  .letter = 'P',
	  .kind = OPT_LIST,
	  .offset = offsetof(struct args, profiles),
	  .arg = "NAME",
	  .help = "start from this one, which is said in so many words that "
		  "they do not fit on a single line of a terminal" },
};

static const struct opt keys[] = {
	{ .name = "allow-read",
	  .kind = OPT_LIST,
	  .offset = offsetof(struct sub_args, keys),
	  .arg = "PATH",
	  .key = "allow",
	  .help = "let it read" },
	{ .name = "read",
	  .letter = 'r',
	  .kind = OPT_LIST,
	  .offset = offsetof(struct sub_args, keys),
	  .arg = "PATH" },
	{ .name = "network",
	  .kind = OPT_LIST,
	  .offset = offsetof(struct sub_args, keys),
	  .arg = "none|host",
	  .key = "network",
	  .help = "which network" },
	{ .name = "no-net",
	  .kind = OPT_LIST,
	  .offset = offsetof(struct sub_args, keys),
	  .value = "none" },
};

static const struct opt_group groups_v[] = {
	{ "Options", options, sizeof(options) / sizeof(*options), 0 },
	{ "Keys", keys, sizeof(keys) / sizeof(*keys),
	  offsetof(struct args, sub) },
};

static const struct opt_groups groups = { groups_v, 2 };

struct fixture {
	struct arena arena;
	struct args args;
	struct opt_rest rest;
	struct err err;
};

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	arena_free(&f->arena);
	free(f);
	return 0;
}

/* Words are parted at spaces; '_' is an empty word. */
static int parse(struct fixture *f, const char *line, bool command)
{
	char *text = arena_strdup(&f->arena, line);
	char **words = arena_array(&f->arena, char *, strlen(line) + 2);
	char *word;
	size_t n = 0;

	while ((word = strsep(&text, " "))) {
		if (*word)
			words[n++] = !strcmp(word, "_") ? word + 1 : word;
	}
	memset(&f->args, 0, sizeof(f->args));
	return opt_parse(&f->arena, &groups, words, command, &f->args, &f->rest,
			 &f->err);
}

static void refuses(struct fixture *f, const char *line, const char *says)
{
	assert_int_equal(parse(f, line, true), -1);
	assert_int_equal(f->err.kind, ERR_USAGE);
	if (!strstr(f->err.msg, says))
		fail_msg("'%s': '%s' does not say '%s'", line, f->err.msg,
			 says);
}

static void every_spelling_of_an_argument_is_read(void **state)
{
	static const char *const lines[] = {
		"--profile=strict", "--profile strict", "-Pstrict",
		"-P strict",	    "-qPstrict",	"-qP strict",
		"-qfP strict",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(parse(f, lines[i], true), 0);
		assert_int_equal(f->args.profiles.n, 1);
		assert_string_equal(f->args.profiles.v[0].text, "strict");
		assert_int_equal(f->rest.n, 0);
		assert_int_equal(f->args.quiet, i >= 4);
		assert_int_equal(f->args.force, i == 6);
	}
}

static void values_may_be_empty_or_hold_anything(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "--settings= -P _ --profile=a=b -P -q", true),
			 0);
	assert_string_equal(f->args.settings, "");
	assert_int_equal(f->args.profiles.n, 3);
	assert_string_equal(f->args.profiles.v[0].text, "");
	assert_string_equal(f->args.profiles.v[1].text, "a=b");
	assert_string_equal(f->args.profiles.v[2].text, "-q");
	assert_false(f->args.quiet);
}

static void the_last_text_wins_and_lists_keep_their_order(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "-s a -P x -s b -P y", true), 0);
	assert_string_equal(f->args.settings, "b");
	assert_int_equal(f->args.profiles.n, 2);
	assert_string_equal(f->args.profiles.v[0].text, "x");
	assert_string_equal(f->args.profiles.v[1].text, "y");
}

static void options_after_the_command_are_its_own(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "-q npm test --force -P x -- y", true), 0);
	assert_true(f->args.quiet);
	assert_false(f->args.force);
	assert_int_equal(f->args.profiles.n, 0);
	assert_false(f->rest.dashes);
	assert_int_equal(f->rest.n, 7);
	assert_string_equal(f->rest.v[0], "npm");
	assert_string_equal(f->rest.v[2], "--force");
	assert_string_equal(f->rest.v[5], "--");
	assert_null(f->rest.v[7]);
}

static void two_dashes_end_the_options(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "-q -- -f --nonsense", true), 0);
	assert_true(f->rest.dashes);
	assert_false(f->args.force);
	assert_int_equal(f->rest.n, 2);
	assert_string_equal(f->rest.v[0], "-f");
}

static void without_a_command_options_may_follow_words(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "a -q b --settings c - -- -f", false), 0);
	assert_true(f->args.quiet);
	assert_false(f->args.force);
	assert_string_equal(f->args.settings, "c");
	assert_int_equal(f->rest.n, 4);
	assert_string_equal(f->rest.v[1], "b");
	assert_string_equal(f->rest.v[2], "-");
	assert_string_equal(f->rest.v[3], "-f");
}

static void other_spellings_are_the_same_option(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "--allow-read a --read=b -rc --no-net", true),
			 0);
	assert_int_equal(f->args.sub.keys.n, 4);
	for (size_t i = 0; i < 3; i++) {
		const char want[] = { (char)('a' + i), '\0' };

		assert_string_equal(f->args.sub.keys.v[i].text, want);
		assert_string_equal(f->args.sub.keys.v[i].opt->key, "allow");
		assert_string_equal(f->args.sub.keys.v[i].opt->name,
				    "allow-read");
	}
	assert_string_equal(f->args.sub.keys.v[3].text, "none");
	assert_string_equal(f->args.sub.keys.v[3].opt->key, "network");
}

static void wrong_options_are_refused_with_the_nearest(void **state)
{
	struct fixture *f = *state;

	refuses(f, "--porfile x", "did you mean '--profile'?");
	refuses(f, "--quiett", "did you mean '--quiet'?");
	refuses(f, "--allow-reed=x", "did you mean '--allow-read'?");
	refuses(f, "--zzzzzzzzzzzz", "unknown option '--zzzzzzzzzzzz'");
	assert_null(strstr(f->err.msg, "did you mean"));
	refuses(f, "--pro x", "unknown option '--pro'");
	refuses(f, "-z", "unknown option '-z'");
	refuses(f, "-qz", "unknown option '-z'");
	refuses(f, "--=x", "unknown option '--'");
}

static void missing_and_surplus_arguments_are_refused(void **state)
{
	struct fixture *f = *state;

	refuses(f, "--profile", "option '--profile' needs NAME");
	refuses(f, "-P", "option '--profile' needs NAME");
	refuses(f, "--settings -- ls", "option '--settings' needs FILE");
	refuses(f, "-s -- ls", "option '--settings' needs FILE");
	refuses(f, "--quiet=yes", "takes no value");
	refuses(f, "--no-net=x", "takes no value");
}

static void numbers_are_decimal_and_bounded(void **state)
{
	static const char *const bad[] = {
		"",   "-1",	    "+1",
		"x",  "1x",	    "0x10",
		" 1", "2147483648", "99999999999999999999",
	};
	struct fixture *f = *state;
	struct opt_number number;

	assert_int_equal(parse(f, "--events-fd 7", true), 0);
	assert_true(f->args.fd.set);
	assert_int_equal(f->args.fd.value, 7);
	assert_int_equal(parse(f, "ls", true), 0);
	assert_false(f->args.fd.set);
	assert_int_equal(opt_number_parse("2147483647", &number), 0);
	assert_int_equal(number.value, 2147483647);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(opt_number_parse(bad[i], &number), -1);
	refuses(f, "--events-fd x", "'x' is not a number");
}

static void long_words_do_not_overflow_messages(void **state)
{
	struct fixture *f = *state;
	char line[3000] = "--";

	memset(line + 2, 'a', sizeof(line) - 3);
	refuses(f, line, "unknown option '--aaa");
	memcpy(line, "--events-fd=", 12);
	refuses(f, line, "is not a number");
}

static void help_names_every_option_within_80_columns(void **state)
{
	struct fixture *f = *state;
	struct text out = { .arena = &f->arena };
	size_t column = 0;

	opt_help_format(&out, &groups);
	for (const char *p = text_str(&out); *p; p++) {
		column = *p == '\n' ? 0 : column + 1;
		assert_true(column < 80);
	}
	assert_non_null(strstr(out.v, "\nOptions:\n"));
	assert_non_null(strstr(out.v, "  -P, --profile NAME"));
	assert_non_null(strstr(out.v, "      --events-fd N"));
	assert_non_null(strstr(out.v, "let it read (also -r, --read)"));
	assert_non_null(strstr(out.v, "which network (also --no-net)"));
	assert_null(strstr(out.v, "\n  -r, --read"));
}

static void text_is_wrapped_at_words(void **state)
{
	struct fixture *f = *state;
	struct text out = { .arena = &f->arena };

	opt_wrap_format(&out, "one two three four\n\nfive", 2, 4, 12);
	assert_string_equal(text_str(&out), "one two\n    three\n    four\n\n"
					    "    five");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(every_spelling_of_an_argument_is_read),
		CASE(values_may_be_empty_or_hold_anything),
		CASE(the_last_text_wins_and_lists_keep_their_order),
		CASE(options_after_the_command_are_its_own),
		CASE(two_dashes_end_the_options),
		CASE(without_a_command_options_may_follow_words),
		CASE(other_spellings_are_the_same_option),
		CASE(wrong_options_are_refused_with_the_nearest),
		CASE(missing_and_surplus_arguments_are_refused),
		CASE(numbers_are_decimal_and_bounded),
		CASE(long_words_do_not_overflow_messages),
		CASE(help_names_every_option_within_80_columns),
		CASE(text_is_wrapped_at_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
