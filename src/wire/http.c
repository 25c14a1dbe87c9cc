/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/http.c - requests and responses of HTTP/1, by their heads
 *
 * Runs in:  the egress process.
 * Trusts:   nothing: clients and servers choose every byte.
 * Must not: allocate, look at a byte more than a few times, or give a meaning
 *           to what a server could read in another way.
 *
 * A head comes in pieces, and each call begins anew. What a piece already
 * shows to be malformed stays so, whatever follows it: lines are judged one
 * by one and in order, and of the last one, which may not have ended, what is
 * there.
 */
#include "wire/http.h"

#include <string.h>
#include <strings.h>

#include "wire/http_head.h"

static bool is_name(unsigned char c)
{
	return http_is_alpha(c) || http_is_digit(c) || c == '-' || c == '.' ||
	       c == '_';
}

static bool is_ipv6(unsigned char c)
{
	return http_is_digit(c) || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F') || c == ':' || c == '.';
}

static bool is_scheme(unsigned char c)
{
	return http_is_alpha(c) || http_is_digit(c) || c == '+' || c == '-' ||
	       c == '.';
}

/* More than RFC 3986 has, as clients do send `{` and `|`, and no server takes
 * them for anything else. Fragments stay with the client. */
static bool is_target(unsigned char c)
{
	return c > 0x20 && c < 0x7f && c != '#';
}

/* Without leading zeros: not every reader takes 0443 for a decimal number. */
static bool parse_port(struct http_span text, uint16_t *out)
{
	unsigned int port = 0;

	if (!text.n || text.n > 5 || *text.v == '0' ||
	    http_run(text, http_is_digit) != text.n)
		return false;
	for (size_t i = 0; i < text.n; i++)
		port = port * 10 + (unsigned int)(text.v[i] - '0');
	*out = (uint16_t)port;
	return port <= UINT16_MAX;
}

/*
 * Host, and perhaps a port. Only what a name or an address can be made of: no
 * user information and no percent, in which readers differ. What stood in
 * brackets has a colon, so nobody can take it for a name.
 */
static bool parse_authority(struct http_span text, struct http_span *host,
			    uint16_t *port)
{
	*port = 0;
	if (text.n && *text.v == '[') {
		text = http_span_tail(text, 1);
		*host = http_span_head(text, http_run(text, is_ipv6));
		if (host->n == text.n || text.v[host->n] != ']' ||
		    !memchr(host->v, ':', host->n))
			return false;
		text = http_span_tail(text, host->n + 1);
	} else {
		*host = http_span_head(text, http_run(text, is_name));
		text = http_span_tail(text, host->n);
	}
	return !text.n || (host->n && *text.v == ':' &&
			   parse_port(http_span_tail(text, 1), port));
}

static bool parse_absolute(struct http_span text, struct http_request *out)
{
	struct http_span authority;

	out->form = HTTP_ABSOLUTE;
	out->scheme = http_span_head(text, http_run(text, is_scheme));
	text = http_span_tail(text, out->scheme.n);
	if (!out->scheme.n || !http_is_alpha((unsigned char)*out->scheme.v) ||
	    text.n < 3 || memcmp(text.v, "://", 3))
		return false;

	authority = http_span_tail(text, 3);
	text = authority;
	while (text.n && *text.v != '/' && *text.v != '?')
		text = http_span_tail(text, 1);
	authority.n -= text.n;
	out->path = text.n ? text : (struct http_span){ http_root_path, 1 };
	return parse_authority(authority, &out->host, &out->port) &&
	       out->host.n;
}

static bool parse_target(struct http_span text, struct http_request *out)
{
	if (http_span_is_exactly(out->method, "CONNECT")) {
		out->form = HTTP_AUTHORITY;
		return parse_authority(text, &out->host, &out->port) &&
		       out->port;
	}
	if (*text.v == '/') {
		out->form = HTTP_ORIGIN;
		out->path = text;
		return true;
	}
	if (http_span_is_exactly(text, "*")) {
		out->form = HTTP_ASTERISK;
		return http_span_is_exactly(out->method, "OPTIONS");
	}
	return parse_absolute(text, out);
}

