/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_PREPARE_H
#define CORDON_CMD_PREPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/options.h"
#include "host/policies.h"
#include "plan/plan.h"
#include "plan/summary.h"

struct arena;
struct err;

/* Options that say what the policy is; the same for every verb that has one. */
struct policy_args {
	struct opt_values profiles; /* -P */
	const char *settings; /* -s */
	const char *workdir; /* -C */
	bool no_project;
	struct opt_values keys; /* each sets the key of its row */
};

/* Options about what this host may lack, and what the command is given. */
struct host_args {
	struct opt_values allow_degraded;
	bool explain; /* refusals are told exactly */
	bool learn; /* what is used is told */
	const int *fds; /* descriptors that the command will have */
	size_t fds_n;
	struct plan_layers layers; /* and what goes with them: see struct
				    * plan_options */
	bool layered;
};

/* Keys of options that are not those of the policy: their value says which
 * one is meant. */
#define PREPARE_VARIABLE "NAME[=VALUE]"
#define PREPARE_ULIMIT	 "NAME=N"

enum {
	POLICY_OPTIONS_N = 5,
	FILE_OPTIONS_N = 10,
	NETWORK_OPTIONS_N = 14,
	EXEC_OPTIONS_N = 3,
	PROCESS_OPTIONS_N = 7,
	HOST_OPTIONS_N = 1,
};

extern const struct opt policy_options[POLICY_OPTIONS_N];
extern const struct opt file_options[FILE_OPTIONS_N];
extern const struct opt network_options[NETWORK_OPTIONS_N];
extern const struct opt exec_options[EXEC_OPTIONS_N];
extern const struct opt process_options[PROCESS_OPTIONS_N];
extern const struct opt host_options[HOST_OPTIONS_N];

/* Rows of a verb's groups; @at: offset of its struct policy_args. */
#define POLICY_GROUPS(at)                                                      \
	{ "Policy", policy_options, POLICY_OPTIONS_N, (at) },                  \
		{ "Files", file_options, FILE_OPTIONS_N, (at) },               \
		{ "Network", network_options, NETWORK_OPTIONS_N, (at) },       \
		{ "Programs", exec_options, EXEC_OPTIONS_N, (at) },            \
	{                                                                      \
		"Environment, limits, system calls, output", process_options,  \
			PROCESS_OPTIONS_N, (at)                                \
	}
#define HOST_GROUP(at)                                                         \
	{                                                                      \
		"What the host lacks", host_options, HOST_OPTIONS_N, (at)      \
	}

/* All that is known before a command runs. Everything lives in the arena. */
struct prepared {
	struct policy_context context;
	struct policy flags;
	struct host_policy policy;
	struct facts facts;
	struct plan_filter seccomp; /* of an OCI file, if one is named */
	struct plan plan;
	bool inside; /* policy and plan are those of the box around; see
			* cmd/inside.h */
	struct plan_summary_cut cut; /* what is not known of them then */
};

/* The layers that @args name, with @flags (or NULL) over the files. */
int prepare_layers(struct arena *arena, const struct policy_args *args,
		   const struct policy_context *context,
		   const struct policy *flags, struct host_policy *out,
		   struct err *err);

/* The policy: context, options, layers. Says what was refused of them. */
int prepare_policy(struct arena *arena, const struct policy_args *args,
		   struct prepared *out, struct err *err);

/*
 * The plan for the policy that prepare_policy() gave. @look are paths that
 * facts shall have answers for besides; they are expanded and absolute.
 */
int prepare_plan(struct arena *arena, const struct host_args *args,
		 const struct facts_strings *look, struct prepared *prepared,
		 struct err *err);

/* Both, and the notes of the plan on standard error. */
int prepare_all(struct arena *arena, const struct policy_args *policy,
		const struct host_args *host, struct prepared *out,
		struct err *err);

#endif
