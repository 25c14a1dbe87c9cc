/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/view.c - what every path is to the box: hidden, readable or writable
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   facts for what exists; nothing about who put it there. A link
 *           inside a writable workspace may have been planted by an earlier
 *           box.
 * Must not: look at the file system.
 *
 * The most specific path wins. At one path hiding beats showing and read-only
 * beats writable; what a path does not say it inherits from above.
 */
#include "plan/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "plan/claims.h"
#include "plan/sockets.h"

/* Not made writable by a profile that says "the current directory". */
static const char *const system_directories[] = {
	"/",	  "/bin", "/boot", "/dev", "/etc",  "/home", "/lib",
	"/lib64", "/mnt", "/nix",  "/opt", "/proc", "/root", "/run",
	"/sbin",  "/srv", "/sys",  "/usr", "/var",  NULL,
};

struct builder {
	struct arena *arena;
	const struct policy *policy;
	const struct policy_context *context;
	const struct facts *facts;
	const struct claims *claims;
	struct view *view;
	struct err *err;
};

int view_path_compare(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	if (*a == *b)
		return 0;
	if (*a == '\0' || *b == '\0')
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a - (unsigned char)*b;
}

static int by_path(const void *a, const void *b)
{
	const struct view_node *const *x = a, *const *y = b;

	return view_path_compare((*x)->path, (*y)->path);
}

static struct view_node *node_add(struct builder *b, const char *path,
				  const struct facts_path *fact)
{
	struct view_node *node = ARENA_PUSH(b->arena, b->view);

	*node = (struct view_node){ .path = path };
	if (fact) {
		node->kind = fact->kind;
		node->id = fact->id;
		node->parent = fact->parent;
		node->parent_real = fact->parent_real;
	}
	return node;
}

static void node_say(struct view_node *node, const struct claim *claim)
{
	switch (claim->kind) {
	case CLAIM_ALLOW_READ:
	case CLAIM_SYSTEM:
		node->read = VIEW_SHOW;
		node->read_by = claim;
		break;
	case CLAIM_DENY_READ:
		node->read = VIEW_HIDE;
		node->read_by = claim;
		break;
	case CLAIM_ALLOW_WRITE:
		node->read = VIEW_SHOW;
		node->read_by = claim;
		node->write = VIEW_WRITE_YES;
		node->write_by = claim;
		break;
	case CLAIM_LAYER:
		node->write = VIEW_WRITE_YES;
		node->write_by = claim;
		node->layer = claim->layer;
		break;
	case CLAIM_DENY_WRITE:
		node->write = VIEW_WRITE_NO;
		node->write_by = claim;
		break;
	case CLAIM_PRIVATE:
		node->private = true;
		node->read_by = claim;
		node->write_by = claim;
		break;
	}
}

static bool claim_denies(const struct claim *claim)
{
	return claim->kind == CLAIM_DENY_READ ||
	       claim->kind == CLAIM_DENY_WRITE;
}

static int refuse(struct builder *b, const struct claim *claim,
		  const char *path, const char *why)
{
	if (claim->origin.line)
		return err_set(b->err, ERR_POLICY, "%s:%u: %s '%s': %s",
			       claim->origin.source, claim->origin.line,
			       claim->key, path, why);
	return err_set(b->err, ERR_POLICY, "%s (%s) '%s': %s", claim->key,
		       claim->origin.source, path, why);
}

bool view_is_too_wide(const struct policy_context *context, const char *path)
{
	if (path_within(path, context->home))
		return true;
	for (const char *const *dir = system_directories; *dir; dir++) {
		if (!strcmp(path, *dir))
			return true;
	}
	/* Everything of the system but places where people work. */
	return path_within("/usr", path) || path_within("/etc", path) ||
	       path_within("/boot", path);
}

/* A profile says "the current directory" and does not mean the home. */
static bool is_left_out(const struct builder *b, const struct claim *claim,
			const struct facts_path *fact)
{
	return claim->kind == CLAIM_ALLOW_WRITE &&
	       (claim->shipped || claim->narrow) &&
	       strcmp(claim->key, "git") != 0 &&
	       view_is_too_wide(b->context, claim->narrow ? b->context->workdir
							  : fact->real);
}

static bool may_be_written(const struct builder *b, const char *path)
{
	for (size_t i = 0; i < b->claims->n; i++) {
		const struct claim *claim = &b->claims->v[i];
		const struct facts_path *fact;

		if (claim->kind != CLAIM_ALLOW_WRITE)
			continue;
		fact = facts_path_find(b->facts, claim->path);
		/* A pattern could match anything. */
		if (!fact || (path_within(fact->real, path) &&
			      !is_left_out(b, claim, fact)))
			return true;
	}
	return false;
}

/* A link that an earlier box can have made must steer neither a protection nor
 * what is allowed. */
