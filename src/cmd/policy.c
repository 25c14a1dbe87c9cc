/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/policy.c - `cordon policy show|schema|init`
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line.
 * Must not: overwrite a file.
 */
#include "policy/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "cmd/verb.h"
#include "host/policy_file.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/format.h"

static int refuse_words(const struct opt_rest *rest, size_t allowed,
			struct err *err)
{
	if (rest->n > allowed)
		return err_set(err, ERR_USAGE, "'%s' is one word too many",
			       rest->v[allowed]);
	return 0;
}

/* ------------------------------------------------------------------ show */

struct show_args {
	struct common_args common;
	struct policy_args policy;
	bool json;
	bool origins;
};

static const struct opt show_options[] = {
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct show_args, json),
	  .help = "print it as JSON, which is a policy file too" },
	{ .name = "origins",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct show_args, origins),
	  .help = "with --json: give each value and where it came from; "
		  "without, comments always say so" },
};

static const struct opt_group show_groups[] = {
	{ "Options", show_options, sizeof(show_options) / sizeof(*show_options),
	  0 },
	POLICY_GROUPS(offsetof(struct show_args, policy)),
	COMMON_GROUP,
};

static int show_main(struct cmd *cmd, const void *verb_args,
		     const struct opt_rest *rest, struct err *err)
{
	const struct show_args *args = verb_args;
	struct prepared *prepared = arena_array(cmd->arena, struct prepared, 1);
	const struct host_policy *policy = &prepared->policy;
	struct text out = { .arena = cmd->arena };
	struct err unsupported;

	if (refuse_words(rest, 0, err) < 0 ||
	    prepare_policy(cmd->arena, &args->policy, prepared, err) < 0)
		return -1;
	for (size_t i = 0; i < policy->sources_n; i++)
		log_info("layer %zu: %s (%s%s)", i + 1, policy->sources[i].name,
			 policy->sources[i].role,
			 policy->sources[i].trusted ? "" : ", can only narrow");
	if (policy_check_supported(&policy->policy, &unsupported) < 0)
		log_warn("'run' would refuse it: %s", unsupported.msg);
	if (args->json) {
		text_add(&out, policy_format_json(cmd->arena, &policy->policy,
						  args->origins));
		text_add(&out, "\n");
	} else {
		policy_format_yaml(&out, &policy->policy, true);
	}
	return output_text(&out, err);
}

const struct verb verb_policy_show = {
	.name = "policy show",
	.summary = "print the policy that holds, with the origin of each rule",
	.synopsis = "[options]",
	.text = "Prints the policy after all layers and options, as a policy "
		"file. The layers are listed on standard error.",
	.groups = { show_groups, sizeof(show_groups) / sizeof(*show_groups) },
	.args_size = sizeof(struct show_args),
	.run = show_main,
};

/* ---------------------------------------------------------------- schema */

struct schema_args {
	struct common_args common;
	bool mdoc;
};

static const struct opt schema_options[] = {
	{ .name = "mdoc",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct schema_args, mdoc),
	  .help = "print the list of keys in cordon.policy(5) instead" },
};

static const struct opt_group schema_groups[] = {
	{ "Options", schema_options,
	  sizeof(schema_options) / sizeof(*schema_options), 0 },
	COMMON_GROUP,
};

static int schema_main(struct cmd *cmd, const void *verb_args,
		       const struct opt_rest *rest, struct err *err)
{
	const struct schema_args *args = verb_args;
	struct text out = { .arena = cmd->arena };

	if (refuse_words(rest, 0, err) < 0)
		return -1;
	if (args->mdoc) {
		policy_fields_format_mdoc(&out);
	} else {
		text_add(&out, policy_schema_format(cmd->arena));
		if (out.n && out.v[out.n - 1] != '\n')
			text_add(&out, "\n");
	}
	return output_text(&out, err);
}

