/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_WIRE_HTTP_H
#define CORDON_WIRE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Requests of HTTP/1 as RFC 9112 writes them; what it calls malformed is
 * refused, never repaired: bare CR or LF, NUL, folded lines, space before a
 * colon, two Host fields, two lengths, a length beside chunks.
 */
enum {
	HTTP_HEAD_MAX = 16 * 1024,
	HTTP_FIELDS_MAX = 128,
};

/* Part of the bytes that were parsed. */
struct http_span {
	const char *v;
	size_t n;
};

enum http_form {
	HTTP_ORIGIN, /* /path */
	HTTP_ABSOLUTE, /* http://host/path */
	HTTP_AUTHORITY, /* host:port, of CONNECT */
	HTTP_ASTERISK, /* of OPTIONS */
};

struct http_request {
	struct http_span method;
	enum http_form form;
	struct http_span scheme; /* ABSOLUTE: as written */
	/* AUTHORITY, ABSOLUTE: as written, an IPv6 address without its
	 * brackets; user information in it is malformed */
	struct http_span host;
	uint16_t port; /* 0: none was written */
	/* ORIGIN, ABSOLUTE ("/" at least, so it may lie outside of what was
	 * parsed; a query without a path stands for itself) */
	struct http_span path;
	unsigned int minor; /* HTTP/1.minor */
	bool has_host; /* there is a Host field, */
	struct http_span field_host; /* its host, "" if empty, */
	uint16_t field_port; /* and its port, 0: none */
	bool chunked;
	uint64_t length; /* of the body, if not chunked */
	bool upgrade; /* there is an Upgrade field */
	bool http2; /* the preface "PRI * HTTP/2.0": nothing else is set */
	size_t head; /* bytes up to and with the empty line */
};

enum http_status {
	HTTP_OK,
	HTTP_MORE, /* so far so good, and not whole yet */
	HTTP_MALFORMED,
	HTTP_TOO_LARGE, /* HTTP_HEAD_MAX or HTTP_FIELDS_MAX */
	HTTP_OTHER, /* http_request_guess(): it is something else */
};

/* A request at the beginning of @data. */
enum http_status http_request_parse(const char *data, size_t n,
				    struct http_request *out);

/*
 * Is this the beginning of a request at all? For bytes that may be of any
 * protocol: HTTP_OTHER as soon as it is clear that their first line does not
 * end with " HTTP/1.x" or " HTTP/2.0", HTTP_MORE until then, else as
 * http_request_parse(). What a lenient server would still read as a request
 * (after empty lines, or with a tab for the space) is one here: malformed. A
 * method begins with a capital.
 */
enum http_status http_request_guess(const char *data, size_t n,
				    struct http_request *out);

/*
 * The request as the origin wants it, for one that was given in absolute form:
 * target in origin form, Host as the target says, `Connection: close`, and no
 * field that is meant for one hop (Proxy-*, Connection and what it names,
 * Keep-Alive, TE, Trailer, Upgrade). Returns the size; 0 if it does not fit, or
 * if Connection names more than HTTP_FIELDS_MAX fields.
 */
size_t http_request_rewrite(const struct http_request *request,
			    const char *data, char *out, size_t room);

/* Where a request on a connection ends, and the next begins. */
struct http_body {
	uint64_t left; /* of the body or the chunk */
	unsigned int state; /* of chunked coding */
	unsigned int line; /* bytes of the current chunk line */
};

void http_body_begin(struct http_body *body,
		     const struct http_request *request);

/* How many of the @n bytes belong to the body; -1 if it is malformed. The body
 * is over when http_body_ended(). */
ptrdiff_t http_body_skip(struct http_body *body, const char *data, size_t n);
bool http_body_ended(const struct http_body *body);
/* How many bytes are certain to come next and to be of the body, whatever they
 * are. */
uint64_t http_body_ahead(const struct http_body *body);

/* The status of a response head at the beginning of @data: HTTP_OK with
 * @status and @head (bytes up to and with the empty line). */
enum http_status http_response_parse(const char *data, size_t n,
				     unsigned int *status, size_t *head);

#endif
