/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_REGEX_CLASS_H
#define CORDON_POLICY_REGEX_CLASS_H

#include <stdbool.h>

#include "policy/regex.h"

/* Sets of bytes in a regular expression; used by policy/regex.c. */

void regex_class_add(struct regex_class *class, unsigned char byte);
bool regex_class_has(const struct regex_class *class, unsigned char byte);
void regex_class_invert(struct regex_class *class);
/* Adds the other case of every letter. */
void regex_class_fold(struct regex_class *class);

/*
 * What stands behind a backslash: a set such as \d, or one byte, which *@byte
 * gets (-1 for a set). Moves *@at behind it. NULL, or what is wrong.
 */
const char *regex_class_escape(const char **at, struct regex_class *out,
			       int *byte);

/* From behind '[' to behind ']'; @fold: in either case. NULL, or what is
 * wrong. */
const char *regex_class_brackets(const char **at, bool fold,
				 struct regex_class *out);

#endif
