/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/session.c - from a client that wants to go somewhere to a server
 *
 * Runs in:  the egress process.
 * Trusts:   nothing that a client says, nor what a name resolves to: both are
 *           judged, and what was judged is what is connected to.
 * Must not: look up a name that is not allowed, as a question tells things.
 */
#include "egress/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "egress/names.h"
#include "egress/own.h"
#include "egress/relay.h"
#include "egress/state.h"

#define SESSION_OF(member_pointer, member)                                     \
	((struct session *)((char *)(member_pointer)-offsetof(struct session,  \
							      member)))

enum { IN_FIRST = 4096, IN_MAX = 80 * 1024, SPARES_MAX = 16 };

static void client_ready(struct source *source, uint32_t events);
static void server_ready(struct source *source, uint32_t events);
static void time_over(struct timer *timer);

static void list_add(struct session *session)
{
	struct egress *egress = session->egress;

	session->next = egress->sessions;
	if (session->next)
		session->next->prev = session;
	egress->sessions = session;
	egress->sessions_n++;
}

static void list_remove(struct session *session)
{
	struct egress *egress = session->egress;

	if (session->prev)
		session->prev->next = session->next;
	else
		egress->sessions = session->next;
	if (session->next)
		session->next->prev = session->prev;
	egress->sessions_n--;
}

/* Most sessions are short: those that ended serve again, with their buffer. */
static struct session *session_take(struct egress *egress)
{
	struct session *s = egress->spare_sessions;
	char *in;
	size_t room;

	if (!s)
		return calloc(1, sizeof(*s));
	egress->spare_sessions = s->next;
	egress->spare_sessions_n--;
	in = s->in;
	room = s->in_room;
	memset(s, 0, sizeof(*s));
	s->in = in;
	s->in_room = room;
	return s;
}

static void session_give_back(struct session *s)
{
	struct egress *egress = s->egress;

	if (egress->spare_sessions_n >= SPARES_MAX || s->in_room > IN_FIRST) {
		free(s->in);
		free(s);
		return;
	}
	s->next = egress->spare_sessions;
	egress->spare_sessions = s;
	egress->spare_sessions_n++;
}

struct session *session_new(struct egress *egress, const struct front *front,
			    int fd, uint16_t from)
{
	struct session *s = NULL;

	if (egress->sessions_n < egress->sessions_max)
		s = session_take(egress);
	if (!s) {
		egress_refused(egress,
			       &(struct egress_target){ .name = "(any)" }, NULL,
			       &(struct egress_verdict){ .why = EGRESS_BUDGET },
			       NULL, front->form, 0);
		return NULL;
	}
	s->egress = egress;
	s->front = front;
	s->from = from;
	s->client = (struct source){ .fd = fd, .ready = client_ready };
	s->server = (struct source){ .fd = -1, .ready = server_ready };
	s->timer.expired = time_over;
	s->out = (struct flow){ .from = &s->client,
				.to = &s->server,
				.kept = &egress->pending,
				.pipe = { -1, -1 } };
	s->back = (struct flow){ .from = &s->server,
				 .to = &s->client,
				 .kept = &egress->pending,
				 .pipe = { -1, -1 } };
	list_add(s);
	timer_start(&egress->loop, &egress->handshake, &s->timer);
	return s;
}

void session_close(struct session *session)
{
	struct egress *egress = session->egress;

	lookup_cancel(egress->resolver, &session->lookup);
	dial_cancel(&session->dial);
	timer_stop(&session->timer);
	flow_free(session, &session->out);
	flow_free(session, &session->back);
	source_close(&egress->loop, &session->client);
	source_close(&egress->loop, &session->server);
	list_remove(session);
	session_give_back(session);
	if (egress->draining && !egress->sessions_n)
		egress->loop.stop = true;
}

bool session_box_is_done(const struct session *session)
{
	/* Behind a published port it is the server. */
	return session->dial.make ? session->back.done : session->out.done;
}

void session_drain_all(struct egress *egress)
{
	struct session *next;

	egress->draining = true;
	egress->loop.stop = !egress->sessions_n;
	for (struct session *s = egress->sessions; s; s = next) {
		next = s->next;
		if (!s->relaying || session_box_is_done(s))
			session_close(s);
	}
}

