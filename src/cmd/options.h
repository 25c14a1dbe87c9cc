/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_OPTIONS_H
#define CORDON_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct text;

/*
 * Options as data. One table per verb drives parsing, `--help`, completion
 * and the list in cordon(1).
 */

enum opt_kind {
	OPT_FLAG, /* bool */
	OPT_TEXT, /* const char *; the last one given wins */
	OPT_NUMBER, /* struct opt_number */
	OPT_LIST, /* struct opt_values; each one given, in order */
};

/* What a shell offers as the argument. */
enum opt_words {
	OPT_WORDS_NONE,
	OPT_WORDS_CHOICE, /* the words of .arg, between '|' */
	OPT_WORDS_FILE,
	OPT_WORDS_DIRECTORY,
	OPT_WORDS_PROFILE,
	OPT_WORDS_VARIABLE,
	OPT_WORDS_COMMAND,
	OPT_WORDS_VERB,
};

struct opt {
	const char *name; /* long form, without dashes */
	char letter; /* short form, 0: none */
	enum opt_kind kind;
	size_t offset; /* in the struct of the group's options */
	const char *arg; /* "PATH"; NULL: takes no argument */
	const char *help; /* NULL: other spelling of the row before */
	const char *key; /* LIST: what the value is about */
	const char *value; /* LIST without argument: what it stands for */
	enum opt_words words;
};

/* Rows that are shown together; @offset: where their struct lies in that of
 * the verb. */
struct opt_group {
	const char *title;
	const struct opt *v;
	size_t n;
	size_t offset;
};

struct opt_groups {
	const struct opt_group *v;
	size_t n;
};

struct opt_number {
	bool set;
	unsigned int value;
};

struct opt_value {
	const char *text; /* borrowed from the command line */
	const struct opt *opt; /* the row, never that of another spelling */
};

struct opt_values {
	struct opt_value *v;
	size_t n;
};

/* What is not an option. */
struct opt_rest {
	char **v; /* NULL-terminated */
	size_t n;
	bool dashes; /* "--" stood before them */
};

/*
 * Reads the options in @words (NULL-terminated, without the verb) into the
 * zeroed struct @args. Options end at "--" and, with @command, at the first
 * word that is none: what follows belongs to the command. ERR_USAGE names the
 * option and the nearest known one.
 */
int opt_parse(struct arena *arena, const struct opt_groups *groups,
	      char *const *words, bool command, void *args,
	      struct opt_rest *out, struct err *err);

/* The row with this long name, NULL if there is none. */
const struct opt *opt_find(const struct opt_groups *groups, const char *name,
			   size_t len);

/* A decimal number that fits an int; -1 if @s is none. */
int opt_number_parse(const char *s, struct opt_number *out);

/* The list that `--help` shows, within 80 columns. */
void opt_help_format(struct text *out, const struct opt_groups *groups);

/* @s in lines of at most @width, all but the first indented by @indent; the
 * first one starts at column @column. */
void opt_wrap_format(struct text *out, const char *s, size_t column,
		     size_t indent, size_t width);

#endif
