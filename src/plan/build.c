/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/build.c - policy and facts to a plan
 *
 * Runs in:  the process that reads the policy, before any privilege is taken.
 * Trusts:   facts; nothing in the policy.
 * Must not: open a file, read a clock or the environment. What this host
 *           cannot hold is an error here, or a note if the caller allowed it.
 */
#include <string.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/claims.h"
#include "plan/environ.h"
#include "plan/exec.h"
#include "plan/given.h"
#include "plan/landlock.h"
#include "plan/layers.h"
#include "plan/masks.h"
#include "plan/mounts.h"
#include "plan/network.h"
#include "plan/patterns.h"
#include "plan/plan.h"
#include "plan/seccomp.h"
#include "plan/sockets.h"
#include "plan/summary.h"
#include "plan/view.h"
#include "policy/fields.h"

static bool is_named(const struct plan_notes *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (!strcmp(names->v[i], name))
			return true;
	}
	return false;
}

static const struct policy_item *required(const struct policy *policy,
					  const char *name)
{
	for (size_t i = 0; i < policy->require.n; i++) {
		if (!strcmp(policy->require.v[i].text, name))
			return &policy->require.v[i];
	}
	return NULL;
}

static int check_layer_name(struct arena *arena, const char *name,
			    const char *where, struct err *err)
{
	const char *const *known = policy_layer_names();
	const char *all = NULL;

	for (; *known; known++) {
		if (!strcmp(name, *known))
			return 0;
		all = all ? arena_printf(arena, "%s, %s", all, *known) : *known;
	}
	return err_set(err, ERR_POLICY, "%s: unknown layer '%s'; known are %s",
		       where, name, all);
}

static int check_layer_names(struct arena *arena, const struct policy *policy,
			     const struct plan_options *options,
			     struct err *err)
{
	for (size_t i = 0; i < policy->require.n; i++) {
		if (check_layer_name(arena, policy->require.v[i].text,
				     policy->require.v[i].origin.source,
				     err) < 0)
			return -1;
	}
	for (size_t i = 0; i < options->allow_degraded.n; i++) {
		const char *name = options->allow_degraded.v[i];

		if (check_layer_name(arena, name, "--allow-degraded", err) < 0)
			return -1;
		if (!strcmp(name, "user_namespaces") ||
		    !strcmp(name, "seccomp"))
			return err_set(err, ERR_USAGE,
				       "--allow-degraded=%s: this build holds "
				       "no box without it",
				       name);
	}
	return 0;
}

/* A layer that is missing: an error, or a note if the caller said so. */
static int missing(struct arena *arena, const struct policy *policy,
		   const struct plan_options *options, struct plan *plan,
		   const char *name, const char *what, const char *remedy,
		   struct err *err)
{
	const struct policy_item *item = required(policy, name);

	if (item)
		return err_set(err, ERR_HOST, "%s: %s (required by %s)", name,
			       what, item->origin.source);
	if (!is_named(&options->allow_degraded, name))
		return err_set(err, ERR_HOST,
			       "%s: %s; %s, or --allow-degraded=%s to run "
			       "without it",
			       name, what, remedy, name);
	*ARENA_PUSH(arena, &plan->notes) =
		arena_printf(arena, "degraded: %s: %s", name, what);
	return 0;
}

/* Without one there is nothing between the command and the host's network. */
static int check_network(struct arena *arena, const struct policy *policy,
			 const struct facts *facts,
			 const struct plan_options *options, struct plan *plan,
			 struct err *err)
{
	if (plan->network == POLICY_MODE_HOST || !facts->no_network_namespaces)
		return 0;
	if (missing(arena, policy, options, plan, "network_namespaces",
		    "this host makes none, so the command cannot be kept off "
		    "its network",
		    "raise user.max_net_namespaces", err) < 0)
		return -1;
	plan->network = POLICY_MODE_HOST;
	return 0;
}

static int check_landlock(struct arena *arena, const struct policy *policy,
			  const struct facts *facts,
			  const struct plan_options *options, struct plan *plan,
			  struct err *err)
{
	static const char newer_kernel[] = "use a newer kernel";

