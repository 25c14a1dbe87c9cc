/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_INSIDE_H
#define CORDON_CMD_INSIDE_H

struct arena;
struct err;
struct policy_args;
struct prepared;

/*
 * Inside a box: takes policy and plan from the box's own summary, so that
 * prepare_plan() only looks at what is asked about. Refuses options that say
 * what the policy is, as it is what it is.
 */
int inside_prepare(struct arena *arena, const struct policy_args *args,
		   struct prepared *out, struct err *err);

/* ERR_HOST where the summary is cut and cannot say anything for sure about
 * "files", "network" or "exec". */
int inside_check_whole(const struct prepared *prepared, const char *part,
		       struct err *err);

#endif
