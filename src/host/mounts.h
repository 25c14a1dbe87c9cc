/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_MOUNTS_H
#define CORDON_HOST_MOUNTS_H

struct arena;
struct err;
struct facts_strings;

/* The mount points that this process sees. */
int host_mounts_read(struct arena *arena, struct facts_strings *out,
		     struct err *err);

/* That of a line of /proc/self/mountinfo; NULL if it is none. */
char *host_mounts_parse(struct arena *arena, const char *line);

#endif
