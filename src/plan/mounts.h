/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_MOUNTS_H
#define CORDON_PLAN_MOUNTS_H

struct arena;
struct plan;
struct policy_context;
struct view;

/*
 * The mounts that make @view true, parents before what lies in them, into
 * @plan->mounts; names that must not come into being into @plan->absents; and
 * names whose mount is lost when the host replaces what lies there into
 * @plan->watches. Pure.
 */
void plan_mounts_build(struct arena *arena, const struct view *view,
		       const struct policy_context *context, struct plan *plan);
void plan_absents_build(struct arena *arena, const struct view *view,
			struct plan *plan);
void plan_watches_build(struct arena *arena, const struct view *view,
			struct plan *plan);

#endif
