/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How requests of HTTP/1 are passed on: rewritten for their origin, and up to
 * the end of their bodies, in whatever pieces these come; and what is answered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wire/http.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
/* May have NUL bytes. */
#define TEXT(s)                                                                \
	{                                                                      \
		s, sizeof(s) - 1                                               \
	}

static const struct {
	const char *in, *out;
} rewritten[] = {
	{ "GET http://ex.test/b?c HTTP/1.1\r\nHost: ex.test\r\n\r\n",
	  "GET /b?c HTTP/1.1\r\nHost: ex.test\r\nConnection: close\r\n\r\n" },
	{ "GET http://Ex.test HTTP/1.0\r\n\r\n",
	  "GET / HTTP/1.0\r\nHost: Ex.test\r\nConnection: close\r\n\r\n" },
	{ "GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n",
	  "GET /?b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" },
	{ "OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n",
	  "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" },
	{ "OPTIONS http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
	  "OPTIONS / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" },
	{ "GET http://a:8080/ HTTP/1.1\r\nHost: a:8080\r\n\r\n",
	  "GET / HTTP/1.1\r\nHost: a:8080\r\nConnection: close\r\n\r\n" },
	{ "GET http://[::1]:80/ HTTP/1.1\r\nHost: [::1]\r\n\r\n",
	  "GET / HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n" },
	{ "POST http://a/ HTTP/1.1\r\nX: 1\r\nProxy-Authorization: Basic x\r\n"
	  "host: a\r\nproxy-connection: keep-alive\r\nContent-Length:3 \r\n"
	  "Keep-Alive: 1\r\nTE: trailers\r\nTrailer: Y\r\nUpgrade: h2c\r\n"
	  "Proxyx: 2\r\nTEs: 3\r\n\r\nabc",
	  "POST / HTTP/1.1\r\nHost: a\r\nX: 1\r\nContent-Length: 3\r\n"
	  "Proxyx: 2\r\nTEs: 3\r\nConnection: close\r\n\r\n" },
	{ "GET http://a/ HTTP/1.1\r\nFoo: 1\r\nConnection: foo ,\tBAR, a b\r\n"
	  "Host: a\r\nBar: 2\r\nQux: 3\r\nFoob: 4\r\nConnection: Qux\r\n\r\n",
	  "GET / HTTP/1.1\r\nHost: a\r\nFoob: 4\r\nConnection: close\r\n\r\n" },
	{ "POST http://a/ HTTP/1.1\r\nConnection: Host, Content-Length\r\n"
	  "Host: a\r\nContent-Length: 1\r\n\r\n",
	  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
	  "Connection: close\r\n\r\n" },
	{ "POST http://a/ HTTP/1.1\r\nConnection: transfer-encoding\r\n"
	  "Host: a\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
	  "Connection: close\r\n\r\n" },
};

static void requests_are_rewritten_for_their_origin(void **state)
{
	char out[512];

	(void)state;
	for (size_t i = 0; i < LENGTH(rewritten); i++) {
		const char *in = rewritten[i].in;
		struct http_request request;
		size_t n = strlen(rewritten[i].out);

		assert_int_equal(http_request_parse(in, strlen(in), &request),
				 HTTP_OK);
		assert_int_equal(http_request_rewrite(&request, in, out, n), n);
		assert_memory_equal(out, rewritten[i].out, n);
		for (size_t room = 0; room < n; room++)
			assert_int_equal(
				http_request_rewrite(&request, in, out, room),
				0);
	}
}

static void connection_may_name_as_many_fields_as_there_can_be(void **state)
{
	static char in[2048], out[2048];
	struct http_request request;

	(void)state;
	for (unsigned int n = 128; n <= 129; n++) {
		size_t size = (size_t)sprintf(
			in, "GET http://a/ HTTP/1.0\r\nConnection: ");

		for (unsigned int i = 0; i < n; i++)
			size += (size_t)sprintf(in + size, "x,,");
		size += (size_t)sprintf(in + size, "\r\n\r\n");
		assert_int_equal(http_request_parse(in, size, &request),
				 HTTP_OK);
		assert_int_equal(http_request_rewrite(&request, in, out,
						      sizeof(out)) != 0,
				 n == HTTP_FIELDS_MAX);
	}
}

/* Skips in pieces of @piece bytes; returns as http_body_skip() would. */
static ptrdiff_t skip_in_pieces(struct http_body *body, struct http_span text,
				size_t piece)
{
	size_t at = 0;

	while (at < text.n && !http_body_ended(body)) {
		size_t n = text.n - at < piece ? text.n - at : piece;
		ptrdiff_t skipped = http_body_skip(body, text.v + at, n);

		if (skipped < 0) {
			/* it stays so */
			assert_int_equal(http_body_skip(body, "0", 1), -1);
			assert_false(http_body_ended(body));
			return -1;
		}
		assert_true((size_t)skipped <= n);
		assert_true((size_t)skipped == n || http_body_ended(body));
		at += (size_t)skipped;
	}
	return (ptrdiff_t)at;
}

