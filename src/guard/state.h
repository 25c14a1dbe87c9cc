/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_STATE_H
#define CORDON_GUARD_STATE_H

#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "guard/caller.h"
#include "plan/facts.h"

struct exec_room;
struct peer_room;
struct plan;
struct row;
struct seen;

enum {
	GUARD_WAITING_MAX = 256, /* calls that block at the same time */

	/*
	 * What the functions that serve one call return besides 0 and -errno
	 * (the number that the caller shall see): the caller has its answer,
	 * or a child of the guard will give it.
	 */
	GUARD_ANSWERED = 1,
};

/* A call that blocks, done by a child of the guard. */
struct guard_waiting {
	pid_t child; /* 0: free */
	pid_t caller;
	uint64_t id; /* of the notification */
	bool timed; /* see waiting.h */
	atomic_int claim; /* who answers; see waiting.c */
};

struct guard {
	int listener;
	int report;
	const struct plan *plan;
	int root; /* O_PATH of / */
	int proc; /* O_PATH of /proc */
	int self; /* O_PATH of the guard's own directory there */
	int self_fd; /* O_PATH of /proc/self/fd */
	struct facts_id self_id; /* of @self; held open, so never given twice */
	uint64_t proc_dev;
	uint64_t root_dev; /* of @root; held open, so never given twice */
	bool can_ptrace; /* CAP_SYS_PTRACE is permitted */
	mode_t umask; /* what umask(2) was last told */
	struct caller_cache cache;
	unsigned int served; /* calls so far */
	struct seccomp_notif *req; /* the call that is being served */
	size_t req_size;
	struct guard_waiting *waiting; /* shared with the children */
	size_t n_waiting;
	const int *programs; /* see guard_programs_open(); or NULL */
	struct exec_room *exec; /* see exec.c; NULL: nothing is judged */
	struct peer_room *peers; /* see peer.c */
	struct seen *seen; /* see tell.c; NULL: nothing is learned */
	atomic_uint *lost; /* see report.c; shared with the children */
	bool told; /* something was told of the call that is served */
};

/* One call that is being served. */
struct call {
	struct guard *guard;
	const char *name; /* "openat", for reports */
	const struct row *row; /* of perform.c; NULL: not known yet */
	uint64_t id; /* of the notification */
	struct caller caller;
	uint64_t args[6]; /* in the order of the *at form */
};

/* Does the caller still wait, so that what was read of it is its own? */
bool call_valid(const struct call *call);

/* Ends the call with @value, or with -@value as errno if it is negative. */
void call_answer(const struct call *call, int64_t value);

/* Lets the caller's own call happen, with whatever its memory holds by now. */
void call_continue(const struct call *call);

/* Gives @fd, which is closed, to the caller and ends the call. */
int call_answer_fd(const struct call *call, int fd, int open_flags);

#endif
