/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/completion.c - `cordon completion`: scripts for shells
 *
 * Runs in:  the caller's process.
 * Trusts:   the tables.
 * Must not: put anything into a script that the tables do not hold; a shell
 *           will run it.
 */
#include "cmd/completion.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/verb.h"

/* -------------------------------------------------------- walking tables */

void completion_rows_format(struct text *out, const struct verb *verb,
			    completion_row_fn *fn)
{
	for (size_t g = 0; g < verb->groups.n; g++) {
		const struct opt_group *group = &verb->groups.v[g];
		const struct opt *main = NULL;

		for (size_t i = 0; i < group->n; i++) {
			if (group->v[i].help)
				main = &group->v[i];
			fn(out, verb, &group->v[i], main);
		}
	}
}

bool completion_find_before(const struct verbs *verbs, size_t at)
{
	const char *name = verbs->v[at]->name;
	size_t len = strcspn(name, " ");

	for (size_t i = 0; i < at; i++) {
		if (!strncmp(verbs->v[i]->name, name, len) &&
		    strcspn(verbs->v[i]->name, " ") == len)
			return true;
	}
	return false;
}

void completion_first_format(struct text *out, const struct verbs *verbs)
{
	const char *sep = "";

	for (size_t i = 0; i < verbs->n; i++) {
		const char *name = verbs->v[i]->name;

		if (completion_find_before(verbs, i))
			continue;
		text_addf(out, "%s%.*s", sep, (int)strcspn(name, " "), name);
		sep = " ";
	}
}

void completion_second_format(struct text *out, const struct verbs *verbs,
			      const char *first)
{
	size_t len = strcspn(first, " ");
	const char *sep = "";

	for (size_t i = 0; i < verbs->n; i++) {
		const char *name = verbs->v[i]->name;

		if (strncmp(name, first, len) || name[len] != ' ')
			continue;
		text_addf(out, "%s%s", sep, name + len + 1);
		sep = " ";
	}
}

void completion_choices_format(struct text *out, const char *choices)
{
	for (; *choices; choices++)
		text_addn(out, *choices == '|' ? " " : choices, 1);
}

void completion_quoted_format(struct text *out, const char *s)
{
	text_add(out, "'");
	for (; *s; s++)
		text_addn(out, *s == '\'' ? "'\\''" : s, *s == '\'' ? 4 : 1);
	text_add(out, "'");
}

/* -------------------------------------------------------------- the verb */

static const struct {
	const char *name;
	void (*format)(struct text *out, const struct verbs *verbs);
} shells[] = {
	{ "bash", completion_bash_format },
	{ "zsh", completion_zsh_format },
	{ "fish", completion_fish_format },
};

static const struct opt_group completion_groups[] = { COMMON_GROUP };

static int completion_main(struct cmd *cmd, const void *args,
			   const struct opt_rest *rest, struct err *err)
{
	struct text out = { .arena = cmd->arena };

	(void)args;
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		if (rest->n != 1 || strcmp(rest->v[0], shells[i].name))
			continue;
		shells[i].format(&out, cmd->verbs);
		return output_text(&out, err);
	}
	return err_set(err, ERR_USAGE, "name one shell: bash, zsh or fish");
}

const struct verb verb_completion = {
	.name = "completion",
	.summary = "print a completion script for bash, zsh or fish",
	.synopsis = "bash|zsh|fish",
	.text = "Prints a script that completes verbs, options and their "
		"arguments. In bash: source <(cordon completion bash). In "
		"zsh: cordon completion zsh > a file '_cordon' in a directory "
		"of $fpath. In fish: cordon completion fish | source.",
	.groups = { completion_groups, 1 },
	.args_size = sizeof(struct common_args),
	.words = OPT_WORDS_CHOICE,
	.choices = "bash|zsh|fish",
	.run = completion_main,
};
