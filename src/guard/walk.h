/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_WALK_H
#define CORDON_GUARD_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct call;

enum { WALK_LINKS_MAX = 40 }; /* as the kernel has it */

/*
 * Walks @path by hand, component by component, from the directory @base (the
 * guard's, stays open): what the kernel would do, but that /proc/self is the
 * caller and the guard's own directory in /proc is closed. *@links counts the
 * symbolic links. Returns an O_PATH descriptor of the directory or -errno.
 */
int walk_path(const struct call *call, int base, const char *path,
	      unsigned int *links);

/* Is this file or directory on procfs? */
bool walk_is_proc(int fd);

/* Does the link @name in @dir, on procfs, lead to an object, not to a path? */
bool walk_is_magic(int dir, const char *name);

/*
 * The text of the link @name in the directory @dir, with self and thread-self
 * of procfs as the caller sees them. Terminated; returns 0 or -errno.
 */
int walk_read_link(const struct call *call, int dir, const char *name,
		   char *out, size_t room);

#endif
