/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hooks.c - `cordon hooks print|install|uninstall`
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line.
 * Must not: change what is not ours in an agent's file, or write a file that
 *           the agent could not read any more.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/hook_agent.h"
#include "cmd/hooks_edit.h"
#include "cmd/hooks_file.h"
#include "cmd/output.h"
#include "cmd/verb.h"
#include "policy/decode.h"

struct hooks_args {
	struct common_args common;
	struct policy_args policy;
	struct host_args host;
	const char *file;
	bool wrap;
	bool yes;
	bool json;
};

/* What one of the verbs works with. */
struct hooks_job {
	struct arena *arena;
	const struct hooks_args *args;
	struct hooks_edit edit;
	bool wraps; /* commands, into a box */
	const char *path; /* of the agent's file */
};

static const struct opt hooks_options[] = {
	{ .name = "file",
	  .letter = 'f',
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct hooks_args, file),
	  .arg = "FILE",
	  .words = OPT_WORDS_FILE,
	  .help = "the agent's file, in place of the usual one in your home "
		  "directory" },
	{ .name = "wrap",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct hooks_args, wrap),
	  .help = "codex, hermes: put commands into a box; older ones ignore "
		  "that and run the command as it is" },
	{ .name = "yes",
	  .letter = 'y',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct hooks_args, yes),
	  .help = "opencode: replace or remove the plugin's file also where "
		  "it was not written by cordon, or changed since" },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct hooks_args, json),
	  .help = "print what was done as JSON" },
};

static const struct opt_group hooks_groups[] = {
	{ "Options", hooks_options,
	  sizeof(hooks_options) / sizeof(*hooks_options), 0 },
	POLICY_GROUPS(offsetof(struct hooks_args, policy)),
	HOST_GROUP(offsetof(struct hooks_args, host)),
	COMMON_GROUP,
};

/* ---------------------------------------------------------- by their forms */

static const struct {
	hooks_change_fn *install;
	hooks_change_fn *uninstall;
	hooks_format_fn *format;
} forms[] = {
	[HOOK_FILE_GROUPS] = { hooks_json_install, hooks_json_uninstall,
			       hooks_json_format },
	[HOOK_FILE_FLAT] = { hooks_json_install, hooks_json_uninstall,
			     hooks_json_format },
	[HOOK_FILE_YAML] = { hooks_yaml_install, hooks_yaml_uninstall,
			     hooks_yaml_format },
	[HOOK_FILE_PLUGIN] = { hooks_plugin_install, hooks_plugin_uninstall,
			       hooks_plugin_format },
};

/* What came out has to be what goes in again: a file of somebody else's is
 * not written on the word of one function. */
int hooks_install(struct arena *arena, const struct hooks_edit *edit,
		  const char *text, const char **out, struct err *err)
{
	const char *again = NULL;
	struct err bug = { 0 };

	if (forms[edit->agent->file].install(arena, edit, text, out, err) < 0)
		return -1;
	if (*out == text)
		return 0;
	if (forms[edit->agent->file].install(arena, edit, *out, &again, &bug) <
		    0 ||
	    again != *out)
		return err_set(err, ERR_BUG,
			       "the file would not be what it shall be: %s",
			       bug.msg);
	return 0;
}

int hooks_uninstall(struct arena *arena, const struct hooks_edit *edit,
		    const char *text, const char **out, struct err *err)
{
	const char *again = NULL;
	struct err bug = { 0 };

	if (forms[edit->agent->file].uninstall(arena, edit, text, out, err) < 0)
		return -1;
	if (!*out || *out == text)
		return 0;
	if (forms[edit->agent->file].uninstall(arena, edit, *out, &again,
					       &bug) < 0 ||
	    again != *out)
		return err_set(err, ERR_BUG,
			       "the file would not be what it shall be: %s",
			       bug.msg);
	return 0;
}

void hooks_format(struct text *out, const struct hooks_edit *edit)
{
	forms[edit->agent->file].format(out, edit);
}

/* ------------------------------------------------------------- the request */

static int find_file(struct hooks_job *job, const char *file, struct err *err)
{
	const struct hook_agent *agent = job->edit.agent;
	struct policy_context context;
	const char *directory =
		agent->variable ? getenv(agent->variable) : NULL;

	if (file) {
		job->path = file;
		return 0;
	}
	if (host_context_read(job->arena, "/", &context, err) < 0)
		return -1;
	/* As the agents read it: one that is not absolute does not count. */
	if (!directory || directory[0] != '/')
		directory = arena_printf(job->arena, "%s/%s", context.home,
					 agent->directory);
	job->path = arena_printf(job->arena, "%s/%s", directory, agent->path);
	return 0;
}

