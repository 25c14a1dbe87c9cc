/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shipped system call filters, by name.
 *
 * Runs in:  supervisor (plan), box init and guard (their own filters)
 * Trusts:   tools/seccomp-compile.c, which made the arrays at build time
 * Must not: touch the world; a filter is loaded by enforce/
 */
#include "plan/seccomp.h"

#include <assert.h>

#include <linux/filter.h>

#include "plan/plan.h"
#include "plan/seccomp_filters.h"

#define COUNT(a)     (sizeof(a) / sizeof((a)[0]))
#define FILTER(name) #name, seccomp_##name, COUNT(seccomp_##name)

static const struct plan_filter filters[] = {
	[PLAN_SECCOMP_DEFAULT] = { FILTER(default) },
	[PLAN_SECCOMP_STRICT] = { FILTER(strict) },
	[PLAN_SECCOMP_FLOOR] = { FILTER(floor) },
	[PLAN_SECCOMP_NOTIFY] = { FILTER(notify) },
	[PLAN_SECCOMP_KEEP] = { FILTER(keep) },
	[PLAN_SECCOMP_INIT] = { FILTER(init) },
	[PLAN_SECCOMP_GUARD] = { FILTER(guard) },
	[PLAN_SECCOMP_EGRESS] = { FILTER(egress) },
};

const struct plan_filter *plan_seccomp_find(enum plan_seccomp_id id)
{
	assert((size_t)id < COUNT(filters));
	return &filters[id];
}
