/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DNS as it comes and goes on the wire: questions that are answered, those
 * that are refused, and replies that must not be believed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wire/dns.h"

/* A message with its length: they hold zeros. */
struct bytes {
	unsigned char v[1024];
	size_t n;
};

static void add(struct bytes *b, const void *v, size_t n)
{
	assert_true(sizeof(b->v) - b->n >= n);
	memcpy(b->v + b->n, v, n);
	b->n += n;
}

#define ADD(bytes, literal) add((bytes), (literal), sizeof(literal) - 1)

/* The string literal behind a head with these counts. */
#define MESSAGE(flags, counts, rest)                                           \
	message("\x12\x34" flags counts, rest, sizeof(rest) - 1)

static struct bytes message(const char *head, const char *rest, size_t n)
{
	struct bytes b = { .n = 0 };

	add(&b, head, 12);
	add(&b, rest, n);
	return b;
}

#define QUERY	     "\1\0"
#define REPLY	     "\x81\x80"
#define ONE_QUESTION "\0\1\0\0\0\0\0\0"
#define ALLOWED	     "\7allowed\4test\0"
#define IN_A	     "\0\1\0\1"
#define OPT	     "\0\0\x29\x04\xd0\0\0\0\0\0\0"

/* From a buffer of exactly @n bytes, so that a sanitizer sees one too many. */
static int parse(const struct bytes *b, struct dns_question *out)
{
	unsigned char *exact = test_malloc(b->n + !b->n);
	int code;

	memcpy(exact, b->v, b->n);
	code = dns_question_parse(exact, b->n, out);
	test_free(exact);
	return code;
}

static int reply_parse(const struct bytes *b, uint16_t type,
		       struct dns_reply *out)
{
	unsigned char *exact = test_malloc(b->n + !b->n);
	int failed;

	memcpy(exact, b->v, b->n);
	failed =
		dns_reply_parse(exact, b->n, 0x1234, "allowed.test", type, out);
	test_free(exact);
	return failed;
}

static void a_question_is_read(void **state)
{
	struct bytes b = MESSAGE(QUERY, ONE_QUESTION, ALLOWED IN_A);
	struct dns_question q;

	(void)state;
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	assert_int_equal(q.id, 0x1234);
	assert_true(q.recursion);
	assert_int_equal(q.type, DNS_A);
	assert_string_equal(q.name, "allowed.test");
	assert_false(q.unfit);
	assert_false(q.edns);
	assert_int_equal(q.room, 512);
	assert_int_equal(q.size, b.n);
}

static void edns_says_how_much_room_there_is(void **state)
{
	struct bytes b = MESSAGE(QUERY, "\0\1\0\0\0\0\0\1", ALLOWED IN_A OPT);
	struct dns_question q;

	(void)state;
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	assert_true(q.edns);
	assert_int_equal(q.room, 1232);
	assert_int_equal(q.size, b.n - 11);
	/* Less than what there is without it is not believed. */
	b.v[b.n - 8] = 0;
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	assert_int_equal(q.room, 512);
}

static void no_question_is_not_answered(void **state)
{
	struct bytes b = MESSAGE(REPLY, ONE_QUESTION, ALLOWED IN_A);
	struct dns_question q;

	(void)state;
	assert_int_equal(parse(&b, &q), -1);
	b.v[2] = 1;
	for (b.n = 0; b.n < 12; b.n++)
		assert_int_equal(parse(&b, &q), -1);
}

#define NAME63                                                                 \
	"\77aaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg"
#define NAME61                                                                 \
	"\75aaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgg"
#define NAME62                                                                 \
	"\76aaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg"

#define CASE(name, flags, counts, rest)                                        \
	static struct bytes name(void)                                         \
	{                                                                      \
		return MESSAGE(flags, counts, rest);                           \
	}

