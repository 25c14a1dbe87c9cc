/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/query.c - asks name servers
 *
 * Runs in:  the egress process.
 * Trusts:   the servers of the host, as far as their answers can be told from
 *           anybody's: by address, port, id and question.
 * Must not: open files, or wait for one server as long as it likes.
 */
#include "egress/query.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "wire/dns.h"

enum {
	STREAMS_MAX = 8, /* answers over 4 KiB are rare */
	BATCH = 16, /* datagrams, before others have their turn */
	PREFIX = 2, /* length, in front of a message on a stream */
};

/* First what is sent, then what is received. */
struct query_stream {
	struct query_stream *next;
	size_t n; /* bytes of the message with its prefix, when sending */
	size_t at; /* of them sent; or bytes received */
	bool sent;
	unsigned char v[PREFIX + UINT16_MAX];
};

void querier_init(struct querier *querier, struct arena *arena,
		  struct loop *loop, const struct servers *servers)
{
	*querier = (struct querier){
		.arena = arena,
		.loop = loop,
		.servers = *servers,
	};
	for (unsigned int i = 0; i < SERVERS_TIMEOUT_MAX_S; i++) {
		querier->timeouts[i].ms = (i + 1) * 1000;
		timer_queue_add(loop, &querier->timeouts[i]);
	}
}

static struct query_stream *stream_take(struct querier *querier)
{
	struct query_stream *stream = querier->streams;

	if (stream)
		querier->streams = stream->next;
	else if (querier->streams_n < STREAMS_MAX) {
		stream = arena_array(querier->arena, struct query_stream, 1);
		querier->streams_n++;
	}
	return stream;
}

/* Ends a try, not the query. */
static void hang_up(struct query *query)
{
	struct querier *querier = query->querier;

	timer_stop(&query->timer);
	source_close(querier->loop, &query->source);
	if (query->stream) {
		query->stream->next = querier->streams;
		querier->streams = query->stream;
		query->stream = NULL;
	}
}

void query_stop(struct query *query)
{
	if (!query->querier)
		return;
	hang_up(query);
	query->querier = NULL;
}

static void finish(struct query *query, const struct dns_reply *reply)
{
	query_stop(query);
	query->done(query, reply);
}

/* A connected socket of @type, which has a port of its own. */
static int dial(struct query *query, int type)
{
	const struct servers *servers = &query->servers;
	const struct sockaddr *to = &servers->v[query->server].any;
	socklen_t n = to->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					       : sizeof(struct sockaddr_in6);

	query->source.fd =
		socket(to->sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (query->source.fd < 0)
		return -1;
	if (connect(query->source.fd, to, n) < 0 && errno != EINPROGRESS)
		return -1;
	return 0;
}

static void wait_for_answer(struct query *query)
{
	struct querier *querier = query->querier;

	timer_start(querier->loop,
		    &querier->timeouts[query->servers.timeout_s - 1],
		    &query->timer);
}

static void datagram_ready(struct source *source, uint32_t events);

static int ask_by_datagram(struct query *query)
{
	unsigned char question[12 + DNS_NAME_MAX + 2 + 4 + 11];
	size_t n;

	if (getrandom(&query->id, sizeof(query->id), 0) != sizeof(query->id) ||
	    dial(query, SOCK_DGRAM) < 0)
		return -1;
	n = dns_question_format(query->id, query->name, query->type, question,
				sizeof(question));
	query->source.ready = datagram_ready;
	if (!n || send(query->source.fd, question, n, MSG_NOSIGNAL) < 0)
		return -1;
	return source_watch(query->querier->loop, &query->source, EPOLLIN);
}

/* The next server, or the first again. */
static void ask_next(struct query *query)
{
	const struct servers *servers = &query->servers;

	hang_up(query);
	while (query->tries < servers->n * servers->attempts) {
		query->server =
			(query->querier->turn + query->tries++) % servers->n;
		if (ask_by_datagram(query) == 0) {
			wait_for_answer(query);
			return;
		}
		hang_up(query);
	}
	finish(query, NULL);
}

static void timed_out(struct timer *timer)
{
	struct query *query =
		(struct query *)((char *)timer - offsetof(struct query, timer));

	ask_next(query);
}

/* What a reply from the right place says. */
static void conclude(struct query *query, const struct dns_reply *reply)
{
	if (reply->code == DNS_NO_ERROR || reply->code == DNS_NO_NAME)
		finish(query, reply);
	else
		ask_next(query);
}

static void stream_receive(struct query *query)
{
	struct query_stream *stream = query->stream;
	ssize_t n = recv(query->source.fd, stream->v + stream->at,
			 sizeof(stream->v) - stream->at, 0);
	struct dns_reply reply;
	size_t size;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		ask_next(query);
		return;
	}
	stream->at += (size_t)n;
	if (stream->at < PREFIX)
		return;
	size = (size_t)stream->v[0] << 8 | stream->v[1];
	if (stream->at < PREFIX + size)
		return;
	if (dns_reply_parse(stream->v + PREFIX, size, query->id, query->name,
			    query->type, &reply) ||
	    reply.truncated)
		ask_next(query);
	else
		conclude(query, &reply);
}

