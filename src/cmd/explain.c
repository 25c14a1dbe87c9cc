/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/explain.c - `cordon explain`: may a box read or write this path,
 * connect there, or execute this?
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line.
 * Must not: change anything.
 */
#include "cmd/explain.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/explain_exec.h"
#include "cmd/explain_net.h"
#include "cmd/inside.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "cmd/verb.h"
#include "plan/explain.h"
#include "policy/match.h"

struct explain_args {
	struct common_args common;
	struct policy_args policy;
	struct host_args host;
	bool json;
};

enum operation { EXPLAIN_READ, EXPLAIN_WRITE, EXPLAIN_NET, EXPLAIN_EXEC };

/* One path, and the answer. */
struct answer {
	const char *asked; /* as given */
	const char *path; /* expanded, links resolved */
	bool write;
	struct plan_verdict verdict;
};

static const struct opt explain_options[] = {
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct explain_args, json),
	  .help = "print the answers as JSON" },
};

static const struct opt_group explain_groups[] = {
	{ "Options", explain_options,
	  sizeof(explain_options) / sizeof(*explain_options), 0 },
	POLICY_GROUPS(offsetof(struct explain_args, policy)),
	HOST_GROUP(offsetof(struct explain_args, host)),
	COMMON_GROUP,
};

static const struct {
	const char *name;
	const char *of; /* what the words after it are */
	const char *part; /* of the summary inside a box */
} operations[] = {
	[EXPLAIN_READ] = { "read", "path", "files" },
	[EXPLAIN_WRITE] = { "write", "path", "files" },
	[EXPLAIN_NET] = { "net", "host", "network" },
	[EXPLAIN_EXEC] = { "exec", "command", "exec" },
};

static int parse_words(const struct opt_rest *rest, enum operation *out,
		       struct err *err)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (!rest->n || strcmp(rest->v[0], operations[i].name))
			continue;
		if (rest->n < 2)
			return err_set(err, ERR_USAGE, "no %s given",
				       operations[i].of);
		*out = (enum operation)i;
		return 0;
	}
	return err_set(err, ERR_USAGE,
		       "say what to explain: 'read' or 'write' and paths, "
		       "'net' and hosts, or 'exec --' and a command");
}

/* In a policy a backslash quotes the next character; here it is one. */
static const char *quote_backslashes(struct arena *arena, const char *word)
{
	struct text text = { .arena = arena };

	for (; *word; word++)
		text_addn(&text, *word == '\\' ? "\\\\" : word,
			  *word == '\\' ? 2 : 1);
	return text_str(&text);
}

/* A path here is a name, not a pattern: the caller's shell has globbed. */
int explain_path_expand(struct arena *arena, const struct prepared *prepared,
			const char *word, const char **out, struct err *err)
{
	struct policy_item item = {
		.text = quote_backslashes(arena, word),
		.origin = { .source = "command line" },
	};
	struct policy_path path;

	if (policy_path_expand(arena, &item, &prepared->context, &path, err) <
	    0)
		return -1;
	*out = path.literal;
	return 0;
}

/* What links lead to decides, not their names. */
static void explain_path(struct arena *arena, const struct prepared *prepared,
			 struct answer *answer)
{
	const struct facts_path *fact =
		facts_path_find(&prepared->facts, answer->path);

	if (fact && fact->real)
		answer->path = fact->real;
	if (prepared->inside)
		answer->path = plan_summary_path(arena, answer->path);
	plan_explain_path(arena, &prepared->plan, answer->path, answer->write,
			  &answer->verdict);
}

static void answer_format(struct text *out, const struct answer *answer)
{
	text_addf(out, "%s ", answer->write ? "write" : "read");
	text_add_escaped(out, answer->asked);
	text_addf(out, ": %s\n",
		  answer->verdict.allowed ? "allowed" : "denied");
	if (strcmp(answer->asked, answer->path))
		output_line(out, "path", answer->path);
	output_line(out, "rule", answer->verdict.reason);
	output_line(out, "change", answer->verdict.remedy);
}

static json_t *answer_json(struct arena *arena, const struct answer *answer)
{
	return json_pack("{s:s, s:o, s:o, s:b, s:o, s:o}", "operation",
			 answer->write ? "write" : "read", "asked",
			 output_string(arena, answer->asked), "path",
			 output_string(arena, answer->path), "allowed",
			 answer->verdict.allowed, "rule",
			 output_string(arena, answer->verdict.reason), "remedy",
			 output_string(arena, answer->verdict.remedy));
}