static bool link_is_suspect(const struct builder *b, const struct claim *claim,
			    const struct facts_link *link, bool last)
{
	if (claim->kind == CLAIM_SYSTEM || claim->kind == CLAIM_PRIVATE ||
	    !path_within(b->context->workdir, link->path) ||
	    !strcmp(b->context->workdir, link->path))
		return false;
	/* The name and what it leads to are both hidden: nothing is lost. */
	return !(last && claim->kind == CLAIM_DENY_READ) &&
	       may_be_written(b, link->path);
}

static int add_links(struct builder *b, const struct claim *claim,
		     const struct facts_path *fact)
{
	for (size_t i = 0; i < fact->links.n; i++) {
		const struct facts_link *link = &fact->links.v[i];
		bool last = !strcmp(link->path, fact->path);
		struct view_node *node;

		if (link_is_suspect(b, claim, link, last))
			return refuse(b, claim, fact->path,
				      arena_printf(b->arena,
						   "'%s' is a symbolic link in "
						   "the workspace and may have "
						   "been planted; remove it or "
						   "name what it leads to",
						   link->path));
		if (last && claim->kind == CLAIM_ALLOW_WRITE)
			return refuse(b, claim, fact->path,
				      arena_printf(b->arena,
						   "is a symbolic link; name "
						   "what it leads to: '%s'",
						   fact->real));
		node = node_add(b, link->path, NULL);
		node->kind = FACTS_OTHER;
		node->id = link->id;
		node->link = link->target;
		node->leads = !claim_denies(claim);
		if (claim_denies(claim) &&
		    (last ||
		     (claim->links_only && !strcmp(strrchr(link->path, '/'),
						   strrchr(fact->path, '/')))))
			node_say(node, claim);
	}
	return 0;
}

/* Where /dev and /proc are concerned no rule of the policy can be kept. */
static bool in_own_file_system(const char *path)
{
	return (path_within("/dev", path) && strcmp(path, "/dev") != 0) ||
	       (path_within("/proc", path) && strcmp(path, "/proc") != 0);
}

static int add_unreachable(struct builder *b, const struct claim *claim,
			   const struct facts_path *fact)
{
	if (!claim_denies(claim) ||
	    (!claim->shipped && b->policy->filesystem.ignore_missing.number))
		return 0;
	/* The box runs as the caller and could open the directory again. */
	if (fact->closed)
		return refuse(b, claim, fact->path,
			      "lies in a directory of yours that you cannot "
			      "enter; a box may have closed it: look at it and "
			      "`chmod u+rwx` it (filesystem.ignore_missing "
			      "does without protection of your own rules)");
	if (claim->shipped)
		return 0;
	return refuse(b, claim, fact->path,
		      arena_printf(b->arena,
				   "cannot be looked at (%s), so it cannot be "
				   "protected; remove the rule or set "
				   "filesystem.ignore_missing",
				   strerror(fact->sys)));
}

static int add_fact(struct builder *b, const struct claim *claim,
		    const struct facts_path *fact)
{
	if (fact->kind == FACTS_UNREACHABLE)
		return add_unreachable(b, claim, fact);
	if (claim->kind != CLAIM_PRIVATE && in_own_file_system(fact->real)) {
		if (claim->shipped ||
		    b->policy->filesystem.ignore_missing.number)
			return 0;
		return refuse(b, claim, fact->path,
			      "lies in /dev or /proc, which every box has of "
			      "its own; remove the rule");
	}
	if (is_left_out(b, claim, fact)) {
		*ARENA_PUSH(b->arena, &b->view->notes) = arena_printf(
			b->arena,
			"'%s' is not made writable: it is the home directory "
			"or one of the system; use --allow-write to do it all "
			"the same",
			fact->real);
		return 0;
	}
	if (claim_denies(claim) && !strcmp(fact->real, "/"))
		return refuse(b, claim, fact->path,
			      "is the whole tree; use `view: minimal` and "
			      "allow_read");
	if (fact->kind == FACTS_ABSENT && claim->kind == CLAIM_ALLOW_WRITE &&
	    !claim->shipped)
		return refuse(b, claim, fact->path,
			      "does not exist; create it, or allow the "
			      "directory that will hold it");
	if (add_links(b, claim, fact) < 0)
		return -1;
	if (claim->links_only ||
	    (fact->kind == FACTS_ABSENT && !claim_denies(claim)))
		return 0;
	node_say(node_add(b, fact->real, fact), claim);
	return 0;
}

/* Names in a directory mean nothing where a single file may be written. */
static bool is_about_file(const struct builder *b, const struct claim *claim)
{
	const struct facts_path *root;

	if (!claim->root)
		return false;
	root = facts_path_find(b->facts, claim->root);
	return root && root->kind == FACTS_FILE;
}