/* A hook with options that are wrong would deny everything. */
static int check_policy(struct arena *arena, const struct policy_args *args,
			struct err *err)
{
	struct prepared *prepared = arena_array(arena, struct prepared, 1);

	if (prepare_policy(arena, args, prepared, err) < 0)
		return -1;
	return policy_check_supported(&prepared->policy.policy, err);
}

static int read_job(struct cmd *cmd, const struct hooks_args *args,
		    const struct opt_rest *rest, struct hooks_job *out,
		    struct err *err)
{
	struct policy_args policy = args->policy;
	struct hook_pinned pinned;
	const struct hook_agent *agent;

	*out = (struct hooks_job){ .arena = cmd->arena, .args = args };
	if (hook_agent_parse(rest, &agent, err) < 0)
		return -1;
	if (args->wrap && !agent->may_rewrite)
		return err_set(err, ERR_USAGE,
			       "--wrap is for codex and hermes: %s %s",
			       agent->title,
			       agent->rewrites ? "is always answered so"
					       : "cannot be given another "
						 "command");
	if (hook_pinned_build(cmd->arena, &policy, &args->host, &pinned, err) <
		    0 ||
	    (cmd->verb != &verb_hooks_uninstall &&
	     check_policy(cmd->arena, &policy, err) < 0))
		return -1;
	out->wraps = agent->rewrites || args->wrap;
	out->edit = (struct hooks_edit){
		.agent = agent,
		.command = hook_command_format(cmd->arena, &pinned, agent,
					       args->wrap),
		.yes = args->yes,
	};
	return find_file(out, args->file, err);
}

static const char *describe(const struct hooks_job *job)
{
	return job->wraps ? "shell commands run in a box"
			  : "shell commands are checked, and run without a "
			    "box";
}

static int print_done(const struct hooks_job *job, const char *action,
		      const struct hooks_file *file, struct err *err)
{
	if (job->args->json)
		return output_json(
			STDOUT_FILENO,
			json_pack("{s:s, s:o, s:s, s:b, s:b, s:o}", "agent",
				  job->edit.agent->name, "file",
				  output_string(job->arena, file->path),
				  "action", action, "wraps", job->wraps,
				  "linked", file->linked, "command",
				  output_string(job->arena, job->edit.command)),
			err);
	if (file->linked)
		log_info("'%s' is a link: its file is '%s'", job->path,
			 file->path);
	return 0;
}

/* ------------------------------------------------------------------- print */

static int print_main(struct cmd *cmd, const void *verb_args,
		      const struct opt_rest *rest, struct err *err)
{
	struct text out = { .arena = cmd->arena };
	struct text entry = { .arena = cmd->arena };
	struct hooks_job job;

	if (read_job(cmd, verb_args, rest, &job, err) < 0)
		return -1;
	hooks_format(&entry, &job.edit);
	if (job.args->json)
		return output_json(
			STDOUT_FILENO,
			json_pack("{s:s, s:o, s:b, s:s, s:o, s:o}", "agent",
				  job.edit.agent->name, "file",
				  output_string(cmd->arena, job.path), "wraps",
				  job.wraps, "covers", job.edit.agent->covers,
				  "command",
				  output_string(cmd->arena, job.edit.command),
				  "text",
				  output_string(cmd->arena, text_str(&entry))),
			err);
	output_line(&out, "file", job.path);
	output_line(&out, "tools", job.edit.agent->covers);
	output_line(&out, "effect", describe(&job));
	output_line(&out, "note", job.edit.agent->note);
	text_add(&out, "\n");
	text_add(&out, text_str(&entry));
	return output_text(&out, err);
}

const struct verb verb_hooks_print = {
	.name = "hooks print",
	.summary = "print what 'hooks install' would put into which file",
	.synopsis = "[options] AGENT",
	.text = "Prints the file, the tools that are looked at, and what "
		"would be put in. Nothing is changed.",
	.groups = { hooks_groups,
		    sizeof(hooks_groups) / sizeof(*hooks_groups) },
	.args_size = sizeof(struct hooks_args),
	.words = OPT_WORDS_CHOICE,
	.choices = "claude|codex|cursor|opencode|hermes|windsurf",
	.run = print_main,
};

/* ----------------------------------------------------------------- install */

