/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_CHANGE_H
#define CORDON_EGRESS_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

struct egress;

/* Puts rules in force that egress_change_format() wrote; false if it did
 * not. */
bool egress_change_apply(struct egress *egress, const char *data, size_t n);

#endif
