/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/inspect.c - does the client talk to whom it said it would?
 *
 * Runs in:  the egress process.
 * Trusts:   nothing.
 * Must not: pass on a byte of a hello or a request before the name in it was
 *           compared: many names share an address, and the rules are about
 *           names.
 */
#include "egress/inspect.h"

#include <string.h>
#include <strings.h>

#include "egress/answer.h"
#include "egress/relay.h"
#include "egress/session.h"
#include "egress/state.h"
#include "wire/http.h"
#include "wire/tls.h"

enum { HTTPS_PORT = 443, HTTP_PORT = 80 };

/* Of TLS records: their head, kinds, and where a hello has its random number. */
enum {
	TLS_HEAD = 5,
	TLS_RANDOM = TLS_HEAD + 4 + 2,
	TLS_CHANGE_CIPHER = 0x14,
	TLS_ALERT = 0x15,
	TLS_HANDSHAKE = 0x16,
	TLS_DATA = 0x17,
};

void inspect_start(struct session *session)
{
	if (session->inspection == INSPECT_PROXY)
		return;
	if (session->opaque || session->target.is_address)
		session->inspection = INSPECT_NOTHING;
	else if (session->target.port == HTTPS_PORT)
		session->inspection = INSPECT_TLS;
	else
		session->inspection = INSPECT_FIRST;
}

static bool same_name(const struct session *session, const char *name, size_t n)
{
	struct egress_target other;

	return egress_target_parse(name, n, session->target.port, &other) &&
	       !strcmp(other.name, session->target.name);
}

/* All that is there goes on, and what comes. */
static int pass_all(struct session *session)
{
	session->inspection = INSPECT_NOTHING;
	if (flow_put(&session->out, session->in, session->in_n) < 0) {
		session_reset(session);
		return -1;
	}
	session_consume(session, session->in_n);
	return 0;
}

static void report(struct session *session,
		   const struct egress_verdict *verdict, const char *asked)
{
	egress_refused(session->egress, &session->target, NULL, verdict, asked,
		       session->front->form, session->from);
}

static int refuse_tls(struct session *session, enum egress_why why,
		      const char *asked)
{
	report(session, &(struct egress_verdict){ .why = why }, asked);
	if (why == EGRESS_NOT_TLS)
		session_reset(session);
	else
		answer_tls(session);
	return -1;
}

/* When the server has begun to speak there is no place for an answer. */
static int refuse_http(struct session *session, enum egress_why why,
		       const char *asked)
{
	const struct egress_verdict verdict = { .why = why };

	report(session, &verdict, asked);
	if (session->answered)
		session_reset(session);
	else
		answer_http(session, &verdict, NULL);
	return -1;
}

/* INSPECT_TLS, INSPECT_FIRST: 1 if it is not TLS, else as inspect_input(). */
static int inspect_hello(struct session *session)
{
	char name[TLS_NAME_MAX + 1];
	size_t size;

	switch (tls_hello_parse(session->in, session->in_n, name)) {
	case TLS_MORE:
		return 0;
	case TLS_MALFORMED:
		return refuse_tls(session, EGRESS_MALFORMED, NULL);
	case TLS_OTHER:
		return 1;
	case TLS_OK:
		break;
	}
	if (!same_name(session, name, strlen(name)))
		return refuse_tls(session, EGRESS_NAME_DIFFERS, name);
	/* The server may ask for another, which may name another: what follows
	 * waits for its answer. */
	if (session->inspection == INSPECT_TLS_AGAIN)
		return pass_all(session);
	size = tls_hello_size(session->in, session->in_n);
	session->answer = ANSWER_HELLO;
	session->inspection = INSPECT_NOTHING;
	if (flow_put(&session->out, session->in, size) < 0) {
		session_reset(session);
		return -1;
	}
	session_consume(session, size);
	return 0;
}

/* A second hello may come behind other records: early data, which the server
 * drops, a change of ciphers, which means nothing, and a warning. */
