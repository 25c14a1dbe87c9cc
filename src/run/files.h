/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_FILES_H
#define CORDON_RUN_FILES_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* One file, as it was when it was last read. */
struct run_file {
	const char *path;
	dev_t dev; /* all zero: there was none */
	ino_t ino;
	off_t size;
	struct timespec modified;
};

/* The host's files that egress resolves names by. Zeroed: it uses none. */
struct run_files {
	struct run_file hosts;
	struct run_file servers;
	uint32_t sent; /* how often */
	uint64_t look_ns; /* not before then */
};

/* Notes what lies there, to be called before egress reads it. */
void run_files_init(struct run_files *files, const char *hosts,
		    const char *servers);

/*
 * Sends what the files say on @channel (struct egress_files), if they are not
 * what they were or egress does not have the number @has that it was sent.
 * Looks at most once a second and never waits; what could not be sent is sent
 * when egress asks again.
 */
void run_files_renew(struct run_files *files, int channel, uint32_t has);

#endif
