/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_VALUES_H
#define CORDON_POLICY_VALUES_H

#include <stdint.h>

struct arena;
struct policy_field;

/*
 * A scalar of the field's type; *@out is untouched for a text. Returns NULL,
 * or what is wrong with it: "'5x' is not a duration such as 500ms, 30s".
 */
const char *policy_value_parse(struct arena *arena,
			       const struct policy_field *field,
			       const char *text, int64_t *out);

/* An item of a list or the value of a text field. Returns as above. */
const char *policy_value_check(struct arena *arena,
			       const struct policy_field *field,
			       const char *text);

/* The name of a variable, without patterns. Returns as above. */
const char *policy_env_name_check(struct arena *arena, const char *name);

#endif
