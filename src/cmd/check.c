/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/check.c - `cordon check`: would these policy files be accepted?
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the files.
 * Must not: change anything.
 */
#include <jansson.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "cmd/verb.h"
#include "policy/decode.h"

struct check_args {
	struct common_args common;
	bool json;
};

static const struct opt check_options[] = {
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct check_args, json),
	  .help = "print the results as JSON" },
};

static const struct opt_group check_groups[] = {
	{ "Options", check_options,
	  sizeof(check_options) / sizeof(*check_options), 0 },
	COMMON_GROUP,
};

/* As `run -s FILE` would: with what it extends, and within ceilings. */
static int check_file(struct arena *arena, const char *file, struct err *err)
{
	struct policy_args args = { .settings = file };
	struct prepared *prepared = arena_array(arena, struct prepared, 1);

	if (prepare_policy(arena, &args, prepared, err) < 0)
		return -1;
	return policy_check_supported(&prepared->policy.policy, err);
}

static void add_result(struct arena *arena, const char *file, bool good,
		       const struct err *err, struct text *out, json_t *list)
{
	json_array_append_new(
		list, json_pack("{s:o, s:b, s:o}", "file",
				output_string(arena, file), "ok", good, "error",
				output_string(arena, good ? NULL : err->msg)));
	text_add_escaped(out, file);
	text_add(out, good ? ": ok" : ": error: ");
	if (!good)
		text_add_escaped(out, err->msg);
	text_add(out, "\n");
}

static int check_main(struct cmd *cmd, const void *verb_args,
		      const struct opt_rest *rest, struct err *err)
{
	const struct check_args *args = verb_args;
	struct text out = { .arena = cmd->arena };
	json_t *list;
	bool all_good = true;
	int printed;

	if (!rest->n)
		return err_set(err, ERR_USAGE, "no file given");
	list = json_array();
	for (size_t i = 0; i < rest->n; i++) {
		struct err found;
		bool good = check_file(cmd->arena, rest->v[i], &found) == 0;

		add_result(cmd->arena, rest->v[i], good, &found, &out, list);
		all_good &= good;
	}
	if (args->json) {
		printed = output_json(STDOUT_FILENO, list, err);
	} else {
		json_decref(list);
		printed = output_text(&out, err);
	}
	if (printed < 0)
		return -1;
	return all_good ? 0 : 1;
}

const struct verb verb_check = {
	.name = "check",
	.summary = "say whether policy files are right",
	.synopsis = "[options] FILE ...",
	.text = "Reads each file with all that it extends, as 'run -s FILE' "
		"would, and prints 'ok' or the error with its place. Exit "
		"status: 0 if all are right, else 1.",
	.groups = { check_groups,
		    sizeof(check_groups) / sizeof(*check_groups) },
	.args_size = sizeof(struct check_args),
	.words = OPT_WORDS_FILE,
	.run = check_main,
};
