/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_STRICT_H
#define CORDON_GUARD_STRICT_H

#include <stdbool.h>

#include "wire/frame.h"

struct call;
struct place;

/*
 * filesystem.strict, for one call. All return 0, or -EACCES when it was
 * refused and reported. Without patterns they do nothing.
 */

/* May the object behind @fd, O_PATH or not, be read, or written? */
int strict_judge_object(const struct call *call, int fd, bool write);

/* May the name be made or removed? One that is denied, exists and has to be
 * @new is -EEXIST, and no report. */
int strict_judge_name(const struct call *call, const struct place *place,
		      enum frame_act act, bool new);

/* May what the one names be called the other? */
int strict_judge_move(const struct call *call, const struct place *from,
		      const struct place *to);

/*
 * May @to be a symbolic link? Not where a pattern denies something below that
 * name: behind the link it would have another path. @new: the name must be new.
 */
int strict_judge_link(const struct call *call, const struct place *to,
		      bool new);

/* The same if @from, to which @to becomes a second name, is such a link. */
int strict_judge_second(const struct call *call, const struct place *from,
			const struct place *to);

#endif
