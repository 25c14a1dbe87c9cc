/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hook.c - `cordon hook`: what an agent calls before it uses a tool
 *
 * Runs in:  a process that the agent starts for each call.
 * Trusts:   its own command line; nothing on standard input.
 * Must not: let a tool through because something went wrong: what cannot be
 *           read or decided is answered as a denial.
 */
#include <jansson.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/hook_check.h"
#include "cmd/output.h"
#include "cmd/verb.h"

enum { INPUT_MAX = 1024 * 1024, EXIT_BLOCK = 2 };

struct hook_args {
	struct common_args common;
	struct policy_args policy;
	struct host_args host;
	bool wrap;
};

static const struct opt hook_options[] = {
	{ .name = "wrap",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct hook_args, wrap),
	  .help = "answer codex and hermes with the command to run in a box; "
		  "the others that can do it always are" },
};

static const struct opt_group hook_groups[] = {
	{ "Options", hook_options, sizeof(hook_options) / sizeof(*hook_options),
	  0 },
	POLICY_GROUPS(offsetof(struct hook_args, policy)),
	HOST_GROUP(offsetof(struct hook_args, host)),
	COMMON_GROUP,
};

/* -------------------------------------------------------------- the input */

static int read_input(struct arena *arena, json_t **out, struct err *err)
{
	char *text = arena_alloc(arena, INPUT_MAX + 1, 1);
	ssize_t n = fd_read_all(STDIN_FILENO, text, INPUT_MAX + 1);
	json_error_t bad;

	if (n < 0)
		return err_sys(err, "read the call from standard input");
	if (n > INPUT_MAX)
		return err_set(err, ERR_POLICY,
			       "the call on standard input has more than %d "
			       "bytes",
			       INPUT_MAX);
	*out = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &bad);
	if (!json_is_object(*out))
		return err_set(err, ERR_POLICY,
			       "standard input does not hold a call as JSON%s"
			       "%.160s",
			       *out ? "" : ": ", *out ? "" : bad.text);
	return 0;
}

static const char *find_string(json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s && *s ? s : NULL;
}

/* The texts of one field: a string, or, but for a command, a list of them. An
 * empty name is nothing that can be judged. */
static int take_texts(struct arena *arena, json_t *value,
		      const struct hook_tool *tool, struct hook_texts *out,
		      struct err *err)
{
	bool shell = tool->kind == HOOK_SHELL;
	size_t n = json_is_array(value) ? json_array_size(value) : 1;

	for (size_t i = 0; i < n; i++) {
		const char *s = json_string_value(
			json_is_array(value) ? json_array_get(value, i)
					     : value);

		if (!s || (!*s && !shell))
			return err_set(err, ERR_POLICY,
				       "the call of '%s' is not understood: "
				       "a text is wanted",
				       tool->name);
		*ARENA_PUSH(arena, out) = arena_strdup(arena, s);
	}
	return 0;
}

/* A patch names its files; without such lines it is a path. */
static int list_patched(struct arena *arena, const struct hook_tool *tool,
			struct hook_texts *texts, struct err *err)
{
	struct hook_texts all = { 0 };

	for (size_t i = 0; i < texts->n; i++) {
		struct hook_texts patched;

		hook_patch_list(arena, texts->v[i], &patched);
		if (!patched.n && strpbrk(texts->v[i], "\r\n"))
			return err_set(err, ERR_POLICY,
				       "the patch of '%s' names no file",
				       tool->name);
		if (!patched.n)
			*ARENA_PUSH(arena, &all) = texts->v[i];
		for (size_t k = 0; k < patched.n; k++)
			*ARENA_PUSH(arena, &all) = patched.v[k];
	}
	*texts = all;
	return 0;
}

/* All of the fields that are there: which one counts is the tool's choice. */
static int read_texts(struct arena *arena, json_t *input,
		      const struct hook_tool *tool, struct hook_call *out,
		      struct err *err)
{
	char *names = arena_strdup(arena, tool->fields);
	bool shell = tool->kind == HOOK_SHELL;
	bool found = false, listed = false;
	const char *name;

