/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log: nothing is lost, nothing merges, and tampering is found. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"
#include "event/audit.h"
#include "event/audit_file.h"
#include "event/event.h"

struct fixture {
	struct arena arena;
	char base[64];
	const char *dir;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err;
	bool made = false;

	assert_non_null(f);
	(void)snprintf(f->base, sizeof(f->base), "/tmp/cordon-audit-XXXXXX");
	assert_non_null(mkdtemp(f->base));
	f->dir = arena_printf(&f->arena, "%s/state/cordon/audit", f->base);
	assert_int_equal(event_audit_make(f->dir, &made, &err), 0);
	assert_true(made);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[100];

	(void)snprintf(command, sizeof(command), "rm -rf %s", f->base);
	assert_int_equal(system(command), 0);
	arena_free(&f->arena);
	free(f);
	return 0;
}

static const char *path(struct fixture *f, const char *name)
{
	return arena_printf(&f->arena, "%s/%s", f->dir, name);
}

static char *slurp(struct fixture *f, const char *name, size_t *n)
{
	AUTO_CLOSE int fd = open(path(f, name), O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	*n = (size_t)st.st_size;
	data = arena_array(&f->arena, char, *n + 1);
	assert_int_equal(fd_read_all(fd, data, *n), st.st_size);
	return data;
}

static void spill(struct fixture *f, const char *name, const char *data,
		  size_t n)
{
	AUTO_CLOSE int fd = open(
		path(f, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct err err;

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, data, n, &err), 0);
}

#define OBJECT(ts, kind, box)                                                  \
	"{\"ts\":\"" ts "\",\"schema\":1,\"event\":\"" kind                    \
	"\",\"sandbox\":\"" box "\",\"target\":\"x\"}"

static void append(struct fixture *f, const char *object, uint64_t rotate)
{
	struct err err = { 0 };

	if (event_audit_append(f->dir, object, strlen(object), rotate, &err) <
	    0)
		fail_msg("%s", err.msg);
}

#define DAY1 "2026-01-01.jsonl"
#define DAY2 "2026-01-02.jsonl"
#define DAY3 "2026-01-03.jsonl"

/* Five records on each of three days. */
static void fill(struct fixture *f)
{
	for (int i = 0; i < 5; i++)
		append(f, OBJECT("2026-01-01T10:00:00.000Z", "started", "a"),
		       0);
	for (int i = 0; i < 5; i++)
		append(f, OBJECT("2026-01-02T10:00:00.000Z", "denied", "b"), 0);
	for (int i = 0; i < 5; i++)
		append(f, OBJECT("2026-01-03T10:00:00.000Z", "ended", "a"), 0);
}

static struct audit_report verify(struct fixture *f, bool pruned)
{
	struct audit_report report;
	struct err err = { 0 };

	if (event_audit_verify(&f->arena, f->dir, pruned, &report, &err) < 0)
		fail_msg("%s", err.msg);
	return report;
}

static void is_whole(struct fixture *f, uint64_t records)
{
	struct audit_report r = verify(f, false);

	if (r.n)
		fail_msg("%s:%llu %s", r.v[0].file,
			 (unsigned long long)r.v[0].line, r.v[0].text);
	assert_int_equal(r.records, records);
}

/* The first problem is this one. */
static void is_broken(struct fixture *f, const char *file, uint64_t line,
		      const char *words)
{
	struct audit_report r = verify(f, false);

	assert_true(r.n > 0);
	if (strcmp(r.v[0].file, file) != 0 || r.v[0].line != line ||
	    !strstr(r.v[0].text, words))
		fail_msg("got %s:%llu %s", r.v[0].file,
			 (unsigned long long)r.v[0].line, r.v[0].text);
}

static void the_chain_goes_through_all_files(void **state)
{
	struct fixture *f = *state;
	struct audit_report r;
	struct stat st;
	size_t n;

	fill(f);
	is_whole(f, 15);
	r = verify(f, false);
	assert_int_equal(r.files, 3);
	assert_int_equal(r.first, 1);
	assert_int_equal(r.last, 15);
	assert_non_null(strstr(slurp(f, DAY1, &n),
			       "\"seq\":1,\"prev\":\"" AUDIT_GENESIS
			       "\",\"hash\":\""));
	assert_int_equal(stat(path(f, DAY1), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(path(f, "head"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(f->dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

static void a_full_file_is_followed_by_the_next_number(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	for (int i = 0; i < 50; i++)
		append(f, OBJECT("2026-01-01T10:00:00.000Z", "denied", "a"),
		       500);
	is_whole(f, 50);
	assert_int_equal(stat(path(f, "2026-01-01.1.jsonl"), &st), 0);
	assert_int_equal(stat(path(f, "2026-01-01.10.jsonl"), &st), 0);
	assert_true(st.st_size < 1000);
}

static void a_clock_that_was_put_back_changes_no_order(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	append(f, OBJECT("2026-01-02T10:00:00.000Z", "started", "a"), 0);
	append(f, OBJECT("2026-01-01T10:00:00.000Z", "ended", "a"), 0);
	is_whole(f, 2);
	assert_int_equal(stat(path(f, DAY1), &st), -1);
}

static void a_line_that_was_cut_off_is_mended_and_told(void **state)
{
	struct fixture *f = *state;
	AUTO_CLOSE int fd = -1;
	char *text;
	size_t n;

	fill(f);
	fd = open(path(f, DAY3), O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "{\"ts\":\"torn", 11), 11);
	/* It is no record, so none is broken. */
	assert_non_null(verify(f, false).note);
	is_whole(f, 15);
	append(f, OBJECT("2026-01-03T11:00:00.000Z", "started", "c"), 0);
	/* The notice bears the time of now: it is in the same file. */
	is_whole(f, 17);
	text = slurp(f, DAY3, &n);
	assert_non_null(strstr(text, "\"target\":\"{\\\"ts\\\":\\\"torn\""));
	assert_non_null(strstr(text, "cut off"));
}

static void a_line_that_head_does_not_know_is_taken_over(void **state)
{
	struct fixture *f = *state;
	size_t n;
	char *head;

	fill(f);
	head = slurp(f, "head", &n);
	append(f, OBJECT("2026-01-03T11:00:00.000Z", "started", "c"), 0);
	/* As if the writer had died before it wrote the head. */
	spill(f, "head", head, n);
	is_whole(f, 16);
	append(f, OBJECT("2026-01-03T11:00:00.000Z", "ended", "c"), 0);
	is_whole(f, 17);
	/* The same in a file that head does not know. */
	head = slurp(f, "head", &n);
	append(f, OBJECT("2026-01-04T11:00:00.000Z", "started", "d"), 0);
	spill(f, "head", head, n);
	append(f, OBJECT("2026-01-04T11:00:00.000Z", "ended", "d"), 0);
	is_whole(f, 19);
}

static void a_missing_head_is_told_and_does_not_stop_the_log(void **state)
{
	struct fixture *f = *state;
	size_t n;

	fill(f);
	assert_int_equal(unlink(path(f, "head")), 0);
	is_broken(f, "head", 0, "missing or damaged");
	append(f, OBJECT("2026-01-03T11:00:00.000Z", "started", "c"), 0);
	is_whole(f, 17);
	assert_non_null(strstr(slurp(f, DAY3, &n), "head of the log was"));
	spill(f, "head", "{\"file\":\"../../x\"}", 18);
	is_broken(f, "head", 0, "missing or damaged");
	append(f, OBJECT("2026-01-03T11:00:00.000Z", "ended", "c"), 0);
	is_whole(f, 19);
}

static void every_changed_byte_is_found(void **state)
{
	struct fixture *f = *state;
	char *text;
	size_t n;

	fill(f);
	text = slurp(f, DAY2, &n);
	for (size_t i = 0; i < n; i++) {
		char before = text[i];

		text[i] = before == 'q' ? 'r' : 'q';
		spill(f, DAY2, text, n);
		assert_true(verify(f, false).n > 0);
		text[i] = before;
	}
	text[40] ^= 1;
	spill(f, DAY2, text, n);
	is_broken(f, DAY2, 1, "changed");
	text[40] ^= 1;
	spill(f, DAY2, text, n);
	is_whole(f, 15);
}

/* Offsets of lines; the last one is the end. */
static void lines_of(const char *text, size_t n, size_t at[7])
{
	size_t count = 0;

	at[count++] = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\n')
			at[count++] = i + 1;
	}
	assert_int_equal(count, 6);
}

static void removed_and_moved_lines_are_found(void **state)
{
	struct fixture *f = *state;
	size_t at[7], n, m;
	char *text, *new;

	fill(f);
	text = slurp(f, DAY2, &n);
	lines_of(text, n, at);
	new = arena_array(&f->arena, char, n);
	/* without the third */
	memcpy(new, text, at[2]);
	memcpy(new + at[2], text + at[3], n - at[3]);
	spill(f, DAY2, new, n - (at[3] - at[2]));
	is_broken(f, DAY2, 3, "record 8 is missing before it");
	/* the second and third swapped */
	memcpy(new, text, at[1]);
	memcpy(new + at[1], text + at[2], at[3] - at[2]);
	m = at[1] + at[3] - at[2];
	memcpy(new + m, text + at[1], at[2] - at[1]);
	memcpy(new + at[3], text + at[3], n - at[3]);
	spill(f, DAY2, new, n);
	is_broken(f, DAY2, 2, "record 7 is missing before it");
	assert_non_null(strstr(verify(f, false).v[1].text, "out of order"));
	/* one twice */
	memcpy(new, text, n);
	memcpy(new + at[3], text + at[2], at[3] - at[2]);
	spill(f, DAY2, new, n);
	is_broken(f, DAY2, 4, "out of order");
	/* another one in its place, with a hash that fits */
	memcpy(new, text, n);
	new[at[1] + 12] = '7';
	m = at[2] - at[1];
	{
		char hash[SHA256_HEX + 1];
		struct audit_record r;
		char *line = arena_array(&f->arena, char, m + AUDIT_TAIL);
		const char *seq = strstr(text + at[1], ",\"seq\"");
		size_t body = (size_t)(seq - (text + at[1]));

		assert_true(audit_record_parse(text + at[1], m - 1, &r));
		memcpy(line, new + at[1], body);
		line[body] = '}';
		assert_int_equal(audit_record_format(line, body + 1, r.seq,
						     r.prev, hash),
				 m);
		memcpy(new + at[1], line, m);
	}
	spill(f, DAY2, new, n);
	is_broken(f, DAY2, 3, "was replaced");
	spill(f, DAY2, text, n);
	is_whole(f, 15);
}

static void a_removed_end_is_found(void **state)
{
	struct fixture *f = *state;
	size_t at[7], n;
	char *text;

	fill(f);
	text = slurp(f, DAY3, &n);
	lines_of(text, n, at);
	spill(f, DAY3, text, at[4]);
	is_broken(f, DAY3, 0, "record 15 is missing at the end");
	spill(f, DAY3, text, at[2]);
	is_broken(f, DAY3, 0, "records 13 to 15 are missing at the end");
	/* Also when the log has gone on. */
	append(f, OBJECT("2026-01-03T11:00:00.000Z", "started", "c"), 0);
	is_broken(f, DAY3, 3, "records 13 to 15 are missing before it");
}

static void removed_files_are_found(void **state)
{
	struct fixture *f = *state;
	char *first, *second, *third;
	size_t n1, n2, n3;

	fill(f);
	first = slurp(f, DAY1, &n1);
	second = slurp(f, DAY2, &n2);
	third = slurp(f, DAY3, &n3);
	assert_int_equal(unlink(path(f, DAY2)), 0);
	is_broken(f, DAY3, 1, "records 6 to 10 are missing before it");
	spill(f, DAY2, second, n2);
	assert_int_equal(unlink(path(f, DAY3)), 0);
	is_broken(f, DAY3, 0, "records 11 to 15 are missing at the end");
	spill(f, DAY3, third, n3);
	assert_int_equal(unlink(path(f, DAY1)), 0);
	is_broken(f, DAY2, 1, "records 1 to 5 are missing before it");
	assert_int_equal(verify(f, true).n, 0);
	assert_int_equal(verify(f, true).first, 6);
	spill(f, DAY1, first, n1);
	is_whole(f, 15);
	/* The whole log, with the head left. */
	assert_int_equal(unlink(path(f, DAY1)) | unlink(path(f, DAY2)) |
				 unlink(path(f, DAY3)),
			 0);
	is_broken(f, DAY3, 0, "records 1 to 15 are missing");
}

static void what_is_no_record_is_found(void **state)
{
	struct fixture *f = *state;
	struct text text = { .arena = &f->arena };
	struct audit_report r;
	char *before;
	size_t n;

	fill(f);
	before = slurp(f, DAY2, &n);
	text_add(&text, "hello\n\n");
	text_addn(&text, before, n);
	spill(f, DAY2, text.v, text.n);
	is_broken(f, DAY2, 1, "is not a record");
	/* What follows is not blamed. */
	r = verify(f, false);
	assert_int_equal(r.n, 2);
	/* A line that never ends takes no memory. */
	text.n = 0;
	for (size_t i = 0; i < 2000; i++)
		text_addf(&text, "%01023d", 0);
	spill(f, DAY2, text.v, text.n);
	is_broken(f, DAY2, 1, "is not a record");
}

static void writers_at_once_lose_nothing(void **state)
{
	enum { WRITERS = 8, EACH = 100 };
	struct fixture *f = *state;
	int status;

	for (int i = 0; i < WRITERS; i++) {
		if (fork() != 0)
			continue;
		for (int j = 0; j < EACH; j++) {
			struct err err;
			const char *o = OBJECT("2026-01-01T10:00:00.000Z",
					       "denied", "a");

			if (event_audit_append(f->dir, o, strlen(o), 20000,
					       &err) < 0)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	is_whole(f, WRITERS * EACH);
}

static void a_log_that_is_not_ours_is_not_written(void **state)
{
	struct fixture *f = *state;
	const char *o = OBJECT("2026-01-01T10:00:00.000Z", "denied", "a");
	struct stat st;
	struct err err;

	assert_int_equal(symlink("/tmp/elsewhere.jsonl", path(f, DAY1)), 0);
	assert_int_equal(event_audit_append(f->dir, o, strlen(o), 0, &err), -1);
	assert_int_equal(stat("/tmp/elsewhere.jsonl", &st), -1);
	assert_int_equal(unlink(path(f, DAY1)), 0);
	assert_int_equal(mkfifo(path(f, DAY1), 0600), 0);
	assert_int_equal(event_audit_append(f->dir, o, strlen(o), 0, &err), -1);
	assert_int_equal(unlink(path(f, DAY1)), 0);
	append(f, o, 0);
	is_whole(f, 1);
}

struct found {
	struct text text;
	size_t n;
};

static int collect(void *data, const char *line, size_t n, struct err *err)
{
	struct found *found = data;

	(void)err;
	text_addn(&found->text, line, n);
	text_add(&found->text, "\n");
	found->n++;
	return 0;
}

static size_t ask(struct fixture *f, struct audit_query query)
{
	struct found found = { .text.arena = &f->arena };
	struct err err = { 0 };

	if (event_audit_query(f->dir, &query, collect, &found, &err) < 0)
		fail_msg("%s", err.msg);
	return found.n;
}

static void a_query_finds_what_was_asked_for(void **state)
{
	struct fixture *f = *state;
	struct audit_query last = { .limit = 1 };
	struct found found = { .text.arena = &f->arena };
	struct err err;

	fill(f);
	assert_int_equal(ask(f, (struct audit_query){ 0 }), 15);
	assert_int_equal(
		ask(f, (struct audit_query){ .kinds = 1U << EVENT_DENIED }), 5);
	assert_int_equal(
		ask(f, (struct audit_query){ .kinds = 1U << EVENT_DENIED |
						      1U << EVENT_ENDED }),
		10);
	assert_int_equal(ask(f, (struct audit_query){ .sandbox = "a" }), 10);
	assert_int_equal(ask(f, (struct audit_query){ .sandbox = "aa" }), 0);
	assert_int_equal(ask(f,
			     (struct audit_query){
				     .since = "2026-01-02T10:00:00.000Z" }),
			 10);
	assert_int_equal(ask(f,
			     (struct audit_query){
				     .since = "2026-01-02T10:00:00.001Z" }),
			 5);
	assert_int_equal(ask(f,
			     (struct audit_query){
				     .until = "2026-01-02T10:00:00.000Z" }),
			 5);
	assert_int_equal(ask(f, (struct audit_query){ .limit = 7 }), 7);
	assert_int_equal(
		event_audit_query(f->dir, &last, collect, &found, &err), 0);
	assert_non_null(strstr(text_str(&found.text), "\"seq\":15,"));
	/* A directory that is not there is an empty log. */
	f->dir = "/nonexistent/audit";
	assert_int_equal(ask(f, (struct audit_query){ 0 }), 0);
	is_whole(f, 0);
}

static void what_a_box_says_is_not_taken_for_a_kind(void **state)
{
	struct fixture *f = *state;
	struct text line = { .arena = &f->arena };
	struct event event = {
		.kind = EVENT_NOTICED,
		.sandbox = "a",
		.target = "\",\"schema\":1,\"event\":\"denied\",\"sandbox\":"
			  "\"a\"\n{\"ts\":\"2026-01-01T10:00:00.000Z\","
			  "\"schema\":1,\"event\":\"denied\"}\n",
	};

	event_format(&line, &event);
	assert_null(strchr(line.v, '\n'));
	append(f, line.v, 0);
	is_whole(f, 1);
	assert_int_equal(
		ask(f, (struct audit_query){ .kinds = 1U << EVENT_DENIED }), 0);
	assert_int_equal(
		ask(f, (struct audit_query){ .kinds = 1U << EVENT_NOTICED }),
		1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_chain_goes_through_all_files),
		CASE(a_full_file_is_followed_by_the_next_number),
		CASE(a_clock_that_was_put_back_changes_no_order),
		CASE(a_line_that_was_cut_off_is_mended_and_told),
		CASE(a_line_that_head_does_not_know_is_taken_over),
		CASE(a_missing_head_is_told_and_does_not_stop_the_log),
		CASE(every_changed_byte_is_found),
		CASE(removed_and_moved_lines_are_found),
		CASE(a_removed_end_is_found),
		CASE(removed_files_are_found),
		CASE(what_is_no_record_is_found),
		CASE(writers_at_once_lose_nothing),
		CASE(a_log_that_is_not_ours_is_not_written),
		CASE(a_query_finds_what_was_asked_for),
		CASE(what_a_box_says_is_not_taken_for_a_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
