/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_EXEC_H
#define CORDON_PLAN_EXEC_H

struct arena;
struct claims;
struct command_rule;
struct err;
struct facts;
struct plan;
struct plan_exec;
struct plan_queries;
struct policy;
struct policy_context;

/* Adds to @out where the programs of exec rules have to be looked for. */
int plan_exec_ask(struct arena *arena, const struct policy *policy,
		  const struct policy_context *context,
		  struct plan_queries *out, struct err *err);

/*
 * What may be executed. Programs that are denied as a whole are claimed to be
 * hidden, with the key PLAN_EXEC_KEY; the rest is left to the judge.
 */
#define PLAN_EXEC_KEY "exec.deny"

int plan_exec_build(struct arena *arena, const struct policy *policy,
		    const struct policy_context *context,
		    const struct facts *facts, struct claims *claims,
		    struct plan_exec *out, struct err *err);

/* exec.only_system: what the box can write cannot be executed. */
void plan_exec_restrict(struct plan *plan);

#endif
