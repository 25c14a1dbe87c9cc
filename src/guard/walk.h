/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_WALK_H
#define CORDON_GUARD_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct call;

enum { WALK_LINKS_MAX = 40 }; /* as the kernel has it */

/* What goes from one walk to the next on behalf of one path. */
struct walk_way {
	unsigned int links; /* symbolic links followed so far */
	bool may_be_own; /* the guard's own directory in /proc may be entered:
			  * whoever opens there is a child of the guard */
	bool own; /* it was, and the end lies there */
};

/*
 * Walks @path by hand, component by component, from the directory @base (the
 * guard's, stays open): what the kernel would do, but that /proc/self is the
 * caller and the guard's own directory in /proc is closed, or told. Returns an
 * O_PATH descriptor of the directory or -errno.
 */
int walk_path(const struct call *call, int base, const char *path,
	      struct walk_way *way);

/*
 * The real path that @path leads to, as far as it leads anywhere; what is left
 * is put behind it as it stands. The last component is followed if it is a
 * link and @follow. Only for people and patterns. Returns its length, 0 if
 * there is none.
 */
size_t walk_real(const struct call *call, int base, const char *path,
		 bool follow, char *out, size_t room);

/*
 * The kernel did not find @path from @base for the guard. Could it find it for
 * another process, since procfs has a part in it?
 */
bool walk_may_be_proc(int base, const char *path);

/* Does the directory @dir of procfs lie in that of the caller itself? */
bool walk_is_callers(const struct call *call, int dir);

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
