/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_GIVEN_H
#define CORDON_HOST_GIVEN_H

struct arena;
struct err;
struct facts_givens;
struct plan_queries;

/*
 * Of the descriptors that the command will have, those that are open for
 * reading alone on a file with a name. ERR_HOST where the kernel cannot say
 * that name.
 */
int host_given_probe(struct arena *arena, const struct plan_queries *queries,
		     struct facts_givens *out, struct err *err);

#endif
