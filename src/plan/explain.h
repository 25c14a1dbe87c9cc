/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_EXPLAIN_H
#define CORDON_PLAN_EXPLAIN_H

#include <stdbool.h>

#include "plan/plan.h"

struct arena;
struct egress_target;
struct policy;

/* What the plan means for one path. */
struct plan_verdict {
	bool allowed;
	enum plan_access access;
	const struct plan_rule *rule; /* that decided it */
	const char *reason; /* "deny_read '~/.ssh' (profile base:12)" */
	const char *remedy; /* the option or line that would change it */
};

/*
 * May the command read, or write, @path (absolute and normal)? The same
 * answer that the box will give, without running anything. Links are not
 * followed here: ask for what they lead to.
 */
void plan_explain_path(struct arena *arena, const struct plan *plan,
		       const char *path, bool write, struct plan_verdict *out);

/* "--NAME='PATH'", or what else can be done where that cannot be printed. */
const char *plan_remedy_option(struct arena *arena, const char *name,
			       const char *path);

/* How an item of a list of filesystem is taken out of it. */
const char *plan_remedy_remove(struct arena *arena, const char *key,
			       const char *text);

/* What the plan makes of @path, which may exist or not. */
enum plan_access plan_explain_access(const struct plan *plan, const char *path);

/* What the plan means for a connection. */
struct plan_net_verdict {
	bool allowed;
	const char *code; /* of a refusal, as X-Proxy-Error has it */
	const char *reason;
	const char *remedy; /* NULL: nothing would allow it */
	const char *later; /* what is judged besides when it is connected;
			    * NULL: nothing */
};

/*
 * May the command connect to @target? What egress will say, as far as it can
 * be said without looking the name up. @plan is that of @policy.
 */
void plan_explain_net(struct arena *arena, const struct policy *policy,
		      const struct plan *plan,
		      const struct egress_target *target,
		      struct plan_net_verdict *out);

#endif
