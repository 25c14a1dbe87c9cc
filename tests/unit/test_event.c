/* SPDX-License-Identifier: Apache-2.0 */
/* Events: one line of ASCII each, whatever is in them; and where they go. */
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/audit_time.h"
#include "event/event.h"
#include "event/sink.h"

static json_t *formatted(struct arena *arena, const struct event *event)
{
	struct text line = { .arena = arena };
	json_t *o;

	event_format(&line, event);
	for (size_t i = 0; i < line.n; i++) {
		if (line.v[i] < 0x20 || line.v[i] > 0x7e)
			fail_msg("byte %02x", (unsigned char)line.v[i]);
	}
	o = json_loadb(line.v, line.n, JSON_REJECT_DUPLICATES, NULL);
	if (!o)
		fail_msg("no JSON: %s", line.v);
	return o;
}

static const struct {
	const char *in;
	const char *out;
} strings[] = {
	{ "", "" },
	{ "/a b", "/a b" },
	{ "\"\\/", "\"\\/" },
	{ "\n\t\x7f\x1b[31m", "\n\t\x7f\x1b[31m" },
	{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
	  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
	/* not UTF-8: shown as in messages */
	{ "\xff", "\\xff" },
	{ "a\x80z", "a\\x80z" },
	{ "\xc0\xaf", "\\xc0\\xaf" },
	{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80" }, /* half of a pair */
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	{ "\xc3", "\\xc3" },
};

static void strings_come_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		AUTO_ARENA arena = { 0 };
		struct event event = { .kind = EVENT_DENIED,
				       .target = strings[i].in };
		json_t *o = formatted(&arena, &event);

		if (strings[i].out)
			assert_string_equal(
				json_string_value(json_object_get(o, "target")),
				strings[i].out);
		json_decref(o);
	}
}

static void long_words_and_strings_are_cut(void **state)
{
	AUTO_ARENA arena = { 0 };
	char *big = arena_array(&arena, char, 20001);
	char a[] = "a", b[] = "b";
	char *argv[] = { a, big, b, NULL };
	struct event event = { .kind = EVENT_STARTED,
			       .target = big,
			       .argv = argv };
	json_t *o;

	(void)state;
	memset(big, 0xe4, 20000);
	o = formatted(&arena, &event);
	assert_int_equal(json_array_size(json_object_get(o, "argv")), 1);
	assert_int_equal(json_integer_value(json_object_get(o, "argv_more")),
			 2);
	assert_true(json_string_length(json_object_get(o, "target")) < 17000);
	json_decref(o);
}

