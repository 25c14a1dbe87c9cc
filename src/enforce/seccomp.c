/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/seccomp.c - loads filters
 *
 * Runs in:  box init and command, each last before it does its work.
 * Trusts:   the filters, which are compiled in or were compiled by host/.
 * Must not: go on without one.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "enforce/steps.h"
#include "plan/plan.h"
#include "plan/seccomp.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

int enforce_filter_load(const struct plan_filter *filter, unsigned int flags,
			struct err *err)
{
	struct sock_fprog prog = {
		.len = (unsigned short)filter->n,
		.filter = (struct sock_filter *)(uintptr_t)filter->v,
	};
	long result =
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);

	if (result < 0)
		return err_sys(err, "load the filter '%s'", filter->name);
	return (int)result;
}

/*
 * With WAIT_KILLABLE_RECV (Linux 5.19) a signal does not restart a call that
 * the guard has already done.
 */
static int load_notify(const struct plan *plan, struct err *err)
{
	int fd = enforce_filter_load(
		&plan->notify,
		SECCOMP_FILTER_FLAG_NEW_LISTENER |
			SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		err);

	if (fd < 0 && err->sys == EINVAL)
		fd = enforce_filter_load(&plan->notify,
					 SECCOMP_FILTER_FLAG_NEW_LISTENER, err);
	return fd;
}

/*
 * The guard reads the arguments of the execution that follows. Until then this
 * is an image of cordon's that was made outside the box's user namespace, whose
 * memory no capability in it opens; but nobody else is in the box yet.
 */
int enforce_notify(const struct plan *plan, struct box *box, struct err *err)
{
	AUTO_CLOSE int listener = -1;

	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return err_sys(err, "let the guard read the command");
	listener = load_notify(plan, err);
	if (listener < 0)
		return -1;
	return fd_send(box->guard, "L", 1, &listener, 1, err);
}

int enforce_seccomp(const struct plan *plan, struct box *box, struct err *err)
{
	(void)box;
#ifdef CORDON_ABLATE_SECCOMP
	return 0;
#endif
	/* A profile of the user's own does not lower the floor. */
	if (plan->seccomp_floor &&
	    enforce_filter_load(plan_seccomp_find(PLAN_SECCOMP_FLOOR), 0, err) <
		    0)
		return -1;
	if (plan->seccomp_keep &&
	    enforce_filter_load(plan_seccomp_find(PLAN_SECCOMP_KEEP), 0, err) <
		    0)
		return -1;
	/* Its refusals would hide that the other one tells of them. */
	if (plan->notify_holds)
		return 0;
	return enforce_filter_load(&plan->seccomp, 0, err);
}

/* All that is left of box init's rights is reading its callers. */
int enforce_init_cage(struct err *err)
{
	if (enforce_caps_set(1U << CAP_SYS_PTRACE, 0, err) < 0)
		return -1;
	return enforce_filter_load(plan_seccomp_find(PLAN_SECCOMP_GUARD), 0,
				   err);
}
