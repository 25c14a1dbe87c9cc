/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/front_proxy.c - clients that know of the proxy: HTTP and SOCKS5
 *
 * Runs in:  the egress process.
 * Trusts:   nothing. Both protocols are taken at both ports: the first byte
 *           tells them apart, and programs differ in what a variable may say.
 * Must not: need a password: the socket exists in the box's network alone.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/answer.h"
#include "egress/front.h"
#include "egress/relay.h"
#include "egress/session.h"
#include "egress/state.h"
#include "wire/http.h"
#include "wire/socks.h"

enum { SOCKS_VERSION = 5, HTTP_PORT = 80, HTTPS_PORT = 443 };

/* of a SOCKS handshake */
enum { STAGE_GREETING, STAGE_REQUEST };

static void http_readable(struct session *session);
static void socks_readable(struct session *session);
static void socks_input(struct session *session);

static void connect_connected(struct session *session)
{
	static const char ok[] = "HTTP/1.1 200 Connection established\r\n\r\n";

	if (flow_put(&session->back, ok, sizeof(ok) - 1) < 0)
		session_close(session);
	else
		relay_start(session);
}

static void socks_answer(struct session *session, enum socks_reply reply)
{
	unsigned char bytes[SOCKS_REPLY_MAX];
	size_t n = socks_reply_format(reply, bytes);

	if (flow_put(&session->back, (const char *)bytes, n) < 0)
		session_close(session);
	else if (reply == SOCKS_SUCCEEDED)
		relay_start(session);
	else
		session_finish(session);
}

static void socks_connected(struct session *session)
{
	socks_answer(session, SOCKS_SUCCEEDED);
}

static void socks_refused(struct session *session,
			  const struct egress_verdict *verdict,
			  const struct address *address)
{
	(void)address;
	if (verdict)
		socks_answer(session, SOCKS_NOT_ALLOWED);
	else if (session->failure_sys == ECONNREFUSED)
		socks_answer(session, SOCKS_REFUSED);
	else if (session->failure_sys == ENETUNREACH)
		socks_answer(session, SOCKS_NETWORK_UNREACHABLE);
	else
		socks_answer(session, SOCKS_HOST_UNREACHABLE);
}

static const struct front connect_front = {
	.form = EGRESS_BY_CONNECT,
	.readable = http_readable,
	.connected = connect_connected,
	.refused = answer_http,
};

static const struct front absolute_front = {
	.form = EGRESS_BY_HTTP,
	.readable = http_readable,
	.connected = relay_start,
	.refused = answer_http,
};

static const struct front socks_front = {
	.form = EGRESS_BY_SOCKS,
	.readable = socks_readable,
	.connected = socks_connected,
	.refused = socks_refused,
};

static void refuse_malformed(struct session *session)
{
	const struct egress_verdict verdict = { .why = EGRESS_MALFORMED };

	strcpy(session->target.name, "(malformed)");
	session_refuse(session, &verdict, NULL, NULL);
}

static void http_go(struct session *session, const struct http_request *request)
{
	uint16_t port = request->port;

	if (request->form == HTTP_ABSOLUTE) {
		session->front = &absolute_front;
		session->inspection = INSPECT_PROXY;
		if (request->scheme.n != 4 ||
		    strncasecmp(request->scheme.v, "http", 4) != 0) {
			refuse_malformed(session);
			return;
		}
		port = port ? port : HTTP_PORT;
	}
	if ((request->form != HTTP_ABSOLUTE &&
	     request->form != HTTP_AUTHORITY) ||
	    !egress_target_parse(request->host.v, request->host.n, port,
				 &session->target)) {
		refuse_malformed(session);
		return;
	}
	/* It would go there as it is, where nothing but TLS may. */
	if (request->form == HTTP_ABSOLUTE && port == HTTPS_PORT) {
		session_refuse(
			session,
			&(struct egress_verdict){ .why = EGRESS_NOT_TLS }, NULL,
			NULL);
		return;
	}
	/* A request in absolute form goes to the server, rewritten. */
	if (request->form == HTTP_AUTHORITY)
		session_consume(session, request->head);
	session_go(session);
}