static int inspect_hello_again(struct session *session)
{
	int result;

	while (session->in_n >= TLS_HEAD &&
	       (session->in[0] == TLS_CHANGE_CIPHER ||
		session->in[0] == TLS_ALERT || session->in[0] == TLS_DATA)) {
		const unsigned char *in = (const unsigned char *)session->in;
		size_t size = TLS_HEAD + ((size_t)in[3] << 8 | in[4]);

		if (session->in_n < size)
			return 0;
		if (flow_put(&session->out, session->in, size) < 0) {
			session_reset(session);
			return -1;
		}
		session_consume(session, size);
	}
	if (session->in_n < TLS_HEAD)
		return 0;
	result = inspect_hello(session);
	return result == 1 ? refuse_tls(session, EGRESS_MALFORMED, NULL)
			   : result;
}

/* Does the server ask for another hello? Its answer to the first is then a hello
 * with this random number (RFC 8446, 4.1.3). */
static bool is_retry(const unsigned char *answer, size_t n)
{
	static const unsigned char retry[32] = {
		0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11,
		0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
		0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e,
		0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
	};

	return n >= TLS_RANDOM + sizeof(retry) &&
	       !memcmp(answer + TLS_RANDOM, retry, sizeof(retry));
}

int inspect_answer(struct session *session)
{
	const char *answer = session->egress->scratch;
	unsigned int status = 0;
	size_t head = 0;
	int n = session_peek(session);

	if (n == 0)
		return 0;
	if (n < -1)
		return -1;
	if (session->answer == ANSWER_HELLO) {
		if (n > 0 && answer[0] == TLS_HANDSHAKE &&
		    n < TLS_RANDOM + 32) {
			session_peek_more(session, n);
			return 0;
		}
		if (n > 0 && is_retry((const unsigned char *)answer, (size_t)n))
			session->inspection = INSPECT_TLS_AGAIN;
	} else if (n > 0) {
		if (http_response_parse(answer, (size_t)n, &status, &head) ==
		    HTTP_MORE) {
			session_peek_more(session, n);
			return 0;
		}
		/* Both sides have another protocol now. */
		if (status == 101)
			session->inspection = INSPECT_NOTHING;
	}
	session->answer = ANSWER_ANY;
	session_peek_end(session);
	return 1;
}

static bool names_server(const struct session *session,
			 const struct http_request *request)
{
	uint16_t port = session->target.port;

	if (request->form == HTTP_ABSOLUTE || request->form == HTTP_AUTHORITY) {
		if (!same_name(session, request->host.v, request->host.n) ||
		    (request->port ? request->port : HTTP_PORT) != port)
			return false;
	}
	/* HTTP/1.0 may go without. */
	return !request->has_host ||
	       (same_name(session, request->field_host.v,
			  request->field_host.n) &&
		(!request->field_port || request->field_port == port));
}

/* What it was that the client asked for instead, for the report. */
static const char *asked_host(const struct http_request *request,
			      char out[TLS_NAME_MAX + 1])
{
	const struct http_span *host =
		request->has_host ? &request->field_host : &request->host;
	size_t n = host->n < TLS_NAME_MAX ? host->n : TLS_NAME_MAX;

	memcpy(out, host->v, n);
	out[n] = '\0';
	return out;
}

/* A request that was meant for a proxy, as the server wants it. */
static int pass_rewritten(struct session *session,
			  const struct http_request *request)
{
	char *scratch = session->egress->scratch;
	size_t n = http_request_rewrite(request, session->in, scratch,
					EGRESS_SCRATCH);

	if (!n || flow_put(&session->out, scratch, n) < 0) {
		session_reset(session);
		return -1;
	}
	return 0;
}

/*
 * A second request on the same connection, for another host. There is one
 * server, and the client was told that the connection closes: it does, when
 * the server has ended.
 */
static int end_requests(struct session *session,
			const struct http_request *request)
{
	struct egress_verdict verdict;
	struct egress_target other;
	uint16_t port = request->port ? request->port : HTTP_PORT;

	if (request->form == HTTP_ABSOLUTE &&
	    egress_target_parse(request->host.v, request->host.n, port,
				&other) &&
	    !egress_judge(&session->egress->rules, &other, &verdict))
		egress_refused(session->egress, &other, NULL, &verdict, NULL,
			       session->front->form, session->from);
	session_consume(session, session->in_n);
	session->deaf = true;
	return 0;
}

