/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/mounts.c - from what every path is to the box, to an ordered list of
 * mounts
 *
 * Runs in:  the process that reads the policy, before any privilege is taken.
 * Trusts:   the view.
 * Must not: look at the file system.
 *
 * Order is the difficulty: a mount hides what lies below its target, so
 * parents come first, and enforce/ takes hold of every source before the first
 * mount is made. Inside a hollow or private directory nothing of the host
 * exists: mount points there are made, level by level.
 */
#include "plan/mounts.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "plan/claims.h"
#include "plan/exec.h"
#include "plan/plan.h"
#include "plan/view.h"

/* Is @node's place inside a directory that only has what we put there? */
static bool on_skeleton(const struct view_node *node)
{
	const struct view_node *above = node->above;

	return above && (above->private || above->access == PLAN_HIDDEN);
}

/* Is it in one that has the identities of a layer? */
static bool in_layer(const struct view_node *node)
{
	return node->above && node->above->layered;
}

/* The mount that the skeleton around @node belongs to. */
static const struct view_node *skeleton_top(const struct view_node *node)
{
	const struct view_node *top = node->above;

	while (!top->private && on_skeleton(top))
		top = top->above;
	return top;
}

static struct plan_mount *mount_add(struct arena *arena, struct plan *plan,
				    enum plan_mount_kind kind,
				    const struct view_node *node,
				    const char *reason)
{
	struct plan_mount *mount = ARENA_PUSH(arena, &plan->mounts);

	*mount = (struct plan_mount){
		.kind = kind,
		.path = node->path,
		.directory = node->kind == FACTS_DIRECTORY,
		.on_skeleton = on_skeleton(node),
		.layered = in_layer(node),
		.id = node->id,
		.mode = 0755,
		.reason = reason,
	};
	return mount;
}

static bool is_made(const struct plan *plan, const char *path)
{
	for (size_t i = plan->mounts.n; i-- > 0;) {
		if (!strcmp(plan->mounts.v[i].path, path))
			return true;
	}
	return false;
}

/* The directories between the skeleton's top and @path. */
static void add_parents(struct arena *arena, struct plan *plan, const char *top,
			const char *path)
{
	size_t len = strlen(top);

	for (const char *p = path + (len > 1 ? len + 1 : 1);
	     (p = strchr(p, '/')); p++) {
		char *dir = arena_strndup(arena, path, (size_t)(p - path));

		if (is_made(plan, dir))
			continue;
		*ARENA_PUSH(arena, &plan->mounts) = (struct plan_mount){
			.kind = PLAN_MOUNT_MKDIR,
			.path = dir,
			.directory = true,
			.on_skeleton = true,
			.mode = 0755,
			.reason = "on the way to what is visible",
		};
	}
}

static void add_private(struct arena *arena, struct plan *plan,
			const struct view_node *node)
{
	enum plan_mount_kind kind = PLAN_MOUNT_TMPFS;
	struct plan_mount *mount;

	if (!strcmp(node->path, "/proc"))
		kind = PLAN_MOUNT_PROC;
	else if (!strcmp(node->path, "/dev"))
		kind = PLAN_MOUNT_DEV;
	mount = mount_add(arena, plan, kind, node, "private");
	mount->writable = true;
	if (!strcmp(node->path, "/tmp") || !strcmp(node->path, "/var/tmp"))
		mount->mode = 01777;
}

static const char *why(const struct claim *claim)
{
	return claim ? claim->key : "inherited";
}

static void add_bind(struct arena *arena, struct plan *plan,
		     const struct view_node *node)
{
	struct plan_mount *mount = mount_add(
		arena, plan, PLAN_MOUNT_BIND, node,
		node->pin
			? "against renaming"
			: why(node->access == PLAN_WRITE
				      ? node->decided_write->write_by
			      : node->write_by ? node->write_by
					       : node->decided_read->read_by));

	mount->writable = node->access == PLAN_WRITE;
	/* What narrows a writable mount is cut from it, not from the host. */
	mount->late = !mount->on_skeleton &&
		      (node->above->access == PLAN_WRITE || mount->layered);
}

static void add_layer(struct arena *arena, struct plan *plan,
		      const struct view_node *node)
{
	struct plan_mount *mount =
		mount_add(arena, plan, PLAN_MOUNT_COW, node, "layer");

	mount->writable = node->access == PLAN_WRITE;
	mount->layer = node->layer;
}

/* What a file is covered with. */
static enum plan_mount_kind mask_kind(const struct view_node *node)
{
	return node->read_by && !strcmp(node->read_by->key, PLAN_EXEC_KEY)
		       ? PLAN_MOUNT_MASK_PROGRAM
		       : PLAN_MOUNT_MASK_FILE;
}

