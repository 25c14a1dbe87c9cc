/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit_load DIR N: appends N events to the audit log in DIR, as supervisors
 * do, one after the other. Prints microseconds of the processor for each: for
 * making the line, and for all of it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "event/audit.h"
#include "event/event.h"

/* Of the processor: others may use it, too. */
static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Of a hundred, one run begins and ends; the rest is refused to it. */
static struct event event_of(unsigned long i, const char *sandbox,
			     const char *target)
{
	static char make[] = "make", test[] = "test";
	static char *const argv[] = { make, test, NULL };

	if (i % 100 == 0)
		return (struct event){ .kind = EVENT_STARTED,
				       .sandbox = sandbox,
				       .target = make,
				       .argv = argv };
	if (i % 100 == 99)
		return (struct event){ .kind = EVENT_ENDED,
				       .sandbox = sandbox,
				       .outcome = "exit",
				       .denials = 98 };
	return (struct event){ .kind = EVENT_DENIED,
			       .what = EVENT_WHAT_CREATE,
			       .sandbox = sandbox,
			       .pid = (uint32_t)i,
			       .comm = "sh",
			       .operation = "openat",
			       .target = target,
			       .rule = "protected",
			       .origin = "built-in",
			       .remedy = "none: it is protected in every "
					 "profile; make it yourself, outside "
					 "the box",
			       .count = 1 };
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	double begun = now(), lines = 0;
	struct err err = { 0 };
	bool made;

	if (!n || event_audit_make(argv[1], &made, &err) < 0) {
		fprintf(stderr, "audit_load DIR N: %s\n", err.msg);
		return 2;
	}
	for (unsigned long i = 0; i < n; i++) {
		AUTO_ARENA arena = { 0 };
		char sandbox[32], target[64], room[2048];
		struct text line = { .arena = &arena,
				     .v = room,
				     .room = sizeof(room) };
		struct event event;
		double at = now();

		snprintf(sandbox, sizeof(sandbox), "run-%016lx", i / 100);
		snprintf(target, sizeof(target), "/home/u/work/%lu/.mcp.json",
			 i % 1000);
		event = event_of(i, sandbox, target);
		event_format(&line, &event);
		lines += now() - at;
		if (event_audit_append(argv[1], line.v, line.n, 0, &err) < 0) {
			fprintf(stderr, "audit_load: %s\n", err.msg);
			return 1;
		}
	}
	printf("%.3f %.3f\n", lines / (double)n, (now() - begun) / (double)n);
	return 0;
}
