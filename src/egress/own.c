/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/own.c - which addresses are the host's own
 *
 * Runs in:  the egress process.
 * Trusts:   the kernel's routes: those of its own addresses are local, whatever
 *           their interface and however many there are.
 * Must not: remember for long: addresses come and go with networks.
 */
#include "egress/own.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "egress/loop.h"

enum { KEPT_MS = 2000 };

int own_init(struct own *own, struct err *err)
{
	own->routes =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	return own->routes < 0 ? err_sys(err, "ask for routes") : 0;
}

/* The kernel answers before the question has been sent. */
static bool ask(struct own *own, const struct address *address)
{
	const bool four = address_is_ipv4(address);
	const size_t n = four ? 4 : 16;
	struct {
		struct nlmsghdr head;
		struct rtmsg route;
		struct rtattr attribute;
		unsigned char to[16];
	} question = {
		.head = { .nlmsg_type = RTM_GETROUTE,
			  .nlmsg_flags = NLM_F_REQUEST,
			  .nlmsg_seq = ++own->asked },
		.route = { .rtm_family = four ? AF_INET : AF_INET6,
			   .rtm_dst_len = (unsigned char)(8 * n) },
		.attribute = { .rta_type = RTA_DST,
			       .rta_len = (unsigned short)RTA_LENGTH(n) },
	};
	union {
		struct nlmsghdr head;
		unsigned char bytes[1024];
	} answer;
	const struct rtmsg *route = NLMSG_DATA(&answer.head);
	const struct nlmsgerr *error = NLMSG_DATA(&answer.head);
	ssize_t size;

	memcpy(question.to, address->v + (16 - n), n);
	question.head.nlmsg_len =
		(unsigned int)(offsetof(__typeof__(question), to) + n);
	if (send(own->routes, &question, question.head.nlmsg_len, 0) < 0)
		return true;
	do {
		size = recv(own->routes, &answer, sizeof(answer), MSG_DONTWAIT);
	} while (size >= (ssize_t)sizeof(answer.head) &&
		 answer.head.nlmsg_seq != own->asked);
	if (size < (ssize_t)sizeof(answer.head))
		return true;
	/* Where nothing leads there, nothing will connect either. */
	if (answer.head.nlmsg_type == NLMSG_ERROR)
		return size < (ssize_t)NLMSG_LENGTH(sizeof(*error)) ||
		       (error->error != -ENETUNREACH &&
			error->error != -EHOSTUNREACH &&
			error->error != -EACCES && error->error != -EINVAL);
	return size < (ssize_t)NLMSG_LENGTH(sizeof(*route)) ||
	       answer.head.nlmsg_type != RTM_NEWROUTE ||
	       route->rtm_type != RTN_UNICAST;
}

bool own_address(struct own *own, const struct loop *loop,
		 const struct address *address)
{
	const size_t n = sizeof(own->kept) / sizeof(own->kept[0]);
	size_t i = 0;

	for (size_t k = 0; k < sizeof(address->v); k++)
		i = (i * 31 + address->v[k]) % n;
	if (own->kept[i].until_ms <= loop->now_ms ||
	    memcmp(&own->kept[i].address, address, sizeof(*address)) != 0) {
		own->kept[i].address = *address;
		own->kept[i].until_ms = loop->now_ms + KEPT_MS;
		own->kept[i].own = ask(own, address);
	}
	return own->kept[i].own;
}
