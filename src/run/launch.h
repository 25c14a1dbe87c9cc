/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_LAUNCH_H
#define CORDON_RUN_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "run/network.h"
#include "run/output.h"

struct err;
struct run_request;

/* A box that stands, seen from outside. */
struct run_box {
	pid_t pid; /* of box init, on the host */
	int pidfd;
	int control; /* frames, see wire/frame.h */
	int terminal; /* master of the box's pty, or -1 */
	int namespaces[2]; /* user and mount, to mount again; or -1 */
	int masks; /* what masks are cloned from; or -1 */
	bool terminals[3]; /* standard streams that are terminals */
	struct output output; /* those that go through the supervisor */
	struct run_network network;
};

/*
 * A directory would be a door out of the box, a missing stream a trap for
 * whatever is opened in its place: to be called before anything is opened.
 */
int run_check_streams(struct err *err);

/*
 * Makes the namespaces, lets box init set everything up and waits until the
 * command was executed. After a failure nothing is left and the command never
 * ran.
 */
int run_launch(const struct run_request *request, struct run_box *out,
	       struct err *err);

#endif
