/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_FACTS_H
#define CORDON_HOST_FACTS_H

struct arena;
struct err;
struct facts;
struct plan_queries;

/*
 * Looks at this host once for everything that @queries ask. Fails with ERR_POLICY where a pattern meets more files than
 * are looked at, ERR_HOST where the kernel lacks what a look needs.
 */
int host_facts_probe(struct arena *arena, const struct plan_queries *queries,
		     struct facts *out, struct err *err);

#endif
