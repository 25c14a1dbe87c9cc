/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_WIRE_HTTP_HEAD_H
#define CORDON_WIRE_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/http.h"

/* What the parts of wire/http share. */

/* Kinds of bytes. Not those of <ctype.h>, which a locale changes. */
typedef bool http_byte_class(unsigned char c);
http_byte_class http_is_digit, http_is_alpha;
http_byte_class http_is_token; /* RFC 9110 5.6.2: methods, names of fields */
http_byte_class http_is_value; /* RFC 9110 5.5, with space and tab */

/* How many bytes at the beginning of @text are of the class. */
size_t http_run(struct http_span text, http_byte_class *has);
/* The first @n bytes, and those behind them. */
struct http_span http_span_head(struct http_span text, size_t n);
struct http_span http_span_tail(struct http_span text, size_t n);
/* Without space and tab at both ends. */
struct http_span http_span_trim(struct http_span text);
/* But for case; the last one is of every byte. */
bool http_span_same(struct http_span a, struct http_span b);
bool http_span_is(struct http_span text, const char *word);
bool http_span_is_exactly(struct http_span text, const char *word);

/* The lines of a head, as far as they are there. */
struct http_lines {
	const char *v;
	size_t n; /* HTTP_HEAD_MAX at most */
	size_t at; /* where the next one begins */
	unsigned int count;
};

struct http_line {
	struct http_span text; /* without CR LF */
	bool ended; /* by CR at least: nothing can be added to it */
};

struct http_lines http_lines_of(const char *data, size_t n);

/*
 * HTTP_OK: a whole line. HTTP_MORE, HTTP_TOO_LARGE: there is not all of it;
 * @out is as much as may be looked at. HTTP_MALFORMED: LF without CR.
 */
enum http_status http_line_next(struct http_lines *lines,
				struct http_line *out);

/* A field so far; false if it is malformed. */
bool http_field_parse(const struct http_line *line, struct http_span *name,
		      struct http_span *value);

/* 0: not known */
uint16_t http_default_port(struct http_span scheme);

/* What struct http_request has for a target without path: this very "/". */
extern const char http_root_path[];

#endif
