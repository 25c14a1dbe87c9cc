/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/front_stream.c - clients that know of nothing
 *
 * Runs in:  the egress process.
 * Trusts:   the kernel to say where a connection was meant to go.
 * Must not: answer in place of a server in words of ours: a client that is
 *           refused sees a reset, unless it speaks a protocol that has words.
 *
 * Every connection that leaves the box ends here. Its destination is one of the
 * addresses that our DNS gave out for a name, or an address proper; port 53 is
 * DNS itself. Ports of the host's loopback and published ports have doors of
 * their own: the plan lists them.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "egress/dns.h"
#include "egress/front.h"
#include "egress/relay.h"
#include "egress/session.h"
#include "egress/state.h"
#include "wire/dns.h"

static void stream_readable(struct session *session)
{
	session_close(session); /* nothing is read before it is decided */
}

static void stream_refused(struct session *session,
			   const struct egress_verdict *verdict,
			   const struct address *address)
{
	(void)verdict;
	(void)address;
	session_reset(session);
}

static const struct front stream_front = {
	.form = EGRESS_BY_TRANSPARENT,
	.readable = stream_readable,
	.connected = relay_start,
	.refused = stream_refused,
};

/* Questions with their length in front, one after the other. */
static void dns_readable(struct session *session)
{
	int n = session_read(session, 2 + DNS_MESSAGE_MAX);

	if (n < 0)
		session_close(session);
	if (n <= 0)
		return;
	while (session->in_n >= 2) {
		const unsigned char *in = (const unsigned char *)session->in;
		size_t size = (size_t)in[0] << 8 | in[1];
		char answer[2 + DNS_MESSAGE_MAX];
		size_t length;

		if (size > DNS_MESSAGE_MAX) {
			session_close(session);
			return;
		}
		if (session->in_n < 2 + size)
			return;
		length = dns_serve(session->egress, in + 2, size, session->from,
				   answer + 2, DNS_MESSAGE_MAX);
		answer[0] = (char)(length >> 8);
		answer[1] = (char)length;
		/* Who does not read answers gets none. */
		if (!length ||
		    flow_put(&session->back, answer, 2 + length) < 0 ||
		    session->back.pending) {
			session_close(session);
			return;
		}
		session_consume(session, 2 + size);
	}
}

static const struct front dns_front = {
	.form = EGRESS_BY_DNS,
	.readable = dns_readable,
	.refused = stream_refused,
};

static void reset(int fd)
{
	const struct linger none = { .l_onoff = 1 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	(void)close(fd);
}

static int destination(int fd, struct address *out, uint16_t *port)
{
	struct sockaddr_in6 at = { 0 };
	struct sockaddr_in *at4 = (struct sockaddr_in *)&at;
	socklen_t n = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &n) < 0)
		return -1;
	*port = ntohs(at.sin6_port);
	*out = (struct address){ .v = { [10] = 0xff, [11] = 0xff } };
	if (at.sin6_family == AF_INET)
		memcpy(out->v + 12, &at4->sin_addr, 4);
	else
		memcpy(out->v, &at.sin6_addr, 16);
	return 0;
}

static void stream_open(struct door *door, int fd, uint16_t from)
{
	struct egress *egress = door->egress;
	struct session *session;
	struct address to;
	char text[ADDRESS_TEXT];
	uint16_t port;

	/* The box's own loopback is not ours to serve. */
	if (destination(fd, &to, &port) < 0 ||
	    (port != EGRESS_DNS_PORT &&
	     address_classify(&to) == ADDRESS_LOOPBACK)) {
		reset(fd);
		return;
	}
	session = session_new(
		egress, port == EGRESS_DNS_PORT ? &dns_front : &stream_front,
		fd, from);
	if (!session) {
		reset(fd);
	} else if (port == EGRESS_DNS_PORT) {
		session_wait(session);
	} else {
		address_format(&to, text);
		(void)egress_target_parse(text, strlen(text), port,
					  &session->target);
		session_go(session);
	}
}

int front_stream_listen(struct egress *egress, int fd)
{
	return door_listen(egress, fd, 0, stream_open);
}

static void host_open(struct door *door, int fd, uint16_t from)
{
	struct session *session =
		session_new(door->egress, &stream_front, fd, from);

	if (!session) {
		reset(fd);
		return;
	}
	strcpy(session->target.name, EGRESS_HOST_NAME);
	session->target.port = door->port;
	session_go_host(session, door->port);
}

int front_host_listen(struct egress *egress, int fd, uint16_t port)
{
	return door_listen(egress, fd, port, host_open);
}

/* A socket in the box's network, from the process that lives there. */
static int make_inside(struct dial *dial, int family)
{
	struct session *session =
		(struct session *)((char *)dial -
				   offsetof(struct session, dial));
	int channel = session->egress->start->inside, fd = -1;
	size_t n = 1;
	struct err err;
	char byte = family == AF_INET ? '4' : '6';

	/* Without it ports that were promised lead nowhere: the box ends. */
	if (fd_send(channel, &byte, 1, NULL, 0, &err) < 0 ||
	    fd_recv(channel, &byte, 1, &fd, &n) != 1)
		_exit(1);
	if (n != 1)
		errno = ENETUNREACH;
	return fd;
}

static void publish_open(struct door *door, int fd, uint16_t from)
{
	struct session *session =
		session_new(door->egress, &stream_front, fd, 0);

	(void)from; /* it is the host's */

	if (!session) {
		reset(fd);
		return;
	}
	session->dial.make = make_inside;
	strcpy(session->target.name, "(published)");
	session->target.port = door->port;
	session_dial_loopback(session, door->port);
}

int front_publish_listen(struct egress *egress, int fd, uint16_t port)
{
	return door_listen(egress, fd, port, publish_open);
}
