/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_VIEW_H
#define CORDON_PLAN_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"

struct arena;
struct claim;
struct claims;
struct err;

/*
 * The tree as the box will see it: the paths where something changes, sorted
 * so that parents come before what lies in them.
 */
enum view_read { VIEW_READ_INHERIT, VIEW_HIDE, VIEW_SHOW };
enum view_write { VIEW_WRITE_INHERIT, VIEW_WRITE_NO, VIEW_WRITE_YES };

struct view_node {
	const char *path; /* real */
	enum view_read read; /* what is said here; hide beats show */
	enum view_write write; /* no beats yes */
	const struct claim *read_by; /* who says so */
	const struct claim *write_by;
	enum facts_kind kind;
	struct facts_id id;
	struct facts_id parent; /* of the deepest existing directory */
	const char *parent_real;
	bool private; /* an own directory of the box */
	bool pin; /* bound onto itself against renaming */
	const char *link; /* a symbolic link, with its target */
	bool leads; /* @link is on the way to what is allowed */
	const struct plan_layer *layer; /* it is the root of one; or NULL */

	/* derived by view_build() */
	enum plan_access access;
	const struct view_node *decided_read; /* node the access is from */
	const struct view_node *decided_write;
	const struct view_node *above; /* nearest node that contains it */
	bool shows_below; /* something inside it is visible */
	bool layered; /* it is seen, and written, in a layer */
	bool kept_back; /* would be writable, and there is no layer for it */
};

struct view {
	struct view_node *v;
	size_t n;
	struct plan_notes notes;
	bool layered; /* nothing of the host is written but in a layer */
};

/*
 * Lays @claims over the facts. Fails with ERR_POLICY where a rule cannot be
 * kept: the message names it and the remedy. With @layered, what would be
 * writable on the host itself is read-only.
 */
int view_build(struct arena *arena, const struct policy *policy,
	       const struct policy_context *context,
	       const struct claims *claims, const struct facts *facts,
	       bool layered, struct view *out, struct err *err);

/* Is it the home directory, one that holds it, or one of the system? Such a
 * working directory is not made writable by a profile. */
bool view_is_too_wide(const struct policy_context *context, const char *path);

/* The deepest node that contains @path; never NULL, as "/" is a node. */
const struct view_node *view_find(const struct view *view, const char *path);

/*
 * Adds a node for each directory that has to be bound onto itself; true if
 * there are any. The view then has to be sorted and derived again.
 */
bool view_add_pins(struct arena *arena, struct view *view);

/* Whether @node is written in a layer; with @layered, one that is not and would
 * be written on the host becomes read-only. Its parents are derived. */
void view_keep_back(struct view_node *node, bool layered);

/* Orders paths by components: "/a/b" before "/a-b". */
int view_path_compare(const char *a, const char *b);

#endif
