/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/completion_bash.c - the completion script for bash
 *
 * Runs in:  the caller's process.
 * Trusts:   the tables.
 * Must not: let a word of the user be evaluated by the script.
 */
#include "cmd/completion.h"

#include <string.h>

#include "base/text.h"
#include "cmd/verb.h"

static const char *const word_kinds[] = {
	[OPT_WORDS_NONE] = "none",	 [OPT_WORDS_CHOICE] = "choice",
	[OPT_WORDS_FILE] = "file",	 [OPT_WORDS_DIRECTORY] = "directory",
	[OPT_WORDS_PROFILE] = "profile", [OPT_WORDS_VARIABLE] = "variable",
	[OPT_WORDS_COMMAND] = "command", [OPT_WORDS_VERB] = "verb",
};

static void bash_option(struct text *out, const struct verb *verb,
			const struct opt *opt, const struct opt *main)
{
	(void)verb;
	(void)main;
	if (opt->letter)
		text_addf(out, " -%c", opt->letter);
	text_addf(out, " --%s", opt->name);
}

/* A branch that says what the argument of an option is. */
static void bash_argument(struct text *out, const struct verb *verb,
			  const struct opt *opt, const struct opt *main)
{
	(void)main;
	if (!opt->arg)
		return;
	text_addf(out, "\t'%s:--%s'", verb->name, opt->name);
	if (opt->letter)
		text_addf(out, "|'%s:-%c'", verb->name, opt->letter);
	text_addf(out, ") kind='%s'", word_kinds[opt->words]);
	if (opt->words == OPT_WORDS_CHOICE) {
		text_add(out, " choices='");
		completion_choices_format(out, opt->arg);
		text_add(out, "'");
	}
	text_add(out, " ;;\n");
}

static void bash_verb(struct text *out, const struct verb *verb)
{
	text_addf(out, "\t'%s')\n\t\toptions='", verb->name);
	completion_rows_format(out, verb, bash_option);
	text_addf(out, "'\n\t\tkind='%s' command=%d", word_kinds[verb->words],
		  verb->command);
	if (verb->choices) {
		text_add(out, " choices='");
		completion_choices_format(out, verb->choices);
		text_add(out, "'");
	}
	text_add(out, " ;;\n");
}

/* A verb of one word whose word begins others: `audit`, `audit verify`. */
static void bash_find_second(struct text *out, const struct verbs *verbs,
			     const char *name)
{
	struct text seconds = { .arena = out->arena };

	completion_second_format(&seconds, verbs, name);
	if (!seconds.n)
		return;
	text_addf(out,
		  "\t%s)\n\t\tverb=%s at=2\n"
		  "\t\tif ((COMP_CWORD > 2)) && [[ ' %s ' == "
		  "*\" ${COMP_WORDS[2]} \"* ]]; then\n"
		  "\t\t\tverb=\"%s ${COMP_WORDS[2]}\" at=3\n\t\tfi ;;\n",
		  name, name, seconds.v, name);
}

/* Which words go before; $verb, $at (the first word after it). */
static void bash_find_verb(struct text *out, const struct verbs *verbs)
{
	text_add(out, "\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; i < verbs->n; i++) {
		const char *name = verbs->v[i]->name;

		if (!strchr(name, ' '))
			bash_find_second(out, verbs, name);
		if (!strchr(name, ' ') || completion_find_before(verbs, i))
			continue;
		text_addf(out, "\t%.*s)\n\t\tif ((COMP_CWORD == 2)); then\n",
			  (int)strcspn(name, " "), name);
		text_add(out, "\t\t\t_cordon_offer choice '");
		completion_second_format(out, verbs, name);
		text_add(out, "'\n\t\t\treturn\n\t\tfi\n"
			      "\t\tverb=\"${COMP_WORDS[1]} "
			      "${COMP_WORDS[2]}\" at=3 ;;\n");
	}
	text_add(out, "\t*) verb=${COMP_WORDS[1]} at=2 ;;\n\tesac\n");
}

