/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1 by tables. Every malformed request stands beside one that is as much
 * like it as can be and is none; requests come in every way they can be cut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/http.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
/* May have NUL bytes. */
#define TEXT(s)                                                                \
	{                                                                      \
		s, sizeof(s) - 1                                               \
	}
#define GET  "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"
#define END  "\r\n"

static void assert_span(struct http_span span, const char *text)
{
	if (span.n != strlen(text) || (span.n && memcmp(span.v, text, span.n)))
		fail_msg("'%.*s' should be '%s'", (int)span.n, span.v, text);
}

static const char *status_name(enum http_status status)
{
	static const char *const names[] = { "ok", "more", "malformed",
					     "too large", "other" };

	return names[status];
}

/* From memory that ends where the text does, for the sanitizer to watch. */
static enum http_status parse(struct http_span text, struct http_request *out)
{
	char *copy = malloc(text.n + 1);
	enum http_status status;

	assert_non_null(copy);
	memcpy(copy + 1, text.v, text.n);
	status = http_request_parse(copy + 1, text.n, out);
	free(copy);
	return status;
}

/*
 * The status, by the bytes and in one piece. Nothing but `more` may come
 * before it, if it is not a refusal; a refusal must stay the same one.
 */
static void assert_status(struct http_span text, enum http_status expected)
{
	enum http_status before = HTTP_MORE;
	struct http_request request;

	for (size_t n = 0; n <= text.n; n++) {
		enum http_status status =
			parse((struct http_span){ text.v, n }, &request);

		if (before != HTTP_MORE && status != before)
			fail_msg("'%.*s': %s after %s", (int)n, text.v,
				 status_name(status), status_name(before));
		if (status != HTTP_MORE && status != expected)
			fail_msg("'%.*s': %s, not %s", (int)n, text.v,
				 status_name(status), status_name(expected));
		if (status == HTTP_OK && n != text.n)
			fail_msg("'%.*s' is whole too early", (int)n, text.v);
		before = status;
	}
	if (before != expected)
		fail_msg("'%.*s': %s, not %s", (int)text.n, text.v,
			 status_name(before), status_name(expected));
}

