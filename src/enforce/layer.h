/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_ENFORCE_LAYER_H
#define CORDON_ENFORCE_LAYER_H

#include <stdint.h>

struct err;
struct plan;
struct plan_layer;

/*
 * The directory @lower (a descriptor) with what @layer holds over it, as a
 * detached mount with MOUNT_ATTR_…; to be called while the layer's directories
 * can be written and seen. Returns a descriptor.
 */
int layer_open(int lower, const struct plan_layer *layer, uint64_t attributes,
	       struct err *err);

/*
 * What the plan says of things in a layer by their identity on the host, it
 * says from here on by the one that they have in the box.
 */
int layer_settle(const struct plan *plan, struct err *err);

#endif