static void add_hidden(struct arena *arena, struct plan *plan,
		       const struct view_node *node)
{
	enum plan_mount_kind kind = mask_kind(node);
	struct plan_mount *mount;

	if (node->kind == FACTS_DIRECTORY)
		kind = node->shows_below ? PLAN_MOUNT_HOLLOW
					 : PLAN_MOUNT_MASK_DIR;
	mount = mount_add(arena, plan, kind, node, why(node->read_by));
	/* Services make their sockets again at any moment. */
	if (node->kind == FACTS_SOCKET) {
		mount->late = true;
		mount->id = (struct facts_id){ 0 };
	}
}

static void add_link(struct arena *arena, struct plan *plan,
		     const struct view_node *node)
{
	if (on_skeleton(node) && node->leads && node->read != VIEW_HIDE) {
		add_parents(arena, plan, skeleton_top(node)->path, node->path);
		mount_add(arena, plan, PLAN_MOUNT_SYMLINK, node,
			  "leads to what is visible")
			->target = node->link;
	} else if (!on_skeleton(node) && node->read == VIEW_HIDE) {
		mount_add(arena, plan, mask_kind(node), node,
			  why(node->read_by));
	} else if (!on_skeleton(node) && node->write == VIEW_WRITE_NO &&
		   node->above->access == PLAN_WRITE) {
		add_bind(arena, plan, node);
	}
}

static void add_node(struct arena *arena, struct plan *plan,
		     const struct view_node *node)
{
	const struct view_node *above = node->above;

	if (node->link) {
		add_link(arena, plan, node);
	} else if (node->kind == FACTS_ABSENT) {
		return;
	} else if (node->private) {
		if (on_skeleton(node))
			add_parents(arena, plan, skeleton_top(node)->path,
				    node->path);
		add_private(arena, plan, node);
	} else if (node->access == PLAN_HIDDEN) {
		if (!on_skeleton(node))
			add_hidden(arena, plan, node);
	} else if (on_skeleton(node)) {
		add_parents(arena, plan, skeleton_top(node)->path, node->path);
		if (node->layer)
			add_layer(arena, plan, node);
		else
			add_bind(arena, plan, node);
	} else if (node->layer) {
		add_layer(arena, plan, node);
	} else if (node->pin || node->access != above->access) {
		add_bind(arena, plan, node);
	}
}

/* XDG_RUNTIME_DIR; see plan/environ.c. */
static void add_runtime_dir(struct arena *arena, struct plan *plan,
			    unsigned int uid)
{
	*ARENA_PUSH(arena, &plan->mounts) = (struct plan_mount){
		.kind = PLAN_MOUNT_MKDIR,
		.path = "/run/user",
		.directory = true,
		.mode = 0755,
		.reason = "holds XDG_RUNTIME_DIR",
	};
	*ARENA_PUSH(arena, &plan->mounts) = (struct plan_mount){
		.kind = PLAN_MOUNT_MKDIR,
		.path = arena_printf(arena, "/run/user/%u", uid),
		.directory = true,
		.mode = 0700,
		.reason = "XDG_RUNTIME_DIR",
	};
}

/*
 * Files in /proc that root owns: its uid alone, without a capability, could
 * write them. For other users the kernel's own modes are enough.
 */
static const struct {
	const char *path;
	enum plan_mount_kind kind;
	bool directory;
} proc_for_root[] = {
	{ "/proc/sys", PLAN_MOUNT_BIND, true },
	{ "/proc/irq", PLAN_MOUNT_BIND, true },
	{ "/proc/fs", PLAN_MOUNT_BIND, true },
	{ "/proc/bus", PLAN_MOUNT_BIND, true },
	{ "/proc/acpi", PLAN_MOUNT_MASK_DIR, true },
	{ "/proc/asound", PLAN_MOUNT_MASK_DIR, true },
	{ "/proc/driver", PLAN_MOUNT_MASK_DIR, true },
	{ "/proc/dynamic_debug", PLAN_MOUNT_MASK_DIR, true },
	{ "/proc/scsi", PLAN_MOUNT_MASK_DIR, true },
	{ "/proc/latency_stats", PLAN_MOUNT_MASK_FILE, false },
	{ "/proc/sysrq-trigger", PLAN_MOUNT_MASK_FILE, false },
	{ "/proc/kcore", PLAN_MOUNT_MASK_FILE, false },
	{ "/proc/keys", PLAN_MOUNT_MASK_FILE, false },
	{ "/proc/timer_list", PLAN_MOUNT_MASK_FILE, false },
	{ "/proc/kallsyms", PLAN_MOUNT_MASK_FILE, false },
	{ "/proc/kmsg", PLAN_MOUNT_MASK_FILE, false },
	{ "/proc/config.gz", PLAN_MOUNT_MASK_FILE, false },
	{ "/proc/interrupts", PLAN_MOUNT_MASK_FILE, false },
};

