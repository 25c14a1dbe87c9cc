/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_COMPLETION_H
#define CORDON_CMD_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

struct opt;
struct text;
struct verb;
struct verbs;

/* Scripts that complete the words of cordon, made from the tables. */
void completion_bash_format(struct text *out, const struct verbs *verbs);
void completion_zsh_format(struct text *out, const struct verbs *verbs);
void completion_fish_format(struct text *out, const struct verbs *verbs);

/* Calls @fn with each row of @verb; @main is the row that has the help. */
typedef void completion_row_fn(struct text *out, const struct verb *verb,
			       const struct opt *opt, const struct opt *main);
void completion_rows_format(struct text *out, const struct verb *verb,
			    completion_row_fn *fn);

/* Has a verb before number @at the same first word? */
bool completion_find_before(const struct verbs *verbs, size_t at);

/* "run plan policy …" */
void completion_first_format(struct text *out, const struct verbs *verbs);

/* "show schema init" of "policy"; nothing for a verb of one word. */
void completion_second_format(struct text *out, const struct verbs *verbs,
			      const char *first);

/* "a|b" as "a b". */
void completion_choices_format(struct text *out, const char *choices);

/* @s between single quotes, for a shell. */
void completion_quoted_format(struct text *out, const char *s);

#endif
