/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_PROFILES_H
#define CORDON_POLICY_PROFILES_H

#include <stddef.h>

#include "policy/policy.h"

/* Shipped policies, decoded at build time from profiles/NAME.yaml. */
struct policy_profile {
	const char *name;
	const char *description; /* one line */
	const struct policy *policy; /* with what it extends merged in */
};

/* NULL if none of this name is shipped. `base` is found and not listed. */
const struct policy_profile *policy_profile_find(const char *name);
const struct policy_profile *policy_profiles_list(size_t *out_n);

/* The lowest layer: the default of every key, origin "built-in". */
const struct policy *policy_builtin(void);

#endif
