/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_LANDLOCK_H
#define CORDON_PLAN_LANDLOCK_H

#include <stdbool.h>

struct arena;
struct facts;
struct plan;
struct plan_landlock;
struct view;

/* The second wall behind the mounts, by what this kernel's ABI has.
 * @given_kept: the command is given a file that it may not write. */
void plan_landlock_build(struct arena *arena, const struct view *view,
			 const struct facts *facts, bool given_kept,
			 struct plan *plan);

/* Nothing at all: for processes of ours that read what strangers write, and
 * need no file, no port to listen on, and nobody to signal. */
void plan_landlock_close(const struct facts *facts, struct plan_landlock *out);

/* Name of an access right by its bit, NULL past the last. */
const char *plan_landlock_name(unsigned int bit);

#endif
