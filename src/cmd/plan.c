/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/plan.c - `cordon plan`: what `run` would do, without doing it
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line.
 * Must not: change anything.
 */
#include "plan/plan.h"

#include <jansson.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "cmd/verb.h"
#include "plan/text.h"

struct plan_args {
	struct common_args common;
	struct policy_args policy;
	struct host_args host;
	bool json;
};

static const struct opt plan_options[] = {
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct plan_args, json),
	  .help = "print it as JSON" },
};

static const struct opt_group plan_groups[] = {
	{ "Options", plan_options, sizeof(plan_options) / sizeof(*plan_options),
	  0 },
	POLICY_GROUPS(offsetof(struct plan_args, policy)),
	HOST_GROUP(offsetof(struct plan_args, host)),
	COMMON_GROUP,
};

static int print_json(struct cmd *cmd, const struct plan *plan,
		      const struct opt_rest *rest, struct err *err)
{
	json_t *json = plan_json_format(plan);
	json_t *words = json_array();

	for (size_t i = 0; i < rest->n; i++)
		json_array_append_new(words,
				      output_string(cmd->arena, rest->v[i]));
	json_object_set_new(json, "command", words);
	return output_json(STDOUT_FILENO, json, err);
}

static int print_text(struct cmd *cmd, const struct plan *plan,
		      const struct opt_rest *rest, struct err *err)
{
	struct text out = { .arena = cmd->arena };

	if (rest->n) {
		text_add(&out, "command:");
		for (size_t i = 0; i < rest->n; i++) {
			text_add(&out, " ");
			text_add_escaped(&out, rest->v[i]);
		}
		text_add(&out, "\n");
	}
	plan_text_format(plan, &out);
	return output_text(&out, err);
}

static int plan_main(struct cmd *cmd, const void *verb_args,
		     const struct opt_rest *rest, struct err *err)
{
	static const int streams[] = { STDIN_FILENO, STDOUT_FILENO,
				       STDERR_FILENO };
	const struct plan_args *args = verb_args;
	struct prepared *prepared = arena_array(cmd->arena, struct prepared, 1);
	struct host_args host = args->host;

	host.fds = streams;
	host.fds_n = sizeof(streams) / sizeof(*streams);
	if (prepare_policy(cmd->arena, &args->policy, prepared, err) < 0 ||
	    prepare_plan(cmd->arena, &host, NULL, prepared, err) < 0)
		return -1;
	return args->json ? print_json(cmd, &prepared->plan, rest, err)
			  : print_text(cmd, &prepared->plan, rest, err);
}

const struct verb verb_plan = {
	.name = "plan",
	.summary = "show what 'run' would do, without doing it",
	.synopsis = "[options] [[--] command [argument ...]]",
	.text = "Prints every decision that the policy leads to on this host: "
		"which paths are hidden, readable and writable, what is "
		"mounted, which layers hold, what is weaker than asked. Takes "
		"the options of 'run'. The command is shown and not run.",
	.groups = { plan_groups, sizeof(plan_groups) / sizeof(*plan_groups) },
	.args_size = sizeof(struct plan_args),
	.command = true,
	.words = OPT_WORDS_COMMAND,
	.run = plan_main,
};
