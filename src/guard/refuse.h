/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_REFUSE_H
#define CORDON_GUARD_REFUSE_H

struct call;
struct seccomp_data;

/*
 * Where plan->notify holds the filter of the box: if that refuses the call,
 * tells of it and returns -errno as the filter has it, or GUARD_ANSWERED where
 * it has none; else 0.
 */
int refuse_call(struct call *call, const struct seccomp_data *data);

#endif
