/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_settle.c - rules that weigh differently there and here
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing.
 * Must not: leave a rule that allows here what was denied there. Here the most
 *           specific path and the longest command decide; elsewhere a denial
 *           mostly wins whatever its length, so what is allowed within it has
 *           to go. Where it is not sure, it goes.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "cmd/import.h"
#include "cmd/import_overlap.h"
#include "policy/fields.h"
#include "policy/match.h"
#include "policy/profiles.h"

/* A list of path rules, absolute. */
struct paths {
	struct overlap_path *v;
	const struct policy_item **items;
	size_t n;
};

/* The rules in one context; see import_settle(). */
struct view {
	struct paths allow_read, allow_write, deny_read, deny_write;
	struct paths profile_deny_read, profile_deny_write;
	struct paths profile_allow_read, profile_allow_write;
};

static void add_paths(struct import *im, const struct policy_context *context,
		      const struct policy_list *list, struct paths *out)
{
	out->v = arena_array(im->arena, struct overlap_path, list->n);
	out->items =
		arena_array(im->arena, const struct policy_item *, list->n);
	for (size_t i = 0; i < list->n; i++) {
		struct policy_path path;
		struct err ignored;

		/* Of a profile: $XDG_… may not be set, then it is no rule. */
		if (policy_path_expand(im->arena, &list->v[i], context, &path,
				       &ignored) < 0)
			continue;
		overlap_path_build(im->arena, &path, &out->v[out->n]);
		out->items[out->n++] = &list->v[i];
	}
}

/* srt: a path is readable again if a rule inside the denied one says so. */
static bool read_again(const struct view *view,
		       const struct overlap_path *allow,
		       const struct overlap_path *deny)
{
	for (size_t i = 0; i < view->allow_read.n; i++) {
		const struct overlap_path *read = &view->allow_read.v[i];

		/* Sure only where both are plain. */
		if (!read->glob && !allow->glob &&
		    overlap_check(allow, read, true) &&
		    overlap_check(read, deny, true))
			return true;
	}
	return false;
}

/* The denial that @allow reaches into, NULL if there is none. */
static const char *find_denial(const struct view *view,
			       const struct paths *denied,
			       const struct overlap_path *allow, bool self,
			       bool unless_read)
{
	for (size_t i = 0; i < denied->n; i++) {
		if (overlap_check(allow, &denied->v[i], self) &&
		    !(unless_read && read_again(view, allow, &denied->v[i])))
			return denied->items[i]->text;
	}
	return NULL;
}

/* The rule of the settings that @allow reaches into, if that decided there. */
static const char *denied_by(const struct import *im, const struct view *view,
			     const struct overlap_path *allow, bool writing)
{
	const char *by = NULL;

	if (writing)
		by = find_denial(view, &view->deny_write, allow, false, false);
	if (!by && (writing || !im->allow_read_wins))
		by = find_denial(view, &view->deny_read, allow, false,
				 im->allow_read_wins);
	return by;
}

static const char *why_not(struct import *im, const struct view *view,
			   const struct overlap_path *allow, bool writing)
{
	const char *by = denied_by(im, view, allow, writing);

	if (by)
		return arena_printf(im->arena,
				    "it can lie inside '%s', which is denied: "
				    "that decided there, here the more "
				    "specific path would",
				    by);
	by = find_denial(view, &view->profile_deny_read, allow, true, false);
	if (!by && writing)
		by = find_denial(view, &view->profile_deny_write, allow, true,
				 false);
	if (by)
		return arena_printf(im->arena,
				    "the profile denies '%s'; add it yourself "
				    "if it is meant",
				    by);
	return NULL;
}

static void drop_item(struct import *im, struct policy_list *list, size_t at,
		      const char *key, const char *why)
{
	struct policy_item *v =
		arena_array(im->arena, struct policy_item, list->n);
	struct import_note note = {
		.loss = IMPORT_ALLOWED,
		.key = key,
		.item = list->v[at].text,
		.line = list->v[at].origin.line,
		.why = why,
	};

	*ARENA_PUSH(im->arena, &im->notes) = note;
	memcpy(v, list->v, at * sizeof(*v));
	memcpy(v + at, list->v + at + 1, (list->n - at - 1) * sizeof(*v));
	list->v = v;
	list->n--;
}

