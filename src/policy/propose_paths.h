/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_PROPOSE_PATHS_H
#define CORDON_POLICY_PROPOSE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/propose.h"

/*
 * Rules for paths that come from uses: which file or directory one would have
 * to name, and when several become one. Internal to policy/.
 */
enum propose_reason {
	PROPOSE_AS_IT_IS,
	PROPOSE_MADE_IN, /* a file is made in it */
	PROPOSE_REMOVED_IN, /* or removed */
	PROPOSE_GENERATED, /* names in it look made up */
	PROPOSE_MANY, /* many files in it */
};

enum { PROPOSE_COMMS = 3, PROPOSE_MANY_N = 3 };

struct propose_rule {
	const char *path;
	bool directory;
	enum propose_reason reason;
	unsigned int files; /* distinct */
	unsigned int count; /* uses */
	const char *comms[PROPOSE_COMMS]; /* programs; NULL: no more */
	bool more_comms;
	const char *example; /* a path that was used */
};

struct propose_rules {
	struct propose_rule *v;
	size_t n;
};

/* Too much is in it to be opened for a few files. */
bool propose_is_wide(const struct policy_context *context, const char *path,
		     bool write);

/*
 * What a rule for @use would name. False where that is too wide; then @out is
 * what has to be made first, or of no use if its path is NULL.
 */
bool propose_target(struct arena *arena, const struct policy_context *context,
		    const struct propose_use *use, struct propose_rule *out);

/* Sorts, joins what is equal or lies in one another, and puts a directory in
 * place of PROPOSE_MANY_N rules below it. */
void propose_join(struct arena *arena, const struct policy_context *context,
		  bool write, struct propose_rules *rules);

#endif
