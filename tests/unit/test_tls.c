/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name in a ClientHello: messages put together from parts, each of which
 * can be wrong, cut into records of every size and read byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/tls.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct bytes {
	const char *v;
	size_t n;
};
#define BYTES(s)                                                               \
	{                                                                      \
		s, sizeof(s) - 1                                               \
	}

/* server_name with one host name, and other extensions */
#define SNI                                                                    \
	"\0\0\0\x0b\0\x09\0\0\x06"                                             \
	"a.test"
#define EMPTY  "\x00\x17\0\0"
#define GREASE "\x7a\x7a\0\x01\0"
#define ECH    "\xfe\x0d\0\x0a\0\0\x01\0\x01\x07\0\0\0\0"
#define RANDOM "0123456789abcdef0123456789abcdef"
/* up to the extensions */
#define START                                                                  \
	"\x03\x03" RANDOM "\0"                                                 \
	"\0\x02\x13\x01"                                                       \
	"\x01\0"

struct buffer {
	unsigned char v[4 * TLS_HELLO_MAX];
	size_t n;
};

static void add(struct buffer *to, const void *v, size_t n)
{
	assert_true(n <= sizeof(to->v) - to->n);
	memcpy(to->v + to->n, v, n);
	to->n += n;
}

static void add_number(struct buffer *to, size_t number, unsigned int size)
{
	for (unsigned int i = size; i-- > 0;) {
		unsigned char byte = (unsigned char)(number >> 8 * i);

		add(to, &byte, 1);
	}
}

/* A handshake message of @type, in records of @piece bytes. */
static void add_message(struct buffer *to, unsigned char type,
			const struct buffer *body, size_t piece)
{
	static struct buffer message;

	message.n = 0;
	add_number(&message, type, 1);
	add_number(&message, body->n, 3);
	add(&message, body->v, body->n);
	for (size_t at = 0; at < message.n; at += piece) {
		size_t left = message.n - at;
		size_t n = left < piece ? left : piece;

		add(to, "\x16\x03\x01", 3);
		add_number(to, n, 2);
		add(to, message.v + at, n);
	}
}

/* A body with these extensions, unless they are NULL. */
static void set_body(struct buffer *to, struct bytes start,
		     const struct bytes *extensions)
{
	to->n = 0;
	add(to, start.v, start.n);
	if (!extensions)
		return;
	add_number(to, extensions->n, 2);
	add(to, extensions->v, extensions->n);
}

/* From memory that ends where the bytes do, for the sanitizer to watch. */
static enum tls_status parse(const void *data, size_t n, char *name)
{
	char *copy = malloc(n + 1);
	enum tls_status status;

	assert_non_null(copy);
	memcpy(copy + 1, data, n);
	status = tls_hello_parse(copy + 1, n, name);
	free(copy);
	return status;
}

/* Every beginning wants more, until the status is certain; then it stays. */
static void assert_status(const struct buffer *data, enum tls_status expected,
			  const char *expected_name)
{
	enum tls_status before = TLS_MORE, status = TLS_MORE;
	char name[TLS_NAME_MAX + 1] = "untouched";

	for (size_t n = 0; n <= data->n; n++) {
		status = parse(data->v, n, name);
		if (before != TLS_MORE)
			assert_int_equal(status, before);
		if (status != TLS_MORE)
			assert_int_equal(status, expected);
		if (status == TLS_OK)
			assert_int_equal(n, data->n);
		before = status;
	}
	assert_int_equal(status, expected);
	assert_string_equal(name,
			    status == TLS_OK ? expected_name : "untouched");
}

