/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/options.c - reads command lines by tables
 *
 * Runs in:  the caller's process, before anything else.
 * Trusts:   the tables; the words come from anywhere.
 * Must not: touch the world or keep state: the same words give the same
 *           result.
 *
 * getopt_long() is not used: it permutes, keeps globals, guesses at
 * abbreviations, and knows nothing of help or completion.
 */
#include "cmd/options.h"

#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "policy/fields.h"

struct parser {
	struct arena *arena;
	const struct opt_groups *groups;
	char *const *next; /* the word to be read */
	unsigned char *args;
	struct err *err;
};

/* A row, and where its group lies. */
struct match {
	const struct opt *opt;
	const struct opt *main; /* the same, or the one it is a spelling of */
	size_t offset;
};

/* The row that @name or, with a NULL @name, @letter means. */
static bool find_row(const struct opt_groups *groups, const char *name,
		     size_t len, char letter, struct match *out)
{
	for (size_t g = 0; g < groups->n; g++) {
		const struct opt_group *group = &groups->v[g];
		const struct opt *main = NULL;

		for (size_t i = 0; i < group->n; i++) {
			const struct opt *opt = &group->v[i];

			if (opt->help)
				main = opt;
			if (name ? strncmp(opt->name, name, len) ||
					    opt->name[len]
				 : opt->letter != letter)
				continue;
			assert(main);
			*out = (struct match){ opt, main, group->offset };
			return true;
		}
	}
	return false;
}

const struct opt *opt_find(const struct opt_groups *groups, const char *name,
			   size_t len)
{
	struct match match;

	return find_row(groups, name, len, 0, &match) ? match.opt : NULL;
}

/* Names of all rows, NULL-terminated. */
static const char *const *list_names(struct arena *arena,
				     const struct opt_groups *groups)
{
	const char **names;
	size_t n = 0;

	for (size_t g = 0; g < groups->n; g++)
		n += groups->v[g].n;
	names = arena_array(arena, const char *, n + 1);
	n = 0;
	for (size_t g = 0; g < groups->n; g++) {
		for (size_t i = 0; i < groups->v[g].n; i++)
			names[n++] = groups->v[g].v[i].name;
	}
	return names;
}

static int unknown_option(struct parser *p, const char *name, size_t len)
{
	const char *nearest;

	if (len > 60)
		len = 60;
	nearest = policy_word_nearest(arena_strndup(p->arena, name, len),
				      list_names(p->arena, p->groups));
	if (!nearest)
		return err_set(p->err, ERR_USAGE, "unknown option '--%.*s'",
			       (int)len, name);
	return err_set(p->err, ERR_USAGE,
		       "unknown option '--%.*s': did you mean '--%s'?",
		       (int)len, name, nearest);
}

int opt_number_parse(const char *s, struct opt_number *out)
{
	unsigned int value = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		unsigned int digit = (unsigned int)(*s - '0');

		if (*s < '0' || *s > '9' || value > (INT_MAX - digit) / 10)
			return -1;
		value = value * 10 + digit;
	}
	*out = (struct opt_number){ .set = true, .value = value };
	return 0;
}

static int store(struct parser *p, const struct match *match, const char *text)
{
	const struct opt *opt = match->opt;
	void *at = p->args + match->offset + opt->offset;
	struct opt_values *list = at;

	switch (opt->kind) {
	case OPT_FLAG:
		*(bool *)at = true;
		return 0;
	case OPT_TEXT:
		*(const char **)at = text;
		return 0;
	case OPT_NUMBER:
		if (opt_number_parse(text, at) < 0)
			return err_set(p->err, ERR_USAGE,
				       "--%s: '%.60s' is not a number",
				       opt->name, text);
		return 0;
	case OPT_LIST:
		*ARENA_PUSH(p->arena, list) = (struct opt_value){
			.text = text ? text : opt->value,
			.opt = match->main,
		};
		return 0;
	}
	abort(); /* a row of no kind */
}

/* The argument that stands in the next word. "--" is never one: it would
 * swallow the end of the options. */
static int next_argument(struct parser *p, const struct match *match,
			 const char **out)
{
	const char *word = *p->next;

	if (!word || !strcmp(word, "--"))
		return err_set(p->err, ERR_USAGE, "option '--%s' needs %s",
			       match->opt->name, match->opt->arg);
	p->next++;
	*out = word;
	return 0;
}

static int parse_long(struct parser *p, const char *word)
{
	const char *value = strchr(word, '=');
	size_t len = value ? (size_t)(value - word) : strlen(word);
	struct match match;

	if (!find_row(p->groups, word, len, 0, &match))
		return unknown_option(p, word, len);
	if (value)
		value++;
	if (!match.opt->arg && value)
		return err_set(p->err, ERR_USAGE,
			       "option '--%s' takes no value", match.opt->name);
	if (match.opt->arg && !value && next_argument(p, &match, &value) < 0)
		return -1;
	return store(p, &match, value);
}

