/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_IMPORT_CLAUDE_RULES_H
#define CORDON_CMD_IMPORT_CLAUDE_RULES_H

#include "cmd/import.h"

enum claude_list { CLAUDE_ALLOW, CLAUDE_ASK, CLAUDE_DENY };

/* A permission rule of Claude Code: TOOL or TOOL(WHAT). Nobody can be asked,
 * so what is asked about is denied. */
void import_add_claude_rule(struct import *im, enum claude_list list,
			    const struct yaml_node *node, const char *path);

#endif