static void assert_body(const struct http_request *request,
			struct http_span text, ptrdiff_t size)
{
	static const size_t pieces[] = { 1, 2, 3, 7, SIZE_MAX };

	for (size_t i = 0; i < LENGTH(pieces); i++) {
		struct http_body body;

		http_body_begin(&body, request);
		if (skip_in_pieces(&body, text, pieces[i]) != size)
			fail_msg("'%.*s' should give %td", (int)text.n, text.v,
				 size);
		assert_int_equal(http_body_ended(&body), size >= 0);
	}
}

#define LAST "0\r\n\r\n"

static const struct {
	struct http_span bad, good;
} chunks[] = {
	{ TEXT("\r\n"), TEXT(LAST) },
	{ TEXT("g\r\n"), TEXT("00\r\n\r\n") },
	{ TEXT(" 0\r\n\r\n"), TEXT(LAST) },
	{ TEXT("0 \r\n\r\n"), TEXT(LAST) },
	{ TEXT("0x1\r\na\r\n" LAST), TEXT("01\r\na\r\n" LAST) },
	{ TEXT("-1\r\na\r\n" LAST), TEXT("1\r\na\r\n" LAST) },
	{ TEXT("1\na\r\n" LAST), TEXT("1\r\na\r\n" LAST) },
	{ TEXT("1\r\na\n" LAST), TEXT("1\r\n\n\r\n" LAST) },
	{ TEXT("1\r\nab\r\n" LAST), TEXT("2\r\nab\r\n" LAST) },
	{ TEXT("1\ra\r\n" LAST), TEXT("1\r\n\r\r\n" LAST) },
	{ TEXT("a\r\n0123456789\rX"), TEXT("A\r\n0123456789\r\n" LAST) },
	{ TEXT("10000000000000000\r\n"),
	  TEXT("00000000000000001\r\na\r\n" LAST) },
	{ TEXT("1;a\nb\r\na\r\n" LAST), TEXT("1;a=\"b\"\r\na\r\n" LAST) },
	{ TEXT("1;a\rb\r\na\r\n" LAST), TEXT("1;a b\r\na\r\n" LAST) },
	{ TEXT("1;a\0\r\na\r\n" LAST), TEXT("1;\r\na\r\n" LAST) },
	{ TEXT("0\r\n\n"), TEXT(LAST) },
	{ TEXT("0\r\n\rX"), TEXT(LAST) },
	{ TEXT("0\r\nA\r\n\r\n"), TEXT("0\r\nA:\r\n\r\n") },
	{ TEXT("0\r\nA : b\r\n\r\n"), TEXT("0\r\nA: b\r\nC:d\r\n\r\n") },
	{ TEXT("0\r\n A: b\r\n\r\n"), TEXT("0\r\nA: b\r\n\r\n") },
	{ TEXT("0\r\nA: b\r\n c\r\n\r\n"), TEXT("0\r\nA: b c\r\n\r\n") },
	{ TEXT("0\r\nA: b\n\r\n"), TEXT("0\r\nA: b\r\n\r\n") },
	{ TEXT("0\r\nA: b\0\r\n\r\n"), TEXT("0\r\nA: b\x80\r\n\r\n") },
	{ TEXT("0\r\n: b\r\n\r\n"), TEXT("0\r\nA: b\r\n\r\n") },
};

static void chunked_bodies_end_where_they_say(void **state)
{
	static const struct http_request chunked = { .chunked = true };

	(void)state;
	for (size_t i = 0; i < LENGTH(chunks); i++) {
		struct http_span good = chunks[i].good;
		char more[128];

		assert_body(&chunked, chunks[i].bad, -1);
		assert_body(&chunked, good, (ptrdiff_t)good.n);
		/* The next request is left alone. */
		memcpy(more, good.v, good.n);
		memcpy(more + good.n, "\0GET", 4);
		assert_body(&chunked, (struct http_span){ more, good.n + 4 },
			    (ptrdiff_t)good.n);
		/* and nothing short of its end is the end */
		for (size_t n = 0; n < good.n; n++) {
			struct http_body body;

			http_body_begin(&body, &chunked);
			assert_int_equal(http_body_skip(&body, good.v, n), n);
			assert_false(http_body_ended(&body));
		}
	}
}

