/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_IMPORT_FILE_H
#define CORDON_CMD_IMPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/import.h"

/* A program whose settings are understood. */
struct import_tool {
	const char *name;
	bool json; /* else YAML */
	import_reader *read;
};

/* Ends with a row without a name. */
extern const struct import_tool import_tools[];

/*
 * The text of settings to a policy with its notes. @text is terminated. Makes
 * no system call. Fails with ERR_POLICY and "SOURCE:LINE:COLUMN: …".
 */
int import_parse(struct import *im, const struct import_tool *tool,
		 const char *text, size_t n);

#endif
