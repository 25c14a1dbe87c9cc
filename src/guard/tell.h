/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_TELL_H
#define CORDON_GUARD_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/frame.h"

struct call;
struct guard;
struct place;
struct target;

/* plan->learn: what is used, each path once for each act. Without it these do
 * nothing. */
int tell_init(struct guard *guard); /* -1 with errno */
void tell_done(struct guard *guard);

/* @fd is what the target was opened as. */
void tell_opened(const struct call *call, const struct target *target, int fd);
void tell_made(const struct call *call, const struct place *place, bool dir);
void tell_removed(const struct call *call, const struct place *place, bool dir);
void tell_written(const struct call *call, int fd);

/* A path of a call, as the caller gave it. */
struct tell_path {
	enum frame_act act;
	int dirfd;
	uint64_t addr;
	bool follow; /* a link at its end is followed */
	int flags; /* of open(2) */
};

/*
 * plan->explain or ->learn: tells of a call that failed with @failed, if that
 * is a refusal and nothing was told of it. The path is read and followed once
 * more: what is told is what was tried, and decides nothing.
 */
void tell_refused(const struct call *call, int failed,
		  const struct tell_path *v, int n);

#endif
