/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_WAITING_H
#define CORDON_GUARD_WAITING_H

#include <stdbool.h>
#include <sys/types.h>

struct call;
struct guard;

/* Something to be opened, or done, in a way that may block. */
struct waiting_open {
	int (*open)(const struct call *call, const void *what);
	const void *what; /* a descriptor of it, or -errno, is returned */
	int flags; /* of open(2) */
	bool plain; /* no descriptor: what is returned is the answer */
	bool timed; /* it has a time limit: a signal does not restart it */
};

/* Room for children; -1 with errno. */
int waiting_init(struct guard *guard);

/*
 * Has a child of the guard open it and answer the call, so that neither a fifo
 * without a reader nor a lease nor a server that does not accept stops the
 * others. Returns GUARD_ANSWERED or
 * -errno.
 */
int waiting_start(const struct call *call, const struct waiting_open *open);

/*
 * Collects the children that are done and ends those whose caller died or has
 * a signal to handle. To be called from time to time while there are any.
 */
void waiting_check(struct guard *guard);

/* Ends all and frees the room. */
void waiting_done(struct guard *guard);

/* @pid was reaped by somebody else: it must not be killed any more. */
void waiting_ended(struct guard *guard, pid_t pid);

#endif
