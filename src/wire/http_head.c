/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/http_head.c - lines, fields and words of HTTP/1
 *
 * Runs in:  the egress process.
 * Trusts:   nothing: clients and servers choose every byte.
 * Must not: allocate, or repair what it reads.
 */
#include "wire/http_head.h"

#include <string.h>
#include <strings.h>

const char http_root_path[] = "/";

bool http_is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

bool http_is_alpha(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool http_is_token(unsigned char c)
{
	static const bool token[256] = {
		['!'] = true,	      ['#' ... '\''] = true,
		['*' ... '+'] = true, ['-' ... '.'] = true,
		['0' ... '9'] = true, ['A' ... 'Z'] = true,
		['^' ... 'z'] = true, ['|'] = true,
		['~'] = true,
	};

	return token[c];
}

bool http_is_value(unsigned char c)
{
	return c == '\t' || (c >= 0x20 && c != 0x7f);
}

size_t http_run(struct http_span text, http_byte_class *has)
{
	size_t n = 0;

	while (n < text.n && has((unsigned char)text.v[n]))
		n++;
	return n;
}

struct http_span http_span_head(struct http_span text, size_t n)
{
	return (struct http_span){ text.v, n };
}

struct http_span http_span_tail(struct http_span text, size_t n)
{
	return (struct http_span){ text.v + n, text.n - n };
}

bool http_span_same(struct http_span a, struct http_span b)
{
	return a.n == b.n && !strncasecmp(a.v, b.v, a.n);
}

bool http_span_is(struct http_span text, const char *word)
{
	return http_span_same(text, (struct http_span){ word, strlen(word) });
}

bool http_span_is_exactly(struct http_span text, const char *word)
{
	return text.n == strlen(word) && !memcmp(text.v, word, text.n);
}

struct http_span http_span_trim(struct http_span text)
{
	while (text.n && (*text.v == ' ' || *text.v == '\t'))
		text = http_span_tail(text, 1);
	while (text.n &&
	       (text.v[text.n - 1] == ' ' || text.v[text.n - 1] == '\t'))
		text.n--;
	return text;
}

struct http_lines http_lines_of(const char *data, size_t n)
{
	return (struct http_lines){ .v = data,
				    .n = n < HTTP_HEAD_MAX ? n
							   : HTTP_HEAD_MAX };
}

enum http_status http_line_next(struct http_lines *lines, struct http_line *out)
{
	const char *from = lines->v + lines->at;
	size_t left = lines->n - lines->at;
	const char *end;

	*out = (struct http_line){ 0 };
	/* Before anything is said about the line: one byte of it decides, so
	 * that the rest cannot make it another refusal. */
	if (lines->count > HTTP_FIELDS_MAX && left && *from != '\r')
		return HTTP_TOO_LARGE;
	lines->count++;

	end = left ? memchr(from, '\n', left) : NULL;
	if (!end) {
		out->ended = left && from[left - 1] == '\r';
		out->text = (struct http_span){ from, left - out->ended };
		return lines->n == HTTP_HEAD_MAX ? HTTP_TOO_LARGE : HTTP_MORE;
	}
	if (end == from || end[-1] != '\r')
		return HTTP_MALFORMED;
	out->ended = true;
	out->text = (struct http_span){ from, (size_t)(end - from) - 1 };
	lines->at += out->text.n + 2;
	return HTTP_OK;
}

/* A folded line begins with a space, which no name has. */
bool http_field_parse(const struct http_line *line, struct http_span *name,
		      struct http_span *value)
{
	struct http_span text = line->text;

	*name = http_span_head(text, http_run(text, http_is_token));
	text = http_span_tail(text, name->n);
	*value = http_span_trim(text.n ? http_span_tail(text, 1) : text);
	if (!text.n)
		return !line->ended;
	return name->n && *text.v == ':' &&
	       http_run(*value, http_is_value) == value->n;
}

uint16_t http_default_port(struct http_span scheme)
{
	if (http_span_is(scheme, "http"))
		return 80;
	return http_span_is(scheme, "https") ? 443 : 0;
}
