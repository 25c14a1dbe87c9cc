/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_VERB_H
#define CORDON_CMD_VERB_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/options.h"

struct arena;
struct err;
struct text;

/* Exit codes of cordon itself; see cordon(1), EXIT STATUS. */
enum {
	EXIT_USAGE = 2,
	EXIT_TIMEOUT = 124,
	EXIT_SETUP = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/* Options of every verb; the args of each begin with it. */
struct common_args {
	bool help;
	bool version;
	bool quiet;
};

struct cmd;

/*
 * Returns the exit code, or -1 with the error, which main prints. Nothing has
 * been checked of @rest.
 */
typedef int verb_fn(struct cmd *cmd, const void *args,
		    const struct opt_rest *rest, struct err *err);

struct verb {
	const char *name; /* one word, or two: "policy show" */
	const char *summary; /* one line for the list of verbs */
	const char *synopsis; /* what follows the name; forms on lines */
	const char *text; /* what it does, in a paragraph or two */
	struct opt_groups groups;
	size_t args_size;
	bool command; /* its words are a command of their own */
	bool runs; /* its failures exit with 125 to 127 */
	enum opt_words words; /* what a shell offers as the first word */
	const char *choices; /* CHOICE: "read|write" */
	verb_fn *run;
};

struct verbs {
	const struct verb *const *v;
	size_t n;
};

/* What a verb gets besides its own words. */
struct cmd {
	struct arena *arena;
	const struct verbs *verbs;
	const struct verb *verb;
};

#define COMMON_GROUP                                                           \
	{                                                                      \
		"Common options", common_options_v, COMMON_OPTIONS_N, 0        \
	}

enum { COMMON_OPTIONS_N = 3 };
extern const struct opt common_options_v[COMMON_OPTIONS_N];

extern const struct verb verb_run;
extern const struct verb verb_plan;
extern const struct verb verb_explain;
extern const struct verb verb_learn;
extern const struct verb verb_audit;
extern const struct verb verb_audit_verify;
extern const struct verb verb_check;
extern const struct verb verb_policy_show;
extern const struct verb verb_policy_schema;
extern const struct verb verb_policy_import;
extern const struct verb verb_policy_init;
extern const struct verb verb_policy_agents;
extern const struct verb verb_profiles;
extern const struct verb verb_trust;
extern const struct verb verb_doctor;
extern const struct verb verb_hooks_print;
extern const struct verb verb_hooks_install;
extern const struct verb verb_hooks_uninstall;
extern const struct verb verb_hook;
extern const struct verb verb_completion;
extern const struct verb verb_version;
extern const struct verb verb_help;

/* The verb that the first words name; *@used says how many they are. */
const struct verb *verb_find(const struct verbs *verbs, char *const *words,
			     size_t *used);

/* What cordon exits with when @verb fails with @err. */
int verb_exit_code(const struct verb *verb, const struct err *err);

/* ERR_USAGE "'WORD' is not …: did you mean …?" */
int verb_unknown(struct cmd *cmd, char *const *words, struct err *err);

/* Help for the verbs whose first word is @word; false if there are none. */
bool verb_family_format(struct text *out, const struct verbs *verbs,
			const char *word);
void verb_help_format(struct text *out, const struct verb *verb);
void verbs_help_format(struct text *out, const struct verbs *verbs);
void verb_version_format(struct text *out);

#endif
