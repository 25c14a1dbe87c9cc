/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_GIVEN_H
#define CORDON_HOST_GIVEN_H

struct arena;
struct err;
struct facts_givens;
struct plan_queries;

/*
 * Of the descriptors that the command will have, those that are open on a
 * file, but for outputs that it can write. ERR_HOST where the kernel cannot say
 * the name of one that is open for reading alone.
 */
int host_given_probe(struct arena *arena, const struct plan_queries *queries,
		     struct facts_givens *out, struct err *err);

#endif
