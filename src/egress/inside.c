/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/inside.c - makes sockets in a box's network
 *
 * Runs in:  a process of its own, in the box's user and network namespaces and
 *           outside of all its others: nothing in the box can see it.
 * Trusts:   the egress process no more than to ask.
 * Must not: do anything else.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "egress/confine.h"
#include "egress/egress.h"

_Noreturn void egress_inside_main(int channel, const struct plan_landlock *cage)
{
	struct err err;

	if (confine_begin("cordon-inside", &channel, 1, &err) < 0 ||
	    confine(cage, &err) < 0)
		_exit(1);
	for (;;) {
		AUTO_CLOSE int fd = -1;
		size_t none = 0;
		char family;

		if (fd_recv(channel, &family, 1, NULL, &none) != 1)
			_exit(0);
		fd = socket(family == '4' ? AF_INET : AF_INET6,
			    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd_send(channel, &family, 1, &fd, fd < 0 ? 0 : 1, &err) < 0)
			_exit(0);
	}
}
