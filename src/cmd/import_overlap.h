/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_IMPORT_OVERLAP_H
#define CORDON_CMD_IMPORT_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct policy_path;

/* A path rule in its components. */
struct overlap_path {
	const char **v;
	size_t n;
	bool glob;
};

void overlap_path_build(struct arena *arena, const struct policy_path *path,
			struct overlap_path *out);

/*
 * Could something that @inner names lie below something that @outer names; with
 * @self, or be it? Says yes where it is not sure.
 */
bool overlap_check(const struct overlap_path *inner,
		   const struct overlap_path *outer, bool self);

#endif
