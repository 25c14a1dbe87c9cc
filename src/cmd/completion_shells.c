/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/completion_shells.c - the completion scripts for zsh and fish
 *
 * Runs in:  the caller's process.
 * Trusts:   the tables.
 * Must not: let a word of the user be evaluated by the script.
 */
#include "cmd/completion.h"

#include <string.h>

#include "base/text.h"
#include "cmd/verb.h"

/* ------------------------------------------------------------------- zsh */

/* Text inside a spec of _arguments: '[', ']' and ':' would end it. */
static void zsh_text(struct text *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '[' || *s == ']' || *s == ':')
			text_add(out, "\\");
		text_addn(out, s, 1);
	}
}

static void zsh_action(struct text *out, enum opt_words words,
		       const char *choices)
{
	static const char *const actions[] = {
		[OPT_WORDS_NONE] = " ",
		[OPT_WORDS_CHOICE] = "",
		[OPT_WORDS_FILE] = "_files",
		[OPT_WORDS_DIRECTORY] = "_files -/",
		[OPT_WORDS_PROFILE] = "_cordon_profiles",
		[OPT_WORDS_VARIABLE] = "_parameters -g \"*export*\"",
		[OPT_WORDS_COMMAND] = "_command_names -e",
		[OPT_WORDS_VERB] = "_cordon_verbs",
	};

	if (words != OPT_WORDS_CHOICE) {
		text_add(out, actions[words]);
		return;
	}
	text_add(out, "(");
	completion_choices_format(out, choices);
	text_add(out, ")");
}

/* One spec for one spelling: "*--profile=[help]:NAME:action". */
static void zsh_spec(struct text *out, const char *spelling, const char *joint,
		     const struct opt *opt, const char *help)
{
	struct text spec = { .arena = out->arena };

	text_addf(&spec, "%s%s%s[", opt->kind == OPT_LIST ? "*" : "", spelling,
		  opt->arg ? joint : "");
	zsh_text(&spec, help);
	text_add(&spec, "]");
	if (opt->arg) {
		text_add(&spec, ":");
		zsh_text(&spec, opt->arg);
		text_add(&spec, ":");
		zsh_action(&spec, opt->words, opt->arg);
	}
	text_add(out, " \\\n\t\t\t");
	completion_quoted_format(out, text_str(&spec));
}

static void zsh_row(struct text *out, const struct verb *verb,
		    const struct opt *opt, const struct opt *main)
{
	struct text spelling = { .arena = out->arena };
	char letter[] = { '-', opt->letter, '\0' };

	(void)verb;
	text_addf(&spelling, "--%s", opt->name);
	zsh_spec(out, text_str(&spelling), "=", opt, main->help);
	if (opt->letter)
		zsh_spec(out, letter, "+", opt, main->help);
}

static void zsh_verb(struct text *out, const struct verb *verb)
{
	struct text spec = { .arena = out->arena };

	text_addf(out, "\t'%s')\n\t\t_arguments -s -S", verb->name);
	completion_rows_format(out, verb, zsh_row);
	if (verb->command) {
		text_add(out, " \\\n\t\t\t'(-)1:command:_command_names -e'"
			      " \\\n\t\t\t'*::argument:_normal'");
	} else if (verb->words != OPT_WORDS_NONE) {
		text_add(&spec, verb->words == OPT_WORDS_FILE ? "*" : "1");
		text_add(&spec, ":word:");
		zsh_action(&spec, verb->words, verb->choices);
		text_add(out, " \\\n\t\t\t");
		completion_quoted_format(out, text_str(&spec));
		if (verb->words == OPT_WORDS_CHOICE)
			text_add(out, " \\\n\t\t\t'*:file:_files'");
	}
	text_add(out, " ;;\n");
}

/* As bash_find_second(). */
static void zsh_find_second(struct text *out, const struct verbs *verbs,
			    const char *name)
{
	struct text seconds = { .arena = out->arena };

	completion_second_format(&seconds, verbs, name);
	if (!seconds.n)
		return;
	text_addf(out,
		  "\t%s)\n\t\tverb=%s\n"
		  "\t\tif (( CURRENT > 3 )) && [[ ' %s ' == "
		  "*\" $words[3] \"* ]]; then\n"
		  "\t\t\tverb=\"%s $words[3]\"\n\t\t\tshift words\n"
		  "\t\t\t(( CURRENT -= 1 ))\n\t\tfi\n"
		  "\t\tshift words\n\t\t(( CURRENT -= 1 )) ;;\n",
		  name, name, seconds.v, name);
}

static void zsh_find_verb(struct text *out, const struct verbs *verbs)
{
	text_add(out, "\tcase $words[2] in\n");
	for (size_t i = 0; i < verbs->n; i++) {
		const char *name = verbs->v[i]->name;

		if (!strchr(name, ' '))
			zsh_find_second(out, verbs, name);
		if (!strchr(name, ' ') || completion_find_before(verbs, i))
			continue;
		text_addf(out,
			  "\t%.*s)\n\t\tif (( CURRENT == 3 )); then\n"
			  "\t\t\tcompadd ",
			  (int)strcspn(name, " "), name);
		completion_second_format(out, verbs, name);
		text_add(out, "\n\t\t\treturn\n\t\tfi\n"
			      "\t\tverb=\"$words[2] $words[3]\"\n"
			      "\t\tshift 2 words\n"
			      "\t\t(( CURRENT -= 2 )) ;;\n");
	}
	text_add(out, "\t*)\n\t\tverb=$words[2]\n\t\tshift words\n"
		      "\t\t(( CURRENT -= 1 )) ;;\n\tesac\n");
}

