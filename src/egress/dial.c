/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/dial.c - connects to one of several addresses
 *
 * Runs in:  the egress process.
 * Trusts:   the addresses: they were judged, and nothing is resolved here.
 * Must not: leave a socket behind that nobody waits for.
 */
#include "egress/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/fd.h"

static socklen_t sockaddr_fill(const struct address *address, uint16_t port,
			       struct sockaddr_storage *out)
{
	struct sockaddr_in *in = (struct sockaddr_in *)out;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;

	memset(out, 0, sizeof(*out));
	if (address_is_ipv4(address)) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, address->v + 12, 4);
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	memcpy(&in6->sin6_addr, address->v, 16);
	return sizeof(*in6);
}

static void attempts_close(struct dial *dial)
{
	timer_stop(&dial->timer);
	for (size_t i = 0; i < dial->next; i++)
		source_close(dial->loop, &dial->attempts[i].source);
	dial->open = 0;
}

void dial_cancel(struct dial *dial)
{
	if (dial->loop)
		attempts_close(dial);
	dial->loop = NULL;
}

static void finish(struct dial *dial, int fd)
{
	attempts_close(dial);
	dial->loop = NULL;
	dial->done(dial, fd, dial->sys);
}

/* Is there a connection by now? 1, 0: not yet, -1: it failed. */
static int attempt_look(struct attempt *attempt)
{
	struct dial *dial = attempt->dial;
	size_t i = (size_t)(attempt - dial->attempts);
	struct sockaddr_storage to;
	socklen_t n = sockaddr_fill(&dial->to[i], dial->port, &to);

	if (connect(attempt->source.fd, (struct sockaddr *)&to, n) == 0 ||
	    errno == EISCONN)
		return 1;
	if (errno == EALREADY || errno == EINPROGRESS || errno == EINTR)
		return 0;
	dial->sys = errno;
	return -1;
}

static void try_next(struct dial *dial);

static void attempt_ready(struct source *source, uint32_t events)
{
	struct attempt *attempt =
		(struct attempt *)((char *)source -
				   offsetof(struct attempt, source));
	struct dial *dial = attempt->dial;
	int state = attempt_look(attempt);

	(void)events;
	if (state == 0)
		return;
	if (state > 0) {
		(void)source_watch(dial->loop, source, 0);
		dial->reached = (size_t)(attempt - dial->attempts);
		finish(dial, fd_take(&source->fd));
		return;
	}
	source_close(dial->loop, source);
	dial->open--;
	try_next(dial);
}

/* 1: connected, 0: waits, -1: failed. */
static int attempt_start(struct attempt *attempt, const struct address *to)
{
	struct dial *dial = attempt->dial;
	int family = address_is_ipv4(to) ? AF_INET : AF_INET6;
	int fd = dial->make ? dial->make(dial, family)
			    : socket(family,
				     SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
				     0);
	int state;

	attempt->source = (struct source){ .fd = fd,
					   .ready = attempt_ready,
					   .shared = dial->make != NULL };
	if (fd < 0) {
		dial->sys = errno;
		return -1;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 },
			 sizeof(int));
	state = attempt_look(attempt);
	/* On this host it is there already, but the first call does not say
	 * so. */
	if (state == 0)
		state = attempt_look(attempt);
	if (state == 0 &&
	    source_watch(dial->loop, &attempt->source, EPOLLOUT) < 0) {
		dial->sys = errno;
		state = -1;
	}
	if (state < 0)
		source_close(dial->loop, &attempt->source);
	return state;
}

static void try_next(struct dial *dial)
{
	while (dial->next < dial->n) {
		size_t i = dial->next++;
		struct attempt *attempt = &dial->attempts[i];
		int state;

		attempt->dial = dial;
		state = attempt_start(attempt, &dial->to[i]);
		if (state > 0) {
			dial->reached = i;
			finish(dial, fd_take(&attempt->source.fd));
			return;
		}
		if (state == 0) {
			dial->open++;
			if (dial->next < dial->n)
				timer_start(dial->loop, dial->head_starts,
					    &dial->timer);
			return;
		}
	}
	if (!dial->open)
		finish(dial, -1);
}

static void head_start_over(struct timer *timer)
{
	try_next((struct dial *)((char *)timer - offsetof(struct dial, timer)));
}

void dial_start(struct dial *dial, struct loop *loop,
		struct timer_queue *head_starts, const struct address *to,
		size_t n, uint16_t port)
{
	dial->loop = loop;
	dial->head_starts = head_starts;
	dial->timer = (struct timer){ .expired = head_start_over };
	dial->port = port;
	dial->n = n < LOOKUP_ADDRESSES_MAX ? n : LOOKUP_ADDRESSES_MAX;
	dial->next = 0;
	dial->open = 0;
	dial->sys = EHOSTUNREACH;
	memcpy(dial->to, to, dial->n * sizeof(*to));
	try_next(dial);
}
