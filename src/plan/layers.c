/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/layers.c - what is written in a layer, and what can have one
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   the view, and facts for what is mounted.
 * Must not: look at the file system.
 */
#include "plan/layers.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "plan/claims.h"
#include "plan/plan.h"
#include "plan/view.h"

/*
 * A layer reaches down to where the box has something of its own: what lies
 * in a hollow or private directory comes from the host.
 */
void view_keep_back(struct view_node *node, bool layered)
{
	const struct view_node *above = node->above;

	node->layered = !node->private && node->access != PLAN_HIDDEN &&
			(node->layer || (above && above->layered));
	node->kept_back = layered && node->access == PLAN_WRITE &&
			  !node->private && !node->layered;
	if (node->kept_back)
		node->access = PLAN_READ;
}

/* overlayfs takes no directory with mounts in it from an ordinary user: what
 * they cover would come to light. */
static int check_mounts_below(const char *path, const struct facts *facts,
			      struct err *err)
{
	for (size_t i = 0; i < facts->mounts.n; i++) {
		const char *mount = facts->mounts.v[i];

		if (path_within(path, mount) && strcmp(path, mount) != 0)
			return err_set(err, ERR_HOST,
				       "'%s' cannot have a layer: '%s' is "
				       "mounted in it; unmount that, or use a "
				       "directory without mounts",
				       path, mount);
	}
	return 0;
}

int plan_layers_check(const struct plan_layers *layers,
		      const struct facts *facts, const struct view *view,
		      struct err *err)
{
	for (size_t i = 0; i < layers->n; i++) {
		const char *path = layers->v[i].path;
		const struct facts_path *fact = facts_path_find(facts, path);

		if (!fact || fact->kind != FACTS_DIRECTORY ||
		    strcmp(fact->real, path) != 0)
			return err_set(err, ERR_HOST,
				       "'%s' cannot have a layer: it is not a "
				       "directory",
				       path);
		if (view_find(view, path)->layered &&
		    check_mounts_below(path, facts, err) < 0)
			return -1;
	}
	return 0;
}

void plan_layers_note(struct arena *arena, const struct view *view,
		      struct plan_notes *out)
{
	for (size_t i = 0; i < view->n; i++) {
		const struct view_node *node = &view->v[i];

		if (node->kept_back && node->write == VIEW_WRITE_YES)
			*ARENA_PUSH(arena, out) = arena_printf(
				arena,
				"'%s' is read-only here: %s could change it "
				"on the host, and only directories without "
				"mounts in them can have a layer",
				node->path, node->write_by->key);
	}
}
