/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_PEER_H
#define CORDON_GUARD_PEER_H

#include <time.h>

struct call;
struct guard;
struct place;

/*
 * Which unix sockets with a path the box may connect to: its own, and those of
 * the host that the plan names. A socket is told by its inode, not by a name.
 */

/* -1 with errno. */
int peer_init(struct guard *guard);
void peer_done(struct guard *guard);

/*
 * May the box connect to what the guard's O_PATH descriptor @object is? 0, or
 * the -errno for the caller, reported if it is the policy's. What is no socket
 * may: the kernel has an error for it.
 */
int peer_judge(const struct call *call, int object);

/* Is there room to remember a socket in @place? 0 or -ENOBUFS. */
int peer_reserve(const struct call *call, const struct place *place);

/* A socket of the box was bound to @place, not before @since, which is of
 * CLOCK_REALTIME_COARSE. */
void peer_add(const struct call *call, const struct place *place,
	      const struct timespec *since);

/*
 * May @object, an O_PATH descriptor, get the name @to? A socket of the host may
 * not get one at which the plan allows another, nor may a directory, in which
 * there may be one. 0, or -EACCES and reported.
 */
int peer_judge_move(const struct call *call, int object,
		    const struct place *to);

/* The same of what lies at @from, without following it. */
int peer_judge_rename(const struct call *call, const struct place *from,
		      const struct place *to);

#endif
