/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_INSPECT_H
#define CORDON_EGRESS_INSPECT_H

struct session;

/* What the client's bytes are held to, by its target. */
void inspect_start(struct session *session);

/*
 * Looks at session->in and passes on what may go. Returns 0; -1 when the
 * session was refused and is gone.
 */
int inspect_input(struct session *session);

/*
 * Looks at what the server answers, as session->answer says, before it is read.
 * 1: it is decided, 0: more is needed, -1: the server is
 * gone.
 */
int inspect_answer(struct session *session);

/* Likewise at the client's end: what is unfinished of a hello or a request does
 * not go on; what could have become one, and cannot any more, does. */
int inspect_end(struct session *session);

#endif
