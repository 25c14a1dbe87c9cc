/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_ENFORCE_ENFORCE_H
#define CORDON_ENFORCE_ENFORCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct plan;

/*
 * What the steps hand to each other and to their caller. Descriptors are -1
 * until a step opens them, and close-on-exec.
 */
struct box {
	int control; /* to the supervisor */
	int masks; /* detached tree of empty nodes, for new masks */
	uint64_t private_dev; /* of the file system that only the box has */
	int pty_master; /* sent out by the caller */
	int pty_slave;
	bool terminal[3]; /* standard streams that become the pty */
	int guard; /* to box init, which gets the listener */
	int release; /* pipe: box init is caged and serves */
	const int *pass_fds; /* stay open across exec, besides 0-2 */
	size_t pass_fds_n;
};

/*
 * The step table has three parts: what box init does for the box, what box
 * init and the command have in common, what the command's process does to
 * itself.
 */
enum enforce_part {
	ENFORCE_BOX,
	ENFORCE_SHARED,
	ENFORCE_COMMAND,
};

/*
 * Makes one part of @plan true for the calling process and everything it will
 * start. There is no way back: after a failure the caller may only report and
 * _exit(). The message begins with the name of the step.
 */
int enforce_apply(enum enforce_part part, const struct plan *plan,
		  struct box *box, struct err *err);

/* Names of the steps in order, for `cordon plan` and tests; NULL at the end. */
const char *enforce_step_name(size_t i);

/* What box init does to itself once the box stands. */
int enforce_init_cage(struct err *err);

/*
 * A mount sits on a directory entry: when the host renames another file over
 * it the mount is gone. Makes the mount of a watched name again if it is.
 * Called by a process of the supervisor's in the box's namespaces. 1 if it was
 * made again, 0 if nothing was lost or nothing lies there now, -1 with errno.
 */
int enforce_watch_restore(const struct plan *plan, size_t watch,
			  const struct box *box);

#endif
