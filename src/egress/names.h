/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_NAMES_H
#define CORDON_EGRESS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/address.h"

struct arena;

/*
 * Addresses that stand for names, given out by our DNS: the connection that
 * comes back to one tells the name (egress_address_stands_in()). A
 * name keeps its address as long as the box lives.
 */
struct names;

enum { NAMES_MAX = 16384 };

struct names *names_new(struct arena *arena);

/* The number of @name, which is copied when new; 0 when there is no more room.
 * Numbers begin with 1. */
uint32_t names_number(struct names *names, const char *name);

/* Its addresses, 4 or 16 bytes. */
void names_address4(uint32_t number, unsigned char out[4]);
void names_address6(uint32_t number, unsigned char out[16]);

/* NULL if it was not given out. */
const char *names_find(const struct names *names,
		       const struct address *address);

#endif
