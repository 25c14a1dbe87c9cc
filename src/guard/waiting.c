/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/waiting.c - opens that block, each in a child of the guard
 *
 * Runs in:  the guard and the children it forks here.
 * Trusts:   the kernel.
 * Must not: outlive the caller or the guard, or be more than a fixed number.
 *
 * A child is also the way to open a file of procfs: it is no thread of the
 * guard, so the kernel refuses it the guard's memory like anybody else's.
 */
#include "guard/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/state.h"

/*
 * What the kernel gives a call that a signal interrupts: it becomes EINTR or
 * a restart, as the signal's handler asks. It is not in <errno.h>.
 */
enum { RESTART_OR_EINTR = 512 };

static _Noreturn void child_main(const struct call *call, waiting_open_fn *open,
				 const void *what, int open_flags, pid_t guard)
{
	struct call own = *call;
	int fd;
	int failed;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != guard)
		_exit(1);
	own.in_child = true;
	fd = open(&own, what);
	failed = fd < 0 ? fd : call_answer_fd(&own, fd, open_flags);
	if (failed < 0)
		call_answer(&own, failed);
	_exit(0);
}

/* Kills the child of @entry, if it is still there, and forgets it. */
static void end(struct guard *guard, struct guard_waiting *entry)
{
	(void)kill(entry->child, SIGKILL);
	while (waitpid(entry->child, NULL, 0) < 0 && errno == EINTR)
		;
	*entry = guard->waiting[--guard->n_waiting];
}

static bool has_signal(const struct guard *guard,
		       const struct guard_waiting *entry)
{
	/* A cache of its own: one open of /proc in 50 ms is cheap. */
	struct caller_cache cache;
	const struct caller caller = { .proc = guard->proc,
				       .tid = entry->caller,
				       .cache = &cache };
	struct caller_status status;
	int failed;

	caller_cache_init(&cache);
	failed = caller_read_status(&caller, &status);
	caller_cache_done(&cache);
	return !failed && status.interrupts;
}

/* Returns false if the entry was taken out. */
static bool check(struct guard *guard, struct guard_waiting *entry)
{
	const struct call call = { .guard = guard, .id = entry->id };

	if (waitpid(entry->child, NULL, WNOHANG) == entry->child) {
		*entry = guard->waiting[--guard->n_waiting];
		return false;
	}
	if (!call_valid(&call)) {
		end(guard, entry);
		return false;
	}
	if (!has_signal(guard, entry))
		return true;
	end(guard, entry);
	call_answer(&call, -RESTART_OR_EINTR);
	return false;
}

void waiting_check(struct guard *guard)
{
	for (size_t i = 0; i < guard->n_waiting;)
		if (check(guard, &guard->waiting[i]))
			i++;
}

void waiting_ended(struct guard *guard, pid_t pid)
{
	for (size_t i = 0; i < guard->n_waiting; i++) {
		if (guard->waiting[i].child == pid) {
			guard->waiting[i] = guard->waiting[--guard->n_waiting];
			return;
		}
	}
}

void waiting_done(struct guard *guard)
{
	while (guard->n_waiting)
		end(guard, &guard->waiting[0]);
}

int waiting_start(const struct call *call, waiting_open_fn *open,
		  const void *what, int open_flags)
{
	struct guard *guard = call->guard;
	pid_t self = getpid();
	pid_t child;

	if (guard->n_waiting == GUARD_WAITING_MAX)
		waiting_check(guard);
	if (guard->n_waiting == GUARD_WAITING_MAX)
		return -ENFILE;
	child = fork();
	if (child < 0)
		return -ENFILE;
	if (child == 0)
		child_main(call, open, what, open_flags, self);
	guard->waiting[guard->n_waiting++] = (struct guard_waiting){
		.child = child,
		.caller = call->caller.tid,
		.id = call->id,
	};
	return GUARD_ANSWERED;
}
