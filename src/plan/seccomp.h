/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_SECCOMP_H
#define CORDON_PLAN_SECCOMP_H

struct plan_filter;

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
	PLAN_SECCOMP_NOTIFY, /* laid over one of them: creating calls are
				 * handed to the guard */
	PLAN_SECCOMP_KEEP, /* laid over one of them: only what was opened
				 * for writing is emptied */
	PLAN_SECCOMP_INIT, /* box init's own */
	PLAN_SECCOMP_GUARD, /* box init's own when it serves as the guard */
	PLAN_SECCOMP_EGRESS, /* of the process that the network ends in */
};

/* Never NULL. */
const struct plan_filter *plan_seccomp_find(enum plan_seccomp_id id);

#endif