static void http_readable(struct session *session)
{
	struct http_request request;
	int n = session_read(session, HTTP_HEAD_MAX + 1);

	if (n == 0) {
		session_wait(session);
		return;
	}
	if (n < 0 && session->in_n <= HTTP_HEAD_MAX) {
		session_close(session);
		return;
	}
	if (session->in[0] == SOCKS_VERSION) {
		session->front = &socks_front;
		socks_input(session);
		return;
	}
	switch (http_request_parse(session->in, session->in_n, &request)) {
	case HTTP_OK:
		http_go(session, &request);
		break;
	case HTTP_MORE:
		session_wait(session);
		break;
	case HTTP_TOO_LARGE:
		session->too_large = true;
		refuse_malformed(session);
		break;
	case HTTP_MALFORMED:
	case HTTP_OTHER:
		refuse_malformed(session);
		break;
	}
}

static void socks_go(struct session *session,
		     const struct socks_request *request)
{
	struct egress_target *target = &session->target;
	char text[ADDRESS_TEXT];
	struct address address = { .v = { [10] = 0xff, [11] = 0xff } };
	bool well_formed;

	if (request->kind == SOCKS_NAME) {
		well_formed = egress_target_parse((const char *)request->host,
						  request->host_n,
						  request->port, target);
	} else {
		memcpy(address.v + sizeof(address.v) - request->host_n,
		       request->host, request->host_n);
		address_format(&address, text);
		well_formed = egress_target_parse(text, strlen(text),
						  request->port, target);
	}
	if (!well_formed || !request->port) {
		refuse_malformed(session);
		return;
	}
	session_consume(session, request->size);
	session_go(session);
}

/* 1: go on, 0: more is needed, -1: the session is over. */
static int socks_greet(struct session *session)
{
	size_t size;
	bool none;

	switch (socks_greeting_parse(session->in, session->in_n, &size,
				     &none)) {
	case SOCKS_OK:
		break;
	case SOCKS_MORE:
		session_wait(session);
		return 0;
	case SOCKS_MALFORMED:
		session_close(session);
		return -1;
	}
	if (flow_put(&session->back, none ? "\5\0" : "\5\377", 2) < 0) {
		session_close(session);
		return -1;
	}
	if (!none) {
		session_finish(session);
		return -1;
	}
	session_consume(session, size);
	session->stage = STAGE_REQUEST;
	return 1;
}

static void socks_input(struct session *session)
{
	struct socks_request request;

	if (session->stage == STAGE_GREETING && socks_greet(session) != 1)
		return;
	switch (socks_request_parse(session->in, session->in_n, &request)) {
	case SOCKS_OK:
		break;
	case SOCKS_MORE:
		session_wait(session);
		return;
	case SOCKS_MALFORMED:
		session_close(session);
		return;
	}
	if (request.refusal != SOCKS_SUCCEEDED)
		socks_answer(session, request.refusal);
	else
		socks_go(session, &request);
}

static void socks_readable(struct session *session)
{
	int n = session_read(session, SOCKS_GREETING_MAX + SOCKS_REQUEST_MAX);

	if (n < 0)
		session_close(session);
	else if (n > 0)
		socks_input(session);
}

static void proxy_open(struct door *door, int fd, uint16_t from)
{
	static const char busy[] =
		"HTTP/1.1 503 Service Unavailable (cordon: too many "
		"connections)\r\nX-Proxy-Error: blocked-by-budget\r\n"
		"Content-Length: 0\r\nConnection: close\r\n\r\n";
	struct session *session =
		session_new(door->egress, &connect_front, fd, from);

	if (!session) {
		(void)send(fd, busy, sizeof(busy) - 1, MSG_NOSIGNAL);
		(void)close(fd);
		return;
	}
	http_readable(session);
}

int front_proxy_listen(struct egress *egress, int fd)
{
	return door_listen(egress, fd, 0, proxy_open);
}
