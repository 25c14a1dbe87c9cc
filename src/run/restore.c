/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/restore.c - mounts that the host took away are made again
 *
 * Runs in:  the supervisor and a short-lived child that joins the box's user
 *           and mount namespaces.
 * Trusts:   the plan; not what lies at its paths now.
 * Must not: stay in the box: while the child is there it has the capabilities
 *           of its user namespace. It is in the host's process namespace, so
 *           nothing in the box can see or reach it.
 */
#include "run/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "plan/plan.h"
#include "run/launch.h"

struct told {
	uint32_t watch;
	uint32_t sys;
};

static _Noreturn void child_main(const struct plan *plan,
				 const struct run_box *box, int out)
{
	const struct box inside = { .masks = box->masks };
	struct told told = { .watch = UINT32_MAX };
	struct err err;

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    setns(box->namespaces[0], CLONE_NEWUSER) < 0 ||
	    setns(box->namespaces[1], CLONE_NEWNS) < 0) {
		told.sys = (uint32_t)errno;
		(void)fd_write_all(out, &told, sizeof(told), &err);
		_exit(1);
	}
	for (size_t i = 0; i < plan->watches.n; i++) {
		int result = enforce_watch_restore(plan, i, &inside);

		if (!result)
			continue;
		told.watch = (uint32_t)i;
		told.sys = result < 0 ? (uint32_t)errno : 0;
		(void)fd_write_all(out, &told, sizeof(told), &err);
	}
	_exit(0);
}

void run_restore(const struct plan *plan, const struct run_box *box,
		 run_restored_fn *restored, void *data)
{
	AUTO_CLOSE int in = -1;
	struct told told;
	int pipes[2];
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC) < 0) {
		restored(data, SIZE_MAX, (uint32_t)errno);
		return;
	}
	child = fork();
	if (child == 0)
		child_main(plan, box, pipes[1]);
	(void)close(pipes[1]);
	in = pipes[0];
	if (child < 0) {
		restored(data, SIZE_MAX, EAGAIN);
		return;
	}
	while (fd_read_all(in, &told, sizeof(told)) == sizeof(told))
		restored(data,
			 told.watch < plan->watches.n ? told.watch : SIZE_MAX,
			 told.sys);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}
