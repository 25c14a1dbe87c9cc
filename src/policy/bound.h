/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_BOUND_H
#define CORDON_POLICY_BOUND_H

#include <stddef.h>

#include "policy/merge.h"

/* Profiles that were asked for by name, with -P. */
struct policy_bounds {
	const char *names; /* "strict+offline" */
	const struct policy *base; /* what they come to, over the built-in */
	struct policy *documents; /* each that took part, in order */
	size_t n;
};

/*
 * @policy, in which files were laid over those profiles, held to them again:
 *
 * - a value that a profile sets, and a file made wider, is the profile's;
 * - deny lists have all that the profiles deny, whatever a file removed;
 * - of an allow list that a profile replaces, only what the profile has is
 *   left; what a profile removes goes; what it adds has been in the base.
 *
 * So it never becomes wider: what a file narrowed stays narrow. @out may be
 * @policy.
 */
int policy_bound(struct arena *arena, const struct policy_context *context,
		 const struct policy *policy,
		 const struct policy_bounds *bounds, struct policy *out,
		 struct policy_refusals *refused, struct err *err);

#endif
