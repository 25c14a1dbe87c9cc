/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/masks.c - which texts are blotted out in the output
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   patterns, which were read once when the policy was.
 * Must not: take ordinary words for secrets: each preset begins at the edge of
 *           a word and wants as many characters as such a key has at least.
 */
#include "plan/masks.h"

#include <string.h>

#include "base/arena.h"
#include "plan/plan.h"

static const struct {
	const char *name;
	const char *pattern;
} presets[] = {
	/* "task-runner" has no edge before "sk", "sk-ant-" a dash too early */
	{ "openai", "(?keep=3)\\bsk-((proj|svcacct|admin|None)-"
		    "[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,}[A-Za-z0-9_-]*)" },
	{ "anthropic", "(?keep=7)\\bsk-ant-[A-Za-z0-9_-]{20,}" },
	{ "aws_key", "(?keep=4)\\bAKIA[0-9A-Z]{16}\\b" },
	/* as a variable, in JSON and YAML, and in ~/.aws/credentials */
	{ "aws_secret", "(?i)(?keep=22)\\bAWS_SECRET_ACCESS_KEY[\"']?\\s*[=:]"
			"\\s*[\"']?[A-Za-z0-9/+=]{8,}" },
	{ "github", "(?keep=4)\\bgh[pousr]_[A-Za-z0-9]{36,}" },
	{ "github", "(?keep=11)\\bgithub_pat_[A-Za-z0-9_]{22,}" },
	/* the characters of RFC 6750 */
	{ "bearer", "(?i)(?keep=7)\\bbearer +[A-Za-z0-9._~+/=-]{20,}" },
};

static void mask_add(struct arena *arena, struct plan *plan, const char *name,
		     const char *pattern, const struct policy_item *item)
{
	*ARENA_PUSH(arena, &plan->masks) = (struct plan_mask){
		.name = name,
		.pattern = pattern,
		.origin = item->origin,
	};
}

void plan_masks_build(struct arena *arena, const struct policy *policy,
		      struct plan *plan)
{
	const struct policy_list *names = &policy->mask_presets;
	const struct policy_list *patterns = &policy->mask_patterns;

	for (size_t i = 0; i < names->n; i++) {
		for (size_t k = 0; k < sizeof(presets) / sizeof(*presets);
		     k++) {
			if (!strcmp(presets[k].name, names->v[i].text))
				mask_add(arena, plan, presets[k].name,
					 presets[k].pattern, &names->v[i]);
		}
	}
	for (size_t i = 0; i < patterns->n; i++)
		mask_add(arena, plan, NULL, patterns->v[i].text,
			 &patterns->v[i]);
}
