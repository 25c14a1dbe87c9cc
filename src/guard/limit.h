/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_LIMIT_H
#define CORDON_GUARD_LIMIT_H

/*
 * A limit in time for a call of the guard's own on something that is the
 * caller's: a socket's options and O_NONBLOCK belong to all who have it open,
 * so they cannot be relied on. Between the two, a call that waits ends with
 * EINTR after some milliseconds, whatever anybody sets meanwhile.
 */

/* Once, with all signals blocked; -1 with errno. */
int limit_init(void);

void limit_begin(void);
void limit_end(void);

#endif
