/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/relay.c - bytes between a client and a server
 *
 * Runs in:  the egress process.
 * Trusts:   neither end.
 * Must not: read from an end while the other has not taken what was read, so
 *           that nobody can fill our memory; nor lose what came before an end.
 *
 * Both directions share one large buffer: what the other end takes at once, as
 * it nearly always does, is never stored. A flow that turns out to be long is
 * spliced through a pipe. There are few of these and they are not as large as
 * they could be: their pages count against a limit of the user's that others
 * need.
 */
#include "egress/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "egress/inspect.h"
#include "egress/session.h"
#include "egress/state.h"

enum {
	SPLICE_AFTER = 1 << 20,
	SPLICED_MAX = 16, /* flows */
	PIPE_SIZE = 256 * 1024,
	SPLICE_CHUNK = 1 << 20, /* as much as the pipe has room for */
	/* what all sessions together may keep; beyond half of it they read in
	 * small pieces, of which even the most of them fit */
	PENDING_HALF = 32 << 20,
	SMALL_CHUNK = 8 * 1024,
	BODY_LEAST = 4 * 1024, /* that is left, to be read apart */
};

static bool is_gone(int error)
{
	return error != EAGAIN && error != EINTR;
}

static void pending_drop(struct flow *flow)
{
	if (!flow->pending)
		return;
	*flow->kept -= flow->pending_n;
	free(flow->pending);
	flow->pending = NULL;
}

void flow_free(struct session *session, struct flow *flow)
{
	pending_drop(flow);
	if (flow->pipe[0] >= 0)
		session->egress->spliced_n--;
	fd_close(&flow->pipe[0]);
	fd_close(&flow->pipe[1]);
}

static bool flow_waits(const struct flow *flow)
{
	return flow->pending || flow->piped;
}

/* At the end, and when all that came before it was taken. The last word needs
 * no telling: the end of the session does. */
static void flow_tell_end(struct flow *flow, const struct flow *other)
{
	if (!flow->eof || flow->done || flow_waits(flow))
		return;
	if (!other->done)
		(void)shutdown(flow->to->fd, SHUT_WR);
	flow->done = true;
}

void flow_end(struct flow *flow, const struct flow *other)
{
	flow->eof = true;
	flow_tell_end(flow, other);
}

static int flow_keep(struct flow *flow, const char *data, size_t n)
{
	size_t left = flow->pending ? flow->pending_n - flow->pending_at : 0;
	char *joined = malloc(left + n);

	if (!joined)
		return -1;
	if (left)
		memcpy(joined, flow->pending + flow->pending_at, left);
	memcpy(joined + left, data, n);
	pending_drop(flow);
	*flow->kept += left + n;
	flow->pending = joined;
	flow->pending_n = left + n;
	flow->pending_at = 0;
	return 0;
}

/*
 * @to is gone. A server may have answered before it read all and left: that is
 * still to be passed on, so only what it would have taken is lost.
 */
static int flow_break(struct flow *flow)
{
	char waste[4096];

	if (!flow->spares)
		return -1;
	pending_drop(flow);
	while (flow->piped && read(flow->pipe[0], waste, sizeof(waste)) > 0)
		;
	flow->piped = 0;
	flow->broken = true;
	return 0;
}

int flow_put(struct flow *flow, const char *data, size_t n)
{
	flow->moved += n;
	if (flow->broken)
		return 0;
	while (n && !flow->pending) {
		ssize_t sent = send(flow->to->fd, data, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno != EAGAIN)
			return flow_break(flow);
		if (sent < 0)
			break;
		data += sent;
		n -= (size_t)sent;
	}
	return n ? flow_keep(flow, data, n) : 0;
}

int flow_flush(struct flow *flow)
{
	while (flow->pending) {
		ssize_t sent =
			send(flow->to->fd, flow->pending + flow->pending_at,
			     flow->pending_n - flow->pending_at, MSG_NOSIGNAL);

		if (sent < 0)
			return is_gone(errno) ? flow_break(flow) : 0;
		flow->pending_at += (size_t)sent;
		if (flow->pending_at == flow->pending_n)
			pending_drop(flow);
	}
	return 0;
}