static int pass_request(struct session *session,
			const struct http_request *request)
{
	char asked[TLS_NAME_MAX + 1];
	bool proxy = session->inspection == INSPECT_PROXY;

	if (!names_server(session, request) ||
	    (proxy && request->form != HTTP_ABSOLUTE)) {
		if (proxy && session->answered)
			return end_requests(session, request);
		return refuse_http(session, EGRESS_NAME_DIFFERS,
				   asked_host(request, asked));
	}
	http_body_begin(&session->body, request);
	if (proxy) {
		if (pass_rewritten(session, request) < 0)
			return -1;
	} else if (flow_put(&session->out, session->in, request->head) < 0) {
		session_reset(session);
		return -1;
	}
	/* What follows is a protocol of its own, if the server agrees. To a
	 * first request its first answer tells. */
	if (request->upgrade && !proxy && !session->answered &&
	    http_body_ended(&session->body))
		session->answer = ANSWER_UPGRADE;
	session->answered = true;
	session_consume(session, request->head);
	return 0;
}

static int pass_body(struct session *session)
{
	ptrdiff_t n =
		http_body_skip(&session->body, session->in, session->in_n);

	if (n < 0)
		return refuse_http(session, EGRESS_MALFORMED, NULL);
	if (flow_put(&session->out, session->in, (size_t)n) < 0) {
		session_reset(session);
		return -1;
	}
	session_consume(session, (size_t)n);
	return 0;
}

/* Requests, one after the other. */
static int inspect_requests(struct session *session)
{
	while (session->in_n && !session->deaf &&
	       session->answer == ANSWER_ANY) {
		struct http_request request;

		if (!http_body_ended(&session->body)) {
			if (pass_body(session) < 0)
				return -1;
			continue;
		}
		switch (http_request_parse(session->in, session->in_n,
					   &request)) {
		case HTTP_OK:
			if (request.http2)
				return refuse_http(session, EGRESS_MALFORMED,
						   NULL);
			if (pass_request(session, &request) < 0)
				return -1;
			break;
		case HTTP_MORE:
			return 0;
		case HTTP_TOO_LARGE:
			session->too_large = true;
			return refuse_http(session, EGRESS_MALFORMED, NULL);
		case HTTP_MALFORMED:
		case HTTP_OTHER:
			return refuse_http(session, EGRESS_MALFORMED, NULL);
		}
	}
	return 0;
}

static int inspect_first(struct session *session)
{
	struct http_request request;
	int result = inspect_hello(session);

	if (result != 1)
		return result;
	/* Where HTTP is usual nothing else gets by that some server might take
	 * for it. */
	if (session->target.port == HTTP_PORT) {
		session->inspection = INSPECT_HTTP;
		return inspect_requests(session);
	}
	switch (http_request_guess(session->in, session->in_n, &request)) {
	case HTTP_MORE:
		return 0;
	case HTTP_OTHER:
		return pass_all(session);
	case HTTP_OK:
		/* Of HTTP/2 the names are compressed. */
		if (request.http2)
			return pass_all(session);
		break;
	case HTTP_TOO_LARGE:
		session->too_large = true;
		return refuse_http(session, EGRESS_MALFORMED, NULL);
	case HTTP_MALFORMED:
		return refuse_http(session, EGRESS_MALFORMED, NULL);
	}
	session->inspection = INSPECT_HTTP;
	return inspect_requests(session);
}

int inspect_input(struct session *session)
{
	int result = 0;

	switch (session->inspection) {
	case INSPECT_NOTHING:
		return pass_all(session);
	case INSPECT_TLS:
		result = inspect_hello(session);
		if (result == 1)
			return refuse_tls(session, EGRESS_NOT_TLS, NULL);
		return result;
	case INSPECT_TLS_AGAIN:
		return inspect_hello_again(session);
	case INSPECT_FIRST:
		return inspect_first(session);
	case INSPECT_HTTP:
	case INSPECT_PROXY:
		return inspect_requests(session);
	}
	return result;
}

/* Has a version in it, so some server might take it for a request. */
static bool has_version(const struct session *session)
{
	for (size_t i = 0; i + 5 <= session->in_n; i++) {
		if (!strncasecmp(session->in + i, "HTTP/", 5))
			return true;
	}
	return false;
}

int inspect_end(struct session *session)
{
	if (session->inspection == INSPECT_FIRST && session->in_n &&
	    tls_hello_parse(session->in, session->in_n,
			    (char[TLS_NAME_MAX + 1]){ 0 }) == TLS_OTHER &&
	    !has_version(session))
		return pass_all(session);
	return 0;
}
