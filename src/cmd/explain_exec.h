/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_EXPLAIN_EXEC_H
#define CORDON_CMD_EXPLAIN_EXEC_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct host_args;
struct prepared;

/*
 * `cordon explain exec`: prints whether the box could execute the command of
 * @n words. @prepared has its policy and gets its plan here. Returns 0 if it
 * is allowed, 1 if it is not, -1 on failure.
 */
int explain_exec(struct arena *arena, const struct host_args *host,
		 struct prepared *prepared, char *const *words, size_t n,
		 bool json, struct err *err);

#endif
