/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_PATTERNS_H
#define CORDON_PLAN_PATTERNS_H

#include <stdbool.h>

struct arena;
struct claims;
struct facts;
struct plan;
struct plan_pattern;
struct policy;
struct view;

/*
 * filesystem.strict: what filesystem.deny_read and .deny_write say, to be
 * asked for each path that is opened, made or removed.
 *
 * It is decided as the view is (plan/view.c): a pattern denies the first name
 * on the way down that it matches, with all below; what is allowed deeper than
 * that, and no deeper denied, stays allowed. At one path the denial holds.
 */

/* Fills plan->patterns, with nothing unless the policy is strict. */
void plan_patterns_build(struct arena *arena, const struct policy *policy,
			 const struct claims *claims, const struct view *view,
			 const struct facts *facts, struct plan *plan);

/* What denies reading, or writing, @path, which is real; or NULL. */
const struct plan_pattern *plan_pattern_find(const struct plan *plan,
					     const char *path, bool write);

/* What would deny something below the directory @from, and no longer when that
 * is called @to; or NULL. */
const struct plan_pattern *plan_pattern_lost(const struct plan *plan,
					     const char *from, const char *to);

/* What would deny something below @to that it does not deny below @from, or
 * NULL: what lies in the directory @from may then not be called @to. */
const struct plan_pattern *
plan_pattern_gained(const struct plan *plan, const char *from, const char *to);

#endif