	/* Where it is required it counts whatever the network is. */
	if (facts->landlock_abi < 6 && required(policy, "landlock_scopes"))
		return missing(arena, policy, options, plan, "landlock_scopes",
			       "this kernel's Landlock does not scope abstract "
			       "unix sockets and signals",
			       newer_kernel, err);
	if (facts->landlock_abi < 2)
		return missing(arena, policy, options, plan, "landlock",
			       "this kernel has no usable Landlock, the second "
			       "wall behind the mounts",
			       newer_kernel, err);
	if (facts->landlock_abi < 6 && plan->network == POLICY_MODE_HOST)
		return missing(arena, policy, options, plan, "landlock_scopes",
			       "with the host's network, abstract unix sockets "
			       "of the host can be reached on this kernel",
			       newer_kernel, err);
	return 0;
}

static int choose_seccomp(const struct policy *policy,
			  const struct plan_options *options, struct plan *plan,
			  struct err *err)
{
	const char *profile = policy->syscalls_profile.text;

	plan->seccomp_floor = options->seccomp_file != NULL;
	if (options->seccomp_file)
		plan->seccomp = *options->seccomp_file;
	else if (!profile || !strcmp(profile, "default"))
		plan->seccomp = *plan_seccomp_find(PLAN_SECCOMP_DEFAULT);
	else if (!strcmp(profile, "strict"))
		plan->seccomp = *plan_seccomp_find(PLAN_SECCOMP_STRICT);
	else
		return err_set(err, ERR_BUG,
			       "the system call profile '%s' was not read",
			       profile);
	return 0;
}

static void add_rlimits(struct arena *arena, const struct policy *policy,
			struct plan *plan)
{
	const struct policy_limits *limits = &policy->limits;

	/* A core file would hold the command's memory, and a handler for it
	 * runs outside the box. */
	*ARENA_PUSH(arena, &plan->rlimits) =
		(struct plan_rlimit){ RLIMIT_CORE, "core", 0 };
	if (limits->open_files.number > 0)
		*ARENA_PUSH(arena, &plan->rlimits) = (struct plan_rlimit){
			RLIMIT_NOFILE, "open_files",
			(uint64_t)limits->open_files.number
		};
	if (limits->file_size.number > 0)
		*ARENA_PUSH(arena, &plan->rlimits) = (struct plan_rlimit){
			RLIMIT_FSIZE, "file_size",
			(uint64_t)limits->file_size.number
		};
}

static void add_rules(struct arena *arena, const struct view *view,
		      struct plan *plan)
{
	/* And one of the box's own; see plan/summary.c. */
	plan->rules.v = arena_array(arena, struct plan_rule, view->n + 1);
	for (size_t i = 0; i < view->n; i++) {
		const struct view_node *node = &view->v[i];
		const struct claim *read = node->decided_read->read_by;
		const struct claim *write = node->decided_write->write_by;

		if (node->pin)
			continue;
		plan->rules.v[plan->rules.n++] = (struct plan_rule){
			.path = node->path,
			.access = node->access,
			.exists = node->kind != FACTS_ABSENT,
			.read_origin = read->origin,
			.write_origin = write->origin,
			.read_key = read->key,
			.write_key = write->key,
			.read_text = read->text,
			.write_text = write->text,
		};
	}
}

/* The command starts there, so it has to be there. */
static int check_workdir(const struct view *view, struct plan *plan,
			 struct err *err)
{
	const struct view_node *node = view_find(view, plan->workdir);
	bool covered = node->private && strcmp(node->path, plan->workdir);

	/* The box's own directory, or a layer, stands in for the host's. */
	if (node->layered || (node->private && !covered))
		plan->workdir_id = (struct facts_id){ 0 };

	if (node->access != PLAN_HIDDEN && !covered)
		return 0;
	if (covered)
		return err_set(err, ERR_POLICY,
			       "the working directory '%s' lies in '%s', of "
			       "which the box has its own; allow it with "
			       "--allow-write or --allow-read, or choose "
			       "another with --workdir",
			       plan->workdir, node->path);
	return err_set(err, ERR_POLICY,
		       "the working directory '%s' is hidden by %s '%s' (%s); "
		       "choose another with --workdir",
		       plan->workdir, node->decided_read->read_by->key,
		       node->decided_read->path,
		       node->decided_read->read_by->origin.source);
}

static int build_view(struct arena *arena, const struct policy *policy,
		      const struct policy_context *context,
		      const struct plan_queries *queries,
		      const struct facts *facts, bool layered,
		      struct view *view, struct plan_exec *exec,
		      struct err *err)
{
	struct claims *claims = arena_alloc(arena, 1, sizeof(*claims));
	const struct view_node *workdir;