/* HTTP/1.0 or HTTP/1.1 so far. There is no other version of HTTP/1. */
static bool parse_version(struct http_span text, bool ended, unsigned int *out)
{
	static const char name[] = "HTTP/1.";
	size_t n = sizeof(name) - 1;

	if (memcmp(text.v, name, text.n < n ? text.n : n))
		return false;
	if (text.n <= n)
		return !ended;
	*out = (unsigned int)(text.v[n] - '0');
	return text.n == n + 1 && *out <= 1;
}

static bool parse_request_line(const struct http_line *line,
			       struct http_request *out)
{
	struct http_span text = line->text, target;

	out->method = http_span_head(text, http_run(text, http_is_token));
	text = http_span_tail(text, out->method.n);
	if (!text.n)
		return !line->ended;
	if (!out->method.n || *text.v != ' ')
		return false;

	text = http_span_tail(text, 1);
	target = http_span_head(text, http_run(text, is_target));
	text = http_span_tail(text, target.n);
	if (!text.n)
		return !line->ended;
	if (!target.n || *text.v != ' ' || !parse_target(target, out))
		return false;
	return parse_version(http_span_tail(text, 1), line->ended, &out->minor);
}

/* A request, and what is known of it before it is whole. */
struct reading {
	struct http_request request;
	bool has_length;
};

static bool take_length(struct reading *reading, struct http_span value)
{
	uint64_t length = 0;

	if (reading->has_length || reading->request.chunked || !value.n)
		return false;
	for (size_t i = 0; i < value.n; i++) {
		unsigned int digit = (unsigned int)(value.v[i] - '0');

		if (digit > 9 || length > (UINT64_MAX - digit) / 10)
			return false;
		length = length * 10 + digit;
	}
	reading->has_length = true;
	reading->request.length = length;
	return true;
}

/* Lower case, although RFC 9112 7 says that case does not matter: a server
 * that knows only this spelling would find the end elsewhere. */
static bool take_coding(struct reading *reading, struct http_span value)
{
	if (reading->has_length || reading->request.chunked ||
	    reading->request.minor == 0)
		return false;
	reading->request.chunked = http_span_is_exactly(value, "chunked");
	return reading->request.chunked;
}

static bool take_field(struct reading *reading, struct http_span name,
		       struct http_span value)
{
	struct http_request *request = &reading->request;

	if (http_span_is(name, "Host")) {
		if (request->has_host)
			return false;
		request->has_host = true;
		return parse_authority(value, &request->field_host,
				       &request->field_port);
	}
	if (http_span_is(name, "Content-Length"))
		return take_length(reading, value);
	if (http_span_is(name, "Transfer-Encoding"))
		return take_coding(reading, value);
	if (http_span_is(name, "Upgrade"))
		request->upgrade = true;
	return true;
}

static bool same_port(const struct http_request *request)
{
	uint16_t usual = http_default_port(request->scheme);

	/* RFC 9112 3.2.3 itself has an example without it. */
	if (request->form == HTTP_AUTHORITY)
		return !request->field_port ||
		       request->field_port == request->port;
	return (request->port ? request->port : usual) ==
	       (request->field_port ? request->field_port : usual);
}

/* Once all fields are known. */
static bool check_request(const struct http_request *request)
{
	bool connect = request->form == HTTP_AUTHORITY;

	/* What follows CONNECT belongs to the tunnel. */
	if (connect && (request->length || request->chunked))
		return false;
	if (!request->has_host)
		return request->minor == 0;
	if (!connect && request->form != HTTP_ABSOLUTE)
		return true;
	/* A proxy ought to pass over such a Host (RFC 9112 3.2.2), but nobody
	 * means well who sends it. */
	return http_span_same(request->host, request->field_host) &&
	       same_port(request);
}

static bool check_line(struct reading *reading, const struct http_line *line,
		       bool first)
{
	struct http_span name, value;

	if (first)
		return parse_request_line(line, &reading->request);
	if (!line->text.n)
		return !line->ended || check_request(&reading->request);
	if (!http_field_parse(line, &name, &value))
		return false;
	return !line->ended || take_field(reading, name, value);
}

