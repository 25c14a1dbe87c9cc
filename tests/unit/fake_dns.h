/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_FAKE_DNS_H
#define CORDON_TESTS_FAKE_DNS_H

/*
 * A name server on loopback that behaves as the name in the question says. It
 * is served by the loop of whoever asks it.
 */
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "egress/loop.h"
#include "wire/dns.h"

/* What it was asked, and how. */
struct fake {
	struct source udp;
	struct source listener;
	struct source tcp;
	struct loop *loop;
	uint16_t port;
	bool fails; /* every question */
	unsigned int asked[2]; /* A, AAAA by datagram */
	unsigned int streams;
	unsigned char in[512]; /* of the stream */
	size_t in_n;
};

static const unsigned char v4[3][4] = { { 192, 0, 2, 1 },
					{ 192, 0, 2, 2 },
					{ 192, 0, 2, 3 } };
static const unsigned char v6[2][16] = {
	{ 0x20, 1, 0x0d, 0xb8, [15] = 1 },
	{ 0x20, 1, 0x0d, 0xb8, [15] = 2 },
};

static bool is(const struct dns_question *q, const char *name)
{
	return !strcmp(q->name, name);
}

static size_t answer(const struct dns_question *q, const void *data, size_t n,
		     unsigned char *out, size_t room)
{
	return dns_answer_format(q, data, DNS_NO_ERROR,
				 q->type == DNS_A ? (const void *)v4 : v6, n,
				 is(q, "short.test") ? 0 : 30, out, room);
}

/* The question's name is another's, whose address follows. */
static size_t answer_alias(const struct dns_question *q, const void *data,
			   unsigned char *out, size_t room)
{
	static const char records[] = "\xc0\x0c\0\5\0\1\0\0\0\x05\0\7\4real"
				      "\xc0\x12\4real\xc0\x12\0\1\0\1\0\0\0\x09"
				      "\0\4\xc0\0\2\1";
	size_t n =
		dns_answer_format(q, data, DNS_NO_ERROR, NULL, 0, 0, out, room);

	if (q->type != DNS_A)
		return n;
	n = q->size;
	memcpy(out + n, records, sizeof(records) - 1);
	out[7] = 2;
	out[11] = 0;
	return n + sizeof(records) - 1;
}

/* By datagram; 0: nothing. @nth counts the questions for this type. */
static size_t reply(const struct dns_question *q, const void *data,
		    unsigned int nth, unsigned char *out, size_t room)
{
	size_t n;

	if (is(q, "silent.test") ||
	    (is(q, "late.test") && q->type == DNS_AAAA) ||
	    (is(q, "lost.test") && nth == 1))
		return 0;
	if (is(q, "none.test") || strstr(q->name, ".none.test"))
		return dns_answer_format(q, data, DNS_NO_NAME, NULL, 0, 0, out,
					 room);
	if (is(q, "empty.test") || (is(q, "four.test") && q->type != DNS_A))
		return answer(q, data, 0, out, room);
	if (is(q, "busy.test") && nth == 1)
		return dns_answer_format(q, data, DNS_SERVER_FAILURE, NULL, 0,
					 0, out, room);
	if (is(q, "alias.test"))
		return answer_alias(q, data, out, room);
	if (is(q, "many.test"))
		return answer(q, data, q->type == DNS_A ? 3 : 2, out, room);
	n = answer(q, data, 1, out, room);
	if (is(q, "big.test"))
		out[2] |= 2;
	return n;
}