static int print_answers(struct arena *arena, const struct answer *answers,
			 size_t n, bool json, struct err *err)
{
	struct text out = { .arena = arena };
	json_t *list;

	if (json) {
		list = json_array();
		for (size_t i = 0; i < n; i++)
			json_array_append_new(list,
					      answer_json(arena, &answers[i]));
		return output_json(STDOUT_FILENO, list, err);
	}
	for (size_t i = 0; i < n; i++)
		answer_format(&out, &answers[i]);
	return output_text(&out, err);
}

static int explain_paths(struct arena *arena, const struct explain_args *args,
			 struct prepared *prepared, char *const *words,
			 size_t n, bool write, struct err *err)
{
	struct answer *answers = arena_array(arena, struct answer, n);
	struct facts_strings look = { 0 };
	bool denied = false;

	for (size_t i = 0; i < n; i++) {
		answers[i].asked = words[i];
		answers[i].write = write;
		if (explain_path_expand(arena, prepared, answers[i].asked,
					&answers[i].path, err) < 0)
			return -1;
		*ARENA_PUSH(arena, &look) = answers[i].path;
	}
	if (prepare_plan(arena, &args->host, &look, prepared, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		explain_path(arena, prepared, &answers[i]);
		denied |= !answers[i].verdict.allowed;
	}
	if (print_answers(arena, answers, n, args->json, err) < 0)
		return -1;
	return denied ? 1 : 0;
}

/* Whose policy it is: that of the box around, or the caller's. */
static int prepare_rules(struct arena *arena, const struct explain_args *args,
			 enum operation operation, struct prepared *out,
			 struct err *err)
{
	if (!host_is_inside_box())
		return prepare_policy(arena, &args->policy, out, err);
	if (inside_prepare(arena, &args->policy, out, err) < 0)
		return -1;
	return inside_check_whole(out, operations[operation].part, err);
}

static int explain_main(struct cmd *cmd, const void *verb_args,
			const struct opt_rest *rest, struct err *err)
{
	const struct explain_args *args = verb_args;
	struct prepared *prepared = arena_array(cmd->arena, struct prepared, 1);
	enum operation operation = EXPLAIN_READ;

	if (parse_words(rest, &operation, err) < 0 ||
	    prepare_rules(cmd->arena, args, operation, prepared, err) < 0)
		return -1;
	if (operation == EXPLAIN_EXEC)
		return explain_exec(cmd->arena, &args->host, prepared,
				    rest->v + 1, rest->n - 1, args->json, err);
	if (operation != EXPLAIN_NET)
		return explain_paths(cmd->arena, args, prepared, rest->v + 1,
				     rest->n - 1, operation == EXPLAIN_WRITE,
				     err);
	if (prepare_plan(cmd->arena, &args->host, NULL, prepared, err) < 0)
		return -1;
	return explain_net(cmd->arena, prepared, rest->v + 1, rest->n - 1,
			   args->json, err);
}

const struct verb verb_explain = {
	.name = "explain",
	.summary = "say whether a path, a host or a command is allowed, and "
		   "why",
	.synopsis = "[options] read|write PATH ...\n"
		    "[options] net HOST[:PORT] ...\n"
		    "[options] exec -- COMMAND [ARGUMENT ...]",
	.text = "Answers for each path or host, or for one command: allowed "
		"or denied, the rule that decides with the place it came "
		"from, and what would change it. The port of a host is 443 "
		"unless given; no name is resolved, so the addresses behind "
		"it are judged only when it is connected. A command is not "
		"run; a denied one is held by a mask on its file, which is a "
		"wall, or by its name or arguments, which are a guard-rail. "
		"Takes the options of 'run'. Inside a box it answers from "
		"the box's own policy. Exit status: 0 if all are allowed, 1 if "
		"one is denied.",
	.groups = { explain_groups,
		    sizeof(explain_groups) / sizeof(*explain_groups) },
	.args_size = sizeof(struct explain_args),
	.words = OPT_WORDS_CHOICE,
	.choices = "read|write|net|exec",
	.run = explain_main,
};