/* "-q", "-Pstrict", "-P strict", and several: "-qPstrict". */
static int parse_short(struct parser *p, const char *word)
{
	while (*word) {
		const char *value = NULL;
		struct match match;

		if (!find_row(p->groups, NULL, 0, *word, &match))
			return err_set(p->err, ERR_USAGE,
				       "unknown option '-%c'", *word);
		word++;
		if (match.opt->arg && *word) {
			value = word;
			word += strlen(word);
		} else if (match.opt->arg &&
			   next_argument(p, &match, &value) < 0) {
			return -1;
		}
		if (store(p, &match, value) < 0)
			return -1;
	}
	return 0;
}

static int parse_option(struct parser *p)
{
	const char *word = *p->next++;

	return word[1] == '-' ? parse_long(p, word + 2)
			      : parse_short(p, word + 1);
}

int opt_parse(struct arena *arena, const struct opt_groups *groups,
	      char *const *words, bool command, void *args,
	      struct opt_rest *out, struct err *err)
{
	struct parser p = {
		.arena = arena,
		.groups = groups,
		.next = words,
		.args = args,
		.err = err,
	};
	struct opt_rest rest = { 0 };
	size_t total = 0;

	while (words[total])
		total++;
	rest.v = arena_array(arena, char *, total + 1);

	while (*p.next) {
		char *word = *p.next;

		if (!strcmp(word, "--")) {
			rest.dashes = true;
			p.next++;
			break;
		}
		if (word[0] == '-' && word[1]) {
			if (parse_option(&p) < 0)
				return -1;
			continue;
		}
		if (command)
			break;
		rest.v[rest.n++] = word;
		p.next++;
	}
	while (*p.next)
		rest.v[rest.n++] = *p.next++;
	*out = rest;
	return 0;
}

/* ------------------------------------------------------------ help text */

static void pad(struct text *out, size_t n)
{
	text_addf(out, "%*s", (int)n, "");
}

void opt_wrap_format(struct text *out, const char *s, size_t column,
		     size_t indent, size_t width)
{
	bool first = true;

	while (*s) {
		size_t len = strcspn(s, " \n");

		if (!first && column + 1 + len > width) {
			text_add(out, "\n");
			pad(out, indent);
			column = indent;
			first = true;
		}
		if (!first)
			text_add(out, " ");
		text_addn(out, s, len);
		column += len + (first ? 0 : 1);
		first = false;
		s += len;
		if (*s == '\n') {
			text_add(out, "\n");
			if (s[1] != '\n')
				pad(out, indent);
			column = indent;
			first = true;
		}
		if (*s)
			s++;
	}
}

/* "  -P, --profile NAME|FILE" */
static void head_format(struct text *out, const struct opt *opt)
{
	if (opt->letter)
		text_addf(out, "  -%c, ", opt->letter);
	else
		text_add(out, "      ");
	text_addf(out, "--%s", opt->name);
	if (opt->arg)
		text_addf(out, " %s", opt->arg);
}

/* " (also -r, --read, --ro)": the rows after @opt that have no help. */
static void also_format(struct text *out, const struct opt *opt, size_t n)
{
	const char *sep = " (also ";

	for (size_t i = 1; i < n && !opt[i].help; i++) {
		if (opt[i].letter)
			text_addf(out, "%s-%c", sep, opt[i].letter);
		text_addf(out, "%s--%s", opt[i].letter ? ", " : sep,
			  opt[i].name);
		sep = ", ";
	}
	if (sep[0] == ',')
		text_add(out, ")");
}

static void row_format(struct text *out, const struct opt *opt, size_t n)
{
	enum { COLUMN = 30, WIDTH = 79 };
	struct text help = { .arena = out->arena };
	size_t start = out->n;

	head_format(out, opt);
	if (out->n - start + 2 > COLUMN)
		text_add(out, "\n"), start = out->n;
	pad(out, COLUMN - (out->n - start));
	text_add(&help, opt->help);
	also_format(&help, opt, n);
	opt_wrap_format(out, text_str(&help), COLUMN, COLUMN, WIDTH);
	text_add(out, "\n");
}

void opt_help_format(struct text *out, const struct opt_groups *groups)
{
	for (size_t g = 0; g < groups->n; g++) {
		const struct opt_group *group = &groups->v[g];

		text_addf(out, "\n%s:\n", group->title);
		for (size_t i = 0; i < group->n; i++) {
			if (group->v[i].help)
				row_format(out, &group->v[i], group->n - i);
		}
	}
}
