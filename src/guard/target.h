/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_TARGET_H
#define CORDON_GUARD_TARGET_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

struct call;
struct place;

enum {
	/* O_ACCMODE, to which some libraries add O_PATH */
	TARGET_ACCESS = O_RDONLY | O_WRONLY | O_RDWR,
	/* __O_TMPFILE, which O_TMPFILE joins with O_DIRECTORY */
	TARGET_TMPFILE = O_TMPFILE & ~O_DIRECTORY,
};

/* An object that exists and shall be opened. */
struct target {
	int fd; /* O_PATH; borrowed */
	struct stat st; /* of it */
	int flags; /* the caller's */
	mode_t mode;
	const struct place *place; /* where it was found, or NULL */
	bool by_name; /* the kernel must see directory and name of it */
	bool child; /* only a child opens it as the caller would */
	int proc; /* its directory in procfs, or -1 */
};

/* Do these flags of open(2) change the file, or may they? */
bool target_is_written(int flags);

/* Opens it for the caller. GUARD_ANSWERED or -errno. */
int target_open(const struct call *call, struct target *target);

#endif