enum http_status http_request_parse(const char *data, size_t n,
				    struct http_request *out)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	size_t preface_n = sizeof(preface) - 1;
	struct http_lines lines = http_lines_of(data, n);
	struct reading reading = { 0 };
	enum http_status status;
	struct http_line line;

	if (n && !memcmp(data, preface, n < preface_n ? n : preface_n)) {
		if (n < preface_n)
			return HTTP_MORE;
		*out = (struct http_request){ .http2 = true };
		return HTTP_OK;
	}
	do {
		bool first = lines.count == 0;

		status = http_line_next(&lines, &line);
		if (status == HTTP_MALFORMED ||
		    !check_line(&reading, &line, first))
			return HTTP_MALFORMED;
	} while (status == HTTP_OK && line.text.n);
	if (status != HTTP_OK)
		return status;
	reading.request.head = lines.at;
	*out = reading.request;
	return HTTP_OK;
}

static bool is_blank(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* " HTTP/1", in any case and after whatever a server may take for a space. */
static bool is_version_at(struct http_span text)
{
	return text.n >= 7 && is_blank((unsigned char)*text.v) &&
	       !strncasecmp(text.v + 1, "HTTP/", 5) &&
	       http_is_digit((unsigned char)text.v[6]);
}

/*
 * Wider than the grammar, since some servers are: what only they would call a
 * request must not pass as another protocol, but be refused as malformed.
 */
enum http_status http_request_guess(const char *data, size_t n,
				    struct http_request *out)
{
	struct http_span text = { data, n < HTTP_HEAD_MAX ? n : HTTP_HEAD_MAX };
	bool has_scheme = false;
	size_t method;

	text = http_span_tail(text, http_run(text, is_blank));
	/* Methods are in capitals, and who sends "hello" waits for an answer:
	 * what could only become a request that few servers take must not be
	 * kept waiting for the rest. */
	if (text.n && (*text.v < 'A' || *text.v > 'Z'))
		return HTTP_OTHER;
	method = http_run(text, http_is_token);
	text = http_span_tail(text, method);
	if (text.n && !is_blank((unsigned char)*text.v))
		return HTTP_OTHER;
	for (; text.n; text = http_span_tail(text, 1)) {
		unsigned char c = (unsigned char)*text.v;

		/* RFC 1945 had requests without a version, and a server may
		 * find a host in one. */
		if (c == '\n')
			return has_scheme ? HTTP_MALFORMED : HTTP_OTHER;
		if (!c)
			return HTTP_OTHER;
		if (is_version_at(text))
			return http_request_parse(data, n, out);
		has_scheme |= text.n >= 3 && !memcmp(text.v, "://", 3);
	}
	return n < HTTP_HEAD_MAX ? HTTP_MORE : HTTP_TOO_LARGE;
}

/* The reason may be missing, and with it the space before it. */
static bool parse_status_line(const struct http_line *line, unsigned int *out)
{
	struct http_span text = line->text;
	unsigned int minor, status = 0;
	size_t version = text.n < 8 ? text.n : 8;

	if (!parse_version(http_span_head(text, version),
			   text.n > 8 || line->ended, &minor))
		return false;
	for (size_t i = 8; i < text.n && i < 12; i++) {
		if (i == 8 ? text.v[i] != ' '
			   : !http_is_digit((unsigned char)text.v[i]))
			return false;
		if (i > 8)
			status = status * 10 + (unsigned int)(text.v[i] - '0');
	}
	if (text.n < 12)
		return !line->ended;
	*out = status;
	text = http_span_tail(text, 12);
	return status >= 100 && status <= 599 && (!text.n || *text.v == ' ') &&
	       http_run(text, http_is_value) == text.n;
}

enum http_status http_response_parse(const char *data, size_t n,
				     unsigned int *status, size_t *head)
{
	struct http_lines lines = http_lines_of(data, n);
	enum http_status found;
	unsigned int code = 0;
	struct http_line line;

	do {
		struct http_span name, value;
		bool first = lines.count == 0;

		found = http_line_next(&lines, &line);
		if (found == HTTP_MALFORMED ||
		    (first && !parse_status_line(&line, &code)) ||
		    (!first && line.text.n &&
		     !http_field_parse(&line, &name, &value)))
			return HTTP_MALFORMED;
	} while (found == HTTP_OK && line.text.n);
	if (found != HTTP_OK)
		return found;
	*status = code;
	*head = lines.at;
	return HTTP_OK;
}