static void stream_send(struct query *query)
{
	struct query_stream *stream = query->stream;
	ssize_t n = send(query->source.fd, stream->v + stream->at,
			 stream->n - stream->at, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		ask_next(query);
		return;
	}
	stream->at += (size_t)n;
	if (stream->at < stream->n)
		return;
	stream->sent = true;
	stream->at = 0;
	if (source_watch(query->querier->loop, &query->source, EPOLLIN) < 0)
		ask_next(query);
}

static void stream_ready(struct source *source, uint32_t events)
{
	struct query *query = (struct query *)source;

	(void)events;
	if (query->stream->sent)
		stream_receive(query);
	else
		stream_send(query);
}

/* The same question, to the same server. */
static int ask_by_stream(struct query *query)
{
	struct querier *querier = query->querier;
	struct query_stream *stream;

	hang_up(query);
	stream = query->stream = stream_take(querier);
	if (!stream || dial(query, SOCK_STREAM) < 0)
		return -1;
	stream->n = dns_question_format(query->id, query->name, query->type,
					stream->v + PREFIX,
					sizeof(stream->v) - PREFIX);
	stream->v[0] = (unsigned char)(stream->n >> 8);
	stream->v[1] = (unsigned char)stream->n;
	stream->n += PREFIX;
	stream->at = 0;
	stream->sent = false;
	query->source.ready = stream_ready;
	wait_for_answer(query);
	return source_watch(querier->loop, &query->source, EPOLLOUT);
}

static void datagram_ready(struct source *source, uint32_t events)
{
	struct query *query = (struct query *)source;
	unsigned char data[DNS_MESSAGE_MAX];
	struct dns_reply reply;

	(void)events;
	for (int i = 0; i < BATCH; i++) {
		ssize_t n = recv(source->fd, data, sizeof(data), 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			/* Nobody listens there. */
			ask_next(query);
			return;
		}
		/* It may be somebody's guess: the right one can still come. */
		if (dns_reply_parse(data, (size_t)n, query->id, query->name,
				    query->type, &reply))
			continue;
		if (!reply.truncated)
			conclude(query, &reply);
		else if (ask_by_stream(query) < 0)
			ask_next(query);
		return;
	}
}

void query_start(struct querier *querier, struct query *query, const char *name,
		 uint16_t type)
{
	query->source = (struct source){ .fd = -1 };
	query->timer = (struct timer){ .expired = timed_out };
	query->querier = querier;
	query->servers = querier->servers;
	query->name = name;
	query->type = type;
	query->tries = 0;
	if (querier->servers.rotate)
		querier->turn++;
	ask_next(query);
}
