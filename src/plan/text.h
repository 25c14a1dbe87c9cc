/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_TEXT_H
#define CORDON_PLAN_TEXT_H

#include <jansson.h>

struct plan;
struct text;

/* The plan for people, and for programs (a new reference). Pure. */
void plan_text_format(const struct plan *plan, struct text *out);
json_t *plan_json_format(const struct plan *plan);

/* One-word names, as both forms use them. */
const char *plan_access_name(unsigned int access);
const char *plan_mount_name(unsigned int kind);

#endif
