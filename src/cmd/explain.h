/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_EXPLAIN_H
#define CORDON_CMD_EXPLAIN_H

struct arena;
struct err;
struct prepared;

/* The path that @word, as a person would write it, names; no link is
 * followed. */
int explain_path_expand(struct arena *arena, const struct prepared *prepared,
			const char *word, const char **out, struct err *err);

#endif
