/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_GOLDEN_WORLD_H
#define CORDON_TESTS_GOLDEN_WORLD_H

#include "plan/facts.h"
#include "plan/plan.h"
#include "policy/policy.h"

struct arena;

/*
 * A host that exists on paper: one line per thing, words between tabs. What
 * lies above a thing exists too, as a directory.
 *
 *     kernel  6.18            landlock  7           given     FD PATH
 *     uid     1000            home      /home/u     workdir   /home/u/work
 *     env     NAME=VALUE      degraded  landlock    inside    box
 *     dir     PATH            file      PATH        socket    PATH
 *     other   PATH            link      PATH TARGET hard      PATH OTHER
 *     gone    FD PATH         hostname  NAME        mount     PATH
 *     layer   PATH            layered   yes
 *     git     DIR COMMON DOT_GIT file|dir
 */
struct world_node {
	const char *path;
	enum facts_kind kind;
	const char *target; /* a link's; NULL otherwise */
	const char *twin; /* a hard link's other name; NULL otherwise */
};

struct world {
	struct arena *arena;
	struct {
		struct world_node *v;
		size_t n;
	} nodes;
	struct policy_context context;
	struct facts facts; /* what is no answer to a question */
	struct facts_strings degraded; /* --allow-degraded */
	struct {
		struct plan_layer *v;
		size_t n;
	} layers;
	bool layered;
};

/* Exits with a message where @text cannot be understood. */
void world_parse(struct arena *arena, const char *text, struct world *out);

/* What host_facts_probe() would say on that host. */
void world_answer(const struct world *world, const struct plan_queries *queries,
		  struct facts *out);

#endif
