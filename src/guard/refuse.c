/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/refuse.c - tells of system calls that the filter refuses
 *
 * Runs in:  the guard.
 * Trusts:   the filter, and the registers that the kernel handed over: they
 *           are the caller's, but nobody can change them any more.
 * Must not: let a call pass that the filter alone would have refused.
 */
#include "guard/refuse.h"

#include <linux/seccomp.h>
#include <stdio.h>

#include "guard/report.h"
#include "guard/state.h"
#include "plan/plan.h"
#include "plan/seccomp.h"

int refuse_call(struct call *call, const struct seccomp_data *data)
{
	const struct plan *plan = call->guard->plan;
	struct report told = { .act = FRAME_SYSCALL, .by = FRAME_BY_FILTER };
	char number[16];
	uint32_t answer;

	if (!plan->notify_holds)
		return 0;
	answer = plan_seccomp_run(&plan->seccomp, data);
	if ((answer & SECCOMP_RET_ACTION_FULL) != SECCOMP_RET_ERRNO)
		return 0;
	call->name = "";
	told.text = number;
	told.n = (size_t)snprintf(number, sizeof(number), "%d", data->nr);
	report_denied(call, &told);
	if (answer & SECCOMP_RET_DATA)
		return -(int)(answer & SECCOMP_RET_DATA);
	/* A profile can have a call do nothing, as if it had been done. */
	call_answer(call, 0);
	return GUARD_ANSWERED;
}
