/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_EVENTS_H
#define CORDON_CMD_EVENTS_H

#include <stddef.h>

struct arena;
struct err;
struct event_sink;
struct host_args;
struct prepared;

/* The directory of the audit log. */
const char *events_audit_dir(struct arena *arena, const char *state_dir);

/*
 * Opens what the events of a run go to, besides a descriptor that the caller
 * gave: the audit log, and @file (or NULL). To be called when there is a plan;
 * where the log is made, the plan is made again, so that it is hidden. A log
 * that cannot be written fails only where the policy says so.
 */
int events_open(struct arena *arena, const struct host_args *host,
		const char *file, struct prepared *prepared,
		struct event_sink *sink, struct err *err);

/* Fails if descriptor @fd is, or leads to, one of those that the command will
 * have. @option is for the message. */
int events_check_apart(const char *option, int fd, const struct host_args *host,
		       struct err *err);

#endif
