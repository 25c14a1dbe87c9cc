/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/help.c - `cordon help` and `cordon version`; finding verbs
 *
 * Runs in:  the caller's process.
 * Trusts:   the verb table.
 * Must not: know of single verbs.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/mdoc.h"
#include "cmd/output.h"
#include "cmd/verb.h"
#include "policy/fields.h"

enum { WIDTH = 79 };

const struct opt common_options_v[COMMON_OPTIONS_N] = {
	{ .name = "quiet",
	  .letter = 'q',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct common_args, quiet),
	  .help = "say nothing but errors" },
	{ .name = "help",
	  .letter = 'h',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct common_args, help),
	  .help = "print this text" },
	{ .name = "version",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct common_args, version),
	  .help = "print the version" },
};

static const struct opt_group common_groups[] = { COMMON_GROUP };

/* ----------------------------------------------------------- finding one */

const struct verb *verb_find(const struct verbs *verbs, char *const *words,
			     size_t *used)
{
	const struct verb *found = NULL;

	/* Of `audit` and `audit verify`, both words are meant. */
	for (size_t i = 0; i < verbs->n && words[0]; i++) {
		const char *name = verbs->v[i]->name;
		size_t len = strlen(words[0]);

		if (!strcmp(name, words[0])) {
			*used = 1;
			found = verbs->v[i];
		}
		if (words[1] && !strncmp(name, words[0], len) &&
		    name[len] == ' ' && !strcmp(name + len + 1, words[1])) {
			*used = 2;
			return verbs->v[i];
		}
	}
	return found;
}

/* "show, schema, init" where @word begins the names of verbs. */
static const char *list_seconds(struct arena *arena, const struct verbs *verbs,
				const char *word)
{
	struct text text = { .arena = arena };
	size_t len = strlen(word);

	for (size_t i = 0; i < verbs->n; i++) {
		const char *name = verbs->v[i]->name;

		if (strncmp(name, word, len) || name[len] != ' ')
			continue;
		text_addf(&text, "%s%s", text.n ? ", " : "", name + len + 1);
	}
	return text.n ? text_str(&text) : NULL;
}

static const char *nearest_verb(struct cmd *cmd, const char *word)
{
	const char **names =
		arena_array(cmd->arena, const char *, cmd->verbs->n + 1);

	for (size_t i = 0; i < cmd->verbs->n; i++)
		names[i] = cmd->verbs->v[i]->name;
	return policy_word_nearest(word, names);
}

int verb_unknown(struct cmd *cmd, char *const *words, struct err *err)
{
	const char *seconds = list_seconds(cmd->arena, cmd->verbs, words[0]);
	const char *nearest;

	if (seconds && words[1])
		return err_set(err, ERR_USAGE,
			       "'%s %.40s' is not a verb: '%s' goes with %s",
			       words[0], words[1], words[0], seconds);
	if (seconds)
		return err_set(err, ERR_USAGE, "'%s' needs one of %s", words[0],
			       seconds);
	nearest = nearest_verb(cmd, words[0]);
	if (nearest)
		return err_set(err, ERR_USAGE,
			       "'%.40s' is not a verb: did you mean 'cordon "
			       "%s'? A command is run by 'cordon run'",
			       words[0], nearest);
	return err_set(err, ERR_USAGE,
		       "'%.40s' is not a verb; to run it as a command: cordon "
		       "run %.40s",
		       words[0], words[0]);
}

int verb_exit_code(const struct verb *verb, const struct err *err)
{
	if (!verb || !verb->runs)
		return err->kind == ERR_USAGE ? EXIT_USAGE : 1;
	if (err->kind == ERR_NOT_FOUND)
		return EXIT_NOT_FOUND;
	if (err->kind == ERR_NOT_EXECUTABLE)
		return EXIT_NOT_EXECUTABLE;
	return EXIT_SETUP;
}

/* ------------------------------------------------------------ their text */

void verb_version_format(struct text *out)
{
	text_add(out, "cordon " CORDON_VERSION "\n");
}

static void usage_format(struct text *out, const struct verb *verb)
{
	const char *form = verb->synopsis;
	const char *label = "usage:";

	for (;;) {
		size_t len = strcspn(form, "\n");

		text_addf(out, "%-6s cordon %s%s%.*s\n", label, verb->name,
			  len ? " " : "", (int)len, form);
		if (!form[len])
			return;
		form += len + 1;
		label = "";
	}
}

