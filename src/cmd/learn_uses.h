/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_LEARN_USES_H
#define CORDON_CMD_LEARN_USES_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/propose.h"
#include "run/layers.h"
#include "run/run.h"

struct arena;
struct plan;

/* What a command did, each thing once, counted. */
struct learn_uses {
	struct arena *arena;
	struct propose_uses list;
	size_t *index; /* by hash of path and act: position + 1 */
	size_t index_n; /* a power of two, or 0 */
	bool more; /* more than are kept */
};

/* A run_used_fn: @data is a struct learn_uses. */
void learn_uses_add(void *data, const struct run_used *used);

/* A run_changed_fn, for what was not told before. */
void learn_uses_changed(void *data, enum run_changed what, const char *path,
			bool directory);

/*
 * What @plan, of the present policy, says of each. Uses that need no rule, as
 * they are of the box's own directories or would fail without a box too, are
 * left out.
 */
void learn_uses_judge(const struct learn_uses *uses, const struct plan *plan,
		      struct propose_uses *out);

/* Refusals of the run that are no uses: names, hosts, commands. */
void learn_denials_sort(struct arena *arena, const struct outcome *outcome,
			const struct plan *plan, struct propose_input *out);

#endif