static void bodies_of_a_length_end_there(void **state)
{
	static const struct http_request none, five = { .length = 5 },
					       huge = { .length = UINT64_MAX };
	struct http_body body;

	(void)state;
	http_body_begin(&body, &none);
	assert_true(http_body_ended(&body));
	assert_int_equal(http_body_skip(&body, "GET", 3), 0);
	assert_body(&five, (struct http_span){ "\0\r\n\r\nGET", 8 }, 5);
	http_body_begin(&body, &huge);
	assert_int_equal(http_body_skip(&body, "GET", 3), 3);
	assert_false(http_body_ended(&body));
	assert_int_equal(body.left, UINT64_MAX - 3);
}

/* @before, @n times @fill, @after */
static struct http_span build(char *out, const char *before, char fill,
			      size_t n, const char *after)
{
	size_t at = (size_t)sprintf(out, "%s", before);

	memset(out + at, fill, n);
	return (struct http_span){
		out, at + n + (size_t)sprintf(out + at + n, "%s", after)
	};
}

static void lines_and_trailers_of_chunks_are_limited(void **state)
{
	static const struct http_request chunked = { .chunked = true };
	static char text[2 * HTTP_HEAD_MAX];
	struct http_span span;

	(void)state;
	span = build(text, "1;", 'a', 4096 - 4, "\r\na\r\n" LAST);
	assert_body(&chunked, span, (ptrdiff_t)span.n);
	span = build(text, "1;", 'a', 4096 - 3, "\r\na\r\n" LAST);
	assert_body(&chunked, span, -1);
	span = build(text, "", '0', 4096 - 2, "\r\n\r\n");
	assert_body(&chunked, span, (ptrdiff_t)span.n);
	span = build(text, "", '0', 4096 - 1, "\r\n\r\n");
	assert_body(&chunked, span, -1);
	span = build(text, "0\r\nA: b\r\nC:", 'd', HTTP_HEAD_MAX - 12,
		     "\r\n\r\n");
	assert_body(&chunked, span, (ptrdiff_t)span.n);
	span = build(text, "0\r\nA: b\r\nC:", 'd', HTTP_HEAD_MAX - 11,
		     "\r\n\r\n");
	assert_body(&chunked, span, -1);
}

static const struct {
	struct http_span bad, good;
} responses[] = {
	{ TEXT("HTTP/1.1 20 OK\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\n\r\n") },
	{ TEXT("HTTP/1.1 2000\r\n\r\n"), TEXT("HTTP/1.1 200\r\n\r\n") },
	{ TEXT("HTTP/1.1 099 x\r\n\r\n"), TEXT("HTTP/1.0 200 \r\n\r\n") },
	{ TEXT("HTTP/1.1 600 x\r\n\r\n"), TEXT("HTTP/1.1 200 x\r\n\r\n") },
	{ TEXT("HTTP/1.1  200\r\n\r\n"), TEXT("HTTP/1.1 200\r\n\r\n") },
	{ TEXT("HTTP/2 200 OK\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\n\r\n") },
	{ TEXT("http/1.1 200 OK\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\n\r\n") },
	{ TEXT("ICY 200 OK\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\n\r\n") },
	{ TEXT("HTTP/1.1 200 a\0\r\n\r\n"), TEXT("HTTP/1.1 200 a\t\r\n\r\n") },
	{ TEXT("HTTP/1.1 200 OK\n\n"), TEXT("HTTP/1.1 200 OK\r\n\r\n") },
	{ TEXT("\r\nHTTP/1.1 200\r\n\r\n"), TEXT("HTTP/1.1 200\r\n\r\n") },
	{ TEXT("HTTP/1.1 200 OK\r\nA : b\r\n\r\n"),
	  TEXT("HTTP/1.1 200 OK\r\nA: b\r\n\r\n") },
	{ TEXT("HTTP/1.1 200 OK\r\nA\r\n\r\n"),
	  TEXT("HTTP/1.1 200 OK\r\nA:\r\n\r\n") },
};

static void responses_are_held_to_the_same(void **state)
{
	unsigned int status;
	size_t head;

	(void)state;
	for (size_t i = 0; i < LENGTH(responses); i++) {
		struct http_span bad = responses[i].bad,
				 good = responses[i].good;

		assert_int_equal(
			http_response_parse(bad.v, bad.n, &status, &head),
			HTTP_MALFORMED);
		for (size_t n = 0; n < good.n; n++)
			assert_int_equal(
				http_response_parse(good.v, n, &status, &head),
				HTTP_MORE);
		assert_int_equal(
			http_response_parse(good.v, good.n, &status, &head),
			HTTP_OK);
		assert_int_equal(status, 200);
		assert_int_equal(head, good.n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_rewritten_for_their_origin),
		cmocka_unit_test(
			connection_may_name_as_many_fields_as_there_can_be),
		cmocka_unit_test(chunked_bodies_end_where_they_say),
		cmocka_unit_test(bodies_of_a_length_end_there),
		cmocka_unit_test(lines_and_trailers_of_chunks_are_limited),
		cmocka_unit_test(responses_are_held_to_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