CASE(pointer_to_itself, QUERY, ONE_QUESTION, "\xc0\x0c" IN_A)
CASE(pointer_loop, QUERY, ONE_QUESTION, "\xc0\x0e\xc0\x0c" IN_A)
CASE(pointer_past_end, QUERY, ONE_QUESTION, "\xff\xff" IN_A)
CASE(pointer_into_head, QUERY, ONE_QUESTION, "\1a\xc0\4" IN_A)
CASE(pointer_back_into_label, QUERY, ONE_QUESTION, "\1a\xc0\x0c" IN_A)
CASE(label_of_64, QUERY, ONE_QUESTION, "\x40" NAME63 "\0" IN_A)
CASE(label_of_128, QUERY, ONE_QUESTION, "\x80" NAME63 NAME63 "\0" IN_A)
CASE(name_of_254, QUERY, ONE_QUESTION, NAME63 NAME63 NAME63 NAME62 "\0" IN_A)
CASE(name_without_end, QUERY, ONE_QUESTION, "\7allowed\4test")
CASE(label_past_end, QUERY, ONE_QUESTION, "\7allo")
CASE(no_class, QUERY, ONE_QUESTION, ALLOWED "\0\1\0")
CASE(many_questions, QUERY, "\377\377\0\0\0\0\0\0", ALLOWED IN_A)
CASE(no_question, QUERY, "\0\0\0\0\0\0\0\0", "")
CASE(with_answer, QUERY, "\0\1\0\1\0\0\0\0", ALLOWED IN_A)
CASE(with_authority, QUERY, "\0\1\0\0\0\1\0\0", ALLOWED IN_A)
CASE(bytes_behind, QUERY, ONE_QUESTION, ALLOWED IN_A "x")
CASE(opt_missing, QUERY, "\0\1\0\0\0\0\0\1", ALLOWED IN_A)
CASE(opt_unannounced, QUERY, ONE_QUESTION, ALLOWED IN_A OPT)
CASE(opt_twice, QUERY, "\0\1\0\0\0\0\0\2", ALLOWED IN_A OPT OPT)
CASE(opt_of_name, QUERY, "\0\1\0\0\0\0\0\1",
     ALLOWED IN_A "\1a\0\0\x29\x04\xd0\0\0\0\0\0\0")
CASE(opt_of_version_1, QUERY, "\0\1\0\0\0\0\0\1",
     ALLOWED IN_A "\0\0\x29\x04\xd0\0\1\0\0\0\0")
CASE(opt_too_long, QUERY, "\0\1\0\0\0\0\0\1",
     ALLOWED IN_A "\0\0\x29\xff\xff\0\0\0\0\xff\xff")
CASE(opt_cut, QUERY, "\0\1\0\0\0\0\0\1", ALLOWED IN_A "\0\0\x29\xff\xff\0")
CASE(update, "\x28\0", ONE_QUESTION, ALLOWED IN_A)
CASE(notify, "\x20\0", ONE_QUESTION, ALLOWED IN_A)
CASE(chaos, QUERY, ONE_QUESTION, ALLOWED "\0\1\0\3")
CASE(any_class, QUERY, ONE_QUESTION, ALLOWED "\0\1\0\xff")

#define ROW(name, code)                                                        \
	{                                                                      \
#name, code, name                                              \
	}

