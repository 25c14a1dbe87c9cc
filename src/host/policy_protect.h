/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_POLICY_PROTECT_H
#define CORDON_HOST_POLICY_PROTECT_H

struct arena;
struct err;
struct host_policy;
struct policy_context;

/*
 * Adds every file that took part in @policy to its deny_write, with the origin
 * "policy file": a box that could write one would decide over the next run.
 */
int policy_protect_files(struct arena *arena,
			 const struct policy_context *context,
			 struct host_policy *policy, struct err *err);

#endif
