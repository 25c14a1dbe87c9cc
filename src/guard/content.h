/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_CONTENT_H
#define CORDON_GUARD_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "plan/facts.h"

struct call;
struct plan_program;
struct stat;

/* What was compared lately, so that a copy that is executed often is read
 * once. */
struct content_cache {
	struct {
		struct facts_id id;
		struct timespec changed; /* ctime: nobody can set it back */
		const struct plan_program *program;
		bool same;
	} v[16];
	size_t next;
};

/* Has the file behind the O_PATH descriptor @file, of which @st is known, the
 * content of @program? Only files of its size are read. */
bool content_is_copy(const struct call *call, struct content_cache *cache,
		     int file, const struct stat *st,
		     const struct plan_program *program);

#endif
