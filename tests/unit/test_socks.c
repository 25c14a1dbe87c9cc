/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SOCKS 5 as a server reads it: whole messages at every length, and what is
 * none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/socks.h"

/* A buffer of exactly @n bytes, so that a sanitizer sees one too many. */
static enum socks_status request_parse(const char *bytes, size_t n,
				       struct socks_request *out)
{
	unsigned char *exact = test_malloc(n + !n);
	enum socks_status status;

	memcpy(exact, bytes, n);
	status = socks_request_parse(exact, n, out);
	if (status == SOCKS_OK && out->host)
		out->host = (const unsigned char *)bytes + (out->host - exact);
	test_free(exact);
	return status;
}

static void a_greeting_is_whole_with_its_last_method(void **state)
{
	static const unsigned char greeting[] = { 5, 3, 1, 2, 0, 99 };
	size_t size = 0;
	bool none = false;

	(void)state;
	for (size_t n = 0; n < 5; n++)
		assert_int_equal(
			socks_greeting_parse(greeting, n, &size, &none),
			SOCKS_MORE);
	assert_int_equal(socks_greeting_parse(greeting, 6, &size, &none),
			 SOCKS_OK);
	assert_int_equal(size, 5);
	assert_true(none);
}

static void a_greeting_says_whether_it_needs_a_password(void **state)
{
	size_t size = 0;
	bool none = true;

	(void)state;
	assert_int_equal(socks_greeting_parse("\5\1\2\0", 4, &size, &none),
			 SOCKS_OK);
	assert_int_equal(size, 3);
	assert_false(none);
}

static void another_version_is_seen_in_its_first_byte(void **state)
{
	struct socks_request request;
	size_t size;
	bool none;

	(void)state;
	assert_int_equal(socks_greeting_parse("\4", 1, &size, &none),
			 SOCKS_MALFORMED);
	assert_int_equal(socks_greeting_parse("\5\0", 2, &size, &none),
			 SOCKS_MALFORMED);
	assert_int_equal(request_parse("\4", 1, &request), SOCKS_MALFORMED);
	assert_int_equal(request_parse("\5\1\1", 3, &request), SOCKS_MALFORMED);
}

static const struct {
	const char *bytes;
	size_t n;
	enum socks_address kind;
	size_t host; /* where it is */
	size_t host_n;
} requests[] = {
	{ "\5\1\0\1\300\0\2\1\1\273", 10, SOCKS_IPV4, 4, 4 },
	{ "\5\1\0\3\4a.bc\1\273", 11, SOCKS_NAME, 5, 4 },
	{ "\5\1\0\4\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1\1\273", 22,
	  SOCKS_IPV6, 4, 16 },
};

static void a_request_is_read_when_it_is_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		const char *bytes = requests[i].bytes;
		struct socks_request r;

		for (size_t n = 0; n < requests[i].n; n++)
			assert_int_equal(request_parse(bytes, n, &r),
					 SOCKS_MORE);
		assert_int_equal(request_parse(bytes, requests[i].n, &r),
				 SOCKS_OK);
		assert_int_equal(r.refusal, SOCKS_SUCCEEDED);
		assert_int_equal(r.kind, requests[i].kind);
		assert_ptr_equal(r.host, bytes + requests[i].host);
		assert_int_equal(r.host_n, requests[i].host_n);
		assert_int_equal(r.port, 443);
		assert_int_equal(r.size, requests[i].n);
	}
}

static void what_follows_a_request_is_not_its(void **state)
{
	struct socks_request r;

	(void)state;
	assert_int_equal(request_parse("\5\1\0\3\1a\0\26SSH-2.0", 15, &r),
			 SOCKS_OK);
	assert_int_equal(r.size, 8);
	assert_int_equal(r.port, 22);
}

static void the_longest_name_fits_the_largest_request(void **state)
{
	char bytes[SOCKS_REQUEST_MAX] = "\5\1\0\3\377";
	struct socks_request r;

	(void)state;
	memset(bytes + 5, 'a', 255);
	assert_int_equal(request_parse(bytes, sizeof(bytes) - 1, &r),
			 SOCKS_MORE);
	assert_int_equal(request_parse(bytes, sizeof(bytes), &r), SOCKS_OK);
	assert_int_equal(r.host_n, 255);
}

static void what_is_not_served_is_refused_by_its_code(void **state)
{
	struct socks_request r;

	(void)state;
	/* BIND, UDP ASSOCIATE, and a kind of address that there is not */
	assert_int_equal(request_parse("\5\2\0\1\0\0\0\0\0\0", 10, &r),
			 SOCKS_OK);
	assert_int_equal(r.refusal, SOCKS_COMMAND_UNSUPPORTED);
	assert_int_equal(request_parse("\5\3\0\1\0\0\0\0\0\0", 10, &r),
			 SOCKS_OK);
	assert_int_equal(r.refusal, SOCKS_COMMAND_UNSUPPORTED);
	assert_int_equal(request_parse("\5\1\0\2abc", 7, &r), SOCKS_OK);
	assert_int_equal(r.refusal, SOCKS_ADDRESS_UNSUPPORTED);
	assert_int_equal(request_parse("\5\1\0\3\0\0\120", 7, &r),
			 SOCKS_MALFORMED);
}

static void a_reply_has_an_empty_address(void **state)
{
	unsigned char out[SOCKS_REPLY_MAX];

	(void)state;
	assert_int_equal(socks_reply_format(SOCKS_NOT_ALLOWED, out), 10);
	assert_memory_equal(out, "\5\2\0\1\0\0\0\0\0\0", 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_greeting_is_whole_with_its_last_method),
		cmocka_unit_test(a_greeting_says_whether_it_needs_a_password),
		cmocka_unit_test(another_version_is_seen_in_its_first_byte),
		cmocka_unit_test(a_request_is_read_when_it_is_whole),
		cmocka_unit_test(what_follows_a_request_is_not_its),
		cmocka_unit_test(the_longest_name_fits_the_largest_request),
		cmocka_unit_test(what_is_not_served_is_refused_by_its_code),
		cmocka_unit_test(a_reply_has_an_empty_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
