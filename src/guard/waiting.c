/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/waiting.c - opens and connects that block, each in a child of the guard
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
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/perform.h"
#include "guard/state.h"

/*
 * What the kernel gives a call that a signal interrupts: it becomes EINTR or
 * a restart, as the signal's handler asks. It is not in <errno.h>.
 */
enum { RESTART_OR_EINTR = 512 };

/*
 * Who answers the call, decided once in memory that both share: the child,
 * when its open is done, or the guard, which then kills it. A child that is
 * killed while it hands its descriptor over would leave the caller with a
 * descriptor too many, or with none.
 */
enum { OPEN_WAITS, CHILD_ANSWERS, GUARD_ANSWERS };

static bool claim(struct guard_waiting *entry, int who)
{
	int waits = OPEN_WAITS;

	return atomic_compare_exchange_strong(&entry->claim, &waits, who);
}

static _Noreturn void child_main(const struct call *call,
				 const struct waiting_open *open,
				 struct guard_waiting *entry, pid_t guard)
{
	int fd;
	int failed;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != guard)
		_exit(1);
	/* Its own descriptors; those of the guard are closed to it. */
	call->guard->self_fd = openat(call->guard->proc, "self/fd",
				      O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = open->open(call, open->what);
	if (!claim(entry, CHILD_ANSWERS))
		_exit(0);
	failed = fd < 0 || open->plain ? fd
				       : call_answer_fd(call, fd, open->flags);
	perform_refused(call, failed);
	if (failed != GUARD_ANSWERED)
		call_answer(call, failed);
	_exit(0);
}

static void forget(struct guard *guard, struct guard_waiting *entry)
{
	entry->child = 0;
	guard->n_waiting--;
}

static void end(struct guard *guard, struct guard_waiting *entry)
{
	(void)kill(entry->child, SIGKILL);
	while (waitpid(entry->child, NULL, 0) < 0 && errno == EINTR)
		;
	forget(guard, entry);
}

static int read_status(const struct guard *guard, pid_t tid,
		       struct caller_status *out)
{
	/* A cache of its own: one open of /proc in 50 ms is cheap. */
	struct caller_cache cache;
	const struct caller caller = { .proc = guard->proc,
				       .tid = tid,
				       .cache = &cache };
	int failed;

	caller_cache_init(&cache);
	failed = caller_read_status(&caller, out);
	caller_cache_done(&cache);
	return failed;
}

/*
 * Does a signal interrupt the caller? 0, or the answer. A thread that was told
 * to restart and has no signal would see that number itself. Of a signal for
 * the whole process nobody can see which thread has it: the kernel takes the
 * first one, unless that blocks it (or it is of a child, and then the one that
 * made the child). Where that is not certain, the answer is EINTR.
 */
static int interruption(const struct guard *guard,
			const struct guard_waiting *entry)
{
	const int restart = entry->timed ? -EINTR : -RESTART_OR_EINTR;
	const uint64_t of_child = 1U << (SIGCHLD - 1);
	struct caller_status status, first;

	if (read_status(guard, entry->caller, &status) < 0)
		return 0;
	if (status.own || (status.alone && status.shared))
		return restart;
	if (!status.shared)
		return 0;
	if (entry->caller == status.tgid)
		return status.shared & ~of_child ? restart : -EINTR;
	if (read_status(guard, status.tgid, &first) < 0)
		return 0;
	return status.shared & first.blocked ? -EINTR : 0;
}

static void check(struct guard *guard, struct guard_waiting *entry)
{
	const struct call call = { .guard = guard, .id = entry->id };
	int answer;
	bool valid;

	if (waitpid(entry->child, NULL, WNOHANG) == entry->child) {
		forget(guard, entry);
		return;
	}
	/* Not valid: the caller died. Or it has its answer; then the child has
	 * claimed it and ends by itself. */
	valid = call_valid(&call);
	answer = valid ? interruption(guard, entry) : 0;
	if ((valid && !answer) || !claim(entry, GUARD_ANSWERS))
		return;
	end(guard, entry);
	if (valid)
		call_answer(&call, answer);
}

void waiting_check(struct guard *guard)
{
	for (size_t i = 0; i < GUARD_WAITING_MAX && guard->n_waiting; i++)
		if (guard->waiting[i].child)
			check(guard, &guard->waiting[i]);
}

void waiting_ended(struct guard *guard, pid_t pid)
{
	for (size_t i = 0; i < GUARD_WAITING_MAX && guard->n_waiting; i++)
		if (guard->waiting[i].child == pid)
			forget(guard, &guard->waiting[i]);
}

int waiting_init(struct guard *guard)
{
	void *room =
		mmap(NULL, sizeof(guard->waiting[0]) * GUARD_WAITING_MAX,
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		return -1;
	guard->waiting = room;
	return 0;
}

void waiting_done(struct guard *guard)
{
	if (!guard->waiting)
		return;
	for (size_t i = 0; i < GUARD_WAITING_MAX; i++)
		if (guard->waiting[i].child)
			end(guard, &guard->waiting[i]);
	(void)munmap(guard->waiting,
		     sizeof(guard->waiting[0]) * GUARD_WAITING_MAX);
}

static struct guard_waiting *find_free(struct guard *guard)
{
	for (size_t i = 0; i < GUARD_WAITING_MAX; i++)
		if (!guard->waiting[i].child)
			return &guard->waiting[i];
	return NULL;
}

int waiting_start(const struct call *call, const struct waiting_open *open)
{
	struct guard *guard = call->guard;
	struct guard_waiting *entry = find_free(guard);
	pid_t self = getpid();
	pid_t child;

	if (!entry) {
		waiting_check(guard);
		entry = find_free(guard);
	}
	if (!entry)
		return -ENFILE;
	entry->caller = call->caller.tid;
	entry->id = call->id;
	entry->timed = open->timed;
	atomic_store(&entry->claim, OPEN_WAITS);
	child = fork();
	if (child < 0)
		return -ENFILE;
	if (child == 0)
		child_main(call, open, entry, self);
	entry->child = child;
	guard->n_waiting++;
	return GUARD_ANSWERED;
}
