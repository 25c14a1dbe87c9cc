/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_OWN_H
#define CORDON_EGRESS_OWN_H

#include <stdbool.h>

struct address;
struct loop;

/* Is it an address of this host, by its routes of now? In doubt it is. */
bool own_address(const struct loop *loop, const struct address *address);

#endif