void session_reset(struct session *session)
{
	const struct linger none = { .l_onoff = 1 };

	(void)setsockopt(session->client.fd, SOL_SOCKET, SO_LINGER, &none,
			 sizeof(none));
	if (session->server.fd >= 0)
		(void)setsockopt(session->server.fd, SOL_SOCKET, SO_LINGER,
				 &none, sizeof(none));
	session_close(session);
}

static bool make_room(struct session *session, size_t limit)
{
	size_t room = session->in_room ? session->in_room * 2 : IN_FIRST;
	char *in;

	if (session->in_n < session->in_room)
		return true;
	if (room > IN_MAX)
		room = IN_MAX;
	if (room > limit)
		room = limit;
	if (room <= session->in_n)
		return false;
	in = realloc(session->in, room);
	if (!in)
		return false;
	session->in = in;
	session->in_room = room;
	return true;
}

int session_read(struct session *session, size_t limit)
{
	ssize_t n;

	if (!make_room(session, limit))
		return -1;
	n = recv(session->client.fd, session->in + session->in_n,
		 session->in_room - session->in_n, 0);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -2;
	session->in_n += (size_t)n;
	return n ? (int)n : -1;
}

void session_consume(struct session *session, size_t n)
{
	session->in_n -= n;
	if (session->in_n) {
		memmove(session->in, session->in + n, session->in_n);
	} else if (session->in_room > IN_FIRST) {
		/* A large one is needed once. */
		free(session->in);
		session->in = NULL;
		session->in_room = 0;
	}
}

void session_wait(struct session *session)
{
	if (source_watch(&session->egress->loop, &session->client, EPOLLIN) < 0)
		session_close(session);
}

/* Reads and forgets, so that what was sent is not lost with a reset. */
static void finish_ready(struct session *session)
{
	struct egress *egress = session->egress;
	ssize_t n;

	if (flow_flush(&session->back) < 0) {
		session_close(session);
		return;
	}
	if (!session->back.pending)
		flow_end(&session->back, &session->out);
	n = recv(session->client.fd, egress->scratch, EGRESS_SCRATCH, 0);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ||
	    source_watch(&egress->loop, &session->client,
			 session->back.pending ? EPOLLIN | EPOLLOUT : EPOLLIN) <
		    0)
		session_close(session);
}

void session_finish(struct session *session)
{
	struct egress *egress = session->egress;

	session->finishing = true;
	session->relaying = false;
	lookup_cancel(egress->resolver, &session->lookup);
	dial_cancel(&session->dial);
	source_close(&egress->loop, &session->server);
	timer_start(&egress->loop, &egress->handshake, &session->timer);
	finish_ready(session);
}

static void session_fail(struct session *session, const char *why)
{
	session->failure = why;
	session->front->refused(session, NULL, NULL);
}

void session_refuse(struct session *session,
		    const struct egress_verdict *verdict,
		    const struct address *address, const char *asked)
{
	egress_refused(session->egress, &session->target, address, verdict,
		       asked, session->front->form, session->from);
	session->front->refused(session, verdict, address);
}

static void time_over(struct timer *timer)
{
	struct session *session = SESSION_OF(timer, timer);

	if (!session->finishing && !session->relaying &&
	    (session->lookup.pending || session->dial.loop ||
	     session->waits_upstream))
		session_fail(session, "it did not answer in time");
	else
		session_close(session);
}

int session_peek(struct session *session)
{
	ssize_t n = recv(session->server.fd, session->egress->scratch,
			 HTTP_HEAD_MAX, MSG_PEEK);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -2;
	/* Woken, and nothing is new: it will not be whole any more. */
	if ((size_t)n == session->peeked)
		return -1;
	return (int)n;
}

void session_peek_more(struct session *session, int n)
{
	session->peeked = (size_t)n;
	(void)setsockopt(session->server.fd, SOL_SOCKET, SO_RCVLOWAT,
			 &(int){ n + 1 }, sizeof(int));
}

void session_peek_end(struct session *session)
{
	if (!session->peeked)
		return;
	session->peeked = 0;
	(void)setsockopt(session->server.fd, SOL_SOCKET, SO_RCVLOWAT,
			 &(int){ 1 }, sizeof(int));
}

