/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_SECCOMP_H
#define CORDON_PLAN_SECCOMP_H

#include <stdint.h>

struct arena;
struct err;
struct plan;
struct plan_filter;
struct seccomp_data;

/*
 * The filters that cordon ships, compiled when it is built from the tables
 * tools/seccomp-*.h. Each kills on a foreign architecture and on x32. Where
 * several are stacked, the kernel takes the strictest answer.
 */
enum plan_seccomp_id {
	PLAN_SECCOMP_DEFAULT, /* syscalls.profile: default */
	PLAN_SECCOMP_STRICT, /* syscalls.profile: strict */
	PLAN_SECCOMP_FLOOR, /* laid over a profile of the user's
				 * (host/seccomp_oci.h): what no profile
				 * gives */
	PLAN_SECCOMP_KEEP, /* laid over one of them: only what was opened
				 * for writing is emptied */
	PLAN_SECCOMP_GUARD, /* of box init, which is the guard too */
	PLAN_SECCOMP_EGRESS, /* of the process that the network ends in */
};

/* Never NULL. */
const struct plan_filter *plan_seccomp_find(enum plan_seccomp_id id);

/* What goes to the guard besides calls that create names or lead to sockets. */
enum plan_notify {
	PLAN_NOTIFY_EXEC = 1,
	PLAN_NOTIFY_OPENS = 2,
	PLAN_NOTIFY_MEMFD = 4,
	PLAN_NOTIFY_ALL = 7,
};

/* The filter that hands calls over; it is laid over one of those above. */
const struct plan_filter *plan_seccomp_notify(unsigned int parts);

/*
 * Chooses plan->notify for what the plan wants judged. With plan->explain it
 * holds the filter plan->seccomp as well, in a form that hands what is refused
 * with EPERM and the like to the guard, so that it is told.
 */
int plan_seccomp_choose(struct arena *arena, struct plan *plan,
			struct err *err);

/* What a filter answers to a call: SECCOMP_RET_…. A program that seccomp would
 * not load kills. */
uint32_t plan_seccomp_run(const struct plan_filter *filter,
			  const struct seccomp_data *data);

#endif
