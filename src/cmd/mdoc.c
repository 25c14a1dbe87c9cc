/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/mdoc.c - the verbs and options for the manual
 *
 * Runs in:  the caller's process.
 * Trusts:   the tables.
 * Must not: say what `--help` does not.
 */
#include "cmd/mdoc.h"

#include <string.h>

#include "base/text.h"
#include "cmd/verb.h"

enum { WIDTH = 72 };

/* A verb's own options; all other titles are shared ones. */
static bool is_own(const struct opt_group *group)
{
	return !strcmp(group->title, "Options");
}

/* A word at column @column of a line of the source. */
static size_t add_word(struct text *out, const char *word, size_t len,
		       size_t column)
{
	if (column && column + 1 + len > WIDTH) {
		text_add(out, "\n");
		column = 0;
	}
	if (column)
		text_add(out, " ");
	else if (*word == '.' || *word == '\'')
		text_add(out, "\\&"); /* else it would be a request */
	for (size_t i = 0; i < len; i++)
		text_addn(out, word[i] == '\\' ? "\\e" : &word[i],
			  word[i] == '\\' ? 2 : 1);
	return column + len + (column ? 1 : 0);
}

/* Running text; a sentence starts a line, as mdoc(7) wants it. */
static void add_text(struct text *out, const char *s)
{
	size_t column = 0;

	while (*s) {
		size_t len = strcspn(s, " \n");

		column = add_word(out, s, len, column);
		if (!strncmp(s + len, "\n\n", 2)) {
			text_add(out, "\n.Pp\n");
			column = 0;
			s += len + 2;
			continue;
		}
		if (s[len] && s[len - 1] == '.' && s[len + 1] >= 'A' &&
		    s[len + 1] <= 'Z') {
			text_add(out, "\n");
			column = 0;
		}
		s += len + (s[len] ? 1 : 0);
	}
	text_add(out, column ? "\n" : "");
}

static void add_spelling(struct text *out, const struct opt *opt,
			 const char *sep)
{
	if (opt->letter)
		text_addf(out, "%s Fl %c", sep, opt->letter);
	text_addf(out, "%s Fl -%s", opt->letter ? " ," : sep, opt->name);
}

/* The row at @opt with the other spellings that follow it, at most @n. */
static void add_option(struct text *out, const struct opt *opt, size_t n)
{
	text_add(out, ".It");
	add_spelling(out, opt, "");
	for (size_t i = 1; i < n && !opt[i].help; i++)
		add_spelling(out, &opt[i], " ,");
	if (opt->arg)
		text_addf(out, " Ar %s", opt->arg);
	text_add(out, "\n");
	add_text(out, opt->help);
}

static void add_group(struct text *out, const struct opt_group *group)
{
	text_add(out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < group->n; i++) {
		if (group->v[i].help)
			add_option(out, &group->v[i], group->n - i);
	}
	text_add(out, ".El\n");
}

static void add_verb(struct text *out, const struct verb *verb)
{
	const char *form = verb->synopsis;

	for (;;) {
		size_t len = strcspn(form, "\n");

		text_addf(out, ".It Cm %s%s%.*s\n", verb->name,
			  len ? " No " : "", (int)len, form);
		if (!form[len])
			break;
		form += len + 1;
	}
	add_text(out, verb->text);
	for (size_t g = 0; g < verb->groups.n; g++) {
		if (is_own(&verb->groups.v[g]))
			add_group(out, &verb->groups.v[g]);
	}
}

/* Was this table printed for a verb before number @at? */
static bool was_printed(const struct verbs *verbs, size_t at,
			const struct opt *table)
{
	for (size_t i = 0; i < at; i++) {
		const struct opt_groups *groups = &verbs->v[i]->groups;

		for (size_t g = 0; g < groups->n; g++) {
			if (groups->v[g].v == table)
				return true;
		}
	}
	return false;
}

void mdoc_verbs_format(struct text *out, const struct verbs *verbs)
{
	text_add(out, ".Sh VERBS\n.Bl -tag -width Ds\n");
	for (size_t i = 0; i < verbs->n; i++)
		add_verb(out, verbs->v[i]);
	text_add(out, ".El\n.Sh OPTIONS\n"
		      "The common options go with every verb, the others with\n"
		      ".Cm run ,\n.Cm learn ,\n.Cm plan ,\n.Cm explain ,\n"
		      ".Cm policy agents\nand\n"
		      ".Cm policy show ,\n"
		      "which plans nothing and has no\n"
		      ".Fl -allow-degraded .\n");
	for (size_t i = 0; i < verbs->n; i++) {
		const struct opt_groups *groups = &verbs->v[i]->groups;

		for (size_t g = 0; g < groups->n; g++) {
			const struct opt_group *group = &groups->v[g];

			if (is_own(group) || was_printed(verbs, i, group->v))
				continue;
			text_addf(out, ".Ss %s\n", group->title);
			add_group(out, group);
		}
	}
}
