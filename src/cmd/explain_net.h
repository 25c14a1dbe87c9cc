/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_EXPLAIN_NET_H
#define CORDON_CMD_EXPLAIN_NET_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct prepared;

/*
 * `cordon explain net`: prints for each of the @n words, HOST or HOST:PORT,
 * whether the box could connect there. Returns 0 if all are allowed, 1 if one
 * is not, -1 if a word cannot be understood.
 */
int explain_net(struct arena *arena, const struct prepared *prepared,
		char *const *words, size_t n, bool json, struct err *err);

#endif