static void zsh_verbs(struct text *out, const struct verbs *verbs)
{
	text_add(out, "_cordon_verbs()\n{\n\tlocal -a verbs\n\tverbs=(\n");
	for (size_t i = 0; i < verbs->n; i++) {
		const char *name = verbs->v[i]->name;
		struct text line = { .arena = out->arena };

		if (completion_find_before(verbs, i))
			continue;
		text_addn(&line, name, strcspn(name, " "));
		text_add(&line, ":");
		zsh_text(&line, strchr(name, ' ') ? "policy files"
						  : verbs->v[i]->summary);
		text_add(out, "\t\t");
		completion_quoted_format(out, text_str(&line));
		text_add(out, "\n");
	}
	text_add(out, "\t)\n\t_describe -t verbs verb verbs\n}\n\n");
}

void completion_zsh_format(struct text *out, const struct verbs *verbs)
{
	text_add(out,
		 "#compdef cordon\n"
		 "# zsh completion for cordon; made by 'cordon completion "
		 "zsh'\n\n"
		 "_cordon_profiles()\n{\n\tlocal -a names\n"
		 "\tnames=(${(f)\"$(cordon profiles --names 2>/dev/null)\"})\n"
		 "\t_alternative 'profiles:profile:compadd -a names' "
		 "'files:file:_files'\n}\n\n");
	zsh_verbs(out, verbs);
	text_add(out, "_cordon()\n{\n\tlocal verb\n"
		      "\tif (( CURRENT == 2 )); then\n"
		      "\t\t_cordon_verbs\n\t\treturn\n\tfi\n");
	zsh_find_verb(out, verbs);
	text_add(out, "\tcase $verb in\n");
	for (size_t i = 0; i < verbs->n; i++)
		zsh_verb(out, verbs->v[i]);
	text_add(out, "\tesac\n}\n\nif [[ $funcstack[1] == _cordon ]]; then\n"
		      "\t_cordon \"$@\"\nelse\n\tcompdef _cordon cordon\nfi\n");
}

/* ------------------------------------------------------------------ fish */

/* " -n 'condition'": the words before are those of @verb. */
static void fish_condition(struct text *out, const struct verb *verb)
{
	size_t len = strcspn(verb->name, " ");

	text_addf(out,
		  "complete -c cordon -n '__fish_seen_subcommand_from "
		  "%.*s",
		  (int)len, verb->name);
	if (verb->name[len])
		text_addf(out, "; and __fish_seen_subcommand_from %s",
			  verb->name + len + 1);
	text_add(out, "'");
}

static void fish_words(struct text *out, enum opt_words words,
		       const char *choices)
{
	static const char *const offers[] = {
		[OPT_WORDS_NONE] = " -x",
		[OPT_WORDS_CHOICE] = " -x -a '",
		[OPT_WORDS_FILE] = " -r -F",
		[OPT_WORDS_DIRECTORY] =
			" -x -a '(__fish_complete_directories)'",
		[OPT_WORDS_PROFILE] =
			" -r -F -a '(cordon profiles --names 2>/dev/null)'",
		[OPT_WORDS_VARIABLE] = " -x -a '(set -xn)'",
		[OPT_WORDS_COMMAND] = " -F -a '(__fish_complete_command)'",
		[OPT_WORDS_VERB] = " -x -a '",
	};

	text_add(out, offers[words]);
	if (words == OPT_WORDS_CHOICE) {
		completion_choices_format(out, choices);
		text_add(out, "'");
	}
}

static void fish_row(struct text *out, const struct verb *verb,
		     const struct opt *opt, const struct opt *main)
{
	fish_condition(out, verb);
	if (opt->letter)
		text_addf(out, " -s %c", opt->letter);
	text_addf(out, " -l %s", opt->name);
	if (opt->arg)
		fish_words(out, opt->words, opt->arg);
	text_add(out, " -d ");
	completion_quoted_format(out, main->help);
	text_add(out, "\n");
}

static void fish_verb(struct text *out, const struct verbs *verbs,
		      const struct verb *verb)
{
	completion_rows_format(out, verb, fish_row);
	if (verb->words == OPT_WORDS_NONE)
		return;
	fish_condition(out, verb);
	if (verb->words == OPT_WORDS_FILE) {
		text_add(out, " -F\n");
		return;
	}
	fish_words(out, verb->words, verb->choices);
	if (verb->words == OPT_WORDS_VERB) {
		completion_first_format(out, verbs);
		text_add(out, "'");
	}
	text_add(out, "\n");
}

/* The first word, and the second where there is one. */
static void fish_names(struct text *out, const struct verbs *verbs, size_t i)
{
	const char *name = verbs->v[i]->name;
	int len = (int)strcspn(name, " ");

	if (completion_find_before(verbs, i))
		return;
	text_addf(out,
		  "complete -c cordon -n __fish_use_subcommand -a %.*s -d ",
		  len, name);
	completion_quoted_format(
		out, name[len] ? "policy files" : verbs->v[i]->summary);
	text_add(out, "\n");
	if (!name[len])
		return;
	text_addf(out,
		  "complete -c cordon -n '__fish_seen_subcommand_from %.*s; "
		  "and not __fish_seen_subcommand_from ",
		  len, name);
	completion_second_format(out, verbs, name);
	text_add(out, "' -a '");
	completion_second_format(out, verbs, name);
	text_add(out, "'\n");
}

void completion_fish_format(struct text *out, const struct verbs *verbs)
{
	text_add(out, "# fish completion for cordon; made by 'cordon "
		      "completion fish'\n\ncomplete -c cordon -f\n");
	for (size_t i = 0; i < verbs->n; i++)
		fish_names(out, verbs, i);
	for (size_t i = 0; i < verbs->n; i++)
		fish_verb(out, verbs, verbs->v[i]);
}
