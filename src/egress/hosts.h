/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_HOSTS_H
#define CORDON_EGRESS_HOSTS_H

#include <stddef.h>

#include "policy/address.h"

struct arena;
struct err;

enum { HOSTS_MAX = 4 * 1024 * 1024 };

/*
 * What hosts(5) says. Kept as text, which is as fast for the short files that
 * most are.
 */
struct hosts {
	const char *text;
	size_t n;
};

/* A file that does not exist or may not be read is empty; of one that is
 * larger than HOSTS_MAX the lines beyond are not read. */
int hosts_read(struct arena *arena, const char *path, struct hosts *out,
	       struct err *err);

/* The addresses of @name, of which there is @room for; returns how many. */
size_t hosts_find(const struct hosts *hosts, const char *name,
		  struct address *out, size_t room);

#endif
