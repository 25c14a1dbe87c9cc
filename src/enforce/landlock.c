/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/landlock.c - the second wall behind the mounts
 *
 * Runs in:  box init, after the mounts, with no_new_privs; the command inherits
 *           the domain.
 * Trusts:   the plan.
 * Must not: skip a rule: a right that is handled and given nowhere is denied
 *           everywhere, and the other way round nothing holds.
 */
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "enforce/steps.h"
#include "enforce/tree.h"
#include "plan/plan.h"

/* The kernel's structures; headers of older systems lack members. */
struct ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

struct path_beneath_attr {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

enum { RULE_PATH_BENEATH = 1 };

/* Older kernels refuse a larger structure unless its end is zero. */
static int ruleset_open(const struct plan_landlock *landlock)
{
	struct ruleset_attr attr = {
		.handled_access_fs = landlock->handled_fs,
		.handled_access_net = landlock->handled_net,
		.scoped = landlock->scoped,
	};
	size_t size = sizeof(attr);

	if (!attr.scoped)
		size -= sizeof(attr.scoped);
	if (!attr.scoped && !attr.handled_access_net)
		size -= sizeof(attr.handled_access_net);
	return (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
}

static int add_rule(int ruleset, const struct plan_landlock_rule *rule,
		    struct err *err)
{
	AUTO_CLOSE int fd = tree_open_at(-1, rule->path);
	struct path_beneath_attr attr = {
		.allowed_access = rule->access,
		.parent_fd = fd,
	};

	if (fd < 0)
		return err_sys(err, "open '%s'", rule->path);
	if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &attr,
		    0) < 0)
		return err_sys(err, "allow '%s'", rule->path);
	return 0;
}

int enforce_landlock(const struct plan *plan, struct box *box, struct err *err)
{
	AUTO_CLOSE int ruleset = -1;

	(void)box;
#ifdef CORDON_ABLATE_LANDLOCK
	return 0;
#endif
	if (!plan->landlock.enabled)
		return 0;
	ruleset = ruleset_open(&plan->landlock);
	if (ruleset < 0)
		return err_sys(err, "create the rule set");
	for (size_t i = 0; i < plan->landlock.n; i++) {
		if (add_rule(ruleset, &plan->landlock.v[i], err) < 0)
			return -1;
	}
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		return err_sys(err, "restrict");
	return 0;
}
