/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/netlink.c - requests to the network stack of the own namespace
 *
 * Runs in:  box init.
 * Trusts:   the kernel's answers, as far as their sizes are right.
 * Must not: wait: an answer that is not there after the send never comes.
 */
#include "enforce/netlink.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"

/* Answers quote the request. */
enum { ANSWER_ROOM = 4096 };

void netlink_init(struct netlink *batch)
{
	batch->n = 0;
	batch->requests = 0;
	batch->confirmed = 0;
	batch->depth = 0;
}

/* Appends @n bytes and fills up to the alignment of all parts. */
static void append(struct netlink *batch, const void *data, size_t n)
{
	size_t padded = NLMSG_ALIGN(n);

	assert(batch->n + padded <= sizeof(batch->data));
	memcpy(batch->data + batch->n, data, n);
	memset(batch->data + batch->n + n, 0, padded - n);
	batch->n += padded;
}

/* Headers hold sizes that grow with what is appended. */
static void update_size(struct netlink *batch)
{
	uint32_t size = (uint32_t)(batch->n - batch->request);

	memcpy(batch->data + batch->request, &size, sizeof(size));
}

void netlink_request(struct netlink *batch, uint16_t type, uint16_t flags,
		     const void *head, size_t n)
{
	struct nlmsghdr header = {
		.nlmsg_type = type,
		.nlmsg_flags = flags | NLM_F_REQUEST,
		.nlmsg_seq = ++batch->requests,
	};

	assert(!batch->depth && batch->requests <= NETLINK_REQUESTS_MAX);
	if (flags & NLM_F_ACK)
		batch->confirmed = batch->requests;
	batch->request = batch->n;
	append(batch, &header, sizeof(header));
	append(batch, head, n);
	update_size(batch);
}

void netlink_put(struct netlink *batch, uint16_t type, const void *data,
		 size_t n)
{
	struct nlattr header = {
		.nla_len = (uint16_t)(sizeof(header) + n),
		.nla_type = type,
	};

	append(batch, &header, sizeof(header));
	append(batch, data, n);
	update_size(batch);
}

void netlink_put_text(struct netlink *batch, uint16_t type, const char *text)
{
	netlink_put(batch, type, text, strlen(text) + 1);
}

void netlink_put_be32(struct netlink *batch, uint16_t type, uint32_t value)
{
	value = htonl(value);
	netlink_put(batch, type, &value, sizeof(value));
}

void netlink_open(struct netlink *batch, uint16_t type)
{
	assert(batch->depth < NETLINK_DEPTH);
	batch->open[batch->depth++] = batch->n;
	netlink_put(batch, type | NLA_F_NESTED, "", 0);
}

void netlink_close(struct netlink *batch)
{
	size_t at = batch->open[--batch->depth];
	uint16_t size = (uint16_t)(batch->n - at);

	memcpy(batch->data + at, &size, sizeof(size));
}

/* One datagram may hold several answers. */
static void read_answers(const struct netlink *batch, const char *data,
			 size_t n, int errors[NETLINK_REQUESTS_MAX])
{
	while (n >= NLMSG_HDRLEN) {
		struct nlmsghdr header;
		int error;

		memcpy(&header, data, sizeof(header));
		if (header.nlmsg_len < NLMSG_HDRLEN || header.nlmsg_len > n)
			return;
		if (header.nlmsg_type == NLMSG_ERROR &&
		    header.nlmsg_len >= NLMSG_HDRLEN + sizeof(error) &&
		    header.nlmsg_seq && header.nlmsg_seq <= batch->requests) {
			memcpy(&error, data + NLMSG_HDRLEN, sizeof(error));
			errors[header.nlmsg_seq - 1] = -error;
		}
		if (NLMSG_ALIGN(header.nlmsg_len) >= n)
			return;
		data += NLMSG_ALIGN(header.nlmsg_len);
		n -= NLMSG_ALIGN(header.nlmsg_len);
	}
}

int netlink_exchange(const struct netlink *batch, int protocol,
		     int errors[NETLINK_REQUESTS_MAX])
{
	AUTO_CLOSE int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	char answers[ANSWER_ROOM];
	ssize_t n;

	assert(!batch->depth && batch->confirmed);
	memset(errors, 0, NETLINK_REQUESTS_MAX * sizeof(errors[0]));
	errors[batch->confirmed - 1] = EBADMSG;
	if (fd < 0)
		return -1;
	n = sendto(fd, batch->data, batch->n, 0, (struct sockaddr *)&kernel,
		   sizeof(kernel));
	if (n < 0)
		return -1;
	while ((n = recv(fd, answers, sizeof(answers), MSG_DONTWAIT)) > 0)
		read_answers(batch, answers, (size_t)n, errors);
	return 0;
}