static const struct {
	const char *what;
	int code;
	struct bytes (*build)(void);
} refused[] = {
	ROW(pointer_to_itself, DNS_FORMAT_ERROR),
	ROW(pointer_loop, DNS_FORMAT_ERROR),
	ROW(pointer_past_end, DNS_FORMAT_ERROR),
	ROW(pointer_into_head, DNS_FORMAT_ERROR),
	ROW(pointer_back_into_label, DNS_FORMAT_ERROR),
	ROW(label_of_64, DNS_FORMAT_ERROR),
	ROW(label_of_128, DNS_FORMAT_ERROR),
	ROW(name_of_254, DNS_FORMAT_ERROR),
	ROW(name_without_end, DNS_FORMAT_ERROR),
	ROW(label_past_end, DNS_FORMAT_ERROR),
	ROW(no_class, DNS_FORMAT_ERROR),
	ROW(many_questions, DNS_FORMAT_ERROR),
	ROW(no_question, DNS_FORMAT_ERROR),
	ROW(with_answer, DNS_FORMAT_ERROR),
	ROW(with_authority, DNS_FORMAT_ERROR),
	ROW(bytes_behind, DNS_FORMAT_ERROR),
	ROW(opt_missing, DNS_FORMAT_ERROR),
	ROW(opt_unannounced, DNS_FORMAT_ERROR),
	ROW(opt_twice, DNS_FORMAT_ERROR),
	ROW(opt_of_name, DNS_FORMAT_ERROR),
	ROW(opt_of_version_1, DNS_FORMAT_ERROR),
	ROW(opt_too_long, DNS_FORMAT_ERROR),
	ROW(opt_cut, DNS_FORMAT_ERROR),
	ROW(update, DNS_NOT_IMPLEMENTED),
	ROW(notify, DNS_NOT_IMPLEMENTED),
	ROW(chaos, DNS_REFUSED),
	ROW(any_class, DNS_REFUSED),
};

static void what_is_malformed_gets_the_code_for_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct bytes b = refused[i].build();
		unsigned char out[512];
		struct dns_question q;
		int code = parse(&b, &q);
		size_t n;

		if (code != refused[i].code)
			fail_msg("%s: %d", refused[i].what, code);
		/* It can be answered, whatever is wrong with it. */
		n = dns_answer_format(&q, b.v, (enum dns_code)code, NULL, 0, 0,
				      out, sizeof(out));
		assert_true(n >= 12 && n <= b.n);
		assert_memory_equal(out, "\x12\x34", 2);
		assert_int_equal(out[2] & 0x78, b.v[2] & 0x78);
		assert_int_equal(out[3] & 15, code);
		assert_int_equal(out[5], n > 12);
	}
}

static void the_longest_name_is_read(void **state)
{
	struct bytes b = MESSAGE(QUERY, ONE_QUESTION,
				 NAME63 NAME63 NAME63 NAME61 "\0" IN_A);
	struct dns_question q;

	(void)state;
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	assert_int_equal(strlen(q.name), DNS_NAME_MAX);
	assert_false(q.unfit);
}

