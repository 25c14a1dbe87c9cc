/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_ENVIRON_H
#define CORDON_PLAN_ENVIRON_H

struct arena;
struct facts;
struct plan;
struct policy;
struct policy_context;
struct view;

/* The environment of the command, into @plan->environ. Pure. */
void plan_environ_build(struct arena *arena, const struct policy *policy,
			const struct policy_context *context,
			const struct facts *facts, const struct view *view,
			struct plan *plan);

#endif
