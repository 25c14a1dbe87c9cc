/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_POLICY_BASE_H
#define CORDON_HOST_POLICY_BASE_H

#include <stdbool.h>
#include <stddef.h>

#include "host/policies.h"

struct arena;
struct err;
struct policy_file;

/*
 * The base of a policy while it is built: profiles and files, each laid over
 * what it extends and all over each other, in order.
 */
struct policy_base {
	struct arena *arena;
	const struct policy_context *context;
	const char *system_dir;
	struct policy policy; /* so far */
	const char *names; /* "strict+offline" */
	struct policy_list extends; /* the same, one by one */
	bool keep; /* fill @documents */
	struct policy *documents; /* each that was laid, in order */
	size_t documents_n;
	struct host_policy_source *sources; /* in the order of merging */
	size_t sources_n;
};

/* Names of profiles, or files where there is a '/' in them. */
int policy_base_add_names(struct policy_base *base, const char *const *names,
			  struct err *err);

/* What the document in @file extends. */
int policy_base_add_extends(struct policy_base *base,
			    const struct policy_file *file,
			    const struct policy *document, struct err *err);

#endif
