/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_CONTROL_H
#define CORDON_CMD_CONTROL_H

#include "cmd/prepare.h"
#include "run/run.h"

/* What the lines of --control-fd are judged by. */
struct control_base {
	struct arena *arena;
	const struct policy_args *args;
	const struct prepared *prepared;
};

/*
 * `{"network": {"allow": [...], "deny": [...]}, "cut": true}`: lists that are
 * given replace those of the options and files, within the same ceilings.
 */
int control_change(void *base, const char *line, struct run_change *out,
		   struct err *err);

#endif
