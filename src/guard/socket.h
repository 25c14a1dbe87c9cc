/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_SOCKET_H
#define CORDON_GUARD_SOCKET_H

struct call;

/* connect(fd, address, length), done on the caller's very socket. */
int socket_connect(const struct call *call);

/* bind(fd, address, length); with a path it makes a name. */
int socket_bind(const struct call *call);

#endif
