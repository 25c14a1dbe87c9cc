/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_ANSWER_H
#define CORDON_EGRESS_ANSWER_H

struct address;
struct egress_verdict;
struct session;

/*
 * Answers in place of the server, as a person or a model reads it: status,
 * X-Proxy-Error, a sentence, what would allow it. Ends the session. @verdict
 * NULL: nobody answers there.
 */
void answer_http(struct session *session, const struct egress_verdict *verdict,
		 const struct address *address);

/* A TLS alert, the only word that a client understands before keys. Ends the
 * session. */
void answer_tls(struct session *session);

#endif
