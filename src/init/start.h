/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_INIT_START_H
#define CORDON_INIT_START_H

#include <sys/types.h>

struct err;
struct init_start;

struct init_children {
	pid_t command;
	int listeners; /* the command sends the filter's listener */
	int release; /* box init writes a byte when it is caged and serves;
			 * the command does not run before */
};

/*
 * Starts the command. Failures inside the new process are reported on
 * start->errors.
 */
int init_start_command(const struct init_start *start,
		       struct init_children *out, struct err *err);

/* Reports @err on the pipe and ends with the exit code of set-up failures. */
_Noreturn void init_fail(const struct init_start *start, const struct err *err);

#endif
