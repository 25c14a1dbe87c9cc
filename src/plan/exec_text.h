/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_EXEC_TEXT_H
#define CORDON_PLAN_EXEC_TEXT_H

#include <jansson.h>
#include <stdbool.h>

struct arena;
struct command_rule;
struct command_seen;
struct plan;
struct plan_exec;
struct text;

/* What may be executed, for people and for programs (a new reference). */
void plan_exec_format(struct text *out, const struct plan_exec *exec);
json_t *plan_exec_json(const struct plan_exec *exec);

/*
 * What holds a rule that denies: "mask", a wall; "arguments", a guard-rail;
 * "name", where the program was not found or is several.
 */
const char *plan_exec_held(const struct plan_exec *exec,
			   const struct command_rule *rule);

/* For who is refused by exec.only_system. */
#define PLAN_EXEC_SYSTEM_REMEDY                                                \
	"a policy with 'exec: {only_system: false}', and no --only-system"

/* What the plan means for an execution. */
struct plan_exec_verdict {
	bool allowed;
	const char *held; /* by what it is denied, NULL if it is allowed:
			   * as above, or "noexec" */
	const char *reason; /* "exec.deny 'git push' (profile code)" */
	const char *remedy; /* the option or line that would change it */
};

/* May the command execute this? @real is where the file lies, or NULL. */
void plan_explain_exec(struct arena *arena, const struct plan *plan,
		       const struct command_seen *seen, const char *real,
		       struct plan_exec_verdict *out);

/* What would allow a command that @rule denies: an option that was tried on
 * the judge, or to take the rule out. */
const char *plan_exec_remedy(struct arena *arena, const struct plan_exec *exec,
			     const struct command_seen *seen,
			     const struct command_rule *rule);

#endif
