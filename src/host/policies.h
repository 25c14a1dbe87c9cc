/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_POLICIES_H
#define CORDON_HOST_POLICIES_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/policy.h"

struct arena;
struct err;

/* The system layer of all users, and root's own configuration. */
#define HOST_SYSTEM_DIR "/etc/cordon"

/*
 * Reads the layers of a policy from where they lie and lays them over each
 * other: built-in < system < user < project < flags; see cordon.policy(5).
 */
struct host_policy_request {
	const struct policy_context *context;
	const char *settings; /* -s FILE; NULL: user and project */
	const char *const *profiles; /* -P NAME|FILE …, NULL-terminated;
					 * NULL: `default` */
	const struct policy *flags; /* layer made of options; or NULL */
	bool no_project; /* do not look for .cordon.yaml */
};

/* One document that took part, for `policy show`. */
struct host_policy_source {
	const char *name; /* "profile default", a file's path */
	const char *role; /* built-in, system, user, project, settings,
				 * profile, flags, ceiling */
	bool trusted; /* false: could only narrow */
};

struct host_policy {
	struct policy policy;
	const char *profile; /* name for the summary */
	struct host_policy_source *sources; /* in the order of merging */
	size_t sources_n;
	const char **refused; /* one sentence for each widening by a project
				 * file, over a profile of -P or over a ceiling
				 * that was not taken */
	size_t refused_n;
};

/* Who asks: from the environment and the password database. */
int host_context_read(struct arena *arena, const char *workdir,
		      struct policy_context *out, struct err *err);

/*
 * Is this process in a box already? The variable alone proves nothing: it may
 * be left over, but then nothing filters our calls.
 */
bool host_is_inside_box(void);

/* Inside a box, files of cordon's own that are hidden there count as absent:
 * nothing is run on the result, see cmd/run.c. */
int host_policy_load(struct arena *arena,
		     const struct host_policy_request *request,
		     struct host_policy *out, struct err *err);

/*
 * Trust in a project file: its real path and the SHA-256 of its content, one
 * line each in the file `trust` of cordon's configuration directory.
 */
struct host_trust_entry {
	const char *path;
	const char *sha256; /* 64 hexadecimal digits */
};

int host_trust_add(struct arena *arena, const struct policy_context *context,
		   const char *file, struct host_trust_entry *out,
		   struct err *err);
int host_trust_remove(struct arena *arena, const struct policy_context *context,
		      const char *file, struct err *err);
int host_trust_list(struct arena *arena, const struct policy_context *context,
		    struct host_trust_entry **out, size_t *out_n,
		    struct err *err);
/* The project file that applies to the working directory, NULL if none. */
int host_project_find(struct arena *arena, const struct policy_context *context,
		      const char **out, struct err *err);

#endif