static void add_proc_for_root(struct arena *arena, struct plan *plan)
{
	for (size_t i = 0; i < sizeof(proc_for_root) / sizeof(*proc_for_root);
	     i++)
		*ARENA_PUSH(arena, &plan->mounts) = (struct plan_mount){
			.kind = proc_for_root[i].kind,
			.path = proc_for_root[i].path,
			.directory = proc_for_root[i].directory,
			.late = true,
			.reason = "root's alone",
		};
}

void plan_mounts_build(struct arena *arena, const struct view *view,
		       const struct policy_context *context, struct plan *plan)
{
	const struct view_node *root = &view->v[0];

	if (root->access == PLAN_HIDDEN)
		mount_add(arena, plan, PLAN_MOUNT_ROOT, root, "view: minimal");
	else
		mount_add(arena, plan, PLAN_MOUNT_READONLY, root, "view: host")
			->writable = root->access == PLAN_WRITE;
	for (size_t i = 1; i < view->n; i++)
		add_node(arena, plan, &view->v[i]);
	add_runtime_dir(arena, plan, context->uid);
	if (context->uid == 0)
		add_proc_for_root(arena, plan);
}

/* The rule that says so: a name counts where it could be made. */
static bool is_creatable(const struct view *view, const struct view_node *node)
{
	const struct view_node *parent;

	if (node->kind != FACTS_ABSENT || node->write != VIEW_WRITE_NO ||
	    !node->parent_real)
		return false;
	parent = view_find(view, node->parent_real);
	return parent->access == PLAN_WRITE && !parent->private;
}

void plan_absents_build(struct arena *arena, const struct view *view,
			struct plan *plan)
{
	for (size_t i = 0; i < view->n; i++) {
		const struct view_node *node = &view->v[i];
		struct plan_absent *absent;
		const char *name, *rest;

		if (!is_creatable(view, node))
			continue;
		name = node->path + strlen(node->parent_real);
		name += strspn(name, "/");
		rest = strchr(name, '/');
		absent = ARENA_PUSH(arena, &plan->absents);
		*absent = (struct plan_absent){
			.path = node->path,
			.name = rest ? arena_strndup(arena, name,
						     (size_t)(rest - name))
				     : name,
			.below = rest ? rest + 1 : NULL,
			.action =
				rest ? PLAN_ABSENT_PASSAGE : PLAN_ABSENT_FORBID,
			.parent = node->parent,
			.layered = view_find(view, node->parent_real)->layered
					   ? node->parent_real
					   : NULL,
			.origin = node->write_by->origin,
			.key = node->write_by->key,
		};
	}
	/* A repository that comes into being is code for the next `git` that
	 * runs there; bare ones are told by their objects directory. */
	if (plan->absents.n)
		*ARENA_PUSH(arena, &plan->absents) = (struct plan_absent){
			.path = ".git",
			.name = ".git",
			.action = PLAN_ABSENT_NOTICE,
			.origin = { .source = "built-in" },
			.key = "planted",
		};
}

/* A name that is not there may come; its directory has to be. */
static bool may_appear(const struct view_node *node)
{
	size_t len = (size_t)(strrchr(node->path, '/') - node->path);

	return node->parent_real && strlen(node->parent_real) == len;
}

/* The mount that is made again on @node; false where there is none. */
static bool watched_mount(const struct view *view, const struct view_node *node,
			  enum plan_mount_kind *kind)
{
	if (on_skeleton(node) || node->private || node->pin ||
	    node->shows_below)
		return false;
	if (node->kind == FACTS_ABSENT && !may_appear(node))
		return false;
	*kind = mask_kind(node);
	if (node->access == PLAN_HIDDEN)
		return node->kind != FACTS_ABSENT || node->read == VIEW_HIDE;
	*kind = PLAN_MOUNT_BIND;
	if (node->kind == FACTS_ABSENT)
		return is_creatable(view, node);
	return node->access == PLAN_READ && node->above->access == PLAN_WRITE;
}

void plan_watches_build(struct arena *arena, const struct view *view,
			struct plan *plan)
{
	for (size_t i = 1; i < view->n; i++) {
		const struct view_node *node = &view->v[i];
		enum plan_mount_kind kind;

		if (watched_mount(view, node, &kind))
			*ARENA_PUSH(arena, &plan->watches) =
				(struct plan_watch){
					.path = node->path,
					.expected = node->kind == FACTS_SOCKET,
					.id = node->id,
					.mount = kind,
				};
	}
}