	while ((name = strsep(&names, "|"))) {
		json_t *value = json_object_get(input, name);

		if (!value || json_is_null(value))
			continue;
		found = true;
		listed = listed || json_is_array(value);
		if (take_texts(arena, value, tool, &out->texts, err) < 0)
			return -1;
	}
	if (!found || (!out->texts.n && !shell))
		return err_set(err, ERR_POLICY,
			       "the call of '%s' is not understood: it has no "
			       "%s",
			       tool->name, tool->fields);
	if (shell && (listed || out->texts.n != 1))
		return err_set(err, ERR_POLICY,
			       "the call of '%s' is not understood: one "
			       "command is wanted",
			       tool->name);
	return tool->kind == HOOK_PATCH
		       ? list_patched(arena, tool, &out->texts, err)
		       : 0;
}

/* NULL where it is not there, or empty. */
static int read_directory(json_t *value, const char *key, const char **out,
			  struct err *err)
{
	*out = NULL;
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return err_set(err, ERR_POLICY,
			       "the call is not understood: %s is not the name "
			       "of a directory",
			       key);
	if (json_string_length(value))
		*out = json_string_value(value);
	return 0;
}

/* Where the agent works, in its own words: the input of a tool is the
 * model's. */
static int read_cwd(json_t *call, struct hook_call *out, struct err *err)
{
	json_t *roots = json_object_get(call, "workspace_roots");

	if (read_directory(json_object_get(call, "cwd"), "cwd", &out->cwd,
			   err) < 0 ||
	    (!out->cwd &&
	     read_directory(json_array_get(roots, 0), "workspace_roots",
			    &out->cwd, err) < 0))
		return -1;
	if (out->cwd && out->cwd[0] != '/')
		return err_set(err, ERR_POLICY,
			       "the call is not understood: the cwd '%.200s' "
			       "is not absolute",
			       out->cwd);
	return 0;
}

static int read_runs_in(struct arena *arena, json_t *input,
			const struct hook_tool *tool, struct hook_call *out,
			struct err *err)
{
	if (!tool->directory)
		return 0;
	if (read_directory(json_object_get(input, tool->directory),
			   tool->directory, &out->runs_in, err) < 0)
		return -1;
	if (out->runs_in && out->runs_in[0] != '/' && out->cwd)
		out->runs_in =
			arena_printf(arena, "%s/%s", out->cwd, out->runs_in);
	return 0;
}

/* What the call is about: the name of the tool, its input, and the form in
 * which the answer has to be. NULL name: nothing that we answer. */
struct asked {
	const char *tool;
	json_t *input;
	enum hook_form form;
};

static int read_windsurf(json_t *call, struct asked *out, struct err *err)
{
	out->tool = find_string(call, "agent_action_name");
	out->input = json_object_get(call, "tool_info");
	if (out->tool)
		return 0;
	return err_set(err, ERR_POLICY,
		       "the call is not understood: it has no "
		       "agent_action_name");
}

/* Cursor asks hooks of Claude Code in their form, or in its own: the call says
 * which. */
static bool read_form(const char *event, struct asked *out)
{
	bool either =
		out->form == HOOK_FORM_CLAUDE || out->form == HOOK_FORM_CURSOR;

	if (!event)
		return true;
	if (either && !strcmp(event, "PreToolUse"))
		out->form = HOOK_FORM_CLAUDE;
	else if (either && !strcmp(event, "preToolUse"))
		out->form = HOOK_FORM_CURSOR;
	else if (either && !strcmp(event, "beforeShellExecution"))
		out->form = HOOK_FORM_CURSOR_SHELL;
	else
		return !strcmp(event, "pre_tool_call");
	return true;
}

