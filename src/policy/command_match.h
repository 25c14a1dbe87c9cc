/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_COMMAND_MATCH_H
#define CORDON_POLICY_COMMAND_MATCH_H

#include <stdbool.h>
#include <stddef.h>

struct command_rule;

enum { COMMAND_WORDS_MAX = 63 }; /* of a rule */

/* Arguments of a command: those that a form stands for, and those given. */
struct command_words {
	const char *const *head;
	size_t head_n;
	const char *const *tail;
	size_t tail_n;
	bool cut; /* there are more than these */
};

enum command_match {
	COMMAND_MATCH_NO,
	COMMAND_MATCH_MAYBE, /* with arguments that are not known */
	COMMAND_MATCH_YES,
};

const char *command_word(const struct command_words *words, size_t i);

/*
 * Do @args begin with the words of @rule after its first one? Where options
 * can be read in two ways, one of them is enough to be denied, and both have
 * to match to be allowed. @program is whose options they are.
 */
enum command_match command_match(const struct command_rule *rule,
				 const char *program,
				 const struct command_words *args);

/* Where the first word stands that is no option; their number if none is. */
size_t command_find_operand(const char *program,
			    const struct command_words *args);

#endif