static void settle_list(struct import *im, const struct view *views, size_t n,
			bool writing)
{
	struct policy_list *list = writing ? &im->policy.filesystem.allow_write
					   : &im->policy.filesystem.allow_read;
	const char *key =
		writing ? "filesystem.allow_write" : "filesystem.allow_read";
	size_t left = list->n;

	/* From the end, so that places before it stay what they are. */
	while (left-- > 0) {
		const char *why = NULL;

		for (size_t i = 0; i < n && !why; i++) {
			const struct paths *all =
				writing ? &views[i].allow_write
					: &views[i].allow_read;

			why = why_not(im, &views[i], &all->v[left], writing);
		}
		if (why)
			drop_item(im, list, left, key, why);
	}
}

/* Items of one key in all profiles that the policy is laid over. */
static struct policy_list profile_list(struct import *im, const char *key)
{
	const struct policy_list *extends = &im->policy.extends;
	struct policy_list all = { 0 };

	for (size_t i = 0; i < extends->n; i++) {
		const struct policy_profile *profile =
			policy_profile_find(extends->v[i].text);
		const struct policy_list *list;

		/* One of the user's own is laid over this one, mostly. */
		if (!profile)
			profile = policy_profile_find("base");
		list = policy_field_list(policy_field_find(key),
					 profile->policy);
		for (size_t k = 0; k < list->n; k++) {
			struct policy_item *v =
				arena_grow(im->arena, (void *)(uintptr_t)all.v,
					   all.n, sizeof(*v));

			v[all.n++] = list->v[k];
			all.v = v;
		}
	}
	return all;
}

static void build_view(struct import *im, const struct policy_context *context,
		       struct view *out)
{
	const struct policy_filesystem *fs = &im->policy.filesystem;
	const struct {
		struct paths *paths;
		const char *key;
	} profiles[] = {
		{ &out->profile_deny_read, "filesystem.deny_read" },
		{ &out->profile_deny_write, "filesystem.deny_write" },
		{ &out->profile_allow_read, "filesystem.allow_read" },
		{ &out->profile_allow_write, "filesystem.allow_write" },
	};

	memset(out, 0, sizeof(*out));
	add_paths(im, context, &fs->allow_read, &out->allow_read);
	add_paths(im, context, &fs->allow_write, &out->allow_write);
	add_paths(im, context, &fs->deny_read, &out->deny_read);
	add_paths(im, context, &fs->deny_write, &out->deny_write);
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		struct policy_list list = profile_list(im, profiles[i].key);

		add_paths(im, context, &list, profiles[i].paths);
	}
}

static void push_item(struct import *im, struct policy_list *list,
		      const struct policy_item *item)
{
	struct policy_item *v = arena_grow(
		im->arena, (void *)(uintptr_t)list->v, list->n, sizeof(*v));

	v[list->n++] = *item;
	list->v = v;
}

/*
 * What the profile allows inside of what is denied has to go as well: then the
 * list is replaced by what may stay of both.
 */
static void settle_profile(struct import *im, const struct view *views,
			   size_t n, bool writing)
{
	struct policy_list *list = writing ? &im->policy.filesystem.allow_write
					   : &im->policy.filesystem.allow_read;
	const struct paths *all = writing ? &views[0].profile_allow_write
					  : &views[0].profile_allow_read;
	struct policy_list stay = *list;
	bool gone = false;

	for (size_t k = 0; k < all->n; k++) {
		const char *by = NULL;

		for (size_t i = 0; i < n && !by; i++) {
			const struct paths *here =
				writing ? &views[i].profile_allow_write
					: &views[i].profile_allow_read;

			by = denied_by(im, &views[i], &here->v[k], writing);
		}
		if (!by) {
			push_item(im, &stay, all->items[k]);
			continue;
		}
		gone = true;
		import_note(im, IMPORT_TOLD, "extends", NULL,
			    all->items[k]->text,
			    arena_printf(im->arena,
					 "the profile allows it; it can lie "
					 "inside '%s', which is denied, so it "
					 "is taken out",
					 by));
	}
	if (!gone)
		return;
	*list = stay;
	list->op = POLICY_REPLACE;
}

