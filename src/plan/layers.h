/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_LAYERS_H
#define CORDON_PLAN_LAYERS_H

struct arena;
struct err;
struct facts;
struct plan_layers;
struct plan_notes;
struct view;

/* Can each of them be a layer on this host? ERR_HOST with the reason. Pure. */
int plan_layers_check(const struct plan_layers *layers,
		      const struct facts *facts, const struct view *view,
		      struct err *err);

/* What the policy lets be written and the view does not, for want of one. */
void plan_layers_note(struct arena *arena, const struct view *view,
		      struct plan_notes *out);

#endif
