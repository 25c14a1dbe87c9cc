/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_CONFINE_H
#define CORDON_EGRESS_CONFINE_H

#include <stddef.h>

struct err;
struct plan_landlock;

/* Dies with its parent, is nobody's to look at, has @keep open and nothing
 * else (some may be -1). To be called first. */
int confine_begin(const char *name, const int *keep, size_t n, struct err *err);

/* No file, no capability, no call but those for connections. */
int confine(const struct plan_landlock *cage, struct err *err);

#endif
