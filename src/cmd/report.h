/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_REPORT_H
#define CORDON_CMD_REPORT_H

#include <jansson.h>

struct arena;
struct cmd;
struct err;
struct outcome;
struct prepared;

/* What a person should know after the run, on standard error: how it ended
 * where the exit code does not say, what was refused and how to change it. At
 * most a screen. */
void report_print(const struct outcome *outcome);

/* The whole of it for programs. */
json_t *report_json_format(struct arena *arena, const struct outcome *outcome,
			   const struct prepared *of);

/* The same, printed, for a command that never started; returns the exit
 * code. */
int report_json_print_error(const struct cmd *cmd, const struct err *err);

#endif
