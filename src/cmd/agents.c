/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/agents.c - `cordon policy agents`: the rules in words for a model
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line.
 * Must not: change anything, or print values that may be secrets.
 */
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "cmd/verb.h"

struct agents_args {
	struct common_args common;
	struct policy_args policy;
	struct host_args host;
};

static const struct opt_group agents_groups[] = {
	POLICY_GROUPS(offsetof(struct agents_args, policy)),
	HOST_GROUP(offsetof(struct agents_args, host)),
	COMMON_GROUP,
};

static int agents_main(struct cmd *cmd, const void *verb_args,
		       const struct opt_rest *rest, struct err *err)
{
	const struct agents_args *args = verb_args;
	struct prepared *prepared = arena_array(cmd->arena, struct prepared, 1);
	struct text out = { .arena = cmd->arena };

	if (rest->n)
		return err_set(err, ERR_USAGE, "'%s' is one word too many",
			       rest->v[0]);
	if (host_is_inside_box())
		return err_set(
			err, ERR_HOST,
			"this is the inside of a box: the text for it is "
			"'%s'",
			PLAN_SUMMARY_README);
	if (prepare_policy(cmd->arena, &args->policy, prepared, err) < 0 ||
	    prepare_plan(cmd->arena, &args->host, NULL, prepared, err) < 0)
		return -1;
	plan_agents_format(&out, &prepared->policy.policy, &prepared->plan);
	return output_text(&out, err);
}

const struct verb verb_policy_agents = {
	.name = "policy agents",
	.summary = "print the rules in words, for AGENTS.md",
	.synopsis = "[options]",
	.text = "Prints what a box with this policy lets a command do, what it "
		"refuses and what to do then, in a few lines for a model: text "
		"for AGENTS.md, CLAUDE.md and the like. Takes the options of "
		"'run'. Inside a box the same text is /run/cordon/README.",
	.groups = { agents_groups,
		    sizeof(agents_groups) / sizeof(*agents_groups) },
	.args_size = sizeof(struct agents_args),
	.run = agents_main,
};