/* The proxy's answer to CONNECT; what follows it is the server's. */
static void upstream_answered(struct session *session)
{
	char *scratch = session->egress->scratch;
	unsigned int status = 0;
	size_t head = 0;
	int n = session_peek(session);

	if (n == 0)
		return;
	if (n < 0) {
		session_fail(session, "the upstream proxy closed");
		return;
	}
	switch (http_response_parse(scratch, (size_t)n, &status, &head)) {
	case HTTP_OK:
		break;
	case HTTP_MORE:
		session_peek_more(session, n);
		return;
	case HTTP_MALFORMED:
	case HTTP_TOO_LARGE:
	case HTTP_OTHER:
		session_fail(session, "the upstream proxy does not speak HTTP");
		return;
	}
	session_peek_end(session);
	if (recv(session->server.fd, scratch, head, 0) != (ssize_t)head ||
	    status / 100 != 2) {
		session_fail(session, "the upstream proxy refused");
		return;
	}
	session->waits_upstream = false;
	session->front->connected(session);
}

static void client_ready(struct source *source, uint32_t events)
{
	struct session *session = SESSION_OF(source, client);

	if (session->finishing)
		finish_ready(session);
	else if (session->relaying)
		relay_ready(session, source, events);
	else if (session->going)
		/* Nothing is read before it is known where it goes. */
		(void)source_watch(&session->egress->loop, source, 0);
	else
		session->front->readable(session);
}

static void server_ready(struct source *source, uint32_t events)
{
	struct session *session = SESSION_OF(source, server);

	if (session->relaying)
		relay_ready(session, source, events);
	else if (session->waits_upstream)
		upstream_answered(session);
}

static void ask_upstream(struct session *session)
{
	const struct egress_target *to = &session->target;
	bool brackets = to->is_address && !address_is_ipv4(&to->address);
	const char *open = brackets ? "[" : "", *close = brackets ? "]" : "";
	char head[700];
	int n = snprintf(head, sizeof(head),
			 "CONNECT %s%s%s:%u HTTP/1.1\r\n"
			 "Host: %s%s%s:%u\r\n\r\n",
			 open, to->name, close, to->port, open, to->name, close,
			 to->port);

	session->waits_upstream = true;
	if (flow_put(&session->out, head, (size_t)n) < 0 ||
	    session->out.pending ||
	    source_watch(&session->egress->loop, &session->server, EPOLLIN) < 0)
		session_fail(session, "the upstream proxy closed");
}

static void dialled(struct dial *dial, int fd, int sys)
{
	struct session *session = SESSION_OF(dial, dial);
	struct egress *egress = session->egress;
	struct egress_verdict verdict;

	if (fd < 0) {
		session->failure_sys = sys;
		session_fail(session, strerror(sys));
		return;
	}
	session->server.fd = fd;
	session->server.shared = dial->make != NULL;
	session->reached = dial->to[dial->reached];
	/* The rules may have changed since. */
	if (session->address_judged &&
	    !egress_judge_address(
		    &egress->rules, &session->target, &session->reached,
		    own_address(&egress->own, &egress->loop, &session->reached),
		    &verdict)) {
		session_refuse(session, &verdict, &session->reached, NULL);
		return;
	}
	if (session->egress->start->plan->upstream.set && !session->direct)
		ask_upstream(session);
	else
		session->front->connected(session);
}

void session_dial(struct session *session, const struct address *to, size_t n,
		  uint16_t port)
{
	struct egress *egress = session->egress;

	timer_start(&egress->loop, &egress->connecting, &session->timer);
	session->dial.done = dialled;
	dial_start(&session->dial, &egress->loop, &egress->head_starts, to, n,
		   port);
}