static int add_claim(struct builder *b, const struct claim *claim)
{
	const struct facts_path *fact;

	if (is_about_file(b, claim))
		return 0;
	fact = facts_path_find(b->facts,
			       claim->glob ? claim->literal : claim->path);
	if (fact && (!claim->glob || fact->kind != FACTS_ABSENT) &&
	    add_fact(b, claim, fact) < 0)
		return -1;
	for (size_t i = 0; claim->glob && i < b->facts->globs.n; i++) {
		const struct facts_glob *glob = &b->facts->globs.v[i];

		if (strcmp(glob->pattern, claim->path) != 0)
			continue;
		for (size_t k = 0; k < glob->found.n; k++) {
			if (add_fact(b, claim, &glob->found.v[k]) < 0)
				return -1;
		}
		break;
	}
	return 0;
}

static const struct claim socket_claim = {
	.kind = CLAIM_DENY_READ,
	.key = "socket",
	.shipped = true,
	.origin = { .source = "built-in" },
};

static const struct claim readonly_link_claim = {
	.kind = CLAIM_DENY_WRITE,
	.key = "another name of a protected file",
	.shipped = true,
	.origin = { .source = "built-in" },
};

static const struct claim hard_link_claim = {
	.kind = CLAIM_DENY_READ,
	.key = "another name of a denied file",
	.shipped = true,
	.origin = { .source = "built-in" },
};

static int add_found(struct builder *b, const struct claim *claim,
		     const struct facts_paths *found)
{
	for (size_t i = 0; i < found->n; i++) {
		if (add_fact(b, claim, &found->v[i]) < 0)
			return -1;
	}
	return 0;
}

/* Of what several claims say about one path, the stricter holds. */
static void merge_into(struct view_node *to, const struct view_node *from)
{
	if (from->read == VIEW_SHOW && to->read == VIEW_SHOW &&
	    to->read_by->narrow)
		to->read_by = from->read_by;
	if (from->write == VIEW_WRITE_YES && to->write == VIEW_WRITE_YES &&
	    to->write_by->narrow)
		to->write_by = from->write_by;
	if (from->read == VIEW_HIDE || to->read == VIEW_READ_INHERIT) {
		if (from->read != VIEW_READ_INHERIT && to->read != VIEW_HIDE) {
			to->read = from->read;
			to->read_by = from->read_by;
		}
	}
	if (from->write == VIEW_WRITE_NO || to->write == VIEW_WRITE_INHERIT) {
		if (from->write != VIEW_WRITE_INHERIT &&
		    to->write != VIEW_WRITE_NO) {
			to->write = from->write;
			to->write_by = from->write_by;
		}
	}
	if (from->private) {
		to->private = true;
		to->read_by = from->read_by;
		to->write_by = from->write_by;
	}
	to->pin |= from->pin;
	to->leads |= from->leads;
	if (!to->layer)
		to->layer = from->layer;
	if (!to->link)
		to->link = from->link;
	if (to->kind == FACTS_ABSENT) {
		to->kind = from->kind;
		to->id = from->id;
	}
	if (!to->parent_real) {
		to->parent_real = from->parent_real;
		to->parent = from->parent;
	}
}

/* Of what is said twice, the first origin is shown. */
static void sort_and_merge(struct arena *arena, struct view *view)
{
	struct view_node **order =
		arena_array(arena, struct view_node *, view->n);
	struct view sorted = { .notes = view->notes, .layered = view->layered };
	size_t room = 1;

	for (size_t i = 0; i < view->n; i++)
		order[i] = &view->v[i];
	arena_sort(arena, order, view->n, sizeof(order[0]), by_path);
	/* ARENA_PUSH() takes the room to be the next power of two. */
	while (room < view->n)
		room *= 2;
	sorted.v = arena_array(arena, struct view_node, room);
	for (size_t i = 0; i < view->n; i++) {
		if (sorted.n &&
		    !strcmp(sorted.v[sorted.n - 1].path, order[i]->path))
			merge_into(&sorted.v[sorted.n - 1], order[i]);
		else
			sorted.v[sorted.n++] = *order[i];
	}
	*view = sorted;
}

static const struct claim root_shown = {
	.kind = CLAIM_SYSTEM,
	.key = "view: host",
	.origin = { .source = "built-in" },
};

static const struct claim root_hidden = {
	.kind = CLAIM_DENY_READ,
	.key = "view: minimal",
	.origin = { .source = "built-in" },
};

/*
 * A project's file that is not trusted allows only what would be allowed
 * anyway. Names were compared when it was read; here it is known what they
 * lead to, and what cordon itself hides.
 */
