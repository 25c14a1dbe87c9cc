/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_MASKS_H
#define CORDON_PLAN_MASKS_H

struct arena;
struct plan;
struct policy;

/* The presets and patterns of output.mask, as patterns. */
void plan_masks_build(struct arena *arena, const struct policy *policy,
		      struct plan *plan);

#endif