const struct verb verb_policy_schema = {
	.name = "policy schema",
	.summary = "print the JSON Schema of policy files",
	.synopsis = "[options]",
	.text = "Prints the JSON Schema (2020-12) of policy files, for "
		"editors and other tools.",
	.groups = { schema_groups,
		    sizeof(schema_groups) / sizeof(*schema_groups) },
	.args_size = sizeof(struct schema_args),
	.run = schema_main,
};

/* ------------------------------------------------------------------ init */

struct init_args {
	struct common_args common;
	bool user;
	bool print;
};

static const struct opt init_options[] = {
	{ .name = "user",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct init_args, user),
	  .help = "make your own configuration, for every project" },
	{ .name = "print",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct init_args, print),
	  .help = "print it and write nothing" },
};

static const struct opt_group init_groups[] = {
	{ "Options", init_options, sizeof(init_options) / sizeof(*init_options),
	  0 },
	COMMON_GROUP,
};

static const char init_text[] =
	"# What cordon lets a command do; cordon.policy(5) has every key.\n"
	"# 'cordon policy show' prints the result, 'cordon explain read PATH'\n"
	"# the reason.\n"
	"version: 1\n"
	"extends: default\n"
	"\n"
	"filesystem:\n"
	"  # Hidden besides what the profile hides. '**' is any depth.\n"
	"  deny_read: [\"**/.env\"]\n"
	"  # Kept as it is, also if it does not exist yet.\n"
	"  deny_write: []\n"
	"  # What may be changed besides the current directory. In a "
	"project's\n"
	"  # file this needs 'cordon trust'.\n"
	"  # allow_write: [~/.cache/my-tool]\n"
	"\n"
	"# Names, '*.NAME' and addresses that can be reached, at ports 80 and\n"
	"# 443 or at NAME:PORT.\n"
	"# network:\n"
	"#   mode: filtered\n"
	"#   allow: [github.com, \"*.npmjs.org\"]\n"
	"\n"
	"# limits:\n"
	"#   wall_time: 10m\n";

/* Root's own configuration is the system's, which everybody has to read,
 * whatever the umask. */
static int write_new(const char *file, struct err *err)
{
	mode_t mode = geteuid() ? 0600 : 0644;
	AUTO_CLOSE int fd =
		open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     mode);

	if (fd < 0 && errno == EEXIST)
		return err_set(err, ERR_SYS, "'%s' exists already", file);
	if (fd < 0 || fchmod(fd, mode) < 0)
		return err_sys(err, "make '%s'", file);
	if (fd_write_all(fd, init_text, strlen(init_text), err) < 0) {
		(void)unlink(file); /* half of it would be a policy too */
		return err_wrap(err, "'%s'", file);
	}
	log_info("wrote %s; 'cordon check %s' checks it", file, file);
	return 0;
}

static int init_main(struct cmd *cmd, const void *verb_args,
		     const struct opt_rest *rest, struct err *err)
{
	const struct init_args *args = verb_args;
	const char *file = rest->n ? rest->v[0] : ".cordon.yaml";
	struct text out = { .arena = cmd->arena };
	struct policy_context context;

	if (refuse_words(rest, args->user || args->print ? 0 : 1, err) < 0)
		return -1;
	if (args->print) {
		text_add(&out, init_text);
		return output_text(&out, err);
	}
	if (args->user) {
		if (host_context_read(cmd->arena, NULL, &context, err) < 0)
			return -1;
		file = arena_printf(cmd->arena, "%s/config.yaml",
				    context.config_dir);
		if (policy_directory_make(
			    cmd->arena, context.config_dir,
			    policy_directory_mode(context.config_dir), err) < 0)
			return -1;
	}
	return write_new(file, err);
}

const struct verb verb_policy_init = {
	.name = "policy init",
	.summary = "write a policy file to start from",
	.synopsis = "[FILE]\n--user\n--print",
	.text = "Writes a commented policy file: .cordon.yaml in the current "
		"directory, FILE, or with --user your own configuration. A "
		"file that exists is left alone.",
	.groups = { init_groups, sizeof(init_groups) / sizeof(*init_groups) },
	.args_size = sizeof(struct init_args),
	.words = OPT_WORDS_FILE,
	.run = init_main,
};
