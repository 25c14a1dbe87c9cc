/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_JSONC_STRIP_H
#define CORDON_BASE_JSONC_STRIP_H

#include <stddef.h>

struct arena;

/*
 * A copy of @text in which comments and commas before a closing bracket are
 * blanks: what was JSON with such is JSON, and every other byte stays at its
 * offset. Lines stay lines. What is neither (a comment without an end, a comma
 * after nothing) is left for the parser to complain of.
 */
char *jsonc_strip(struct arena *arena, const char *text, size_t n);

#endif
