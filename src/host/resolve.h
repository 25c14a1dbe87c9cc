/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_RESOLVE_H
#define CORDON_HOST_RESOLVE_H

struct arena;
struct err;
struct facts_path;

/*
 * Resolves paths one component at a time and remembers what it saw, so that a
 * hundred names below one home directory cost a hundred looks and not six
 * hundred. Everything lives in the arena.
 */
struct host_resolver {
	struct arena *arena;
	struct host_node **buckets;
	char *real; /* scratch for a walk */
	unsigned int uid; /* of the caller */
};

int host_resolver_init(struct arena *arena, struct host_resolver *out,
		       struct err *err);

/*
 * What lies at @path (absolute and normal). Never fails: what cannot be looked
 * at is FACTS_UNREACHABLE with its errno.
 */
void host_resolve(struct host_resolver *resolver, const char *path,
		  struct facts_path *out);

#endif
