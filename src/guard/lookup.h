/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_LOOKUP_H
#define CORDON_GUARD_LOOKUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct call;

/* What a path means that is to be opened as it is: no name is made. */
struct lookup {
	int fd; /* O_PATH; owned */
	struct stat st; /* of it */
	bool proc; /* it is on the box's procfs */
	bool own; /* of that the guard's own, or maybe: only a child of the
		   * guard opens it as the caller would */
	int dir; /* O_PATH of its directory in procfs, or -1; owned */
	char path[PATH_MAX]; /* as the caller wrote it */
};

/*
 * Reads the path at @addr and finds what openat(@dirfd, path, @flags) would
 * open for the caller. @out is to be ended with lookup_done() in any case.
 * Returns 0 or -errno.
 */
int lookup_find(const struct call *call, int dirfd, uint64_t addr, int flags,
		struct lookup *out);

void lookup_done(struct lookup *lookup);

/* What lookup_find() begins with. */
#define LOOKUP_INIT                                                            \
	{                                                                      \
		.fd = -1, .dir = -1                                            \
	}
#define AUTO_LOOKUP __attribute__((cleanup(lookup_done))) struct lookup

#endif