/* The file is not touched; how it can be done without us. */
static int refuse_edit(const struct hooks_job *job,
		       const struct hooks_file *file, struct err *err)
{
	struct text out = { .arena = job->arena };
	struct err ignored;

	if (!job->args->json && err->kind == ERR_POLICY) {
		text_add(&out, "Nothing was changed. To do it by hand, this "
			       "has to be in the file:\n\n");
		hooks_format(&out, &job->edit);
		(void)output_text(&out, &ignored);
	}
	return err_wrap(err, "'%s'", file->path);
}

static int install_main(struct cmd *cmd, const void *verb_args,
			const struct opt_rest *rest, struct err *err)
{
	struct hooks_file file;
	struct hooks_job job;
	const char *text;

	if (read_job(cmd, verb_args, rest, &job, err) < 0 ||
	    hooks_file_read(cmd->arena, job.path, &file, err) < 0)
		return -1;
	if (hooks_install(cmd->arena, &job.edit, file.text, &text, err) < 0)
		return refuse_edit(&job, &file, err);
	if (text == file.text) {
		if (!job.args->json)
			log_info("the hook is in '%s' already", file.path);
		return print_done(&job, "unchanged", &file, err);
	}
	if (hooks_file_write(cmd->arena, &file, text, err) < 0)
		return -1;
	if (!job.args->json)
		log_info("installed for %s in '%s': %s; %s",
			 job.edit.agent->title, file.path,
			 job.edit.agent->covers, describe(&job));
	return print_done(&job, "installed", &file, err);
}

const struct verb verb_hooks_install = {
	.name = "hooks install",
	.summary = "let an agent ask cordon before it uses a tool",
	.synopsis = "[options] AGENT",
	.text = "Puts an entry into the file of the agent, so that it calls "
		"'cordon hook' before it runs a command, writes a file or "
		"fetches a URL. Commands are then run in a box, where the "
		"agent can be told to, and the others judged by the policy. "
		"The options of the policy that are given here hold for every "
		"call, whatever the agent says; a project's file is looked "
		"for where the agent works.\n\n"
		"Everything else in the file stays as it is, comments and "
		"layout too; installing again changes nothing, or the "
		"options. A file that cannot be edited so is left alone, and "
		"the text to put in is printed. A hook sees what the agent "
		"shows it and no more: see docs/agents.md. To hold an agent "
		"itself, run it in a box: cordon run -P agent -- AGENT.",
	.groups = { hooks_groups,
		    sizeof(hooks_groups) / sizeof(*hooks_groups) },
	.args_size = sizeof(struct hooks_args),
	.words = OPT_WORDS_CHOICE,
	.choices = "claude|codex|cursor|opencode|hermes|windsurf",
	.run = install_main,
};

/* --------------------------------------------------------------- uninstall */

static int uninstall_main(struct cmd *cmd, const void *verb_args,
			  const struct opt_rest *rest, struct err *err)
{
	struct hooks_file file;
	struct hooks_job job;
	const char *text = NULL;

	if (read_job(cmd, verb_args, rest, &job, err) < 0 ||
	    hooks_file_read(cmd->arena, job.path, &file, err) < 0)
		return -1;
	if (file.text &&
	    hooks_uninstall(cmd->arena, &job.edit, file.text, &text, err) < 0)
		return err_wrap(err, "'%s'", file.path);
	if (text == file.text) {
		if (!job.args->json)
			log_info("there is no hook of cordon's in '%s'",
				 file.path);
		return print_done(&job, "unchanged", &file, err);
	}
	if ((text ? hooks_file_write(cmd->arena, &file, text, err)
		  : hooks_file_remove(&file, err)) < 0)
		return -1;
	if (!job.args->json)
		log_info(text ? "removed the hook from '%s'"
			      : "removed '%s', which held nothing else",
			 file.path);
	return print_done(&job, text ? "uninstalled" : "removed", &file, err);
}

const struct verb verb_hooks_uninstall = {
	.name = "hooks uninstall",
	.summary = "take the hook out of an agent's file",
	.synopsis = "[options] AGENT",
	.text = "Takes out what 'hooks install' put in, whatever its options "
		"were, and nothing else: the file is then what it was before. "
		"One that was made for the hook and holds nothing else is "
		"removed.",
	.groups = { hooks_groups,
		    sizeof(hooks_groups) / sizeof(*hooks_groups) },
	.args_size = sizeof(struct hooks_args),
	.words = OPT_WORDS_CHOICE,
	.choices = "claude|codex|cursor|opencode|hermes|windsurf",
	.run = uninstall_main,
};
