/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_ENFORCE_NETLINK_H
#define CORDON_ENFORCE_NETLINK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Requests to the kernel's network stack, several in one send. The kernel
 * works them off before the send returns, so nothing is ever waited for.
 */
enum {
	NETLINK_ROOM = 2048,
	NETLINK_DEPTH = 8,
	NETLINK_REQUESTS_MAX = 8,
};

struct netlink {
	size_t n; /* bytes so far */
	size_t request; /* where the last one begins */
	uint32_t requests; /* so far */
	uint32_t confirmed; /* the number of the one whose answer is awaited */
	size_t open[NETLINK_DEPTH]; /* where nested attributes begin */
	size_t depth;
	_Alignas(4) unsigned char data[NETLINK_ROOM];
};

/* What is too large for the room is a bug: all sizes are known beforehand. */
void netlink_init(struct netlink *batch);
/* A request with its fixed head. Of those with NLM_F_ACK the last counts. */
void netlink_request(struct netlink *batch, uint16_t type, uint16_t flags,
		     const void *head, size_t n);
void netlink_put(struct netlink *batch, uint16_t type, const void *data,
		 size_t n);
void netlink_put_text(struct netlink *batch, uint16_t type, const char *text);
/* In network order, as all of netfilter's numbers are. */
void netlink_put_be32(struct netlink *batch, uint16_t type, uint32_t value);
/* Attributes that follow are part of this one, until it is closed. */
void netlink_open(struct netlink *batch, uint16_t type);
void netlink_close(struct netlink *batch);

/*
 * Sends all of it by @protocol. @errors gets the errno of each request in
 * order, 0 where none was reported; the one that was to be confirmed and was
 * not has EBADMSG. -1 with errno if they could not be sent.
 */
int netlink_exchange(const struct netlink *batch, int protocol,
		     int errors[NETLINK_REQUESTS_MAX]);

#endif
