/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_IMPORT_JSON_H
#define CORDON_CMD_IMPORT_JSON_H

#include <stddef.h>

struct arena;
struct err;
struct yaml_node;

/*
 * JSON, with comments and commas before closing brackets, as the tree that
 * YAML gives: strings are scalars in quotes, numbers, true, false and null are
 * plain ones with the text as written. At most 32 levels deep; no key twice.
 * Fails with ERR_POLICY and "SOURCE:LINE:COLUMN: …".
 */
int import_json_parse(struct arena *arena, const char *text, size_t n,
		      const char *source, const struct yaml_node **out,
		      struct err *err);

#endif