static int read_common(json_t *call, struct asked *out, struct err *err)
{
	/* Another event is nothing that can be denied. */
	if (!read_form(find_string(call, "hook_event_name"), out))
		return 0;
	if (out->form == HOOK_FORM_CURSOR_SHELL) {
		out->tool = "Shell";
		out->input = call;
		return 0;
	}
	out->tool = find_string(call, "tool_name");
	out->input = json_object_get(call, "tool_input");
	if (!out->tool) {
		out->tool = find_string(call, "tool");
		out->input = json_object_get(call, "args");
	}
	if (out->tool)
		return 0;
	return err_set(err, ERR_POLICY,
		       "the call is not understood: it names no tool");
}

/* The tools are those of whoever asks. */
static const struct hook_tool *find_tool(const struct hook_agent *agent,
					 const struct asked *asked)
{
	if (asked->form != agent->form)
		agent = hook_agent_find(
			asked->form == HOOK_FORM_CLAUDE ? "claude" : "cursor");
	return hook_tool_find(agent, asked->tool);
}

static int read_call(struct arena *arena, const struct hook_agent *agent,
		     json_t *call, struct asked *asked, struct hook_call *out,
		     struct err *err)
{
	const struct hook_tool *tool;

	asked->form = agent->form;
	if ((agent->form == HOOK_FORM_WINDSURF
		     ? read_windsurf(call, asked, err)
		     : read_common(call, asked, err)) < 0)
		return -1;
	if (!asked->tool)
		return 0;
	tool = find_tool(agent, asked);
	out->kind = tool->kind;
	out->tool = tool->name;
	if (tool->kind == HOOK_OTHER)
		return 0;
	if (read_cwd(call, out, err) < 0 ||
	    read_runs_in(arena, asked->input, tool, out, err) < 0)
		return -1;
	return read_texts(arena, asked->input, tool, out, err);
}

/* ------------------------------------------------------------ the answers */

static json_t *input_with(const struct asked *asked, const char *command)
{
	json_t *input = json_deep_copy(asked->input);

	json_object_set_new(input, "command", json_string(command));
	return input;
}

static json_t *claude_answer(struct arena *arena, const struct asked *asked,
			     const struct hook_answer *answer)
{
	if (answer->verdict == HOOK_PASS)
		return NULL;
	if (answer->verdict == HOOK_DENY)
		return json_pack("{s:{s:s, s:s, s:o}}", "hookSpecificOutput",
				 "hookEventName", "PreToolUse",
				 "permissionDecision", "deny",
				 "permissionDecisionReason",
				 output_string(arena, answer->text));
	/* Another input counts only together with "allow". */
	return json_pack("{s:{s:s, s:s, s:s, s:o}}", "hookSpecificOutput",
			 "hookEventName", "PreToolUse", "permissionDecision",
			 "allow", "permissionDecisionReason",
			 "runs in a box of cordon", "updatedInput",
			 input_with(asked, answer->text));
}

static json_t *cursor_answer(struct arena *arena, const struct asked *asked,
			     const struct hook_answer *answer)
{
	if (answer->verdict == HOOK_PASS)
		return json_object();
	if (answer->verdict == HOOK_DENY)
		return json_pack(
			"{s:s, s:o, s:o}", "permission", "deny", "user_message",
			output_string(arena, answer->text), "agent_message",
			output_string(arena, answer->text));
	return json_pack("{s:s, s:o}", "permission", "allow", "updated_input",
			 input_with(asked, answer->text));
}

static json_t *hermes_answer(struct arena *arena, const struct asked *asked,
			     const struct hook_answer *answer)
{
	if (answer->verdict == HOOK_PASS)
		return json_object();
	if (answer->verdict == HOOK_DENY)
		return json_pack("{s:s, s:o}", "action", "block", "message",
				 output_string(arena, answer->text));
	return json_pack("{s:s, s:o}", "action", "modify", "args",
			 input_with(asked, answer->text));
}

static json_t *opencode_answer(struct arena *arena,
			       const struct hook_answer *answer)
{
	if (answer->verdict == HOOK_PASS)
		return json_object();
	if (answer->verdict == HOOK_DENY)
		return json_pack("{s:s, s:o}", "decision", "deny", "reason",
				 output_string(arena, answer->text));
	return json_pack("{s:s, s:o}", "decision", "wrap", "command",
			 output_string(arena, answer->text));
}