/* Of what a name resolved to, that which may be reached. */
static void dial_allowed(struct session *session, const struct address *found,
			 size_t n)
{
	struct egress *egress = session->egress;
	struct egress_verdict verdict = { 0 }, first = { 0 };
	struct address to[LOOKUP_ADDRESSES_MAX];
	const struct address *refused = NULL;
	size_t allowed = 0;

	for (size_t i = 0; i < n; i++) {
		if (egress_judge_address(
			    &egress->rules, &session->target, &found[i],
			    own_address(&egress->own, &egress->loop, &found[i]),
			    &verdict)) {
			to[allowed++] = found[i];
		} else if (!refused) {
			refused = &found[i];
			first = verdict;
		}
	}
	session->address_judged = true;
	if (allowed)
		session_dial(session, to, allowed, session->target.port);
	else
		session_refuse(session, &first, refused, NULL);
}

static void looked_up(struct lookup *lookup, enum lookup_status status,
		      const struct address *found, size_t n)
{
	struct session *session = SESSION_OF(lookup, lookup);
	const struct plan_egress *plan = session->egress->start->plan;

	switch (status) {
	case LOOKUP_FOUND:
		if (plan->upstream.set && !session->direct)
			session_dial(session, found, n,
				     plan->upstream.host.port);
		else
			dial_allowed(session, found, n);
		break;
	case LOOKUP_NO_NAME:
		session_fail(session, "there is no such name");
		break;
	case LOOKUP_FAILED:
		session_fail(session, "no name server answered");
		break;
	case LOOKUP_BUDGET:
		session_refuse(session,
			       &(struct egress_verdict){ .why = EGRESS_BUDGET },
			       NULL, NULL);
		break;
	}
}

static void look_up(struct session *session, const char *name)
{
	struct egress *egress = session->egress;

	timer_start(&egress->loop, &egress->connecting, &session->timer);
	session->lookup.done = looked_up;
	lookup_start(egress->resolver, &session->lookup, name);
}

static bool is_host_port(const struct egress *egress, uint16_t port)
{
	const struct plan_egress *plan = egress->start->plan;

	for (size_t i = 0; i < plan->host_ports.n; i++) {
		if (plan->host_ports.v[i] == port)
			return true;
	}
	return false;
}

void session_dial_loopback(struct session *session, uint16_t port)
{
	static const struct address loopback[] = {
		{ { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 } },
		{ { [15] = 1 } },
	};

	session->opaque = true;
	session->direct = true;
	session_dial(session, loopback, 2, port);
}

void session_go_host(struct session *session, uint16_t port)
{
	struct egress_verdict verdict;

	if (egress_judge_host(&session->egress->rules, port, &verdict))
		session_dial_loopback(session, port);
	else
		session_refuse(session, &verdict, NULL, NULL);
}

static void go_upstream(struct session *session)
{
	const struct egress_target *host =
		&session->egress->start->plan->upstream.host;

	if (host->is_address)
		session_dial(session, &host->address, 1, host->port);
	else
		look_up(session, host->name);
}

void session_go(struct session *session)
{
	struct egress *egress = session->egress;
	struct egress_target *target = &session->target;
	struct egress_verdict verdict = { .why = EGRESS_UNLISTED };

	session->going = true;
	if (target->is_address && egress_address_stands_in(&target->address)) {
		const char *name = names_find(egress->names, &target->address);

		if (!name || !egress_target_parse(name, strlen(name),
						  target->port, target)) {
			session_refuse(session, &verdict, NULL, NULL);
			return;
		}
	}
	/* A client that asks the proxy for its own loopback means the port that
	 * it sees there. */
	if (egress_target_is_host(target) &&
	    is_host_port(egress, target->port)) {
		session_go_host(session, target->port);
		return;
	}
	/* Its name is ours: nobody else is asked for it, whatever is allowed. */
	if (!strcmp(target->name, EGRESS_HOST_NAME)) {
		session_refuse(session, &verdict, NULL, NULL);
		return;
	}
	if (!egress_judge(&egress->rules, target, &verdict)) {
		session_refuse(session, &verdict, NULL, NULL);
		return;
	}
	session->judged = true;
	session->opaque = verdict.rule && verdict.rule->opaque;
	session->direct = target->is_address &&
			  address_classify(&target->address) != ADDRESS_PUBLIC;
	if (egress->start->plan->upstream.set && !session->direct)
		go_upstream(session);
	else if (target->is_address)
		dial_allowed(session, &target->address, 1);
	else
		look_up(session, target->name);
}