/* -------------------------------------------------------------- commands */

/* Do the words of @rule stand in @text in this order, its first one first?
 * Options may stand between, as they are passed over when it is held. */
static bool has_words(const char *text, const char *rule)
{
	bool first = true;

	while (*rule) {
		size_t want = strcspn(rule, " "), len;

		for (;; text += len + (text[len] == ' ')) {
			len = strcspn(text, " ");
			if (!len)
				return false;
			if (len == want && !strncmp(text, rule, len))
				break;
			if (first)
				return false;
		}
		first = false;
		text += len + (text[len] == ' ');
		rule += want + (rule[want] == ' ');
	}
	return true;
}

static void settle_commands(struct import *im)
{
	struct policy_exec *exec = &im->policy.exec;
	size_t left = exec->allow.n;

	while (left-- > 0) {
		const char *allow = exec->allow.v[left].text;

		for (size_t i = 0; i < exec->deny.n; i++) {
			const char *deny = exec->deny.v[i].text;
			bool longer = has_words(allow, deny);

			if (im->deny_exec_wins ? !longer
					       : !has_words(deny, allow))
				continue;
			drop_item(im, &exec->allow, left, "exec.allow",
				  arena_printf(
					  im->arena,
					  im->deny_exec_wins
						  ? "'%s' is denied: that "
						    "decided there, here the "
						    "longer rule would"
						  : "'%s' is denied: here the "
						    "longer rule decides",
					  deny));
			break;
		}
	}
}

/* Likewise for what the profile excepts from its own denials. */
static void settle_profile_commands(struct import *im)
{
	struct policy_list profile = profile_list(im, "exec.allow");
	struct policy_exec *exec = &im->policy.exec;
	struct policy_list stay = exec->allow;
	bool gone = false;

	for (size_t k = 0; k < profile.n; k++) {
		bool denied = false;

		for (size_t i = 0; i < exec->deny.n; i++)
			denied |= has_words(profile.v[k].text,
					    exec->deny.v[i].text);
		gone |= denied;
		if (!denied)
			push_item(im, &stay, &profile.v[k]);
	}
	if (!gone || !im->deny_exec_wins)
		return;
	import_note(im, IMPORT_TOLD, "extends", NULL, NULL,
		    "exceptions of the profile that lie inside of what is "
		    "denied are taken out of exec.allow");
	exec->allow = stay;
	exec->allow.op = POLICY_REPLACE;
}

/* --------------------------------------------------------------- network */

static void settle_network(struct import *im)
{
	struct policy_network *net = &im->policy.network;
	bool some = net->allow.n || net->host_ports.n;

	while (im->network_off && net->allow.n)
		drop_item(im, &net->allow, net->allow.n - 1, "network.allow",
			  "everything is denied besides");
	while (im->network_off && net->host_ports.n)
		drop_item(im, &net->host_ports, net->host_ports.n - 1,
			  "network.host_ports", "everything is denied besides");
	if (im->network_off || (im->network_said && !some))
		(void)import_add(im, "network.mode", "none", IMPORT_TOLD, NULL,
				 "network");
	else if (some)
		(void)import_add(im, "network.mode", "filtered", IMPORT_TOLD,
				 NULL, "network");
}

int import_settle(struct import *im)
{
	struct policy_context homely = *im->context;
	struct view views[2];

	/* Where the box will run is not known: as here, and as in a project
	 * below the home directory. */
	homely.workdir = path_join(im->arena, im->context->home, "\x01/\x01");
	build_view(im, im->context, &views[0]);
	build_view(im, &homely, &views[1]);
	settle_list(im, views, 2, true);
	settle_list(im, views, 2, false);
	settle_profile(im, views, 2, true);
	settle_profile(im, views, 2, false);
	settle_commands(im);
	settle_profile_commands(im);
	settle_network(im);
	return 0;
}