static const struct {
	struct http_span bad, good;
} malformed[] = {
	/* Lines */
	{ TEXT("\r\n" GET HOST END), TEXT(GET HOST END) },
	{ TEXT("\n" GET HOST END), TEXT(GET HOST END) },
	{ TEXT(" " GET HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/1.1\nHost: a\r\n\r\n"), TEXT(GET HOST END) },
	{ TEXT(GET "Host: a\n\r\n"), TEXT(GET HOST END) },
	{ TEXT(GET HOST "\n"), TEXT(GET HOST END) },
	{ TEXT(GET HOST "X: a\rb\r\n\r\n"), TEXT(GET HOST "X: ab\r\n\r\n") },
	{ TEXT(GET HOST "X: a\r\r\n\r\n"), TEXT(GET HOST "X: a\r\n\r\n") },
	{ TEXT(GET HOST "X: a\nY: b\r\n\r\n"),
	  TEXT(GET HOST "X: a\r\nY: b\r\n\r\n") },
	{ TEXT(GET HOST "\rX: a\r\n\r\n"), TEXT(GET HOST "X: a\r\n\r\n") },
	{ TEXT(GET HOST "X: a\0b\r\n\r\n"), TEXT(GET HOST "X: a b\r\n\r\n") },
	{ TEXT(GET HOST "X: a\x01\r\n\r\n"), TEXT(GET HOST "X: a\t\r\n\r\n") },
	{ TEXT(GET HOST "X: a\x7f\r\n\r\n"),
	  TEXT(GET HOST "X: a\x80\r\n\r\n") },
	{ TEXT(GET HOST "X: a\r\n b\r\n\r\n"),
	  TEXT(GET HOST "X: a b\r\n\r\n") },
	{ TEXT(GET HOST "X: a\r\n\tb\r\n\r\n"),
	  TEXT(GET HOST "X: a\tb\r\n\r\n") },
	{ TEXT(GET " Host: a\r\n\r\n"), TEXT(GET HOST END) },
	{ TEXT(GET HOST "X : a\r\n\r\n"), TEXT(GET HOST "X: a\r\n\r\n") },
	{ TEXT(GET HOST "X\t: a\r\n\r\n"), TEXT(GET HOST "X:\ta\r\n\r\n") },
	{ TEXT(GET HOST ": a\r\n\r\n"), TEXT(GET HOST "X: a\r\n\r\n") },
	{ TEXT(GET HOST "X\r\n\r\n"), TEXT(GET HOST "X:\r\n\r\n") },
	{ TEXT(GET HOST "X\0: a\r\n\r\n"), TEXT(GET HOST "X: a\r\n\r\n") },
	{ TEXT(GET HOST "X(: a\r\n\r\n"), TEXT(GET HOST "X!: a\r\n\r\n") },
	{ TEXT(GET HOST "\xc3\xa4: a\r\n\r\n"), TEXT(GET HOST "a: a\r\n\r\n") },

	/* Request line */
	{ TEXT("GET  / HTTP/1.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET /  HTTP/1.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/1.1 \r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET\t/\tHTTP/1.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / /b HTTP/1.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET /\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("G(T / HTTP/1.1\r\n" HOST END),
	  TEXT("G!T / HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET /\0 HTTP/1.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET /\r HTTP/1.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET /a#b HTTP/1.1\r\n" HOST END),
	  TEXT("GET /a%23b HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET /\xc3\xa4 HTTP/1.1\r\n" HOST END),
	  TEXT("GET /%c3%a4 HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET a HTTP/1.1\r\n" HOST END),
	  TEXT("GET /a HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET * HTTP/1.1\r\n" HOST END),
	  TEXT("OPTIONS * HTTP/1.1\r\n" HOST END) },
	{ TEXT("OPTIONS ** HTTP/1.1\r\n" HOST END),
	  TEXT("OPTIONS * HTTP/1.1\r\n" HOST END) },
	{ TEXT("PRI * HTTP/1.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"),
	  TEXT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") },
	{ TEXT("GET / http/1.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/1.\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/1.2\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/1.10\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/01.1\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/0.9\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTP/2.0\r\n" HOST END), TEXT(GET HOST END) },
	{ TEXT("GET / HTTPS/1.1\r\n" HOST END), TEXT(GET HOST END) },

	/* Authority */
	{ TEXT("CONNECT / HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:1 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT http://a/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("connect a:443 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET a:443 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a: HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:1 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a:0 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:1 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a:0443 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a:65536 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:65535 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a:4294967739 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a:+443 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a:1:2 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:1 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT :443 HTTP/1.1\r\nHost:\r\n\r\n"),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT b@a:443 HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT %61:443 HTTP/1.1\r\nHost: %61\r\n\r\n"),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a:443/ HTTP/1.1\r\n" HOST END),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT ::1:443 HTTP/1.1\r\nHost: [::1]\r\n\r\n"),
	  TEXT("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]\r\n\r\n") },
	{ TEXT("CONNECT [::1:443 HTTP/1.1\r\nHost: [::1]\r\n\r\n"),
	  TEXT("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]\r\n\r\n") },
	{ TEXT("CONNECT [fe80::1%1]:1 HTTP/1.1\r\nHost: [fe80::1%1]\r\n\r\n"),
	  TEXT("CONNECT [fe80::1]:1 HTTP/1.1\r\nHost: [fe80::1]\r\n\r\n") },
	{ TEXT("CONNECT [ab.de]:1 HTTP/1.1\r\nHost: [ab.de]\r\n\r\n"),
	  TEXT("CONNECT ab.de:1 HTTP/1.1\r\nHost: ab.de\r\n\r\n") },
	{ TEXT("CONNECT []:1 HTTP/1.1\r\nHost: []\r\n\r\n"),
	  TEXT("CONNECT [::]:1 HTTP/1.1\r\nHost: [::]\r\n\r\n") },
	{ TEXT("CONNECT [::1]443 HTTP/1.1\r\nHost: [::1]\r\n\r\n"),
	  TEXT("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]\r\n\r\n") },
	{ TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\n"),
	  TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n") },
	{ TEXT("CONNECT a:443 HTTP/1.1\r\n" HOST
	       "Transfer-Encoding: chunked\r\n\r\n"),
	  TEXT("POST /a HTTP/1.1\r\n" HOST
	       "Transfer-Encoding: chunked\r\n\r\n") },

	/* Absolute form */
	{ TEXT("GET http:/a/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET http:///a/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET http:///a HTTP/1.0\r\n\r\n"),
	  TEXT("GET http://a HTTP/1.0\r\n\r\n") },
	{ TEXT("GET http://a:65537/ HTTP/1.0\r\n\r\n"),
	  TEXT("GET http://a:65535/ HTTP/1.0\r\n\r\n") },
	{ TEXT("GET file:///etc/passwd HTTP/1.1\r\n" HOST END),
	  TEXT("GET file://a/etc/passwd HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET ://a/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET x://a/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET 1x://a/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET x1://a/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET http://b@a/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a/b@a HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET http://a:80@b/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a:80/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET http://b:80\\@a/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a:80/\\@b HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET http://a%2eb/ HTTP/1.1\r\nHost: a.b\r\n\r\n"),
	  TEXT("GET http://a.b/ HTTP/1.1\r\nHost: a.b\r\n\r\n") },
	{ TEXT("GET http://a:/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET http://a#b/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a?b/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("GET http://a/ HTTP/1.1 http://b/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a/ HTTP/1.1\r\n" HOST END) },

	/* Host */
	{ TEXT(GET END), TEXT("GET / HTTP/1.0\r\n" END) },
	{ TEXT("CONNECT a:1 HTTP/1.1\r\n" END),
	  TEXT("CONNECT a:1 HTTP/1.0\r\n" END) },
	{ TEXT(GET HOST HOST END), TEXT(GET HOST END) },
	{ TEXT(GET HOST "host: b\r\n\r\n"), TEXT(GET HOST "hosts: b\r\n\r\n") },
	{ TEXT("GET / HTTP/1.0\r\n" HOST HOST END),
	  TEXT("GET / HTTP/1.0\r\n" HOST END) },
	{ TEXT(GET "Host: b@a\r\n\r\n"), TEXT(GET HOST END) },
	{ TEXT(GET "Host: a b\r\n\r\n"), TEXT(GET "Host: \t a \t\r\n\r\n") },
	{ TEXT(GET "Host: a, b\r\n\r\n"), TEXT(GET HOST END) },
	{ TEXT(GET "Host: a/b\r\n\r\n"), TEXT(GET HOST END) },
	{ TEXT(GET "Host: a%00\r\n\r\n"), TEXT(GET HOST END) },
	{ TEXT(GET "Host: \xc3\xa4\r\n\r\n"),
	  TEXT(GET "Host: xn--4ca\r\n\r\n") },
	{ TEXT(GET "Host: a:\r\n\r\n"), TEXT(GET "Host: a:1\r\n\r\n") },
	{ TEXT(GET "Host: :1\r\n\r\n"), TEXT(GET "Host:\r\n\r\n") },
	{ TEXT(GET "Host: a:b\r\n\r\n"), TEXT(GET "Host: a:1\r\n\r\n") },
	{ TEXT("GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n"),
	  TEXT("GET http://a/ HTTP/1.1\r\nHost: A\r\n\r\n") },
	{ TEXT("GET http://a/ HTTP/1.0\r\nHost: b\r\n\r\n"),
	  TEXT("GET http://a/ HTTP/1.0\r\n\r\n") },
	{ TEXT("GET http://a/ HTTP/1.1\r\nHost:\r\n\r\n"),
	  TEXT("GET http://a/ HTTP/1.1\r\nHost:a\r\n\r\n") },
	{ TEXT("GET http://a/ HTTP/1.1\r\nHost: a:81\r\n\r\n"),
	  TEXT("GET http://a/ HTTP/1.1\r\nHost: a:80\r\n\r\n") },
	{ TEXT("GET https://a/ HTTP/1.1\r\nHost: a:80\r\n\r\n"),
	  TEXT("GET https://a/ HTTP/1.1\r\nHost: a:443\r\n\r\n") },
	{ TEXT("GET http://a:81/ HTTP/1.1\r\n" HOST END),
	  TEXT("GET http://a:80/ HTTP/1.1\r\n" HOST END) },
	{ TEXT("CONNECT a:443 HTTP/1.1\r\nHost: b:443\r\n\r\n"),
	  TEXT("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n") },
	{ TEXT("CONNECT a:443 HTTP/1.1\r\nHost: a:80\r\n\r\n"),
	  TEXT("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n") },

	/* Length */
	{ TEXT(GET HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"),
	  TEXT(GET HOST "Content-Length: 5\r\n\r\n") },
	{ TEXT(GET HOST "Content-Length: 5\r\ncontent-length: 6\r\n\r\n"),
	  TEXT(GET HOST "Content-Length: 5\r\nContent-Lengths: 6\r\n\r\n") },
	{ TEXT(GET HOST "Content-Length: 5, 5\r\n\r\n"),
	  TEXT(GET HOST "Content-Length: 55\r\n\r\n") },
	{ TEXT(GET HOST "Content-Length: +5\r\n\r\n"),
	  TEXT(GET HOST "Content-Length: 05\r\n\r\n") },
	{ TEXT(GET HOST "Content-Length: -5\r\n\r\n"),
	  TEXT(GET HOST "Content-Length: 5\r\n\r\n") },
	{ TEXT(GET HOST "Content-Length: 0x5\r\n\r\n"),
	  TEXT(GET HOST "Content-Length: 5\r\n\r\n") },
	{ TEXT(GET HOST "Content-Length:\r\n\r\n"),
	  TEXT(GET HOST "Content-Length:0\r\n\r\n") },
	{ TEXT(GET HOST "Content-Length: 18446744073709551616\r\n\r\n"),
	  TEXT(GET HOST "Content-Length: 18446744073709551615\r\n\r\n") },
	{ TEXT(GET HOST
	       "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
	  TEXT(GET HOST "Transfer-Encoding: chunked\r\n\r\n") },
	{ TEXT(GET HOST
	       "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n"),
	  TEXT(GET HOST "Transfer-Encoding: chunked\r\n\r\n") },
	{ TEXT(GET HOST "Transfer-Encoding: chunked\r\n"
			"Transfer-Encoding: chunked\r\n\r\n"),
	  TEXT(GET HOST "Transfer-Encoding:chunked \r\n\r\n") },
	{ TEXT(GET HOST "Transfer-Encoding: identity\r\n\r\n"),
	  TEXT(GET HOST "Transfer-Encoding: chunked\r\n\r\n") },
	{ TEXT(GET HOST "Transfer-Encoding: gzip, chunked\r\n\r\n"),
	  TEXT(GET HOST "Transfer-Encoding: chunked\r\n\r\n") },
	{ TEXT(GET HOST "Transfer-Encoding: chunked, identity\r\n\r\n"),
	  TEXT(GET HOST "Transfer-Encoding: chunked\r\n\r\n") },
	{ TEXT(GET HOST "Transfer-Encoding: Chunked\r\n\r\n"),
	  TEXT(GET HOST "transfer-encoding: chunked\r\n\r\n") },
	{ TEXT(GET HOST "Transfer-Encoding: chunked;a=b\r\n\r\n"),
	  TEXT(GET HOST "Transfer-Encoding: chunked\r\n\r\n") },
	{ TEXT(GET HOST "Transfer-Encoding:\r\n\r\n"),
	  TEXT(GET HOST "Transfer-Encoding: chunked\r\n\r\n") },
	{ TEXT("GET / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"),
	  TEXT("GET / HTTP/1.0\r\n" HOST "Content-Length: 5\r\n\r\n") },
};

static void
malformed_requests_are_refused_and_their_neighbours_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(malformed); i++) {
		assert_status(malformed[i].bad, HTTP_MALFORMED);
		assert_status(malformed[i].good, HTTP_OK);
	}
}

/* Where a refusal is certain; before the last byte there it is not. */
static const struct http_span certain[] = {
	TEXT("\r"),
	TEXT("(") /* no method */,
	TEXT("GET  ") /* no target */,
	TEXT("GET a "),
	TEXT("CONNECT a "),
	TEXT("GET * "),
	TEXT("GET http://b@a/ "),
	TEXT("GET / h"),
	TEXT("GET / HTTP/2"),
	TEXT("GET / HTTP/1.2"),
	TEXT("GET / HTTP/1.1\n"),
	TEXT("GET / HTTP/1.1\rH"),
	TEXT(GET " "),
	TEXT(GET ":"),
	TEXT(GET "Host "),
	TEXT(GET "Host\r"),
	TEXT(GET "X: \0"),
	TEXT(GET "X: a\n"),
	TEXT(GET HOST "Host:\r"),
	TEXT(GET "Content-Length: 1\r\nTransfer-Encoding: chunked\r"),
	TEXT(GET "X: y\r\n\r"),
};

static void a_refusal_comes_as_soon_as_it_is_certain(void **state)
{
	struct http_request request;

	(void)state;
	for (size_t i = 0; i < LENGTH(certain); i++) {
		struct http_span text = certain[i];

		if (parse(text, &request) != HTTP_MALFORMED)
			fail_msg("'%.*s' is malformed", (int)text.n, text.v);
		text.n--;
		if (parse(text, &request) != HTTP_MORE)
			fail_msg("'%.*s' is not yet malformed", (int)text.n,
				 text.v);
	}
}

static const struct {
	const char *text;
	const char *method, *scheme, *host, *path, *field_host;
	enum http_form form;
	uint16_t port, field_port;
	unsigned int minor;
	bool has_host, chunked, upgrade;
	uint64_t length;
} requests[] = {
	{ GET HOST END, "GET", "", "", "/", "a", HTTP_ORIGIN, .minor = 1,
	  .has_host = true },
	{ "GET / HTTP/1.0\r\n\r\n", "GET", "", "", "/", "", HTTP_ORIGIN,
	  .minor = 0 },
	{ GET "Host:\r\n\r\n", "GET", "", "", "/", "", HTTP_ORIGIN, .minor = 1,
	  .has_host = true },
	{ "M-SEARCH //b/c?d={e} HTTP/1.1\r\nX:y\r\nhOST: Ex.Test:8080 \r\n\r\n",
	  "M-SEARCH", "", "", "//b/c?d={e}", "Ex.Test", HTTP_ORIGIN,
	  .field_port = 8080, .minor = 1, .has_host = true },
	{ "POST / HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 1234\r\n\r\n",
	  "POST", "", "", "/", "::1", HTTP_ORIGIN, .field_port = 80, .minor = 1,
	  .has_host = true, .length = 1234 },
	{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n",
	  "POST", "", "", "/", "a", HTTP_ORIGIN, .minor = 1, .has_host = true,
	  .chunked = true },
	{ GET HOST "Upgrade: websocket\r\n\r\n", "GET", "", "", "/", "a",
	  HTTP_ORIGIN, .minor = 1, .has_host = true, .upgrade = true },
	{ "OPTIONS * HTTP/1.1\r\n" HOST END, "OPTIONS", "", "", "", "a",
	  HTTP_ASTERISK, .minor = 1, .has_host = true },
	{ "CONNECT Ex.Test:443 HTTP/1.1\r\nHost: ex.test\r\n\r\n", "CONNECT",
	  "", "Ex.Test", "", "ex.test", HTTP_AUTHORITY, .port = 443, .minor = 1,
	  .has_host = true },
	{ "CONNECT [2001:DB8::1.2.3.4]:65535 HTTP/1.0\r\n\r\n", "CONNECT", "",
	  "2001:DB8::1.2.3.4", "", "", HTTP_AUTHORITY, .port = 65535 },
	{ "GET HTTP://ex.test HTTP/1.1\r\nHost: ex.test\r\n\r\n", "GET", "HTTP",
	  "ex.test", "/", "ex.test", HTTP_ABSOLUTE, .minor = 1,
	  .has_host = true },
	{ "GET http://ex.test?a=b/c HTTP/1.0\r\n\r\n", "GET", "http", "ex.test",
	  "?a=b/c", "", HTTP_ABSOLUTE, .minor = 0 },
	{ "GET ftp://ex.test.:21/b?c@d:e HTTP/1.0\r\n\r\n", "GET", "ftp",
	  "ex.test.", "/b?c@d:e", "", HTTP_ABSOLUTE, .port = 21 },
	{ "GET http://[::1]:81/ HTTP/1.1\r\nHost: [::1]:81\r\n\r\n", "GET",
	  "http", "::1", "/", "::1", HTTP_ABSOLUTE, .port = 81,
	  .field_port = 81, .minor = 1, .has_host = true },
};

static void requests_are_taken_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(requests); i++) {
		const char *text = requests[i].text;
		size_t n = strlen(text);
		struct http_request request;
		char more[256];

		assert_status((struct http_span){ text, n }, HTTP_OK);
		/* What follows is another matter. */
		(void)snprintf(more, sizeof(more), "%s\nGET", text);
		assert_int_equal(
			http_request_parse(more, strlen(more), &request),
			HTTP_OK);
		assert_int_equal(request.head, n);
		assert_int_equal(request.form, requests[i].form);
		assert_span(request.method, requests[i].method);
		assert_span(request.scheme, requests[i].scheme);
		assert_span(request.host, requests[i].host);
		assert_span(request.path, requests[i].path);
		assert_span(request.field_host, requests[i].field_host);
		assert_int_equal(request.port, requests[i].port);
		assert_int_equal(request.field_port, requests[i].field_port);
		assert_int_equal(request.minor, requests[i].minor);
		assert_int_equal(request.has_host, requests[i].has_host);
		assert_int_equal(request.chunked, requests[i].chunked);
		assert_int_equal(request.upgrade, requests[i].upgrade);
		assert_int_equal(request.length, requests[i].length);
		assert_false(request.http2);
	}
}

static void the_preface_of_http2_is_known(void **state)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	struct http_request request;

	(void)state;
	assert_int_equal(http_request_parse(preface, 24, &request), HTTP_OK);
	assert_true(request.http2);
	assert_int_equal(http_request_guess(preface, 24, &request), HTTP_OK);
	assert_true(request.http2);
}

/* A head with a field that makes it @size bytes, or with @fields fields. */
static size_t build_head(char *out, const char *first, size_t size,
			 unsigned int fields)
{
	size_t n = (size_t)sprintf(out, "%s", first);

	for (unsigned int i = 1; i < fields; i++)
		n += (size_t)sprintf(out + n, "X:\r\n");
	if (size) {
		n += (size_t)sprintf(out + n, "X:");
		memset(out + n, 'y', size - n - 4);
		n = size - 4;
		n += (size_t)sprintf(out + n, "\r\n");
	}
	return n + (size_t)sprintf(out + n, "\r\n");
}

static void heads_end_at_their_limits(void **state)
{
	static char text[2 * HTTP_HEAD_MAX];
	struct http_request request;
	unsigned int status;
	size_t n, head;

	(void)state;
	n = build_head(text, GET HOST, HTTP_HEAD_MAX, 0);
	assert_int_equal(n, HTTP_HEAD_MAX);
	assert_int_equal(http_request_parse(text, n, &request), HTTP_OK);
	assert_int_equal(request.head, HTTP_HEAD_MAX);
	n = build_head(text, GET HOST, HTTP_HEAD_MAX + 1, 0);
	assert_status((struct http_span){ text, n }, HTTP_TOO_LARGE);
	text[HTTP_HEAD_MAX - 10] = '\0';
	assert_status((struct http_span){ text, n }, HTTP_MALFORMED);
	memset(text, 'A', sizeof(text));
	assert_status((struct http_span){ text, n }, HTTP_TOO_LARGE);
	assert_int_equal(http_request_guess(text, n, &request), HTTP_TOO_LARGE);

	n = build_head(text, GET HOST, 0, HTTP_FIELDS_MAX);
	assert_status((struct http_span){ text, n }, HTTP_OK);
	n = build_head(text, GET HOST, 0, HTTP_FIELDS_MAX + 1);
	assert_status((struct http_span){ text, n }, HTTP_TOO_LARGE);

	n = build_head(text, "HTTP/1.1 200 OK\r\n", HTTP_HEAD_MAX, 0);
	assert_int_equal(http_response_parse(text, n, &status, &head), HTTP_OK);
	n = build_head(text, "HTTP/1.1 200 OK\r\n", HTTP_HEAD_MAX + 1, 0);
	assert_int_equal(http_response_parse(text, n, &status, &head),
			 HTTP_TOO_LARGE);
}

static const struct {
	struct http_span text;
	enum http_status status;
} guesses[] = {
	{ TEXT(""), HTTP_MORE },
	{ TEXT("G"), HTTP_MORE },
	{ TEXT("GET / HTTP/1.1"), HTTP_MORE },
	{ TEXT("EHLO example.test"), HTTP_MORE },
	{ TEXT("GET /\xc3\xa4"), HTTP_MORE },
	{ TEXT("\r\n"), HTTP_MORE },
	{ TEXT(GET HOST END), HTTP_OK },
	{ TEXT(GET "Host: a b\r\n\r\n"), HTTP_MALFORMED },
	{ TEXT("GET / HTTP/1.1\nHost: a\n\n"), HTTP_MALFORMED },
	{ TEXT("\r\nGET / HTTP/1.1\r\n"), HTTP_MALFORMED },
	{ TEXT(" \t\n\r\nGET / HTTP/1.1\r\n"), HTTP_MALFORMED },
	{ TEXT("GET\t/\tHTTP/1.1\r\n"), HTTP_MALFORMED },
	{ TEXT("GET\v/\fHTTP/1.1\r\n"), HTTP_MALFORMED },
	{ TEXT("GET /\rHTTP/1.1\r\n"), HTTP_MALFORMED },
	{ TEXT("GET /\xc3\xa4 HTTP/1.1\r\n"), HTTP_MALFORMED },
	{ TEXT("GET / http/1.1\r\n"), HTTP_MALFORMED },
	{ TEXT("GET / HTTP/1.1 \r\n"), HTTP_MALFORMED },
	{ TEXT("GET / HTTP/3.0\r\n"), HTTP_MALFORMED },
	/* no version, and yet a host */
	{ TEXT("GET http://a/"), HTTP_MORE },
	{ TEXT("GET http://a/\r\n"), HTTP_MALFORMED },
	{ TEXT("GET http://a/\n"), HTTP_MALFORMED },
	{ TEXT("hello"), HTTP_OTHER },
	{ TEXT("get / HTTP/1.1\r\n"), HTTP_OTHER },
	{ TEXT("GET /\r\n"), HTTP_OTHER },
	{ TEXT("GET /HTTP/1.1\r\n"), HTTP_OTHER },
	{ TEXT("SSH-2.0-OpenSSH_9.2 x\r\n"), HTTP_OTHER },
	{ TEXT("EHLO example.test\r\n"), HTTP_OTHER },
	{ TEXT("*1\r\n"), HTTP_OTHER },
	{ TEXT("QUIT\n"), HTTP_OTHER },
	{ TEXT("QUIT\nHTTP/1.1\r\n"), HTTP_OTHER },
	{ TEXT("{\"a\""), HTTP_OTHER },
	{ TEXT("\x16\x03\x01"), HTTP_OTHER },
	{ TEXT("\0\0\0\x08\x04\xd2\x16\x2f"), HTTP_OTHER },
	{ TEXT("0032git-upload-pack /p.git\0host=a HTTP/1.1\0"), HTTP_OTHER },
	{ TEXT("GET\0/ HTTP/1.1\r\n"), HTTP_OTHER },
};

static void other_protocols_are_told_from_requests(void **state)
{
	struct http_request request;

	(void)state;
	for (size_t i = 0; i < LENGTH(guesses); i++) {
		struct http_span text = guesses[i].text;
		enum http_status status =
			http_request_guess(text.v, text.n, &request);

		if (status != guesses[i].status)
			fail_msg("'%.*s': %s, not %s", (int)text.n, text.v,
				 status_name(status),
				 status_name(guesses[i].status));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			malformed_requests_are_refused_and_their_neighbours_not),
		cmocka_unit_test(a_refusal_comes_as_soon_as_it_is_certain),
		cmocka_unit_test(requests_are_taken_apart),
		cmocka_unit_test(the_preface_of_http2_is_known),
		cmocka_unit_test(heads_end_at_their_limits),
		cmocka_unit_test(other_protocols_are_told_from_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
