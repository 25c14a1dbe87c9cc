/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_HOOKS_FILE_H
#define CORDON_CMD_HOOKS_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

struct arena;
struct err;

/* A file that an agent reads, and that its user may keep behind a link. */
struct hooks_file {
	const char *path; /* where it lies, links resolved */
	bool linked; /* it was named by a link */
	bool exists;
	struct stat st;
	char *text; /* NULL: it does not exist */
};

int hooks_file_read(struct arena *arena, const char *path,
		    struct hooks_file *out, struct err *err);

/*
 * Replaces it at once or not at all; mode and owner stay, a new one is 0600.
 * Fails where it has changed since it was read.
 */
int hooks_file_write(struct arena *arena, const struct hooks_file *file,
		     const char *text, struct err *err);
int hooks_file_remove(const struct hooks_file *file, struct err *err);

#endif
