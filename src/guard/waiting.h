/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_WAITING_H
#define CORDON_GUARD_WAITING_H

#include <sys/types.h>

struct call;
struct guard;

/* Opens something in a way that may block; returns a descriptor or -errno. */
typedef int waiting_open_fn(const struct call *call, const void *what);

/*
 * Has a child of the guard open @what and answer the call, so that neither a
 * fifo without a reader nor a lease stops the others. Returns GUARD_ANSWERED
 * or -errno.
 */
int waiting_start(const struct call *call, waiting_open_fn *open,
		  const void *what, int open_flags);

/*
 * Collects the children that are done and ends those whose caller died or has
 * a signal to handle. To be called from time to time while there are any.
 */
void waiting_check(struct guard *guard);

/* Ends all. */
void waiting_done(struct guard *guard);

/* @pid was reaped by somebody else: it must not be killed any more. */
void waiting_ended(struct guard *guard, pid_t pid);

#endif