static const char bash_head[] =
	"# bash completion for cordon; made by 'cordon completion bash'\n"
	"\n"
	"# $1: what is offered, $2: words to choose from\n"
	"_cordon_offer()\n"
	"{\n"
	"\tlocal words=()\n"
	"\tcase $1 in\n"
	"\tchoice) mapfile -t words < <(compgen -W \"$2\" -- \"$cur\") ;;\n"
	"\tfile)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tmapfile -t words < <(compgen -f -- \"$cur\") ;;\n"
	"\tdirectory)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tmapfile -t words < <(compgen -d -- \"$cur\") ;;\n"
	"\tprofile)\n"
	"\t\tif [[ $cur == */* || $cur == .* ]]; then\n"
	"\t\t\t_cordon_offer file\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\tmapfile -t words < <(compgen -W "
	"\"$(cordon profiles --names 2>/dev/null)\" -- \"$cur\") ;;\n"
	"\tvariable) mapfile -t words < <(compgen -e -- \"$cur\") ;;\n"
	"\tcommand)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tmapfile -t words < <(compgen -c -- \"$cur\") ;;\n"
	"\tesac\n"
	"\tCOMPREPLY=(\"${words[@]}\")\n"
	"}\n"
	"\n"
	"# What the argument of option $prev is, in $kind and $choices\n"
	"_cordon_argument()\n"
	"{\n"
	"\tkind='' choices=''\n"
	"\tcase \"$verb:$1\" in\n";

static const char bash_middle[] = "\tesac\n"
				  "\t[[ -n $kind ]]\n"
				  "}\n"
				  "\n"
				  "_cordon()\n"
				  "{\n";

static const char bash_words[] =
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} "
	"prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal verb at options kind='' choices='' command=0 first word\n"
	"\tlocal offered count=0\n"
	"\tCOMPREPLY=()\n"
	"\t# readline parts --name=value at the '='\n"
	"\tif [[ $cur == '=' ]]; then\n"
	"\t\tcur=''\n"
	"\telif [[ $prev == '=' ]]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\t_cordon_offer choice \"$verbs --help --version\"\n"
	"\t\treturn\n"
	"\tfi\n";

static const char bash_tail[] =
	"\t*) return ;;\n"
	"\tesac\n"
	"\tfirst=$kind offered=$choices\n"
	"\t# Past the options of cordon?\n"
	"\twhile ((at < COMP_CWORD)); do\n"
	"\t\tword=${COMP_WORDS[at]}\n"
	"\t\tcase $word in\n"
	"\t\t--) ((at++)); break ;;\n"
	"\t\t-*)\n"
	"\t\t\tif _cordon_argument \"$word\"; then\n"
	"\t\t\t\t[[ ${COMP_WORDS[at + 1]} == '=' ]] && ((at++))\n"
	"\t\t\t\t((at++))\n"
	"\t\t\tfi ;;\n"
	"\t\t*)\n"
	"\t\t\t((command)) && break\n"
	"\t\t\t((count++)) ;;\n"
	"\t\tesac\n"
	"\t\t((at++))\n"
	"\tdone\n"
	"\tif ((command && at < COMP_CWORD)); then\n"
	"\t\t# The command's own words\n"
	"\t\tif declare -F _command_offset >/dev/null; then\n"
	"\t\t\t_command_offset \"$at\"\n"
	"\t\telse\n"
	"\t\t\t_cordon_offer file\n"
	"\t\tfi\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tif [[ $prev == -* && $prev != -- ]] && "
	"_cordon_argument \"$prev\"; then\n"
	"\t\t_cordon_offer \"$kind\" \"$choices\"\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\t_cordon_offer choice \"$options\"\n"
	"\telif [[ $first == verb ]]; then\n"
	"\t\t_cordon_offer choice \"$verbs\"\n"
	"\telif [[ $first == choice ]] && ((count)); then\n"
	"\t\t_cordon_offer file\n"
	"\telse\n"
	"\t\t_cordon_offer \"$first\" \"$offered\"\n"
	"\tfi\n"
	"}\n"
	"\n"
	"complete -F _cordon cordon\n";

void completion_bash_format(struct text *out, const struct verbs *verbs)
{
	text_add(out, bash_head);
	for (size_t i = 0; i < verbs->n; i++)
		completion_rows_format(out, verbs->v[i], bash_argument);
	text_add(out, bash_middle);
	text_add(out, "\tlocal verbs='");
	completion_first_format(out, verbs);
	text_add(out, "'\n");
	text_add(out, bash_words);
	bash_find_verb(out, verbs);
	text_add(out, "\tcase $verb in\n");
	for (size_t i = 0; i < verbs->n; i++)
		bash_verb(out, verbs->v[i]);
	text_add(out, bash_tail);
}
