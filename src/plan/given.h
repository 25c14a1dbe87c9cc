/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_GIVEN_H
#define CORDON_PLAN_GIVEN_H

#include <stdbool.h>

struct arena;
struct err;
struct facts;
struct view;

/*
 * ERR_POLICY where the command is given, for reading, a file that it may not
 * write and that nothing would keep it from opening for writing; with
 * @only_system also one that it may write, or has open for that, and could
 * execute.
 * *@out_kept: it is given one that Landlock keeps.
 */
int plan_given_check(struct arena *arena, const struct view *view,
		     const struct facts *facts, bool only_system,
		     bool *out_kept, struct err *err);

#endif
