/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/explain.c - the verdict on a path, its rule, and what would change it
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   the plan.
 * Must not: decide anything that the plan does not.
 */
#include "plan/explain.h"

#include <string.h>

#include "base/arena.h"
#include "base/path.h"

static const struct plan_rule *rule_find(const struct plan *plan,
					 const char *path)
{
	const struct plan_rule *best = &plan->rules.v[0];

	for (size_t i = 0; i < plan->rules.n; i++) {
		if (path_within(plan->rules.v[i].path, path) &&
		    strlen(plan->rules.v[i].path) >= strlen(best->path))
			best = &plan->rules.v[i];
	}
	return best;
}

static bool is_fixed(const char *key)
{
	return !strcmp(key, "protected") || !strcmp(key, "own files") ||
	       !strcmp(key, "private") || !strcmp(key, "hidden");
}

static const char *describe(struct arena *arena, const char *key,
			    const struct plan_rule *rule,
			    const struct policy_origin *origin)
{
	if (origin->line)
		return arena_printf(arena, "%s '%s' (%s:%u)", key, rule->path,
				    origin->source, origin->line);
	return arena_printf(arena, "%s '%s' (%s)", key, rule->path,
			    origin->source);
}

static const char *remedy(struct arena *arena, const struct plan_verdict *v,
			  const char *key, const char *path, bool write)
{
	if (v->allowed)
		return arena_printf(arena, "--deny-%s='%s'",
				    write ? "write" : "read", path);
	if (!strcmp(key, "git"))
		return "--git=open";
	if (!strcmp(key, "socket"))
		return arena_printf(arena, "--unix-socket='%s'", path);
	if (is_fixed(key))
		return "none: it is protected in every profile";
	return arena_printf(arena, "--allow-%s='%s'", write ? "write" : "read",
			    path);
}

/* What lies in a private directory is the box's own. */
static bool in_private(const struct plan_rule *rule)
{
	return !strcmp(rule->read_key, "private");
}

void plan_explain_path(struct arena *arena, const struct plan *plan,
		       const char *path, bool write, struct plan_verdict *out)
{
	const struct plan_rule *rule = rule_find(plan, path);
	const char *key = write && rule->access != PLAN_HIDDEN ? rule->write_key
							       : rule->read_key;
	const struct policy_origin *origin =
		write && rule->access != PLAN_HIDDEN ? &rule->write_origin
						     : &rule->read_origin;

	out->rule = rule;
	out->access = rule->access;
	out->allowed = rule->access >= (write ? PLAN_WRITE : PLAN_READ);
	/* A name that does not exist yet may be forbidden to come about. */
	if (write && !rule->exists && rule->access == PLAN_READ)
		out->allowed = false;
	if (in_private(rule) && strcmp(rule->path, path) != 0 && !write)
		out->allowed = false;
	out->reason = describe(arena, key, rule, origin);
	out->remedy = remedy(arena, out, key, path, write);
}
