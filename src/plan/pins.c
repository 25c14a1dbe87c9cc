/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/pins.c - directories that must not be renamed
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   the view.
 * Must not: look at the file system.
 */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "plan/view.h"

/*
 * A mount protects a directory entry, not a name: renaming a directory above
 * it would carry the protection away (attacks FS-15, FS-38). So each directory
 * between a writable one and what is protected in it is bound onto itself,
 * which makes renaming it fail.
 */
static bool needs_pins(const struct view_node *node)
{
#ifdef CORDON_ABLATE_PINS
	return false;
#endif
	if (!node->above || node->above->private ||
	    node->above->access != PLAN_WRITE)
		return false;
	return node->access != PLAN_WRITE ||
	       (node->kind == FACTS_ABSENT && node->write == VIEW_WRITE_NO);
}

/* The writable mount that @node lies in: everything between may be renamed. */
static const struct view_node *mount_root(const struct view_node *node)
{
	const struct view_node *top = node->above;

	while (top->above && top->above->access == PLAN_WRITE &&
	       !top->above->private)
		top = top->above;
	return top;
}

bool view_add_pins(struct arena *arena, struct view *view)
{
	size_t n = view->n;

	for (size_t i = 0; i < n; i++) {
		/* The array moves while it grows. */
		struct view_node node = view->v[i];
		size_t len;

		if (!needs_pins(&node))
			continue;
		len = strlen(mount_root(&node)->path);
		for (const char *p = node.path + (len > 1 ? len + 1 : 1);
		     (p = strchr(p, '/')); p++) {
			char *dir = arena_strndup(arena, node.path,
						  (size_t)(p - node.path));
			struct view_node *pin;

			/* Only as far as directories exist. */
			if (node.kind == FACTS_ABSENT &&
			    !path_within(dir, node.parent_real))
				break;
			pin = ARENA_PUSH(arena, view);
			*pin = (struct view_node){ .path = dir,
						   .kind = FACTS_DIRECTORY,
						   .pin = true };
		}
	}
	return view->n > n;
}
