/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/trust.c - `cordon trust`: lets a project's policy file widen
 *
 * Runs in:  the caller's process, never inside a box: the file it writes is
 *           invisible there.
 * Trusts:   the person who typed the file's name.
 * Must not: trust a file that was not named.
 */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/verb.h"
#include "host/policies.h"

struct trust_args {
	struct common_args common;
	bool list;
	bool json;
	const char *remove;
};

static const struct opt trust_options[] = {
	{ .name = "list",
	  .letter = 'l',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct trust_args, list),
	  .help = "print the trusted files and their hashes" },
	{ .name = "remove",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct trust_args, remove),
	  .arg = "FILE",
	  .words = OPT_WORDS_FILE,
	  .help = "trust this file no more" },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct trust_args, json),
	  .help = "with --list: print JSON" },
};

static const struct opt_group trust_groups[] = {
	{ "Options", trust_options,
	  sizeof(trust_options) / sizeof(*trust_options), 0 },
	COMMON_GROUP,
};

static int list_files(struct arena *arena, const struct policy_context *context,
		      bool json, struct err *err)
{
	struct text out = { .arena = arena };
	struct host_trust_entry *entries;
	json_t *list;
	size_t n;

	if (host_trust_list(arena, context, &entries, &n, err) < 0)
		return -1;
	list = json_array();
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(
			list, json_pack("{s:o, s:s}", "file",
					output_string(arena, entries[i].path),
					"sha256", entries[i].sha256));
		text_addf(&out, "%s  ", entries[i].sha256);
		text_add_escaped(&out, entries[i].path);
		text_add(&out, "\n");
	}
	if (json)
		return output_json(STDOUT_FILENO, list, err);
	json_decref(list);
	return output_text(&out, err);
}

static int add_file(struct arena *arena, const struct policy_context *context,
		    const char *file, struct err *err)
{
	struct text out = { .arena = arena };
	struct host_trust_entry entry;

	if (host_trust_add(arena, context, file, &entry, err) < 0)
		return -1;
	text_add(&out, "trusted ");
	text_add_escaped(&out, entry.path);
	text_addf(&out, "\nsha256  %s\n", entry.sha256);
	text_add(&out, "A change of the file ends the trust.\n");
	return output_text(&out, err);
}

/* Nothing named: says which file there is and what it asks for. */
static int show_project(struct arena *arena,
			const struct policy_context *context, struct err *err)
{
	struct host_policy_request request = { .context = context };
	struct text out = { .arena = arena };
	struct host_policy policy = { 0 };
	const char *file;

	if (host_project_find(arena, context, &file, err) < 0)
		return -1;
	if (!file)
		return err_set(err, ERR_USAGE,
			       "there is no .cordon.yaml here or above; name "
			       "a file");
	if (host_policy_load(arena, &request, &policy, err) < 0)
		return -1;
	text_add(&out, "project file: ");
	text_add_escaped(&out, file);
	text_add(&out, policy.refused_n ? "\nnot taken from it:\n"
					: "\nnothing of it is refused\n");
	for (size_t i = 0; i < policy.refused_n; i++) {
		text_add(&out, "  ");
		text_add_escaped(&out, policy.refused[i]);
		text_add(&out, "\n");
	}
	if (policy.refused_n) {
		text_add(&out, "to trust it as it is now: cordon trust ");
		text_add_escaped(&out, file);
		text_add(&out, "\n");
	}
	return output_text(&out, err);
}

static int check_words(const struct trust_args *args,
		       const struct opt_rest *rest, struct err *err)
{
	int forms = (rest->n > 0) + (args->remove != NULL) + args->list;

	if (rest->n > 1 || forms > 1)
		return err_set(err, ERR_USAGE,
			       "give one FILE, or --list, or --remove FILE");
	if (args->json && !args->list)
		return err_set(err, ERR_USAGE, "--json goes with --list");
	return 0;
}

static int trust_main(struct cmd *cmd, const void *verb_args,
		      const struct opt_rest *rest, struct err *err)
{
	const struct trust_args *args = verb_args;
	struct policy_context context;

	if (check_words(args, rest, err) < 0 ||
	    host_context_read(cmd->arena, NULL, &context, err) < 0)
		return -1;
	if (args->list)
		return list_files(cmd->arena, &context, args->json, err);
	if (args->remove)
		return host_trust_remove(cmd->arena, &context, args->remove,
					 err);
	if (rest->n)
		return add_file(cmd->arena, &context, rest->v[0], err);
	return show_project(cmd->arena, &context, err);
}

const struct verb verb_trust = {
	.name = "trust",
	.summary = "let a project's policy file widen what is allowed",
	.synopsis = "\nFILE\n--remove FILE\n--list [--json]",
	.text = "A project's .cordon.yaml can only narrow, since it comes "
		"with the project. With FILE its present content is trusted "
		"and it may widen too; read it first. Without arguments the "
		"project's file is named with what is not taken from it, and "
		"nothing is changed.",
	.groups = { trust_groups,
		    sizeof(trust_groups) / sizeof(*trust_groups) },
	.args_size = sizeof(struct trust_args),
	.words = OPT_WORDS_FILE,
	.run = trust_main,
};