static void odd_letters_make_a_name_unfit(void **state)
{
	static const struct {
		const char *wire;
		size_t n;
		const char *name;
	} names[] = {
		{ "\4ev\0l\4test", 10, "ev\\000l.test" },
		{ "\3a.b\4test", 9, "a\\046b.test" },
		{ "\2\xc3\xa9\4test", 8, "\\195\\169.test" },
		{ "\3a b\1c", 6, "a\\032b.c" },
		{ "\2\033[\1c", 5, "\\027\\091.c" },
		{ "", 1, "." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct bytes b = MESSAGE(QUERY, ONE_QUESTION, "");
		struct dns_question q;

		add(&b, names[i].wire, names[i].n);
		if (names[i].n > 1)
			ADD(&b, "\0");
		ADD(&b, IN_A);
		assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
		assert_true(q.unfit);
		assert_string_equal(q.name, names[i].name);
	}
}

static void an_escaped_name_is_cut_where_it_is_too_long(void **state)
{
	struct bytes b = MESSAGE(QUERY, ONE_QUESTION, "");
	struct dns_question q;

	(void)state;
	for (int i = 0; i < 3; i++) {
		unsigned char label[64] = { 63 };

		memset(label + 1, 0xff, 63);
		add(&b, label, 64);
	}
	ADD(&b, "\0" IN_A);
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	assert_true(q.unfit);
	assert_in_range(strlen(q.name), 240, DNS_NAME_MAX);
}

static void names_are_lowered_and_echoed_as_sent(void **state)
{
	struct bytes b = MESSAGE(QUERY, ONE_QUESTION, "\7aLLoWed\4TesT\0" IN_A);
	unsigned char out[512];
	struct dns_question q;
	size_t n;

	(void)state;
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	assert_string_equal(q.name, "allowed.test");
	n = dns_answer_format(&q, b.v, DNS_NO_ERROR, "\xc6\x12\0\1", 1, 60, out,
			      sizeof(out));
	assert_int_equal(n, b.n + 16);
	assert_memory_equal(out, "\x12\x34\x81\x80\0\1\0\1\0\0\0\0", 12);
	assert_memory_equal(out + 12, b.v + 12, b.n - 12);
	assert_memory_equal(out + b.n,
			    "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc6\x12\0\1", 16);
}

static void an_answer_is_ours_to_read(void **state)
{
	static const unsigned char two[2][16] = { { 0xfd, 1 }, { 0xfd, 2 } };
	struct bytes b =
		MESSAGE(QUERY, "\0\1\0\0\0\0\0\1", ALLOWED "\0\x1c\0\1" OPT);
	struct dns_question q;
	struct dns_reply r;
	struct bytes out = { .n = 0 };

	(void)state;
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	out.n = dns_answer_format(&q, b.v, DNS_NO_ERROR, two, 2, 60, out.v,
				  sizeof(out.v));
	assert_int_equal(out.n, b.n + 2 * 28);
	assert_int_equal(reply_parse(&out, DNS_AAAA, &r), 0);
	assert_int_equal(r.n, 2);
	assert_memory_equal(r.addresses, two, sizeof(two));
	assert_int_equal(r.ttl, 60);
	/* What does not fit is not begun. */
	for (size_t room = 0; room < out.n; room++)
		assert_int_equal(dns_answer_format(&q, b.v, DNS_NO_ERROR, two,
						   2, 60, out.v, room),
				 0);
}

static void a_name_can_be_the_answer(void **state)
{
	struct bytes b = MESSAGE(QUERY, ONE_QUESTION,
				 "\1\61\7in-addr\4arpa\0\0\x0c\0\1");
	unsigned char out[512];
	struct dns_question q;
	size_t n;

	(void)state;
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	assert_int_equal(q.type, DNS_PTR);
	n = dns_answer_format_name(&q, b.v, "allowed.test", 60, out,
				   sizeof(out));
	assert_int_equal(n, b.n + 12 + 14);
	assert_memory_equal(out + b.n, "\xc0\x0c\0\x0c\0\1\0\0\0\x3c\0\x0e",
			    12);
	assert_memory_equal(out + b.n + 12, "\7allowed\4test\0", 14);
	assert_int_equal(
		dns_answer_format_name(&q, b.v, "a..b", 60, out, sizeof(out)),
		0);
}

static void our_questions_are_questions(void **state)
{
	struct bytes b = { .n = 0 };
	struct dns_question q;
	char longest[300];

	(void)state;
	b.n = dns_question_format(7, "Allowed.test", DNS_AAAA, b.v,
				  sizeof(b.v));
	assert_int_equal(b.n, 12 + 14 + 4 + 11);
	assert_int_equal(parse(&b, &q), DNS_NO_ERROR);
	assert_int_equal(q.id, 7);
	assert_int_equal(q.type, DNS_AAAA);
	assert_true(q.recursion && q.edns);
	assert_int_equal(q.room, DNS_ASKED_MAX);
	assert_string_equal(q.name, "allowed.test");

	assert_int_equal(dns_question_format(7, "a.b", 1, b.v, 20), 0);
	assert_int_equal(dns_question_format(7, "", 1, b.v, sizeof(b.v)), 0);
	assert_int_equal(dns_question_format(7, "a..b", 1, b.v, sizeof(b.v)),
			 0);
	memset(longest, 'a', sizeof(longest));
	for (size_t i = 50; i < sizeof(longest); i += 50)
		longest[i] = '.';
	longest[DNS_NAME_MAX] = '\0';
	assert_int_not_equal(
		dns_question_format(7, longest, 1, b.v, sizeof(b.v)), 0);
	longest[DNS_NAME_MAX] = 'a';
	longest[DNS_NAME_MAX + 1] = '\0';
	assert_int_equal(dns_question_format(7, longest, 1, b.v, sizeof(b.v)),
			 0);
}

#define ASKED ALLOWED IN_A
/* The name in the question, and "test" in it. */
#define HERE	 "\xc0\x0c"
#define DOT_TEST "\xc0\x14"
#define A_RECORD "\0\1\0\1\0\0\0\x1e\0\4\xc0\0\2\1"

static void a_reply_is_read(void **state)
{
	struct bytes b = MESSAGE(REPLY, "\0\1\0\2\0\0\0\0",
				 ASKED HERE A_RECORD HERE
				 "\0\1\0\1\0\0\0\x14\0\4\xc0\0\2\2");
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.code, DNS_NO_ERROR);
	assert_int_equal(r.n, 2);
	assert_memory_equal(r.addresses[0], "\xc0\0\2\1", 4);
	assert_memory_equal(r.addresses[1], "\xc0\0\2\2", 4);
	assert_int_equal(r.ttl, 20);
	/* Cut anywhere, it is none. */
	while (b.n-- > 0)
		assert_int_equal(reply_parse(&b, DNS_A, &r), -1);
}

