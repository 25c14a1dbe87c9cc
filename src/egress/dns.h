/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_DNS_H
#define CORDON_EGRESS_DNS_H

#include <stddef.h>
#include <stdint.h>

struct egress;

/*
 * The box's name server. An allowed name gets an address of ours, any other is
 * unknown; nobody outside is asked, so nothing can be told in a question.
 */

/* No answer of ours is larger, so none needs to be cut. */
enum { DNS_ANSWER_MAX = 512 };

/* Answers a question of @n bytes that came from port @from; returns the size
 * of the answer, 0: none. */
size_t dns_serve(struct egress *egress, const void *question, size_t n,
		 uint16_t from, void *out, size_t room);

/* Serves the datagram socket until the loop ends; -1 with errno. */
int dns_listen(struct egress *egress, int fd);

#endif
