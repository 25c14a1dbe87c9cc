/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_MERGE_H
#define CORDON_POLICY_MERGE_H

#include <stddef.h>

#include "policy/policy.h"

struct arena;
struct err;

/*
 * @over laid over @base: scalars that are set win, lists append, replace or
 * remove, maps merge by name. @out may be @base. Strings are shared.
 */
void policy_merge(struct arena *arena, const struct policy *base,
		  const struct policy *over, struct policy *out);

/* Whose word it is that may only narrow; decides what is reported. */
enum policy_narrower {
	POLICY_BY_PROJECT, /* report what @over asked for and did not get */
	POLICY_BY_CEILING, /* report what @base had and lost */
};

/* One sentence each, with the place. */
struct policy_refusals {
	const char **v;
	size_t n;
};

/*
 * As policy_merge(), but nothing becomes wider than in @base: see the rows of
 * policy_fields. A list in place of {replace: …} adds to what may only
 * shrink, so it is refused in a project's document; a ceiling's list says
 * what is left. Paths are compared after expansion, by components, by their
 * names alone: the caller has to look where links lead.
 */
int policy_narrow(struct arena *arena, const struct policy_context *context,
		  const struct policy *base, const struct policy *over,
		  enum policy_narrower by, struct policy *out,
		  struct policy_refusals *refused, struct err *err);

#endif