static void fake_datagram(struct source *source, uint32_t events)
{
	struct fake *fake =
		(struct fake *)((char *)source - offsetof(struct fake, udp));
	unsigned char in[512], out[512];
	struct sockaddr_in from;
	socklen_t from_n = sizeof(from);
	ssize_t n = recvfrom(source->fd, in, sizeof(in), 0,
			     (struct sockaddr *)&from, &from_n);
	struct dns_question q;
	unsigned int nth;
	size_t size;

	(void)events;
	assert_true(n > 0);
	assert_int_equal(dns_question_parse(in, (size_t)n, &q), DNS_NO_ERROR);
	nth = ++fake->asked[q.type == DNS_AAAA];
	if (fake->fails)
		size = dns_answer_format(&q, in, DNS_SERVER_FAILURE, NULL, 0, 0,
					 out, sizeof(out));
	else
		size = reply(&q, in, nth, out, sizeof(out));
	if (is(&q, "forged.test")) {
		unsigned char forged[512];

		memcpy(forged, out, size);
		forged[size - 12] ^= 0xff; /* of the address */
		forged[0] ^= 1;
		(void)sendto(source->fd, forged, size, 0,
			     (struct sockaddr *)&from, from_n);
		forged[0] ^= 1;
		forged[13] ^= 1; /* of the name */
		(void)sendto(source->fd, forged, size, 0,
			     (struct sockaddr *)&from, from_n);
		(void)sendto(source->fd, forged, 5, 0, (struct sockaddr *)&from,
			     from_n);
	}
	if (size)
		assert_int_equal(sendto(source->fd, out, size, 0,
					(struct sockaddr *)&from, from_n),
				 size);
}

static void fake_stream(struct source *source, uint32_t events)
{
	struct fake *fake =
		(struct fake *)((char *)source - offsetof(struct fake, tcp));
	ssize_t n = recv(source->fd, fake->in + fake->in_n,
			 sizeof(fake->in) - fake->in_n, 0);
	unsigned char out[2 + 512];
	struct dns_question q;
	size_t size;

	(void)events;
	if (n <= 0) {
		source_close(fake->loop, source);
		return;
	}
	fake->in_n += (size_t)n;
	size = (size_t)fake->in[0] << 8 | fake->in[1];
	if (fake->in_n < 2 + size)
		return;
	assert_int_equal(dns_question_parse(fake->in + 2, size, &q),
			 DNS_NO_ERROR);
	size = answer(&q, fake->in + 2, q.type == DNS_A ? 3 : 2, out + 2,
		      sizeof(out) - 2);
	out[0] = (unsigned char)(size >> 8);
	out[1] = (unsigned char)size;
	/* In pieces that end within the length and within the answer. */
	assert_int_equal(send(source->fd, out, 1, 0), 1);
	assert_int_equal(send(source->fd, out + 1, 20, 0), 20);
	assert_int_equal(send(source->fd, out + 21, size - 19, 0), size - 19);
	fake->in_n = 0;
}

static void fake_accept(struct source *source, uint32_t events)
{
	struct fake *fake = (struct fake *)((char *)source -
					    offsetof(struct fake, listener));

	(void)events;
	/* One after the other is enough, others wait. */
	if (fake->tcp.fd >= 0)
		return;
	fake->tcp.fd = accept(source->fd, NULL, NULL);
	assert_true(fake->tcp.fd >= 0);
	fake->streams++;
	fake->in_n = 0;
	assert_int_equal(source_watch(fake->loop, &fake->tcp, EPOLLIN), 0);
}

static void fake_open(struct fake *fake, struct loop *loop)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);

	*fake = (struct fake){
		.loop = loop,
		.udp = { .fd = socket(AF_INET, SOCK_DGRAM, 0),
			 .ready = fake_datagram },
		.listener = { .fd = socket(AF_INET, SOCK_STREAM, 0),
			      .ready = fake_accept },
		.tcp = { .fd = -1, .ready = fake_stream },
	};
	assert_int_equal(
		bind(fake->listener.fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(
		getsockname(fake->listener.fd, (struct sockaddr *)&at, &n), 0);
	assert_int_equal(bind(fake->udp.fd, (struct sockaddr *)&at, n), 0);
	assert_int_equal(listen(fake->listener.fd, 8), 0);
	assert_int_equal(source_watch(loop, &fake->udp, EPOLLIN), 0);
	assert_int_equal(source_watch(loop, &fake->listener, EPOLLIN), 0);
	fake->port = ntohs(at.sin_port);
}

static void fake_close(struct fake *fake)
{
	source_close(fake->loop, &fake->udp);
	source_close(fake->loop, &fake->listener);
	source_close(fake->loop, &fake->tcp);
}

#endif
