/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_CLIENT_H
#define CORDON_RUN_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A process of the box. */
struct run_client {
	uint32_t pid; /* in the box */
	char comm[17];
};

/*
 * Who in the box has the socket with this port, as far as it is still there to
 * be seen. @init is box init, @network the inode of the box's network
 * namespace: box init does not show it. False if nobody was found.
 */
bool run_client_find(pid_t init, uint64_t network, bool datagram, uint16_t port,
		     struct run_client *out);

#endif