/* Returns the exit code. */
static int print_answer(struct arena *arena, const struct asked *asked,
			const struct hook_answer *answer, struct err *err)
{
	json_t *json = NULL;

	switch (asked->form) {
	case HOOK_FORM_CLAUDE:
		json = claude_answer(arena, asked, answer);
		break;
	case HOOK_FORM_CURSOR:
	case HOOK_FORM_CURSOR_SHELL:
		json = cursor_answer(arena, asked, answer);
		break;
	case HOOK_FORM_HERMES:
		json = hermes_answer(arena, asked, answer);
		break;
	case HOOK_FORM_OPENCODE:
		json = opencode_answer(arena, answer);
		break;
	case HOOK_FORM_WINDSURF:
		if (answer->verdict == HOOK_DENY) {
			log_error("%s", answer->text);
			return EXIT_BLOCK;
		}
		break;
	}
	return json ? output_json(STDOUT_FILENO, json, err) : 0;
}

/*
 * The call was not understood, or nothing can be said of it. Every agent takes
 * exit code 2 for a denial; where it reads standard output in that case too,
 * the reason stands there as well.
 */
static int refuse(struct arena *arena, const struct asked *asked,
		  const struct err *why)
{
	struct hook_answer answer = { HOOK_DENY, why->msg };
	struct err ignored;

	log_error("%s", why->msg);
	if (asked->form == HOOK_FORM_HERMES ||
	    asked->form == HOOK_FORM_OPENCODE)
		(void)print_answer(arena, asked, &answer, &ignored);
	return EXIT_BLOCK;
}

static int hook_main(struct cmd *cmd, const void *verb_args,
		     const struct opt_rest *rest, struct err *err)
{
	const struct hook_args *args = verb_args;
	struct hook_request request = { .policy = args->policy,
					.host = args->host };
	struct hook_call call = { 0 };
	struct hook_answer answer = { 0 };
	struct asked asked = { 0 };
	json_auto_t *json = NULL; /* @asked points into it */
	int code;

	if (hook_agent_parse(rest, &request.agent, err) < 0)
		return -1;
	/* What the policy has to say is in the answer. */
	log_setup(true);
	asked.form = request.agent->form;
	if (hook_pinned_build(cmd->arena, &request.policy, &request.host,
			      &request.pinned, err) < 0 ||
	    read_input(cmd->arena, &json, err) < 0 ||
	    read_call(cmd->arena, request.agent, json, &asked, &call, err) < 0)
		return refuse(cmd->arena, &asked, err);
	request.wrap = (args->wrap && request.agent->may_rewrite) ||
		       (request.agent->rewrites &&
			asked.form != HOOK_FORM_CURSOR_SHELL);
	if (hook_check(cmd->arena, &request, &call, &answer, err) < 0)
		answer = (struct hook_answer){ HOOK_DENY, err->msg };
	code = print_answer(cmd->arena, &asked, &answer, err);
	return code < 0 ? refuse(cmd->arena, &asked, err) : code;
}

const struct verb verb_hook = {
	.name = "hook",
	.summary = "answer an agent that asks before it uses a tool",
	.synopsis = "[options] AGENT",
	.text = "What 'cordon hooks install' lets an agent call: reads the "
		"call of a tool as JSON from standard input and answers in "
		"the agent's own form. A shell command is answered with the "
		"same command in a box; one that starts cordon itself, a file "
		"that the policy keeps and a host that it does not allow are "
		"denied with the reason. Other tools get no opinion. Inside a "
		"box nothing is wrapped.\n\n"
		"Exit status: 0 with the answer on standard output; 2, which "
		"every agent takes for a denial, where the call is not "
		"understood, and for windsurf.",
	.groups = { hook_groups, sizeof(hook_groups) / sizeof(*hook_groups) },
	.args_size = sizeof(struct hook_args),
	.words = OPT_WORDS_CHOICE,
	.choices = "claude|codex|cursor|opencode|hermes|windsurf",
	.run = hook_main,
};