static const struct {
	const char *name; /* NULL: malformed */
	struct bytes extensions;
} extensions[] = {
	{ "", BYTES("") },
	{ "", BYTES(EMPTY GREASE) },
	{ "a.test", BYTES(SNI) },
	{ "a.test", BYTES(GREASE SNI EMPTY) },
	{ "a.test", BYTES(ECH EMPTY SNI) },
	{ "a.test", BYTES(SNI ECH ECH) },
	{ "A.\xff\n", BYTES("\0\0\0\x09\0\x07\0\0\x04"
			    "A.\xff\n") },
	/* twice, in two ways */
	{ NULL, BYTES(SNI SNI) },
	{ NULL, BYTES(SNI EMPTY SNI) },
	{ NULL, BYTES("\0\0\0\x0a\0\x08\0\0\x01"
		      "a"
		      "\0\0\x01"
		      "b") },
	/* of another kind, alone and beside one of a host */
	{ NULL, BYTES("\0\0\0\x06\0\x04\x01\0\x01"
		      "a") },
	{ NULL, BYTES("\0\0\0\x0a\0\x08\0\0\x01"
		      "a"
		      "\x01\0\x01"
		      "b") },
	/* empty: extension, list, name */
	{ NULL, BYTES("\0\0\0\0") },
	{ NULL, BYTES("\0\0\0\x02\0\0") },
	{ NULL, BYTES("\0\0\0\x05\0\x03\0\0\0") },
	/* NUL in it */
	{ NULL, BYTES("\0\0\0\x0b\0\x09\0\0\x06"
		      "a.tes\0") },
	{ NULL, BYTES("\0\0\0\x0b\0\x09\0\0\x06"
		      "a\0test") },
	/* lengths: name, list, extension, each too short and too long */
	{ NULL, BYTES("\0\0\0\x0b\0\x09\0\0\x05"
		      "a.test") },
	{ NULL, BYTES("\0\0\0\x0b\0\x09\0\0\x07"
		      "a.test") },
	{ NULL, BYTES("\0\0\0\x0b\0\x08\0\0\x06"
		      "a.test") },
	{ NULL, BYTES("\0\0\0\x0b\0\x0a\0\0\x06"
		      "a.test") },
	{ NULL, BYTES("\0\0\0\x0a\0\x09\0\0\x06"
		      "a.test") },
	{ NULL, BYTES("\0\0\0\x0c\0\x09\0\0\x06"
		      "a.testx") },
	{ NULL, BYTES("\0\0\0\x0c\0\x09\0\0\x06"
		      "a.test") },
	/* of others too */
	{ NULL, BYTES(SNI "\x7a\x7a\0\x02\0") },
	{ NULL, BYTES(SNI "\x7a\x7a\0") },
	{ NULL, BYTES(SNI "\x7a") },
};

static void the_name_is_found_among_extensions(void **state)
{
	static struct buffer body, data;
	static const size_t pieces[] = { 1, 2, 3, 5, 50, 1 << 14 };

	(void)state;
	for (size_t i = 0; i < LENGTH(extensions); i++) {
		set_body(&body, (struct bytes)BYTES(START),
			 &extensions[i].extensions);
		for (size_t k = 0; k < LENGTH(pieces); k++) {
			data.n = 0;
			add_message(&data, 1, &body, pieces[k]);
			assert_status(
				&data,
				extensions[i].name ? TLS_OK : TLS_MALFORMED,
				extensions[i].name);
		}
	}
}

static const struct {
	bool good;
	struct bytes start;
} starts[] = {
	{ true, BYTES(START) },
	{ true, BYTES("\x03\x01" RANDOM "\x01s"
		      "\0\x04\0\x2f\0\xff"
		      "\x02\x01\0") },
	{ true, BYTES("\x03\x03" RANDOM "\x20" RANDOM "\0\x02\x13\x01"
		      "\x01\0") },
	{ false, BYTES("\x03\x03" RANDOM "\x21" RANDOM "x"
		       "\0\x02\x13\x01"
		       "\x01\0") },
	{ false, BYTES("\x02\x03" RANDOM "\0"
		       "\0\x02\x13\x01"
		       "\x01\0") },
	{ false, BYTES("\x03\x03" RANDOM "\0"
		       "\0\0"
		       "\x01\0") },
	{ false, BYTES("\x03\x03" RANDOM "\0"
		       "\0\x03\x13\x01\0"
		       "\x01\0") },
	{ false, BYTES("\x03\x03" RANDOM "\0"
		       "\0\x02\x13\x01"
		       "\0") },
	{ false, BYTES("\x03\x03" RANDOM "\0"
		       "\xff\xfe\x13\x01"
		       "\x01\0") },
	{ false, BYTES("\x03\x03" RANDOM) },
	{ false, BYTES("\x03") },
	{ false, BYTES("") },
};

