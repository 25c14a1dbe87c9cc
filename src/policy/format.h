/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_FORMAT_H
#define CORDON_POLICY_FORMAT_H

#include <stdbool.h>

#include "policy/policy.h"

struct arena;
struct policy_field;
struct text;

/* A scalar as it would be written in a document: "2GiB", "10m", "work". */
const char *policy_scalar_format(struct arena *arena,
				 const struct policy_field *field,
				 const struct policy_scalar *scalar);

/* "FILE:LINE", or the source alone where it has no lines. */
const char *policy_origin_format(struct arena *arena,
				 const struct policy_origin *origin);

/* Was it typed? Options come last, so what they say was meant. */
bool policy_origin_is_option(const struct policy_origin *origin);

/* In double quotes, as JSON and YAML read it back. */
const char *policy_text_quote(struct arena *arena, const char *s);

/*
 * "--NAME='PATH'", which a shell and a policy take for this very path. NULL
 * where it holds what no terminal shows: escaped it would be another path.
 */
const char *policy_option_format(struct arena *arena, const char *name,
				 const char *path);

/*
 * The policy as a document that decodes to the same policy; every value has
 * its origin in a comment if asked. Unset keys are left out.
 */
void policy_format_yaml(struct text *out, const struct policy *policy,
			bool origins);

/*
 * The same as JSON. With origins every value is an object of `value` and
 * `origin`, so it is no longer a document.
 */
char *policy_format_json(struct arena *arena, const struct policy *policy,
			 bool origins);

#endif
