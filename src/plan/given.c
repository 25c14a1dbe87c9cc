/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/given.c - files that the command is given open
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   the view, and facts for what is given.
 * Must not: look at the file system.
 *
 * A descriptor opens its file again through /proc/self/fd, for writing too,
 * and on the caller's mount: the box's read-only mounts do not count there,
 * only Landlock does. That goes by the directories above the file and has no
 * exceptions, so what is kept inside a writable directory cannot be given.
 */
#include "plan/given.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "plan/claims.h"
#include "plan/facts.h"
#include "plan/view.h"

/* What a file is to the box, by all of its names together. */
struct standing {
	bool writable; /* the box may write it by one of them */
	const struct view_node *open; /* it may not by this one, and could */
};

/* As the host's: a private directory, or a layer, stands in for it. */
static bool may_write(const struct view_node *node)
{
	return node->access == PLAN_WRITE && !node->private && !node->layered;
}

static bool landlock_allows(const struct view_node *node)
{
	for (; node; node = node->above) {
		if (may_write(node))
			return true;
	}
	return false;
}

static void weigh_name(const struct view *view, const struct facts *facts,
		       const char *name, bool gone, struct standing *out)
{
	const struct view_node *node = view_find(view, name);

	if (!gone && may_write(node))
		out->writable = true;
	else if (!out->open &&
		 (facts->landlock_abi < 2 || landlock_allows(node)))
		out->open = node;
}

/*
 * The name that is known, and those by other mounts and links: the file, or a
 * directory above it, is one that the view has under another name.
 */
static struct standing weigh(struct arena *arena, const struct view *view,
			     const struct facts *facts,
			     const struct facts_given *given)
{
	const char *rest = given->path + strlen(given->path);
	struct standing standing = { 0 };

	weigh_name(view, facts, given->path, given->gone, &standing);
	for (size_t i = 0; i < given->ids.n; i++) {
		const struct facts_id id = given->ids.v[i];

		for (size_t k = 0; k < view->n && id.ino; k++) {
			const struct view_node *node = &view->v[k];

			if (node->id.ino != id.ino || node->id.dev != id.dev)
				continue;
			weigh_name(
				view, facts,
				*rest ? path_join(arena, node->path, rest + 1)
				      : node->path,
				false, &standing);
		}
		while (rest > given->path && *--rest != '/')
			;
	}
	return standing;
}

static const char *origin(struct arena *arena, const struct claim *claim)
{
	if (!claim->origin.line)
		return arena_printf(arena, "%s (%s)", claim->key,
				    claim->origin.source);
	return arena_printf(arena, "%s (%s:%u)", claim->key,
			    claim->origin.source, claim->origin.line);
}

static const char *why_kept(struct arena *arena,
			    const struct facts_given *given,
			    const struct view_node *node)
{
	if (given->gone)
		return "which is no longer there and has another name";
	if (node->private)
		return "where the box has a directory of its own";
	if (node->layered)
		return "changes of which go to a layer";
	if (node->access == PLAN_HIDDEN)
		return arena_printf(arena, "which %s hides",
				    origin(arena, node->decided_read->read_by));
	return arena_printf(arena, "which %s keeps from being written",
			    origin(arena, node->decided_write->write_by));
}

static const char *fd_name(struct arena *arena, int fd)
{
	static const char *const streams[] = { "standard input",
					       "standard output",
					       "standard error" };

	return fd < 3 ? streams[fd] : arena_printf(arena, "descriptor %d", fd);
}

/* On the caller's mount, which is not noexec. */
static int refuse_execution(struct arena *arena,
			    const struct facts_given *given, struct err *err)
{
	return err_set(
		err, ERR_POLICY,
		"%s is a file that the command can write, and could "
		"execute in spite of exec.only_system: use a pipe (%s)",
		fd_name(arena, given->fd),
		given->writable && given->fd != 0
			? arena_printf(arena,
				       "cordon run ... %d> >(cat > FILE)",
				       given->fd)
			: "cat FILE | cordon run ...");
}

int plan_given_check(struct arena *arena, const struct view *view,
		     const struct facts *facts, bool only_system,
		     bool *out_kept, struct err *err)
{
	bool kept = false;

	for (size_t i = 0; i < facts->given.n; i++) {
		const struct facts_given *given = &facts->given.v[i];
		struct standing standing = { .writable = true };

		if (given->path && !given->writable)
			standing = weigh(arena, view, facts, given);
		if (standing.writable && only_system)
			return refuse_execution(arena, given, err);
		if (standing.writable)
			continue;
		if (standing.open)
			return err_set(
				err, ERR_POLICY,
				"%s is '%s', %s; the command could open it "
				"again for writing: use a pipe (cat FILE | "
				"cordon run ...)",
				fd_name(arena, given->fd), given->path,
				why_kept(arena, given, standing.open));
		kept = true;
	}
	*out_kept = kept;
	return 0;
}
