/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_GUARD_H
#define CORDON_GUARD_GUARD_H

#include <stdint.h>
#include <sys/types.h>

struct err;
struct guard;
struct plan;

/*
 * Serves the system calls of the box that plan->notify hands over through a
 * listener: judges the object that the call is about against the plan and
 * performs the call itself, so that what was judged is what happens. An
 * execution alone it cannot perform for another: that goes on where it was
 * not refused. Denials are sent as frames over a SEQPACKET socket.
 *
 * Is a part of box init: same namespaces, same Landlock domain, no more rights
 * than the command except CAP_SYS_PTRACE in the box's user namespace, which it
 * needs to read the callers' arguments and to take their sockets, and has in
 * effect only then.
 */

/* Borrows both descriptors and @plan; all signals are blocked from here. */
struct guard *guard_new(int listener, int report, const struct plan *plan,
			struct err *err);
void guard_free(struct guard *guard);

/*
 * Tells the guard's unix sockets apart from the host's: @private_dev is the
 * device of the file system that only the box has; @probe is a datagram socket
 * (AF_UNIX) that is nobody's, or -1, and stays the caller's.
 */
void guard_know_sockets(struct guard *guard, uint64_t private_dev, int probe);

/*
 * The programs of @plan that will be masked, open for reading: their content
 * tells a second copy. *@out is by index in plan->exec.programs, -1 where there
 * is none, and NULL if nothing is judged. Called before there are masks; the
 * descriptors are close-on-exec.
 */
int guard_programs_open(const struct plan *plan, int **out, struct err *err);

/* What that gave; borrowed. */
void guard_know_programs(struct guard *guard, const int *programs);

/* After POLLIN on the listener: one call. -1: the box must end. */
int guard_serve(struct guard *guard, struct err *err);

/* How long a poll may take before guard_check() is due; -1: for ever. */
int guard_timeout_ms(const struct guard *guard);
void guard_check(struct guard *guard);

/* How many refusals could not be told so far, as nobody took them. */
unsigned int guard_lost(const struct guard *guard);

/* The caller reaped a child of this process: it may have been the guard's. */
void guard_child_ended(struct guard *guard, pid_t pid);

#endif
