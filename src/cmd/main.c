/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/main.c - the table of verbs, and the way to one of them
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line, as its user's word.
 * Must not: run with more rights than its user has.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/verb.h"

/* What a plain run needs; more is taken as it comes. */
enum { ARENA_SIZE = 160 * 1024 };

static const struct verb *const verb_table[] = {
	&verb_run,
	&verb_plan,
	&verb_explain,
	&verb_learn,
	&verb_check,
	&verb_audit,
	&verb_audit_verify,
	&verb_policy_show,
	&verb_policy_schema,
	&verb_policy_init,
	&verb_policy_import,
	&verb_policy_agents,
	&verb_profiles,
	&verb_trust,
	&verb_hooks_print,
	&verb_hooks_install,
	&verb_hooks_uninstall,
	&verb_hook,
	&verb_doctor,
	&verb_completion,
	&verb_version,
	&verb_help,
};

static const struct verbs verbs = {
	verb_table,
	sizeof(verb_table) / sizeof(*verb_table),
};

static int fail(struct cmd *cmd, const struct err *err)
{
	log_error("%s", err->msg);
	if (err->kind == ERR_USAGE && cmd->verb && cmd->verb != &verb_help)
		log_error("see 'cordon help %s'", cmd->verb->name);
	else if (err->kind == ERR_USAGE)
		log_error("see 'cordon help'");
	return verb_exit_code(cmd->verb, err);
}

/* --help and --version, for cordon (no @verb) or one verb. */
static int answer_common(struct cmd *cmd, const struct verb *verb,
			 const struct common_args *args, struct err *err)
{
	struct text out = { .arena = cmd->arena };

	if (args->version)
		verb_version_format(&out);
	else if (verb)
		verb_help_format(&out, verb);
	else
		verbs_help_format(&out, cmd->verbs);
	return output_text(&out, err);
}

/*
 * Parses what follows the verb and runs it. With @implied, `run` was not
 * written: then "--" or -c must show that a command is meant, so that a
 * mistyped verb after an option does not become one.
 */
static int run_verb(struct cmd *cmd, char *const *words, bool implied,
		    struct err *err)
{
	const struct verb *verb = cmd->verb;
	void *args = arena_alloc(cmd->arena, 1, verb->args_size);
	const struct common_args *common = args;
	struct opt_rest rest;

	if (opt_parse(cmd->arena, &verb->groups, words, verb->command, args,
		      &rest, err) < 0)
		return -1;
	if (common->help || common->version)
		return answer_common(cmd, implied ? NULL : verb, common, err);
	if (implied && rest.n && !rest.dashes)
		return err_set(err, ERR_USAGE,
			       "write 'run' first or '--' before the command "
			       "'%.60s'",
			       rest.v[0]);
	log_setup(common->quiet);
	return verb->run(cmd, args, &rest, err);
}

static int dispatch(struct cmd *cmd, char *const *words, struct err *err)
{
	struct text family = { .arena = cmd->arena };
	size_t used = 0;

	if (words[0][0] == '-') {
		cmd->verb = &verb_run;
		return run_verb(cmd, words, true, err);
	}
	cmd->verb = verb_find(cmd->verbs, words, &used);
	if (!cmd->verb && words[1] &&
	    (!strcmp(words[1], "--help") || !strcmp(words[1], "-h")) &&
	    verb_family_format(&family, cmd->verbs, words[0]))
		return output_text(&family, err);
	if (!cmd->verb)
		return verb_unknown(cmd, words, err);
	return run_verb(cmd, words + used, false, err);
}

int main(int argc, char **argv)
{
	AUTO_ARENA arena = { 0 };
	struct cmd cmd = { .arena = &arena, .verbs = &verbs };
	struct text usage = { .arena = &arena };
	struct err err = { 0 };
	int code;

	/* A set-id cordon would hand its rights to whoever calls it. */
	if (getauxval(AT_SECURE)) {
		log_error("cordon must not be set-uid, set-gid or have file "
			  "capabilities: chmod ug-s and setcap -r it");
		return EXIT_SETUP;
	}
	arena_reserve(&arena, ARENA_SIZE);
	if (argc < 2) {
		verbs_help_format(&usage, &verbs);
		(void)fd_write_all(STDERR_FILENO, usage.v, usage.n, &err);
		return EXIT_USAGE;
	}
	code = dispatch(&cmd, argv + 1, &err);
	return code < 0 ? fail(&cmd, &err) : code;
}
