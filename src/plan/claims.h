/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_CLAIMS_H
#define CORDON_PLAN_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/policy.h"

struct arena;
struct err;
struct facts_git;
struct plan_layer;
struct plan_layers;

enum claim_kind {
	CLAIM_ALLOW_READ,
	CLAIM_DENY_READ,
	CLAIM_ALLOW_WRITE,
	CLAIM_DENY_WRITE,
	CLAIM_PRIVATE, /* an own, empty directory in its place */
	CLAIM_SYSTEM, /* allow_read, silently where it is absent */
	CLAIM_LAYER, /* written in a layer, where it is visible */
};

/*
 * Something that a policy, or cordon itself, says about a path: the common
 * form of every path rule, before it is known what lies there.
 */
struct claim {
	enum claim_kind kind;
	const char *path; /* absolute and normal; a pattern if @glob */
	const char *literal; /* @glob: the path of that very spelling */
	bool glob;
	bool shipped; /* from a profile of ours or built in */
	bool narrow; /* undoes no denial above it */
	bool links_only; /* a link is denied, not what it leads to */
	const char *text; /* as the policy has it; NULL: cordon's own */
	const char *root; /* protected: the directory it is about, or NULL */
	const struct plan_layer *layer; /* CLAIM_LAYER */
	const char *key; /* "deny_read", "protected", … */
	struct policy_origin origin;
};

struct claims {
	struct claim *v;
	size_t n;
};

/* Everything that does not depend on facts. */
int claims_build(struct arena *arena, const struct policy *policy,
		 const struct policy_context *context,
		 const struct plan_layers *layers, struct claims *out,
		 struct err *err);

/* What `filesystem.git` says about the repository that was found. */
void claims_add_git(struct arena *arena, enum policy_git mode,
		    const struct facts_git *git, struct claims *out);

/* Names that claims_add_git() asks about, relative to a git directory. */
extern const char *const claims_git_names[];

/* Directories that are private in every box. */
extern const char *const claims_private[];

#endif
