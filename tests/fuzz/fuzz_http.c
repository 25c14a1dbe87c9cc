/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a request, a response and a chunked body of HTTP/1, in one
 * piece and in several. What is accepted has one meaning only, and is still
 * the same request when it was rewritten.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "wire/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef enum http_status parser(const char *data, size_t n,
				struct http_request *out);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool same(struct http_span a, struct http_span b)
{
	return a.n == b.n && (!a.n || !memcmp(a.v, b.v, a.n));
}

static bool is_within(struct http_span span, const char *data, size_t n)
{
	return !span.n || (span.v >= data && span.v + span.n <= data + n);
}

static enum http_status parse_response(const char *data, size_t n,
				       struct http_request *out)
{
	unsigned int status = 0;
	enum http_status found;

	*out = (struct http_request){ 0 };
	found = http_response_parse(data, n, &status, &out->head);
	require(found != HTTP_OK || (status >= 100 && status <= 599));
	return found;
}

/* What was said of the beginning still holds of the whole. */
static void check_prefixes(parser *parse, const char *data, size_t n)
{
	size_t step = n < 1024 ? 1 : n / 512;
	enum http_status before = HTTP_MORE;
	struct http_request request;

	for (size_t i = 0; i <= n; i += i + step > n && i < n ? n - i : step) {
		enum http_status status = parse(data, i, &request);

		require(before == HTTP_MORE || status == before);
		before = status;
	}
}

/* Fields called so, or with names that begin so. By the eyes of another
 * reader: whatever stands at the beginning of a line. */
static unsigned int count_fields(const char *data, size_t n, const char *name)
{
	unsigned int found = 0;

	for (size_t i = 0; i + 1 + strlen(name) < n; i++)
		if (data[i] == '\n' &&
		    !strncasecmp(data + i + 1, name, strlen(name)))
			found++;
	return found;
}

static void check_bytes(const char *data, size_t n)
{
	require(n >= 4 && !memcmp(data + n - 4, "\r\n\r\n", 4));
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)data[i];

		require(c >= 0x20 || c == '\r' || c == '\n' || c == '\t');
		require(c != 0x7f);
		require(c != '\r' || data[i + 1] == '\n');
		require(c != '\n' || (i && data[i - 1] == '\r'));
		require(c != '\n' || i + 1 == n ||
			(data[i + 1] != ' ' && data[i + 1] != '\t'));
	}
}

static void check_request(const char *data, size_t n,
			  const struct http_request *request)
{
	size_t head = request->head;
	struct http_request again;

	require(head <= n && head <= HTTP_HEAD_MAX);
	check_bytes(data, head);
	require(http_request_parse(data, head, &again) == HTTP_OK);
	require(again.head == head && same(again.method, request->method));
	require(http_request_parse(data, head - 1, &again) == HTTP_MORE);
	/* Methods in small letters are taken for another protocol. */
	require(http_request_guess(data, n, &again) ==
		(*data >= 'A' && *data <= 'Z' ? HTTP_OK : HTTP_OTHER));

	require(request->method.n && is_within(request->method, data, head));
	require(is_within(request->host, data, head));
	require(is_within(request->field_host, data, head));
	require(!request->host.n ||
		!memchr(request->host.v, '@', request->host.n));
	require(request->form != HTTP_AUTHORITY || request->port);
	require((request->form == HTTP_AUTHORITY) ==
		same(request->method, (struct http_span){ "CONNECT", 7 }));
	require(request->has_host || request->minor == 0);
	require(count_fields(data, head, "host:") == request->has_host);
	require(count_fields(data, head, "transfer-encoding:") ==
		request->chunked);
	require(count_fields(data, head, "content-length:") +
			request->chunked <=
		1);
}

static void check_rewritten(const char *data,
			    const struct http_request *request)
{
	static const char *const hop[] = {
		"proxy-", "keep-alive:", "te:", "trailer:", "upgrade:",
	};
	static char out[2 * HTTP_HEAD_MAX];
	struct http_request again;
	enum http_status status;
	size_t n;

	n = http_request_rewrite(request, data, out, sizeof(out));
	if (!n) {
		require(count_fields(data, request->head, "connection:"));
		return;
	}
	require(http_request_rewrite(request, data, out, n) == n);
	require(http_request_rewrite(request, data, out, n - 1) == 0);
	status = http_request_parse(out, n, &again);
	if (status == HTTP_TOO_LARGE) {
		/* Host and Connection were added */
		require(n > HTTP_HEAD_MAX ||
			count_fields(out, n, "") > HTTP_FIELDS_MAX);
		return;
	}
	require(status == HTTP_OK && again.head == n);
	require(again.form == HTTP_ORIGIN || again.form == HTTP_ASTERISK);
	require(same(again.method, request->method));
	require(again.has_host && same(again.field_host, request->host));
	require(again.minor == request->minor &&
		again.chunked == request->chunked &&
		again.length == request->length && !again.upgrade);
	require(count_fields(out, n, "connection:") == 1);
	for (size_t i = 0; i < sizeof(hop) / sizeof(hop[0]); i++)
		require(count_fields(out, n, hop[i]) == 0);
}

/* The end is the same one in whatever pieces the body comes. */
static void check_body(const struct http_request *request, const char *data,
		       size_t n)
{
	struct http_body whole, parts;
	ptrdiff_t all, part = 0;
	size_t at = 0;

	http_body_begin(&whole, request);
	http_body_begin(&parts, request);
	all = http_body_skip(&whole, data, n);
	require(all >= -1 && all <= (ptrdiff_t)n);
	require(all < 0 || (size_t)all == n || http_body_ended(&whole));
	for (size_t size = 1; at < n && part >= 0 && !http_body_ended(&parts);
	     size = size % 7 + 1) {
		size_t left = n - at < size ? n - at : size;

		part = http_body_skip(&parts, data + at, left);
		require(part >= -1 && part <= (ptrdiff_t)left);
		at += part > 0 ? (size_t)part : 0;
	}
	require((all < 0) == (part < 0));
	require(all < 0 || (size_t)all == at);
	require(http_body_ended(&whole) == http_body_ended(&parts));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct http_request chunked = { .chunked = true };
	const char *data = (const char *)bytes;
	struct http_request request;

	check_prefixes(http_request_parse, data, n);
	check_prefixes(http_request_guess, data, n);
	check_prefixes(parse_response, data, n);
	check_body(&chunked, data, n);
	if (parse_response(data, n, &request) == HTTP_OK) {
		require(request.head <= n);
		check_bytes(data, request.head);
	}
	if (http_request_parse(data, n, &request) != HTTP_OK || request.http2)
		return 0;
	check_request(data, n, &request);
	check_body(&request, data + request.head, n - request.head);
	if (request.form == HTTP_ABSOLUTE)
		check_rewritten(data, &request);
	return 0;
}