static void pointers_lead_backwards_only(void **state)
{
	/* To the same name behind the answer. */
	struct bytes b = MESSAGE(REPLY, "\0\1\0\1\0\0\0\0",
				 ASKED "\xc0\x2e" A_RECORD ALLOWED);
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), -1);
	b.v[31] = 12;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.n, 1);
}

static void the_case_of_a_reply_does_not_matter(void **state)
{
	struct bytes b =
		MESSAGE(REPLY, "\0\1\0\1\0\0\0\0",
			"\7ALLOWED\4tesT\0" IN_A "\7allowed\4TEST\0" A_RECORD);
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.n, 1);
}

static void another_question_is_not_answered_by_it(void **state)
{
	struct bytes good =
		MESSAGE(REPLY, "\0\1\0\1\0\0\0\0", ASKED HERE A_RECORD);
	struct dns_reply r;
	/* id, id, query, opcode, count, name, type, class */
	static const struct {
		size_t at;
		unsigned char value;
	} changes[] = { { 0, 1 },  { 1, 1 },	{ 2, 1 },  { 2, 0x89 },
			{ 5, 2 },  { 13, 'b' }, { 27, 2 }, { 29, 3 },
			{ 28, 1 }, { 20, 3 } };

	(void)state;
	assert_int_equal(reply_parse(&good, DNS_A, &r), 0);
	assert_int_equal(reply_parse(&good, DNS_AAAA, &r), -1);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct bytes b = good;

		b.v[changes[i].at] = changes[i].value;
		assert_int_equal(reply_parse(&b, DNS_A, &r), -1);
	}
}

static void aliases_are_followed_in_any_order(void **state)
{
	/* b.test first; then allowed.test → a.test, a.test → b.test */
	struct bytes b = MESSAGE(REPLY, "\0\1\0\3\0\0\0\0",
				 ASKED "\1b" DOT_TEST A_RECORD "\1a" DOT_TEST
				       "\0\5\0\1\0\0\0\x0a\0\4\1b" DOT_TEST HERE
				       "\0\5\0\1\0\0\0\x0f\0\4\1a" DOT_TEST);
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.ttl, 10);
}

static void aliases_in_a_circle_lead_nowhere(void **state)
{
	struct bytes b = MESSAGE(REPLY, "\0\1\0\1\0\0\0\0",
				 ASKED HERE "\0\5\0\1\0\0\0\x0f\0\2" HERE);
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.n, 0);
	/* Nor does one whose data are longer than its name. */
	b.v[b.n - 3] = 3;
	ADD(&b, "x");
	assert_int_equal(reply_parse(&b, DNS_A, &r), -1);
}

