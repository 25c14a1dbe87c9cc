/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_AUDIT_TIME_H
#define CORDON_CMD_AUDIT_TIME_H

#include <stdbool.h>

struct arena;
struct err;

/*
 * A moment as the audit log writes it, from "30m", "1h", "2d" (so long ago) or
 * "2026-11-16", "2026-11-16T08:30", "2026-11-16T08:30:15.250Z". With @end, a
 * day, minute or second stands for its end.
 */
int audit_time_parse(struct arena *arena, const char *s, bool end,
		     const char **out, struct err *err);

#endif
