/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_PLACE_H
#define CORDON_GUARD_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "guard/walk.h"
#include "plan/facts.h"

struct call;

/*
 * Where a path leads: a directory, held open, and a name in it. Whoever
 * performs a call uses the two and never the path again.
 */
struct place {
	int dir; /* O_PATH; owned */
	struct facts_id id; /* of the directory */
	mode_t mode; /* of the directory */
	bool proc; /* the directory is on procfs */
	bool walked; /* found by hand: the kernel would find another place for
		      * the guard than for the caller */
	struct walk_way way; /* how it was found; see walk.h */
	char *name; /* in text, with the slashes that follow it; "."
				 * for the root */
	size_t len; /* of the name without slashes */
	char text[PATH_MAX]; /* the path, cut into directory and name */
};

enum { PLACE_MAGIC = 1 };

/*
 * Reads the path at @addr from the caller and finds where it leads, seen from
 * the caller's @dirfd. @out is to be ended with place_done() in any case.
 * Returns 0 or -errno.
 */
int place_find(const struct call *call, int dirfd, uint64_t addr,
	       struct place *out);

/*
 * The same for a path that stands in out->text already, seen from the
 * directory @base, which is the guard's and stays open.
 */
int place_find_from(const struct call *call, int base, struct place *out);

/*
 * @place names a symbolic link: moves it to what the link says. Returns 0,
 * -errno, or PLACE_MAGIC for a link of procfs that leads to an object without
 * a path; @place is then unchanged.
 */
int place_follow(const struct call *call, struct place *place);

/* O_PATH of the object behind the name, all links followed; or -errno. */
int place_open(const struct call *call, struct place *place);

/* Has the name slashes behind it, so that it must be a directory? */
bool place_has_slash(const struct place *place);

/* Is the name "." or ".."? */
bool place_is_dots(const struct place *place);

void place_done(struct place *place);

#define AUTO_PLACE __attribute__((cleanup(place_done))) struct place

#endif
