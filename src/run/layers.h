/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_LAYERS_H
#define CORDON_RUN_LAYERS_H

#include <stddef.h>

#include "plan/plan.h"

struct arena;
struct err;

/*
 * Layers that live as long as one run: STATE/KIND/RANDOM/N with an upper and
 * a work directory for each root. Whoever holds the lock on RANDOM lives; what
 * nobody holds is removed when the next one is opened.
 */
struct run_layers {
	struct plan_layers layers;
	const char *state; /* cordon's own directory */
	const char *kind;
	const char *parent; /* STATE/KIND */
	char name[24]; /* RANDOM */
	int dir; /* of STATE/KIND; -1: nothing is open */
	int lock; /* of RANDOM */
	size_t made; /* bytes of @state that existed before */
};

int run_layers_open(struct arena *arena, const char *state, const char *kind,
		    const struct facts_strings *roots, struct run_layers *out,
		    struct err *err);

/* Takes everything away; nothing of it is left in the state directory. */
int run_layers_close(struct run_layers *layers, struct err *err);

enum run_changed { RUN_CHANGED, RUN_MADE, RUN_REMOVED };

/* @path is the one in the box, and on the host. */
typedef void run_changed_fn(void *data, enum run_changed what, const char *path,
			    bool directory);

struct run_layers_count {
	size_t files; /* written or made */
	size_t removed;
	bool more; /* not everything was looked at */
};

/* What the box has left in its layers, after its end. */
void run_layers_walk(const struct run_layers *layers, run_changed_fn *changed,
		     void *data, struct run_layers_count *out);

#endif
