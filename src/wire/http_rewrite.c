/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/http_rewrite.c - a request to a proxy as its origin server wants it
 *
 * Runs in:  the egress process.
 * Trusts:   that http_request_parse() accepted the head, which a client wrote.
 * Must not: let the server see another host or another end of the message
 *           than we did.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "wire/http_head.h"

/* The next field of a head that was parsed; false after the last. */
static bool next_field(struct http_lines *lines, struct http_span *name,
		       struct http_span *value)
{
	struct http_line line;

	if (lines->count == 0)
		(void)http_line_next(lines, &line);
	return http_line_next(lines, &line) == HTTP_OK && line.text.n &&
	       http_field_parse(&line, name, value);
}

/* The fields that Connection names. A request cannot have more of them than
 * fields, and the time it takes to compare must not depend on its commas. */
struct options {
	struct http_span v[HTTP_FIELDS_MAX];
	size_t n;
};

static bool add_options(struct options *options, struct http_span list)
{
	while (list.n) {
		const char *comma = memchr(list.v, ',', list.n);
		size_t n = comma ? (size_t)(comma - list.v) : list.n;
		struct http_span name = http_span_trim(http_span_head(list, n));

		list = http_span_tail(list, comma ? n + 1 : n);
		if (!name.n)
			continue;
		if (options->n == HTTP_FIELDS_MAX)
			return false;
		options->v[options->n++] = name;
	}
	return true;
}

static bool find_options(struct http_lines lines, struct options *out)
{
	struct http_span name, value;

	out->n = 0;
	while (next_field(&lines, &name, &value))
		if (http_span_is(name, "Connection") &&
		    !add_options(out, value))
			return false;
	return true;
}

/* Of one hop? What says where a message goes and where it ends is not, even
 * if Connection names it: the server would see another message than we. */
static bool is_hop(const struct options *options, struct http_span name)
{
	static const char *const of_hop[] = {
		"Connection", "Keep-Alive", "TE", "Trailer", "Upgrade",
	};
	static const char *const of_message[] = {
		"Content-Length",
		"Transfer-Encoding",
	};

	for (size_t i = 0; i < sizeof(of_hop) / sizeof(of_hop[0]); i++)
		if (http_span_is(name, of_hop[i]))
			return true;
	if (name.n >= 6 && http_span_is(http_span_head(name, 6), "Proxy-"))
		return true;
	for (size_t i = 0; i < sizeof(of_message) / sizeof(of_message[0]); i++)
		if (http_span_is(name, of_message[i]))
			return false;
	for (size_t i = 0; i < options->n; i++)
		if (http_span_same(options->v[i], name))
			return true;
	return false;
}

/* Text that is put together, as far as there is room. */
struct output {
	char *v;
	size_t room;
	size_t n;
	bool full;
};

static void put(struct output *out, struct http_span text)
{
	if (out->full || text.n > out->room - out->n) {
		out->full = true;
		return;
	}
	memcpy(out->v + out->n, text.v, text.n);
	out->n += text.n;
}

static void put_word(struct output *out, const char *word)
{
	put(out, (struct http_span){ word, strlen(word) });
}

static void put_request_line(struct output *out,
			     const struct http_request *request)
{
	struct http_span path = request->path;

	put(out, request->method);
	put_word(out, " ");
	/* RFC 9112 3.2.4: then it is the server that is asked. */
	if (path.v == http_root_path &&
	    http_span_is_exactly(request->method, "OPTIONS"))
		path = (struct http_span){ "*", 1 };
	else if (*path.v != '/')
		put_word(out, http_root_path);
	put(out, path);
	put_word(out, request->minor ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n");
}

static void put_host(struct output *out, const struct http_request *request)
{
	bool literal = memchr(request->host.v, ':', request->host.n);
	char port[8];

	put_word(out, literal ? "Host: [" : "Host: ");
	put(out, request->host);
	put_word(out, literal ? "]" : "");
	if (request->port &&
	    request->port != http_default_port(request->scheme)) {
		(void)snprintf(port, sizeof(port), ":%u",
			       (unsigned int)request->port);
		put_word(out, port);
	}
	put_word(out, "\r\n");
}

size_t http_request_rewrite(const struct http_request *request,
			    const char *data, char *out, size_t room)
{
	struct http_lines lines = http_lines_of(data, request->head);
	struct output text = { .v = out, .room = room };
	struct http_span name, value;
	struct options options;

	assert(request->form == HTTP_ABSOLUTE);
	if (!find_options(lines, &options))
		return 0;
	put_request_line(&text, request);
	put_host(&text, request);
	while (next_field(&lines, &name, &value)) {
		if (http_span_is(name, "Host") || is_hop(&options, name))
			continue;
		put(&text, name);
		put_word(&text, ": ");
		put(&text, value);
		put_word(&text, "\r\n");
	}
	put_word(&text, "Connection: close\r\n\r\n");
	return text.full ? 0 : text.n;
}