	*claims = *queries->claims;
	if (plan_exec_build(arena, policy, context, facts, claims, exec, err) <
		    0 ||
	    view_build(arena, policy, context, claims, facts, layered, view,
		       err) < 0)
		return -1;
	/* git may work where the box may: its directory can lie outside. */
	workdir = view_find(view, context->workdir);
	if (!facts->git.dot_git || workdir->access != PLAN_WRITE ||
	    workdir->private)
		return 0;
	claims_add_git(arena, (enum policy_git)policy->filesystem.git.number,
		       &facts->git, claims);
	return view_build(arena, policy, context, claims, facts, layered, view,
			  err);
}

static void add_notes(struct arena *arena, const struct view *view,
		      const struct facts *facts, struct plan *plan)
{
	plan_layers_note(arena, view, &plan->notes);
	for (size_t i = 0; i < view->notes.n; i++)
		*ARENA_PUSH(arena, &plan->notes) = view->notes.v[i];
	for (size_t i = 0; i < facts->unfinished.n; i++)
		*ARENA_PUSH(arena, &plan->notes) = facts->unfinished.v[i];
	for (size_t i = 0; i < plan->exec.notes.n; i++)
		*ARENA_PUSH(arena, &plan->notes) = plan->exec.notes.v[i];
}

int plan_build(struct arena *arena, const struct policy *policy,
	       const struct policy_context *context,
	       const struct plan_queries *queries, const struct facts *facts,
	       const struct plan_options *options, struct plan *out,
	       struct err *err)
{
	const struct facts_path *workdir =
		facts_path_find(facts, context->workdir);
	struct plan plan = {
		.workdir = context->workdir,
		.uid = context->uid,
		.gid = context->gid,
		.network = (enum policy_mode)policy->network.mode.number,
		.view = (enum policy_view)policy->filesystem.view.number,
		.git = (enum policy_git)policy->filesystem.git.number,
		.git_dir = facts->git.dir,
		.explain = options->explain,
		.wall_time_ms = (uint64_t)policy->limits.wall_time.number,
		.layers = options->layers,
		.learn = options->learn,
	};
	bool given_kept = false;
	struct view view;

	if (!workdir || workdir->kind != FACTS_DIRECTORY)
		return err_set(err, ERR_POLICY,
			       "the working directory '%s' is not a directory "
			       "that can be entered",
			       context->workdir);
	plan.workdir = workdir->real;
	plan.workdir_id = workdir->id;
	if (check_layer_names(arena, policy, options, err) < 0 ||
	    build_view(arena, policy, context, queries, facts, options->layered,
		       &view, &plan.exec, err) < 0 ||
	    plan_layers_check(&options->layers, facts, &view, err) < 0 ||
	    check_workdir(&view, &plan, err) < 0 ||
	    check_network(arena, policy, facts, options, &plan, err) < 0 ||
	    check_landlock(arena, policy, facts, options, &plan, err) < 0 ||
	    plan_given_check(arena, &view, facts, plan.exec.only_system,
			     &given_kept, err) < 0 ||
	    choose_seccomp(policy, options, &plan, err) < 0)
		return -1;
	plan_mounts_build(arena, &view, context, &plan);
	plan_exec_restrict(&plan);
	plan_absents_build(arena, &view, &plan);
	plan_watches_build(arena, &view, &plan);
	plan_landlock_build(arena, &view, facts, given_kept, &plan);
	plan.seccomp_keep = given_kept && facts->landlock_abi < 3;
	plan_environ_build(arena, policy, context, facts, &view, &plan);
	add_rlimits(arena, policy, &plan);
	plan_masks_build(arena, policy, &plan);
	add_rules(arena, &view, &plan);
	plan_sockets_build(arena, queries->claims, facts, &plan.sockets);
	plan_patterns_build(arena, policy, queries->claims, &view, facts,
			    &plan);
	add_notes(arena, &view, facts, &plan);
	if (plan_network_build(arena, policy, facts, &view, &plan, err) < 0 ||
	    plan_seccomp_choose(arena, &plan, err) < 0)
		return -1;
	plan_summary_add(arena, policy, &plan);
	*out = plan;
	return 0;
}
