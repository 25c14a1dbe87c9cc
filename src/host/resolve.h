/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_RESOLVE_H
#define CORDON_HOST_RESOLVE_H

#include <stddef.h>

struct arena;
struct err;
struct facts_path;

/*
 * Resolves paths one component at a time and remembers what it saw, so that a
 * hundred names below one home directory cost a hundred opens and not six
 * hundred. Descriptors of directories are kept until host_resolver_close().
 */
struct host_resolver {
	struct arena *arena;
	struct host_node **buckets;
	size_t nodes;
	size_t open_dirs;
	int root;
};

int host_resolver_open(struct arena *arena, struct host_resolver *out,
		       struct err *err);
void host_resolver_close(struct host_resolver *resolver);

/*
 * What lies at @path (absolute and normal). Never fails: what cannot be looked
 * at is FACTS_UNREACHABLE with its errno.
 */
void host_resolve(struct host_resolver *resolver, const char *path,
		  struct facts_path *out);

/*
 * A descriptor (O_PATH) of the directory @real, which host_resolve() gave;
 * owned by the caller. -1 with errno.
 */
int host_resolve_open(struct host_resolver *resolver, const char *real);

#endif
