/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/own.c - which addresses are the host's own
 *
 * Runs in:  the egress process.
 * Trusts:   the kernel's routes: to a host of its own the source address is
 *           the destination. A datagram socket tells without sending.
 * Must not: remember for long: addresses come and go with networks.
 */
#include "egress/own.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "egress/loop.h"

enum { KEPT_MS = 2000 };

static bool ask_ipv4(const struct address *address)
{
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = 9 }, from;
	socklen_t n = sizeof(from);

	memcpy(&to.sin_addr, address->v + 12, 4);
	/* Where nothing leads there, nothing will connect either. */
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&from, &n) < 0)
		return fd < 0;
	return from.sin_addr.s_addr == to.sin_addr.s_addr;
}

static bool ask_ipv6(const struct address *address)
{
	AUTO_CLOSE int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = 9 };
	struct sockaddr_in6 from;
	socklen_t n = sizeof(from);

	memcpy(&to.sin6_addr, address->v, 16);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&from, &n) < 0)
		return fd < 0;
	return !memcmp(&from.sin6_addr, &to.sin6_addr, 16);
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
		own->kept[i].own = address_is_ipv4(address) ? ask_ipv4(address)
							    : ask_ipv6(address);
	}
	return own->kept[i].own;
}