static void flow_splice_if_long(struct session *session, struct flow *flow)
{
	struct egress *egress = session->egress;

	if (flow->pipe[0] >= 0 || flow->moved < SPLICE_AFTER || flow->pending ||
	    egress->spliced_n >= SPLICED_MAX)
		return;
	if (pipe2(flow->pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		flow->pipe[0] = flow->pipe[1] = -1;
	else
		egress->spliced_n++;
	/* Where it stays small it is slower, and works. */
	if (flow->pipe[0] >= 0)
		(void)fcntl(flow->pipe[0], F_SETPIPE_SZ, PIPE_SIZE);
}

static int flow_drain(struct flow *flow)
{
	while (flow->piped) {
		ssize_t n =
			splice(flow->pipe[0], NULL, flow->to->fd, NULL,
			       flow->piped, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

		if (n <= 0)
			return n < 0 && is_gone(errno) ? flow_break(flow) : 0;
		flow->piped -= (size_t)n;
	}
	return 0;
}

/* Is there something that this end has not been sent yet? */
static bool has_unsent(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t n = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 &&
	       info.tcpi_notsent_bytes;
}

/* What could not be read: nothing now, or the end of the session, unless that
 * would take with it what the other end has not been sent. */
static int flow_lost(struct flow *flow)
{
	if (!is_gone(errno))
		return 0;
	if (errno != ECONNRESET || !has_unsent(flow->to->fd))
		return -1;
	flow->eof = true;
	return 0;
}

static int flow_copy(struct session *session, struct flow *flow)
{
	char *scratch = session->egress->scratch;
	ssize_t n = recv(
		flow->from->fd, scratch,
		*flow->kept < PENDING_HALF ? EGRESS_SCRATCH : SMALL_CHUNK, 0);

	if (n < 0)
		return flow_lost(flow);
	if (n == 0)
		flow->eof = true;
	return n ? flow_put(flow, scratch, (size_t)n) : 0;
}

static int flow_splice(struct session *session, struct flow *flow)
{
	ssize_t n = splice(flow->from->fd, NULL, flow->pipe[1], NULL,
			   SPLICE_CHUNK, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

	/* Urgent data stops splice(), and is stepped over by recv(). */
	if (n < 0)
		return is_gone(errno) ? flow_lost(flow)
				      : flow_copy(session, flow);
	if (n == 0)
		flow->eof = true;
	flow->piped += (size_t)n;
	return flow_drain(flow);
}

static int flow_move(struct session *session, struct flow *flow)
{
	flow_splice_if_long(session, flow);
	if (flow->pipe[0] >= 0 && !flow->broken)
		return flow_splice(session, flow);
	return flow_copy(session, flow);
}

static bool in_body(const struct session *session)
{
	return (session->inspection == INSPECT_HTTP ||
		session->inspection == INSPECT_PROXY) &&
	       http_body_ahead(&session->body) >= BODY_LEAST;
}

/* What is certain to be of a body needs no looking at, and goes in large
 * pieces. */
static int read_body(struct session *session)
{
	char *scratch = session->egress->scratch;
	uint64_t left = http_body_ahead(&session->body);
	ssize_t n =
		recv(session->client.fd, scratch,
		     left < EGRESS_SCRATCH ? (size_t)left : EGRESS_SCRATCH, 0);

	if (n < 0)
		return is_gone(errno) ? -1 : 0;
	if (n == 0)
		session->out.eof = true;
	if (n > 0 && (http_body_skip(&session->body, scratch, (size_t)n) != n ||
		      flow_put(&session->out, scratch, (size_t)n) < 0))
		return -1;
	flow_tell_end(&session->out, &session->back);
	return 0;
}

/* The client's bytes, of which some are to be looked at. -1: the session is
 * broken; -2: it is gone. */
static int read_inspected(struct session *session)
{
	int n;

	if (!session->in_n && in_body(session))
		return read_body(session);
	n = session_read(session, SIZE_MAX);
	if (n < -1)
		return -1;
	if ((n > 0 && inspect_input(session) < 0) ||
	    (n < 0 && inspect_end(session) < 0))
		return -2;
	if (n < 0)
		session->out.eof = true;
	flow_tell_end(&session->out, &session->back);
	return 0;
}

static bool reads_client(const struct session *session)
{
	return !session->out.eof && !flow_waits(&session->out) &&
	       session->answer == ANSWER_ANY && !session->deaf;
}

static int relay_watch(struct session *session)
{
	struct loop *loop = &session->egress->loop;
	uint32_t client = 0, server = 0;

	if (reads_client(session))
		client |= EPOLLIN;
	if (flow_waits(&session->back))
		client |= EPOLLOUT;
	if (!session->back.eof && !flow_waits(&session->back))
		server |= EPOLLIN;
	if (flow_waits(&session->out))
		server |= EPOLLOUT;
	if (source_watch(loop, &session->client, client) < 0)
		return -1;
	return source_watch(loop, &session->server, server);
}

/* Who has begun a hello or a request has to end it in time; any other silence
 * is a long one. */
static void restart_timer(struct session *session)
{
	struct egress *egress = session->egress;
	bool begun =
		session->answer == ANSWER_ANY &&
		(session->inspection == INSPECT_TLS ||
		 session->inspection == INSPECT_TLS_AGAIN || session->in_n);

	if (!begun)
		timer_start(&egress->loop, &egress->idle, &session->timer);
	else if (session->timer.queue != &egress->handshake)
		timer_start(&egress->loop, &egress->handshake, &session->timer);
}

static int move_out(struct session *session)
{
	if (flow_flush(&session->out) < 0 || flow_drain(&session->out) < 0)
		return -1;
	flow_tell_end(&session->out, &session->back);
	if (!reads_client(session))
		return 0;
	if (session->inspection != INSPECT_NOTHING)
		return read_inspected(session);
	if (flow_move(session, &session->out) < 0)
		return -1;
	flow_tell_end(&session->out, &session->back);
	return 0;
}

static int move_back(struct session *session)
{
	if (flow_flush(&session->back) < 0 || flow_drain(&session->back) < 0)
		return -1;
	flow_tell_end(&session->back, &session->out);
	if (session->back.eof || flow_waits(&session->back))
		return 0;
	if (session->answer != ANSWER_ANY) {
		int seen = inspect_answer(session);

		if (seen <= 0)
			return seen;
		/* What the client has said meanwhile. */
		if (session->in_n && inspect_input(session) < 0)
			return -2;
	}
	if (flow_move(session, &session->back) < 0)
		return -1;
	flow_tell_end(&session->back, &session->out);
	return 0;
}

void relay_ready(struct session *session, const void *source, uint32_t events)
{
	bool client = source == &session->client;
	int result = 0;

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		result = client ? move_out(session) : move_back(session);
	if (result == 0 && events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		result = client ? move_back(session) : move_out(session);
	if (result == -2)
		return;
	/* A reset is passed on as one. */
	if (result < 0) {
		session_reset(session);
		return;
	}
	/* When the box is over it waits for no answers. */
	if ((session->out.done && session->back.done) ||
	    (session->egress->draining && session_box_is_done(session))) {
		session_close(session);
		return;
	}
	/* What it goes on saying would make the end a reset. */
	if (session->back.done && session->deaf) {
		session_finish(session);
		return;
	}
	restart_timer(session);
	if (relay_watch(session) < 0)
		session_reset(session);
}

void relay_start(struct session *session)
{
	session->relaying = true;
	session->out.spares = true;
	inspect_start(session);
	restart_timer(session);
	/* What came with the handshake, or is there already. */
	if (session->in_n && session->inspection != INSPECT_NOTHING) {
		if (inspect_input(session) < 0)
			return;
	} else if (session->in_n) {
		if (flow_put(&session->out, session->in, session->in_n) < 0) {
			session_reset(session);
			return;
		}
		session_consume(session, session->in_n);
	}
	relay_ready(session, &session->client, EPOLLIN);
}
