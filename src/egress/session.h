/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_SESSION_H
#define CORDON_EGRESS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "egress/dial.h"
#include "egress/egress.h"
#include "egress/loop.h"
#include "egress/resolve.h"
#include "plan/egress.h"
#include "wire/http.h"

struct egress;
struct session;

/* What differs between the ways in. */
struct front {
	enum egress_form form;
	/* The client has said something, and it is not decided where to. */
	void (*readable)(struct session *session);
	/* Where it wanted to go is open: tell the client. */
	void (*connected)(struct session *session);
	/* It is not: because of the rules, or (@verdict NULL) because nobody
	 * answers there. The session is over but for what is sent here. */
	void (*refused)(struct session *session,
			const struct egress_verdict *verdict,
			const struct address *address);
};

/* Bytes from one end to the other. */
struct flow {
	struct source *from;
	struct source *to;
	char *pending; /* what @to did not take yet; @from waits */
	size_t pending_n;
	size_t pending_at;
	size_t *kept; /* what all flows keep in all */
	uint64_t moved;
	int pipe[2]; /* a long flow is spliced; -1: it is copied */
	size_t piped; /* bytes in it */
	bool spares; /* when @to is gone, the way back goes on */
	bool broken; /* it is: what is left to say is dropped */
	bool eof; /* @from has ended */
	bool done; /* and @to was told */
};

/* How far the client's bytes are looked at before they go on. */
enum inspection {
	INSPECT_NOTHING,
	INSPECT_TLS, /* a ClientHello must come, for the name */
	INSPECT_TLS_AGAIN, /* a second one, which the server asked for */
	INSPECT_FIRST, /* if a ClientHello or a request comes, likewise */
	INSPECT_HTTP, /* a request, and after its body the next */
	INSPECT_PROXY, /* likewise, in absolute form: they are rewritten */
};

/* What the server has to say before more of the client goes on. */
enum answer {
	ANSWER_ANY,
	ANSWER_HELLO, /* is it satisfied, or does it ask for another hello? */
	ANSWER_UPGRADE, /* does it agree to another protocol? */
};

/*
 * A connection of the box and the one it leads to. One client, one server: no
 * request can end up at another's.
 */
struct session {
	struct session *next;
	struct session *prev;
	struct egress *egress;
	const struct front *front;
	struct source client;
	struct source server;
	struct timer timer;
	struct egress_target target;
	uint16_t from; /* the client's port, in the box */
	bool opaque; /* the rule says not to look */
	bool direct; /* not through the upstream proxy */
	bool judged; /* by the rules: new ones may end it */
	bool address_judged; /* likewise for what it reached */
	bool going; /* it is decided, looked up or connected */
	bool relaying;
	bool waits_upstream; /* for the proxy's answer to CONNECT */
	bool finishing; /* what was said to the client goes out, no more */
	bool answered; /* a request went to the server: the next word is its */
	bool too_large; /* what was refused is so for its size */
	const char *failure; /* why nobody answers, for the client */
	int failure_sys; /* the errno behind it; 0: none */
	size_t peeked; /* of an answer that is not whole */
	struct address reached; /* what the server is */
	unsigned int stage; /* of the front's handshake */
	enum inspection inspection;
	struct http_body body; /* INSPECT_HTTP, _PROXY */
	char *in; /* the client's bytes that are not passed on */
	size_t in_n;
	size_t in_room;
	enum answer answer; /* of the server, that is looked at first */
	bool deaf; /* the client is not listened to any more */
	struct flow out; /* client to server */
	struct flow back; /* server to client */
	struct lookup lookup;
	struct dial dial;
};

/* Takes @fd, a connection that was accepted. NULL if there are too many, which
 * is reported; @fd stays the caller's then. */
struct session *session_new(struct egress *egress, const struct front *front,
			    int fd, uint16_t from);
void session_close(struct session *session);
/* As a reset, which is how a client is told that has no other words. */
void session_reset(struct session *session);

/* Has what the box had to say been passed on, to its end? */
bool session_box_is_done(const struct session *session);
/* The box is over: what its clients have said is passed on, then the loop
 * stops. */
void session_drain_all(struct egress *egress);

/* Reads what the client says into session->in, up to @limit bytes in all. The
 * number of new ones; 0: nothing now; -1: it has ended or there is no room; -2:
 * it is gone. */
int session_read(struct session *session, size_t limit);
/* Waits until the client says more. May close the session. */
void session_wait(struct session *session);
/* What the server says, at the beginning of egress->scratch and still to be
 * read: how many bytes; 0: nothing now; -1: there will be no more; -2: it is
 * gone. */
int session_peek(struct session *session);
/* @n are not enough: the server is waited for until there are more. */
void session_peek_more(struct session *session, int n);
void session_peek_end(struct session *session);
/* Drops @n bytes from the front of session->in. */
void session_consume(struct session *session, size_t n);

/* The client wants to go to session->target: judges, resolves, connects, and
 * then calls the front. May close the session. */
void session_go(struct session *session);
/* Likewise to these addresses, without a judgement. */
void session_dial(struct session *session, const struct address *to, size_t n,
		  uint16_t port);
/* To a port of the host's loopback, if no rule denies it. May close the
 * session. */
void session_go_host(struct session *session, uint16_t port);
/* To a port of a loopback, of either family, without a judgement. */
void session_dial_loopback(struct session *session, uint16_t port);
/* The client is told why, in its front's words, and the supervisor too. Ends the
 * session. */
void session_refuse(struct session *session,
		    const struct egress_verdict *verdict,
		    const struct address *address, const char *asked);
/* What is left to send is sent, then the session ends. */
void session_finish(struct session *session);

#endif