static void what_stands_before_the_extensions_is_checked(void **state)
{
	static const struct bytes sni = BYTES(SNI);
	static struct buffer body, data;

	(void)state;
	for (size_t i = 0; i < LENGTH(starts); i++) {
		enum tls_status expected =
			starts[i].good ? TLS_OK : TLS_MALFORMED;

		data.n = 0;
		set_body(&body, starts[i].start, NULL);
		add_message(&data, 1, &body, 1 << 14);
		assert_status(&data, expected, "");
		data.n = 0;
		set_body(&body, starts[i].start, &sni);
		add_message(&data, 1, &body, 1 << 14);
		assert_status(&data, expected, "a.test");
	}
}

static void extensions_fill_the_rest_of_the_message(void **state)
{
	static const struct bytes sni = BYTES(SNI);
	static struct buffer body, data;

	(void)state;
	for (size_t more = 0; more < 2; more++) {
		set_body(&body, (struct bytes)BYTES(START), &sni);
		add(&body, "x", more);
		data.n = 0;
		add_message(&data, 1, &body, 1 << 14);
		assert_status(&data, more ? TLS_MALFORMED : TLS_OK, "a.test");
	}
	set_body(&body, (struct bytes)BYTES(START), &sni);
	body.n--;
	data.n = 0;
	add_message(&data, 1, &body, 1 << 14);
	assert_status(&data, TLS_MALFORMED, NULL);
}

static void names_have_255_characters_at_most(void **state)
{
	static struct buffer body, data, list;
	char name[TLS_NAME_MAX + 2] = "";

	(void)state;
	for (size_t n = 254; n <= 256; n++) {
		memset(name, 'a', n);
		list.n = 0;
		add_number(&list, 0, 2);
		add_number(&list, n + 5, 2);
		add_number(&list, n + 3, 2);
		add_number(&list, 0, 1);
		add_number(&list, n, 2);
		add(&list, name, n);
		set_body(&body, (struct bytes)BYTES(START),
			 &(struct bytes){ (const char *)list.v, list.n });
		data.n = 0;
		add_message(&data, 1, &body, 100);
		assert_status(&data, n <= 255 ? TLS_OK : TLS_MALFORMED, name);
	}
}

/* Extensions of @n bytes: one that is large, and the name behind it. */
static void set_large(struct buffer *body, size_t n)
{
	static struct buffer list;
	static const char sni[] = SNI;

	list.n = 0;
	add_number(&list, 0xfe0d, 2);
	add_number(&list, n - 4 - (sizeof(sni) - 1), 2);
	memset(list.v + list.n, 'x', n);
	list.n = n - (sizeof(sni) - 1);
	add(&list, sni, sizeof(sni) - 1);
	set_body(body, (struct bytes)BYTES(START),
		 &(struct bytes){ (const char *)list.v, list.n });
}

static void large_messages_are_read_up_to_the_limit(void **state)
{
	static struct buffer body, data;
	char name[TLS_NAME_MAX + 1];

	(void)state;
	set_large(&body, 20000);
	add_message(&data, 1, &body, 1 << 14);
	assert_status(&data, TLS_OK, "a.test");

	/* 4 records of 16 KB or less: what is left is the most that fits. */
	for (size_t more = 0; more < 2; more++) {
		size_t head = sizeof(START) - 1 + 2 + 4;

		set_large(&body, TLS_HELLO_MAX - 4 * 5 - head + more);
		data.n = 0;
		add_message(&data, 1, &body, 1 << 14);
		assert_int_equal(data.n, TLS_HELLO_MAX + more);
		assert_int_equal(parse(data.v, data.n, name),
				 more ? TLS_MALFORMED : TLS_OK);
	}
	/* The limit is of records: heads count. */
	set_large(&body, 12000);
	data.n = 0;
	add_message(&data, 1, &body, 1);
	assert_true(data.n > TLS_HELLO_MAX);
	assert_int_equal(parse(data.v, TLS_HELLO_MAX - 10, name), TLS_MORE);
	assert_int_equal(parse(data.v, data.n, name), TLS_MALFORMED);
}