/* Whatever is in it: a pipe takes no more at once. */
static void no_line_is_too_long_for_a_pipe(void **state)
{
	static const unsigned char fills[] = { 'a', '"', 0x7f, 0xff };
	char *argv[70] = { 0 };
	char big[4001] = { 0 }, line[8192];
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	for (size_t i = 0; i < sizeof(fills); i++) {
		struct event event = { .kind = EVENT_DENIED,
				       .what = EVENT_WHAT_EXEC,
				       .operation = "execve",
				       .comm = big,
				       .target = big,
				       .address = big,
				       .why = big,
				       .rule = big,
				       .origin = big,
				       .remedy = big,
				       .argv = argv };
		AUTO_SINK sink = { .file = -1 };
		json_t *o, *target;
		ssize_t n;

		memset(big, fills[i], sizeof(big) - 1);
		for (size_t k = 0; k < 69; k++)
			argv[k] = big + sizeof(big) - 1 - k % 30;
		event_sink_init(&sink);
		sink.fd = pipes[1];
		assert_int_equal(event_emit(&sink, &event), 0);
		assert_int_equal(sink.lost, 0);
		n = read(pipes[0], line, sizeof(line));
		assert_in_range(n, 500, 4096);
		o = json_loadb(line, (size_t)n, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(o);
		target = json_object_get(o, "target");
		assert_memory_equal(json_string_value(target) +
					    json_string_length(target) - 3,
				    "...", 3);
		assert_string_equal(
			json_string_value(json_object_get(o, "sandbox")),
			sink.sandbox);
		json_decref(o);
	}
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

static void a_pipe_that_nobody_reads_loses_lines_and_counts(void **state)
{
	const struct event event = { .kind = EVENT_RULES_CHANGED };
	AUTO_SINK sink = { .file = -1 };
	int pipes[2];

	(void)state;
	event_sink_init(&sink);
	assert_int_equal(pipe(pipes), 0);
	sink.fd = pipes[1];
	for (int i = 0; i < 10000; i++)
		assert_int_equal(event_emit(&sink, &event), 0);
	assert_true(sink.lost > 5000 && sink.lost < 10000);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

static void the_same_denial_is_due_less_and_less_often(void **state)
{
	struct event_tally tally = { .seed = 1 };
	struct event event = { .kind = EVENT_DENIED, .target = "x" };
	unsigned int due = 0;

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++) {
		uint64_t count = event_tally_add(&tally, &event);

		assert_int_equal(count, i);
		due += event_tally_is_due(count);
	}
	assert_int_equal(due, 12);
	event.why = "other";
	assert_int_equal(event_tally_add(&tally, &event), 1);
}

static void different_denials_without_end_are_few_lines(void **state)
{
	struct event_tally tally = { .seed = 1 };
	struct event event = { .kind = EVENT_DENIED };
	unsigned int due = 0;
	char target[32];

	(void)state;
	event.target = target;
	for (int i = 0; i < 100000; i++) {
		(void)snprintf(target, sizeof(target), "/x/%d", i);
		due += event_tally_is_due(event_tally_add(&tally, &event));
	}
	assert_true(due >= 400 && due < 600);
}

static const struct {
	const char *in;
	bool end;
	const char *out; /* NULL: refused */
} times[] = {
	{ "2026-11-16", false, "2026-11-16T00:00:00.000Z" },
	{ "2026-11-16", true, "2026-11-17T00:00:00.000Z" },
	{ "2026-12-31", true, "2027-01-01T00:00:00.000Z" },
	{ "2026-11-16T08:30", false, "2026-11-16T08:30:00.000Z" },
	{ "2026-11-16 08:30", true, "2026-11-16T08:31:00.000Z" },
	{ "2026-11-16T08:30:15Z", true, "2026-11-16T08:30:16.000Z" },
	{ "2026-11-16T08:30:15.250Z", false, "2026-11-16T08:30:15.250Z" },
	{ "2026-11-16T08:30:15.999Z", true, "2026-11-16T08:30:16.000Z" },
	{ "2026-02-29", false, NULL },
	{ "2026-13-01", false, NULL },
	{ "2026-11-16T25:00", false, NULL },
	{ "2026-11-16T08", false, NULL },
	{ "2026-11-16T08:30:15.25", false, NULL },
	{ "2026-11-16x", false, NULL },
	{ "yesterday", false, NULL },
	{ "1", false, NULL },
	{ "-1h", false, NULL },
	{ "1hh", false, NULL },
	{ "99999999999999999999d", false, NULL },
	{ "", false, NULL },
};

static void times_are_what_people_write(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		AUTO_ARENA arena = { 0 };
		const char *out = NULL;
		struct err err = { 0 };
		int result = audit_time_parse(&arena, times[i].in, times[i].end,
					      &out, &err);

		if (times[i].out && result == 0)
			assert_string_equal(out, times[i].out);
		else if (times[i].out || result == 0)
			fail_msg("%s: %s", times[i].in, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_come_back),
		cmocka_unit_test(long_words_and_strings_are_cut),
		cmocka_unit_test(no_line_is_too_long_for_a_pipe),
		cmocka_unit_test(
			a_pipe_that_nobody_reads_loses_lines_and_counts),
		cmocka_unit_test(the_same_denial_is_due_less_and_less_often),
		cmocka_unit_test(different_denials_without_end_are_few_lines),
		cmocka_unit_test(times_are_what_people_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
