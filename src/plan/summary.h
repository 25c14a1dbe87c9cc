/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_SUMMARY_H
#define CORDON_PLAN_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct plan;
struct policy;
struct text;

/*
 * What a box says about itself to whoever runs in it: files in a directory
 * that nothing inside can change. Written from the plan; `cordon explain`
 * reads it back inside, where there is no policy to plan from.
 */
#define PLAN_SUMMARY_DIR    "/run/cordon"
#define PLAN_SUMMARY_FILE   PLAN_SUMMARY_DIR "/policy.json"
#define PLAN_SUMMARY_README PLAN_SUMMARY_DIR "/README"

enum { PLAN_SUMMARY_MAX = 64 * 1024 };

/*
 * The summary as JSON, at most PLAN_SUMMARY_MAX bytes; what does not fit is
 * left out and "truncated" says so. Neither values of variables nor patterns
 * of output.mask are in it, which may be secrets.
 */
const char *plan_summary_format(struct arena *arena,
				const struct policy *policy,
				const struct plan *plan);

/* The rules in words, for a person or a model that works in the box: what can
 * be done, what is refused, what to do then. */
void plan_agents_format(struct text *out, const struct policy *policy,
			const struct plan *plan);

/* The same in a few lines, one for each kind of rule. */
void plan_banner_format(struct text *out, const struct policy *policy,
			const struct plan *plan);

/* Adds the files to the plan, which is complete otherwise, and a rule that
 * they can be read. */
void plan_summary_add(struct arena *arena, const struct policy *policy,
		      struct plan *plan);

/* Paths as they stand in the summary, to be compared with those in it. */
const char *plan_summary_path(struct arena *arena, const char *path);

/* What was left out of a summary. */
struct plan_summary_cut {
	bool files;
	bool network;
	bool exec;
};

/*
 * The parts of plan and policy that plan_explain_path(), plan_explain_net()
 * and plan_explain_exec() use, from the text of a summary. ERR_POLICY where it is not one.
 */
int plan_summary_read(struct arena *arena, const char *text,
		      struct policy *policy, struct plan *plan,
		      struct plan_summary_cut *out_cut, struct err *err);

#endif