void verb_help_format(struct text *out, const struct verb *verb)
{
	usage_format(out, verb);
	text_add(out, "\n");
	opt_wrap_format(out, verb->text, 0, 0, WIDTH);
	text_add(out, "\n");
	opt_help_format(out, &verb->groups);
}

void verbs_help_format(struct text *out, const struct verbs *verbs)
{
	struct opt_groups common = { common_groups, 1 };

	text_add(out, "usage: cordon run [options] [--] command "
		      "[argument ...]\n"
		      "       cordon verb [options] ...\n"
		      "\n"
		      "cordon runs a command in a box: it sees no secrets, "
		      "changes nothing outside\n"
		      "the current directory and has no network, unless a "
		      "policy or an option says\n"
		      "so. Try:\n"
		      "\n"
		      "  cordon run npm test           run a command with the "
		      "profile 'default'\n"
		      "  cordon plan                   see what that would "
		      "mean here\n"
		      "  cordon explain read ~/.ssh    see why something is "
		      "denied\n"
		      "\n"
		      "Verbs:\n");
	for (size_t i = 0; i < verbs->n; i++) {
		text_add(out, "  ");
		output_column(out, verbs->v[i]->name, 14);
		text_addf(out, "%s\n", verbs->v[i]->summary);
	}
	opt_help_format(out, &common);
	text_add(out, "\n'cordon help VERB' has the options of a verb; "
		      "cordon(1) and\ncordon.policy(5) have the rest.\n");
}

bool verb_family_format(struct text *out, const struct verbs *verbs,
			const char *word)
{
	size_t len = strlen(word);
	bool found = false;

	for (size_t i = 0; i < verbs->n; i++) {
		const struct verb *verb = verbs->v[i];

		if (strncmp(verb->name, word, len) || verb->name[len] != ' ')
			continue;
		text_add(out, found ? "\n" : "");
		usage_format(out, verb);
		text_addf(out, "       %s\n", verb->summary);
		found = true;
	}
	return found;
}

/* -------------------------------------------------------------- as verbs */

struct help_args {
	struct common_args common;
	bool mdoc;
};

static const struct opt help_options[] = {
	{ .name = "mdoc",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct help_args, mdoc),
	  .help = "print the parts of cordon(1) about verbs and options" },
};

static const struct opt_group help_groups[] = {
	{ "Options", help_options, sizeof(help_options) / sizeof(*help_options),
	  0 },
	COMMON_GROUP,
};

static int help_main(struct cmd *cmd, const void *verb_args,
		     const struct opt_rest *rest, struct err *err)
{
	const struct help_args *args = verb_args;
	struct text out = { .arena = cmd->arena };
	const struct verb *verb;
	size_t used = 0;

	if (args->mdoc) {
		mdoc_verbs_format(&out, cmd->verbs);
		return output_text(&out, err);
	}
	if (!rest->n) {
		verbs_help_format(&out, cmd->verbs);
		return output_text(&out, err);
	}
	verb = verb_find(cmd->verbs, rest->v, &used);
	if (!verb && rest->n == 1 &&
	    verb_family_format(&out, cmd->verbs, rest->v[0]))
		return output_text(&out, err);
	if (!verb)
		return verb_unknown(cmd, rest->v, err);
	if (rest->n > used)
		return err_set(err, ERR_USAGE, "'%s' is one word too many",
			       rest->v[used]);
	verb_help_format(&out, verb);
	return output_text(&out, err);
}

static int version_main(struct cmd *cmd, const void *args,
			const struct opt_rest *rest, struct err *err)
{
	struct text out = { .arena = cmd->arena };

	(void)args;
	if (rest->n)
		return err_set(err, ERR_USAGE, "'version' takes no words");
	verb_version_format(&out);
	return output_text(&out, err);
}

const struct verb verb_help = {
	.name = "help",
	.summary = "print help for cordon or one of its verbs",
	.synopsis = "[VERB]",
	.text = "Prints the list of verbs, or what one of them does and its "
		"options.",
	.groups = { help_groups, sizeof(help_groups) / sizeof(*help_groups) },
	.args_size = sizeof(struct help_args),
	.words = OPT_WORDS_VERB,
	.run = help_main,
};

const struct verb verb_version = {
	.name = "version",
	.summary = "print the version",
	.synopsis = "",
	.text = "Prints the version of cordon.",
	.groups = { common_groups, 1 },
	.args_size = sizeof(struct common_args),
	.run = version_main,
};
