/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/answer.c - refusals in words that the client's protocol has
 *
 * Runs in:  the egress process.
 * Trusts:   canonical names only: nothing that a client wrote goes into a head
 *           as it was written.
 * Must not: be taken for the server's word: it says who speaks.
 */
#include "egress/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "egress/relay.h"
#include "egress/session.h"
#include "plan/egress.h"

static const char *status_of(enum egress_why why)
{
	switch (why) {
	case EGRESS_NAME_DIFFERS:
		return "421 Misdirected Request";
	case EGRESS_MALFORMED:
		return "400 Bad Request";
	case EGRESS_BUDGET:
		return "503 Service Unavailable";
	case EGRESS_ALLOWED:
	case EGRESS_DENIED:
	case EGRESS_UNLISTED:
	case EGRESS_PORT:
	case EGRESS_PLACE:
	case EGRESS_OWN:
	case EGRESS_NOT_TLS:
		break;
	}
	return "403 Forbidden";
}

/* curl, git and others print the status line and nothing else of a CONNECT
 * that failed, so the code is in it. */
static void head_format(struct text *out, const char *status, const char *code,
			size_t length)
{
	text_addf(out,
		  "HTTP/1.1 %s (cordon: %s)\r\n"
		  "X-Proxy-Error: %s\r\n"
		  "Content-Type: text/plain; charset=utf-8\r\n"
		  "Content-Length: %zu\r\n"
		  "Connection: close\r\n\r\n",
		  status, code, code, length);
}

void answer_http(struct session *session, const struct egress_verdict *verdict,
		 const struct address *address)
{
	AUTO_ARENA arena = { 0 };
	struct text body = { .arena = &arena }, all = { .arena = &arena };
	const struct egress_target *target = &session->target;
	const char *status = "502 Bad Gateway", *code = "upstream-unreachable";
	const char *remedy = NULL;

	text_add(&body, "cordon: ");
	if (verdict) {
		status = session->too_large
				 ? "431 Request Header Fields Too Large"
				 : status_of(verdict->why);
		code = egress_why_code(verdict->why);
		text_add(&body,
			 egress_reason(&arena, target, address, verdict));
		remedy = egress_remedy(&arena, target, address, verdict);
	} else {
		text_addf(&body, "%s port %u cannot be reached: %s",
			  target->name, target->port, session->failure);
	}
	text_add(&body, "\n");
	if (remedy)
		text_addf(&body, "To allow it: %s\n", remedy);
	head_format(&all, status, code, body.n);
	text_add(&all, text_str(&body));
	if (flow_put(&session->back, text_str(&all), all.n) < 0)
		session_close(session);
	else
		session_finish(session);
}

void answer_tls(struct session *session)
{
	/* fatal, access_denied (RFC 8446, 6.2) */
	static const char alert[] = { 0x15, 3, 1, 0, 2, 2, 49 };

	if (flow_put(&session->back, alert, sizeof(alert)) < 0)
		session_close(session);
	else
		session_finish(session);
}
