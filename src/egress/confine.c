/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/confine.c - the cage of processes that read what strangers write
 *
 * Runs in:  the egress process, and the one that makes sockets inside a box.
 * Trusts:   its parent, the supervisor.
 * Must not: go on where a part of the cage could not be closed.
 */
#include "egress/confine.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/environ.h"
#include "base/err.h"
#include "base/fd.h"
#include "enforce/steps.h"
#include "plan/plan.h"
#include "plan/seccomp.h"

/* Its bookkeeping needs more than any limit that would be worth having. */
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER
#endif
#endif

/* What writes to a standard stream must not meet a client there. */
static int blind_streams(void)
{
	AUTO_CLOSE int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int stream = 0; stream < 3; stream++) {
		if (fd < 0 || dup3(fd, stream, O_CLOEXEC) < 0)
			return -1;
	}
	return 0;
}

static void close_others(const int *keep, size_t n)
{
	int last = 2;

	for (size_t i = 0; i < n; i++)
		last = keep[i] > last ? keep[i] : last;
	for (int fd = 3; fd < last; fd++) {
		bool kept = false;

		for (size_t i = 0; i < n; i++)
			kept |= keep[i] == fd;
		if (!kept)
			(void)close(fd);
	}
	(void)syscall(SYS_close_range, (unsigned int)(last + 1), ~0U, 0);
}

int confine_begin(const char *name, const int *keep, size_t n, struct err *err)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
	    prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_NAME, name) < 0)
		return err_sys(err, "set up the process");
	/* Where it died before that, its end of a channel is closed. */
	close_others(keep, n);
	if (blind_streams() < 0)
		return err_sys(err, "open '/dev/null'");
	environ_forget();
	/* Writing to who is gone is an error to handle. */
	(void)signal(SIGPIPE, SIG_IGN);
	return 0;
}

int confine(const struct plan_landlock *cage, struct err *err)
{
	/* RLIMIT_NOFILE is the caller's: it counts by it. */
	struct plan_rlimit limits[] = {
		{ RLIMIT_CORE, "core", 0 },
		{ RLIMIT_FSIZE, "file size", 0 },
		{ RLIMIT_NPROC, "processes", 0 },
#ifndef ADDRESS_SANITIZER
		{ RLIMIT_DATA, "memory", 512ULL << 20 },
#endif
		{ RLIMIT_MEMLOCK, "locked memory", 0 },
	};
	const struct plan plan = {
		.landlock = *cage,
		.rlimits = { limits, sizeof(limits) / sizeof(*limits) },
	};

	if (enforce_rlimits(&plan, NULL, err) < 0 ||
	    enforce_no_new_privs(&plan, NULL, err) < 0 ||
	    enforce_landlock(&plan, NULL, err) < 0 ||
	    enforce_caps(&plan, NULL, err) < 0)
		return -1;
	return enforce_filter_load(plan_seccomp_find(PLAN_SECCOMP_EGRESS), 0,
				   err);
}
