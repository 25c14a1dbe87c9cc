/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/queries.c - what must be known before a policy can be planned
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   nothing.
 * Must not: look at the file system; host/ does, once, for what stands here.
 */
#include <string.h>

#include "base/arena.h"
#include "plan/claims.h"
#include "plan/exec.h"
#include "plan/network.h"
#include "plan/plan.h"
#include "policy/match.h"

static void add_strings(struct arena *arena, const char *const *from,
			struct facts_strings *to)
{
	for (; *from; from++)
		*ARENA_PUSH(arena, to) = *from;
}

static void add_claim(struct arena *arena, const struct claim *claim,
		      struct plan_queries *out)
{
	const char *path = claim->glob ? claim->literal : claim->path;

	*ARENA_PUSH(arena, &out->paths) = path;
	if (claim->glob)
		*ARENA_PUSH(arena, &out->globs) = claim->path;
	if (claim->kind == CLAIM_DENY_WRITE) {
		*ARENA_PUSH(arena, &out->readonly) = path;
		if (claim->glob)
			*ARENA_PUSH(arena, &out->readonly) = claim->path;
	}
	if (claim->kind != CLAIM_DENY_READ || !strcmp(claim->key, "own files"))
		return;
	*ARENA_PUSH(arena, &out->denied) = path;
	if (claim->glob)
		*ARENA_PUSH(arena, &out->denied) = claim->path;
}

int plan_queries_build(struct arena *arena, const struct policy *policy,
		       const struct policy_context *context,
		       const struct plan_options *options,
		       struct plan_queries *out, struct err *err)
{
	struct claims *claims = arena_alloc(arena, 1, sizeof(*claims));

	*out = (struct plan_queries){ 0 };
	if (claims_build(arena, policy, context, &options->layers, claims,
			 err) < 0)
		return -1;
	out->claims = claims;
	out->mounts = options->layers.n > 0;
	*ARENA_PUSH(arena, &out->paths) = context->workdir;
	if (policy->network.mode.number == POLICY_MODE_FILTERED)
		*ARENA_PUSH(arena, &out->paths) = PLAN_HOSTS_FILE;
	for (size_t i = 0; i < claims->n; i++) {
		add_claim(arena, &claims->v[i], out);
		/* What it really is counts at each open. */
		if (policy->filesystem.strict.number && claims->v[i].glob)
			*ARENA_PUSH(arena, &out->paths) =
				policy_glob_prefix(arena, claims->v[i].path);
	}
	add_strings(arena, claims_private, &out->private);
	add_strings(arena, claims_git_names, &out->git_names);
	if (policy->filesystem.git.number != POLICY_GIT_OPEN)
		out->git_at = context->workdir;
	out->links_at = context->workdir;
	return plan_exec_ask(arena, policy, context, out, err);
}
