/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_PERFORM_H
#define CORDON_GUARD_PERFORM_H

struct call;
struct seccomp_data;

/*
 * Fills in name and arguments of the call @data and serves it. Returns 0,
 * -errno or GUARD_ANSWERED.
 */
int perform_call(struct call *call, const struct seccomp_data *data);

/* Takes over the caller's umask for what is created next. */
int perform_umask(const struct call *call);

/* Tells of the call if @failed is a refusal and the plan wants that told; for
 * a child of the guard, which answers later. */
void perform_refused(const struct call *call, int failed);

#endif
