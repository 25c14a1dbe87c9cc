/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_HOOK_CHECK_H
#define CORDON_CMD_HOOK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/hook_agent.h"

struct arena;
struct err;

/* A call of an agent's tool, whatever its form was. */
struct hook_texts {
	const char **v;
	size_t n;
};

struct hook_call {
	enum hook_kind kind;
	const char *tool; /* its name */
	const char *cwd; /* where the agent works; NULL: where we are */
	const char *runs_in; /* where the model wants it to run, or NULL */
	struct hook_texts texts; /* the command, the paths, or the URLs */
};

/* By whom it is asked, and what was set up for that. */
struct hook_request {
	const struct hook_agent *agent;
	struct policy_args policy;
	struct host_args host;
	struct hook_pinned pinned;
	bool wrap; /* the agent takes another command */
};

enum hook_verdict {
	HOOK_PASS, /* no opinion */
	HOOK_DENY, /* text: why */
	HOOK_WRAP, /* text: the command to run instead */
};

struct hook_answer {
	enum hook_verdict verdict;
	const char *text;
};

/* Fails where nothing can be said, as with a broken policy: who asks must
 * take that for a denial. */
int hook_check(struct arena *arena, struct hook_request *request,
	       const struct hook_call *call, struct hook_answer *out,
	       struct err *err);

/* The files that a patch in the form of apply_patch names. */
void hook_patch_list(struct arena *arena, const char *patch,
		     struct hook_texts *out);

#endif
