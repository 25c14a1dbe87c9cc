/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_DECODE_H
#define CORDON_POLICY_DECODE_H

#include <stddef.h>

#include "policy/policy.h"

struct arena;
struct err;
struct policy_field;

struct policy_document {
	const char *text; /* YAML, or JSON, which is YAML */
	size_t n;
	const char *source; /* for messages and origins: a file's path */
	/* what relative paths in it are relative to; NULL: the working
	 * directory of the run */
	const char *base;
};

/*
 * One document, checked but not merged with anything. Fails with ERR_POLICY
 * and "SOURCE:LINE:COLUMN: …". Everything lives in @arena; nothing of
 * @document is kept but the strings source and base.
 */
int policy_decode(struct arena *arena, const struct policy_document *document,
		  struct policy *out, struct err *err);

/*
 * Gives @key a value as a document would: a scalar is set, a list gets one
 * more item, a map one more "NAME=VALUE". @value and @origin.source are
 * copied or kept as in policy_decode(). Fails with ERR_USAGE and without the
 * name of the option, which the caller knows. @policy must have been empty
 * before the first call.
 */
int policy_set_text(struct arena *arena, struct policy *policy, const char *key,
		    const char *value, struct policy_origin origin,
		    struct err *err);

/*
 * Refuses what this build does not enforce, unless it asks for nothing:
 * "FILE:LINE: 'exec.deny' is not supported by this build"; and rules that
 * nothing could hold to: network rules over the host's own network.
 */
int policy_check_supported(const struct policy *policy, struct err *err);

#endif
