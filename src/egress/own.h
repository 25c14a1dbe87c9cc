/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_OWN_H
#define CORDON_EGRESS_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/address.h"

struct err;
struct loop;

struct own {
	int routes; /* asks the kernel */
	uint32_t asked; /* how often */
	/* what was found out a moment ago */
	struct {
		struct address address;
		uint64_t until_ms; /* 0: unused */
		bool own;
	} kept[32];
};

/* To be called before the cage: it cannot be opened there. */
int own_init(struct own *own, struct err *err);

/* Is it an address of this host, by its routes of now? In doubt it is. */
bool own_address(struct own *own, const struct loop *loop,
		 const struct address *address);

#endif