static const struct {
	enum tls_status status;
	struct bytes data;
} beginnings[] = {
	{ TLS_MORE, BYTES("") },
	{ TLS_MORE, BYTES("\x16") },
	{ TLS_MORE, BYTES("\x16\x03") },
	{ TLS_MORE, BYTES("\x16\x03\x01\x01\0") },
	{ TLS_MORE, BYTES("\x16\x03\x01\x01\0\x01") },
	{ TLS_MORE, BYTES("\x16\x03\x7f\x01\0\x01\0\0\xfc") },
	{ TLS_MORE, BYTES("\x16\x03\x01\0\x01\x01"
			  "\x16\x03\x03\x01\0\0") },
	/* not TLS: text, SSL 2, an alert, another major version, DTLS */
	{ TLS_OTHER, BYTES("G") },
	{ TLS_OTHER, BYTES("\0") },
	{ TLS_OTHER, BYTES("\x80\x2e\x01\0\x02") },
	{ TLS_OTHER, BYTES("\x15\x03\x01\0\x02\x01\0") },
	{ TLS_OTHER, BYTES("\x16\x02") },
	{ TLS_OTHER, BYTES("\x16\xfe\xff") },
	/* empty and oversized records */
	{ TLS_MALFORMED, BYTES("\x16\x03\x01\0\0") },
	{ TLS_MALFORMED, BYTES("\x16\x03\x01\x40\x01") },
	{ TLS_MORE, BYTES("\x16\x03\x01\x40\0") },
	/* another message, a second one in the record, one that is too long */
	{ TLS_MALFORMED, BYTES("\x16\x03\x01\0\x05\x02") },
	{ TLS_MALFORMED, BYTES("\x16\x03\x01\x01\0\x01\0\0\xfb") },
	{ TLS_MALFORMED, BYTES("\x16\x03\x01\x01\0\x01\x01\0\0") },
	{ TLS_MORE, BYTES("\x16\x03\x01\x01\0\x01\0\xff\0") },
	/* other records between those of the message */
	{ TLS_MALFORMED, BYTES("\x16\x03\x01\0\x01\x01"
			       "\x15") },
	{ TLS_MALFORMED, BYTES("\x16\x03\x01\0\x01\x01"
			       "\x16\x02") },
	{ TLS_MALFORMED, BYTES("\x16\x03\x01\0\x01\x01"
			       "\x14\x03\x01\0\x01\x01") },
};

static void beginnings_are_told_apart(void **state)
{
	char name[TLS_NAME_MAX + 1];

	(void)state;
	for (size_t i = 0; i < LENGTH(beginnings); i++) {
		enum tls_status status =
			parse(beginnings[i].data.v, beginnings[i].data.n, name);

		if (status != beginnings[i].status)
			fail_msg("row %zu: %d, not %d", i, (int)status,
				 (int)beginnings[i].status);
	}
}

static void records_behind_the_message_are_another_matter(void **state)
{
	static const struct bytes sni = BYTES(SNI);
	static struct buffer body, data;
	char name[TLS_NAME_MAX + 1];

	(void)state;
	set_body(&body, (struct bytes)BYTES(START), &sni);
	data.n = 0;
	add_message(&data, 1, &body, 1 << 14);
	add(&data, "\x17\x03\x03", 3);
	assert_int_equal(parse(data.v, data.n, name), TLS_OK);
	assert_string_equal(name, "a.test");
}

static void the_size_is_that_of_the_records_of_the_message(void **state)
{
	static const struct bytes sni = BYTES(SNI);
	static const size_t pieces[] = { 1, 2, 3, 5, 50, 1 << 14 };
	static const struct bytes behind[] = {
		BYTES(""),
		BYTES("x"),
		BYTES("\x14\x03\x03\0\x01\x01"),
		BYTES("\x16\x03\x01\0\x04\x01\0\0\0"),
	};
	static struct buffer body, data;

	(void)state;
	set_body(&body, (struct bytes)BYTES(START), &sni);
	for (size_t k = 0; k < LENGTH(pieces); k++) {
		for (size_t i = 0; i < LENGTH(behind); i++) {
			size_t size;

			data.n = 0;
			add_message(&data, 1, &body, pieces[k]);
			size = data.n;
			add(&data, behind[i].v, behind[i].n);
			assert_int_equal(tls_hello_size(data.v, data.n), size);
			assert_int_equal(tls_hello_size(data.v, size - 1), 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_is_found_among_extensions),
		cmocka_unit_test(what_stands_before_the_extensions_is_checked),
		cmocka_unit_test(extensions_fill_the_rest_of_the_message),
		cmocka_unit_test(names_have_255_characters_at_most),
		cmocka_unit_test(large_messages_are_read_up_to_the_limit),
		cmocka_unit_test(beginnings_are_told_apart),
		cmocka_unit_test(records_behind_the_message_are_another_matter),
		cmocka_unit_test(
			the_size_is_that_of_the_records_of_the_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