static void drop_widening(struct view_node *node, const struct view_node *above)
{
	const struct claim *hider = above->decided_read->read_by;
	const struct claim *keeper = above->decided_write->write_by;
	bool hidden = above->private ||
		      (above->access == PLAN_HIDDEN && hider != &root_hidden);

	if (node->read == VIEW_SHOW && node->read_by->narrow && hidden)
		node->read = VIEW_READ_INHERIT;
	if (node->write == VIEW_WRITE_YES && node->write_by->narrow &&
	    (hidden || keeper->kind == CLAIM_DENY_WRITE))
		node->write = VIEW_WRITE_INHERIT;
}

static void derive(struct view_node *node, const struct view_node *above)
{
	bool hidden;

	node->above = above;
	drop_widening(node, above);
	hidden = node->read == VIEW_HIDE ||
		 (node->read == VIEW_READ_INHERIT &&
		  (above->private || above->access == PLAN_HIDDEN));
	node->decided_read = node->read == VIEW_READ_INHERIT && !node->private
				     ? above->decided_read
				     : node;
	node->decided_write =
		node->write == VIEW_WRITE_INHERIT && !node->private
			? above->decided_write
			: node;
	if (node->private)
		node->access = PLAN_WRITE;
	else if (hidden)
		node->access = PLAN_HIDDEN;
	else if (node->write == VIEW_WRITE_YES ||
		 (node->write == VIEW_WRITE_INHERIT &&
		  above->access == PLAN_WRITE && !above->private))
		node->access = PLAN_WRITE;
	else
		node->access = PLAN_READ;
}

static void derive_all(struct view *view)
{
	for (size_t i = 0; i < view->n; i++)
		view->v[i].shows_below = false;
	for (size_t i = 0; i < view->n; i++) {
		struct view_node *node = &view->v[i];
		const struct view_node *above = node;

		if (i == 0) {
			node->decided_read = node;
			node->decided_write = node;
			node->access = node->read == VIEW_HIDE ? PLAN_HIDDEN
				       : node->write == VIEW_WRITE_YES
					       ? PLAN_WRITE
					       : PLAN_READ;
			view_keep_back(node, view->layered);
			continue;
		}
		above = &view->v[i - 1];
		while (!path_within(above->path, node->path))
			above = above->above;
		derive(node, above);
		view_keep_back(node, view->layered);
		if ((node->access == PLAN_HIDDEN &&
		     (!node->leads || node->read == VIEW_HIDE)) ||
		    node->kind == FACTS_ABSENT)
			continue;
		for (above = node->above; above; above = above->above) {
			size_t at = (size_t)(above - view->v);

			if (view->v[at].shows_below)
				break;
			view->v[at].shows_below = true;
		}
	}
}

const struct view_node *view_find(const struct view *view, const char *path)
{
	size_t low = 0, high = view->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (view_path_compare(view->v[mid].path, path) <= 0)
			low = mid;
		else
			high = mid;
	}
	for (const struct view_node *node = &view->v[low]; node;
	     node = node->above) {
		if (path_within(node->path, path))
			return node;
	}
	return &view->v[0];
}

static void add_sockets(struct builder *b, const struct claims *claims)
{
	const struct facts_paths *found = &b->facts->sockets;
	struct facts_strings allowed = { 0 };

	plan_sockets_build(b->arena, claims, b->facts, &allowed);
	for (size_t i = 0; i < found->n; i++) {
		/* What the policy lets in was also found here. */
		if (plan_sockets_allow(&allowed, found->v[i].real))
			continue;
		node_say(node_add(b, found->v[i].real, &found->v[i]),
			 &socket_claim);
	}
}

int view_build(struct arena *arena, const struct policy *policy,
	       const struct policy_context *context,
	       const struct claims *claims, const struct facts *facts,
	       bool layered, struct view *out, struct err *err)
{
	struct builder b = { .arena = arena,
			     .policy = policy,
			     .context = context,
			     .facts = facts,
			     .claims = claims,
			     .view = out,
			     .err = err };
	bool minimal = policy->filesystem.view.number == POLICY_VIEW_MINIMAL;
	struct view_node *root;

	*out = (struct view){ .layered = layered };
	root = node_add(&b, "/", NULL);
	root->kind = FACTS_DIRECTORY;
	node_say(root, minimal ? &root_hidden : &root_shown);
	root->write_by = root->read_by;
	for (size_t i = 0; i < claims->n; i++) {
		if (add_claim(&b, &claims->v[i]) < 0)
			return -1;
	}
	add_sockets(&b, claims);
	if (add_found(&b, &hard_link_claim, &facts->hard_links) < 0 ||
	    add_found(&b, &readonly_link_claim, &facts->readonly_links) < 0)
		return -1;
	sort_and_merge(arena, out);
	derive_all(out);
	if (view_add_pins(arena, out)) {
		sort_and_merge(arena, out);
		derive_all(out);
	}
	return 0;
}