static void records_of_others_are_not_taken(void **state)
{
	struct bytes b = MESSAGE(
		REPLY, "\0\1\0\4\0\0\0\1",
		ASKED "\1b" DOT_TEST A_RECORD /* another name */
			HERE
		      "\0\1\0\3\0\0\0\x1e\0\4\xc0\0\2\1" /* another class */
		HERE "\0\x10\0\1\0\0\0\x1e\0\4\3abc" /* another type */
		      "\4test\0" A_RECORD /* the parent */
			      HERE A_RECORD); /* additional */
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.n, 0);
	assert_int_equal(r.ttl, 0);
	/* The control: counted as an answer, the last is one. */
	b.v[7] = 5;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.n, 1);
}

static void an_address_of_another_size_is_malformed(void **state)
{
	struct bytes b = MESSAGE(REPLY, "\0\1\0\1\0\0\0\0",
				 ASKED HERE "\0\1\0\1\0\0\0\x1e\0\3\xc0\0\2");
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), -1);
}

static void more_addresses_than_there_is_room_for_are_left_out(void **state)
{
	struct bytes b = MESSAGE(REPLY, "\0\1\0\x28\0\0\0\0", ASKED);
	struct dns_reply r;

	(void)state;
	for (int i = 0; i < 40; i++)
		ADD(&b, HERE A_RECORD);
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.n, DNS_ANSWERS_MAX);
}

static void codes_and_truncation_are_told(void **state)
{
	struct bytes b = MESSAGE("\x81\x83", ONE_QUESTION, ASKED);
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.code, DNS_NO_NAME);
	assert_false(r.truncated);
	/* Cut, it may lack what its head counts. */
	b = MESSAGE("\x83\x80", "\0\1\0\5\0\0\0\0", ASKED HERE A_RECORD);
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_true(r.truncated);
	assert_int_equal(r.n, 0);
}

static void an_absurd_time_to_live_is_none(void **state)
{
	struct bytes b = MESSAGE(REPLY, "\0\1\0\1\0\0\0\0",
				 ASKED HERE "\0\1\0\1\x80\0\0\1\0\4\xc0\0\2\1");
	struct dns_reply r;

	(void)state;
	assert_int_equal(reply_parse(&b, DNS_A, &r), 0);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.ttl, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question_is_read),
		cmocka_unit_test(edns_says_how_much_room_there_is),
		cmocka_unit_test(no_question_is_not_answered),
		cmocka_unit_test(what_is_malformed_gets_the_code_for_it),
		cmocka_unit_test(the_longest_name_is_read),
		cmocka_unit_test(odd_letters_make_a_name_unfit),
		cmocka_unit_test(an_escaped_name_is_cut_where_it_is_too_long),
		cmocka_unit_test(names_are_lowered_and_echoed_as_sent),
		cmocka_unit_test(an_answer_is_ours_to_read),
		cmocka_unit_test(a_name_can_be_the_answer),
		cmocka_unit_test(our_questions_are_questions),
		cmocka_unit_test(a_reply_is_read),
		cmocka_unit_test(pointers_lead_backwards_only),
		cmocka_unit_test(the_case_of_a_reply_does_not_matter),
		cmocka_unit_test(another_question_is_not_answered_by_it),
		cmocka_unit_test(aliases_are_followed_in_any_order),
		cmocka_unit_test(aliases_in_a_circle_lead_nowhere),
		cmocka_unit_test(records_of_others_are_not_taken),
		cmocka_unit_test(an_address_of_another_size_is_malformed),
		cmocka_unit_test(
			more_addresses_than_there_is_room_for_are_left_out),
		cmocka_unit_test(codes_and_truncation_are_told),
		cmocka_unit_test(an_absurd_time_to_live_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
