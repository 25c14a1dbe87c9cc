/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/http_body.c - where the body of an HTTP/1 message ends
 *
 * Runs in:  the egress process.
 * Trusts:   nothing: clients choose every byte.
 * Must not: find the end where another reader of the same bytes would not.
 *           So line ends are CR LF, sizes have nothing around them, and what
 *           is in extensions and trailers has the bytes that it may have.
 */
#include "wire/http.h"

#include "wire/http_head.h"

enum {
	CHUNK_LINE_MAX = 4096, /* size and extensions */
	TRAILERS_MAX = HTTP_HEAD_MAX,
};

/* struct http_body, @state */
enum state {
	PLAIN, /* not chunked: what is left, and nothing else */
	SIZE_BEGIN, /* a digit must come */
	SIZE,
	EXTENSION,
	SIZE_LF,
	DATA,
	DATA_CR,
	DATA_LF,
	TRAILER_BEGIN, /* or the empty line */
	TRAILER_NAME,
	TRAILER_VALUE,
	TRAILER_LF,
	LAST_LF,
	ENDED,
	BROKEN,
};

void http_body_begin(struct http_body *body, const struct http_request *request)
{
	*body = (struct http_body){
		.left = request->chunked ? 0 : request->length,
		.state = request->chunked ? SIZE_BEGIN : PLAIN,
	};
}

static int hex_value(unsigned char c)
{
	if (http_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static enum state size_next(struct http_body *body, unsigned char c)
{
	int digit = hex_value(c);

	if (digit >= 0) {
		if (body->left > UINT64_MAX >> 4)
			return BROKEN;
		body->left = body->left << 4 | (unsigned int)digit;
		return SIZE;
	}
	if (body->state == SIZE_BEGIN)
		return BROKEN;
	if (c == ';')
		return EXTENSION;
	return c == '\r' ? SIZE_LF : BROKEN;
}

/* The state after a byte that is not of a chunk's data. */
static enum state next_state(struct http_body *body, unsigned char c)
{
	switch ((enum state)body->state) {
	case SIZE_BEGIN:
	case SIZE:
		return size_next(body, c);
	case EXTENSION:
		if (c == '\r')
			return SIZE_LF;
		return http_is_value(c) ? EXTENSION : BROKEN;
	case SIZE_LF:
		if (c != '\n')
			return BROKEN;
		body->line = 0;
		return body->left ? DATA : TRAILER_BEGIN;
	case DATA_CR:
		return c == '\r' ? DATA_LF : BROKEN;
	case DATA_LF:
		body->line = 0;
		return c == '\n' ? SIZE_BEGIN : BROKEN;
	case TRAILER_BEGIN:
		if (c == '\r')
			return LAST_LF;
		return http_is_token(c) ? TRAILER_NAME : BROKEN;
	case TRAILER_NAME:
		if (c == ':')
			return TRAILER_VALUE;
		return http_is_token(c) ? TRAILER_NAME : BROKEN;
	case TRAILER_VALUE:
		if (c == '\r')
			return TRAILER_LF;
		return http_is_value(c) ? TRAILER_VALUE : BROKEN;
	case TRAILER_LF:
		return c == '\n' ? TRAILER_BEGIN : BROKEN;
	case LAST_LF:
		return c == '\n' ? ENDED : BROKEN;
	case PLAIN:
	case DATA:
	case ENDED:
	case BROKEN:
		break;
	}
	return BROKEN;
}

/* Bytes that are only counted. */
static size_t skip_data(struct http_body *body, size_t n)
{
	size_t skipped = body->left < n ? (size_t)body->left : n;

	body->left -= skipped;
	if (!body->left && body->state == DATA)
		body->state = DATA_CR;
	return skipped;
}

ptrdiff_t http_body_skip(struct http_body *body, const char *data, size_t n)
{
	size_t at = 0;

	while (at < n && !http_body_ended(body) && body->state != BROKEN) {
		unsigned int most = CHUNK_LINE_MAX;

		if (body->state == PLAIN || body->state == DATA) {
			at += skip_data(body, n - at);
			continue;
		}
		if (body->state >= TRAILER_BEGIN)
			most = TRAILERS_MAX;
		body->state =
			++body->line > most
				? BROKEN
				: next_state(body, (unsigned char)data[at]);
		at++;
	}
	return body->state == BROKEN ? -1 : (ptrdiff_t)at;
}

bool http_body_ended(const struct http_body *body)
{
	return body->state == ENDED || (body->state == PLAIN && !body->left);
}

uint64_t http_body_ahead(const struct http_body *body)
{
	return body->state == PLAIN || body->state == DATA ? body->left : 0;
}
