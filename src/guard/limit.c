/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/limit.c - no call of the guard's own waits for long
 *
 * Runs in:  the guard.
 * Trusts:   the kernel's timer, which nobody else can reach.
 * Must not: leave SIGALRM open where EINTR is not expected.
 *
 * The signal comes again and again, as the first may come before the call has
 * begun. The box can send it too; the call then ends earlier.
 */
#include "guard/limit.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

/* More than a tick of the kernel's clock, see connect_shortly(). */
enum { LIMIT_US = 20000 };

static void interrupt(int signal)
{
	(void)signal;
}

int limit_init(void)
{
	/* Without SA_RESTART; ignored, it would not interrupt anything. */
	const struct sigaction action = { .sa_handler = interrupt };

	return sigaction(SIGALRM, &action, NULL);
}

static void set(int how, suseconds_t us)
{
	const struct itimerval timer = { .it_interval.tv_usec = us,
					 .it_value.tv_usec = us };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
	(void)sigprocmask(how, &alarm, NULL);
}

void limit_begin(void)
{
	set(SIG_UNBLOCK, LIMIT_US);
}

void limit_end(void)
{
	set(SIG_BLOCK, 0);
}
