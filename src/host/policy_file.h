/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_POLICY_FILE_H
#define CORDON_HOST_POLICY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct err;

/* Who wrote it, and so what is checked of the file. */
enum policy_file_kind {
	/* the user or the system: writable by no one else */
	POLICY_FILE_OWN,
	POLICY_FILE_STORE, /* likewise, and written by cordon: no link */
	POLICY_FILE_PROJECT, /* anybody: only that it is a file */
};

struct policy_file {
	const char *path;
	char *text; /* terminated; NULL: there is no such file */
	size_t n;
	uint64_t dev;
	uint64_t ino;
};

/*
 * Opens a file once, checks what was opened, reads it. A file that does not
 * exist is no error: text stays NULL. Fails with ERR_POLICY and the remedy.
 */
int policy_file_read(struct arena *arena, const char *path,
		     enum policy_file_kind kind, struct policy_file *out,
		     struct err *err);

/* Of cordon's configuration: a user's is theirs alone, all read the system's. */
mode_t policy_directory_mode(const char *directory);

/*
 * Makes what is missing of @directory; what is made has exactly this mode,
 * whatever the umask: a system's directory that nobody else can enter would
 * stop every run of every user.
 */
int policy_directory_make(struct arena *arena, const char *directory,
			  mode_t mode, struct err *err);

/*
 * Replaces a file of cordon's own: 0600, in a directory that is made where it
 * is missing, at once or not at all.
 */
int policy_file_write(struct arena *arena, const char *directory,
		      const char *name, const char *text, struct err *err);

#endif
