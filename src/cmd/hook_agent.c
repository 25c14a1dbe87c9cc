/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hook_agent.c - the agents, and the commands that they are given
 *
 * Runs in:  the process of `cordon hook` and `cordon hooks`.
 * Trusts:   the command line, which whoever installed the hook wrote.
 * Must not: look for cordon in PATH: the agent's could lead elsewhere.
 */
#include "cmd/hook_agent.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/hook_words.h"

static const struct hook_tool claude_tools[] = {
	{ "Bash", HOOK_SHELL, "command", NULL },
	{ "Write", HOOK_WRITE, "file_path", NULL },
	{ "Edit", HOOK_WRITE, "file_path", NULL },
	{ "MultiEdit", HOOK_WRITE, "file_path", NULL },
	{ "NotebookEdit", HOOK_WRITE, "notebook_path", NULL },
	{ "WebFetch", HOOK_URL, "url", NULL },
};

static const struct hook_tool codex_tools[] = {
	{ "Bash", HOOK_SHELL, "command", NULL },
	{ "apply_patch", HOOK_PATCH, "command|input|patch", NULL },
};

static const struct hook_tool cursor_tools[] = {
	{ "Shell", HOOK_SHELL, "command", "working_directory" },
	{ "Write", HOOK_WRITE, "file_path|path", NULL },
	{ "Delete", HOOK_WRITE, "file_path|path", NULL },
	{ "Edit", HOOK_WRITE, "file_path|path", NULL },
};

static const struct hook_tool hermes_tools[] = {
	{ "terminal", HOOK_SHELL, "command", "workdir" },
	{ "write_file", HOOK_WRITE, "path", NULL },
	{ "patch", HOOK_PATCH, "path|patch", NULL },
	{ "web_extract", HOOK_URL, "urls|url", NULL },
};

static const struct hook_tool opencode_tools[] = {
	{ "bash", HOOK_SHELL, "command", "workdir" },
	{ "shell", HOOK_SHELL, "command", "workdir" },
	{ "write", HOOK_WRITE, "filePath|file_path|path", NULL },
	{ "edit", HOOK_WRITE, "filePath|file_path|path", NULL },
	{ "multiedit", HOOK_WRITE, "filePath|file_path|path", NULL },
	{ "patch", HOOK_PATCH, "patchText|patch|filePath", NULL },
	{ "apply_patch", HOOK_PATCH, "patchText|patch|filePath", NULL },
	{ "webfetch", HOOK_URL, "url", NULL },
};

static const struct hook_tool windsurf_tools[] = {
	{ "pre_run_command", HOOK_SHELL, "command_line", "cwd" },
	{ "pre_write_code", HOOK_WRITE, "file_path", NULL },
};

#define TOOLS(list) .tools = (list), .tools_n = sizeof(list) / sizeof(*(list))

static const struct hook_agent agents[] = {
	{ .name = "claude",
	  .title = "Claude Code",
	  .form = HOOK_FORM_CLAUDE,
	  .file = HOOK_FILE_GROUPS,
	  .variable = "CLAUDE_CONFIG_DIR",
	  .directory = ".claude",
	  .path = "settings.json",
	  .events = { "PreToolUse" },
	  .matcher = "Bash|Write|Edit|MultiEdit|NotebookEdit|WebFetch",
	  .closed = "\"onFailure\":\"block\"",
	  .rewrites = true,
	  .covers = "Bash, Write, Edit, MultiEdit, NotebookEdit, WebFetch",
	  .note = "Claude Code matches its own rules, such as Bash(rm:*), with "
		  "the command as it is wrapped: they do not hold any more, "
		  "and it does not ask",
	  TOOLS(claude_tools) },
	{ .name = "codex",
	  .title = "Codex",
	  .form = HOOK_FORM_CLAUDE,
	  .file = HOOK_FILE_GROUPS,
	  .variable = "CODEX_HOME",
	  .directory = ".codex",
	  .path = "hooks.json",
	  .events = { "PreToolUse" },
	  .matcher = "Bash|apply_patch",
	  .may_rewrite = true,
	  .covers = "Bash, apply_patch",
	  .note = "Codex runs it only after you have trusted it: type /hooks "
		  "there",
	  TOOLS(codex_tools) },
	{ .name = "cursor",
	  .title = "Cursor",
	  .form = HOOK_FORM_CURSOR,
	  .file = HOOK_FILE_FLAT,
	  .directory = ".cursor",
	  .path = "hooks.json",
	  .events = { "preToolUse" },
	  .matcher = "Shell", /* of the others no field is documented */
	  .closed = "\"failClosed\":true",
	  .version = true,
	  .rewrites = true,
	  .covers = "Shell",
	  TOOLS(cursor_tools) },
	{ .name = "opencode",
	  .title = "OpenCode",
	  .form = HOOK_FORM_OPENCODE,
	  .file = HOOK_FILE_PLUGIN,
	  .variable = "XDG_CONFIG_HOME",
	  .directory = ".config",
	  .path = "opencode/plugins/cordon.js",
	  .rewrites = true,
	  .covers = "bash, write, edit, patch, webfetch",
	  TOOLS(opencode_tools) },
	{ .name = "hermes",
	  .title = "Hermes",
	  .form = HOOK_FORM_HERMES,
	  .file = HOOK_FILE_YAML,
	  .variable = "HERMES_HOME",
	  .directory = ".hermes",
	  .path = "config.yaml",
	  .events = { "pre_tool_call" },
	  .matcher = "^(terminal|write_file|patch|web_extract)$",
	  .may_rewrite = true,
	  .covers = "terminal, write_file, patch, web_extract",
	  .note = "Hermes asks once whether to run it, and where nobody can "
		  "answer it does not",
	  TOOLS(hermes_tools) },
	{ .name = "windsurf",
	  .title = "Windsurf",
	  .form = HOOK_FORM_WINDSURF,
	  .file = HOOK_FILE_FLAT,
	  .directory = ".codeium/windsurf",
	  .path = "hooks.json",
	  .events = { "pre_run_command", "pre_write_code" },
	  .covers = "commands, writes of files",
	  TOOLS(windsurf_tools) },
};

const struct hook_agent *hook_agent_find(const char *name)
{
	for (size_t i = 0; i < sizeof(agents) / sizeof(*agents); i++) {
		if (!strcmp(name, agents[i].name))
			return &agents[i];
	}
	return NULL;
}

int hook_agent_parse(const struct opt_rest *rest, const struct hook_agent **out,
		     struct err *err)
{
	const struct hook_agent *agent =
		rest->n ? hook_agent_find(rest->v[0]) : NULL;

	if (rest->n > 1)
		return err_set(err, ERR_USAGE, "'%.60s' is one word too many",
			       rest->v[1]);
	if (!agent)
		return err_set(err, ERR_USAGE,
			       "%s%.40s%sname one agent: claude, codex, "
			       "cursor, opencode, hermes or windsurf",
			       rest->n ? "'" : "", rest->n ? rest->v[0] : "",
			       rest->n ? "' is not known: " : "");
	*out = agent;
	return 0;
}

const struct hook_tool *hook_tool_find(const struct hook_agent *agent,
				       const char *name)
{
	static const struct hook_tool other = { "", HOOK_OTHER, "", NULL };

	for (size_t i = 0; i < agent->tools_n; i++) {
		if (!strcmp(agent->tools[i].name, name))
			return &agent->tools[i];
	}
	return &other;
}

/* ------------------------------------------------------------ the options */

static void add_option(struct text *out, const char *name, const char *value)
{
	text_addf(out, " --%s", name);
	if (!value)
		return;
	text_add(out, "=");
	/* What needs no quotes is easier to read without. */
	if (value[0] && !value[strspn(value, "abcdefghijklmnopqrstuvwxyz"
					     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					     "0123456789_./:,@%+-")])
		text_add(out, value);
	else
		text_add_quoted(out, value);
}

static int find_self(struct arena *arena, const char **out, struct err *err)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return err_sys(err, "find the path of cordon itself");
	path[n] = '\0';
	if (path[0] != '/' || access(path, X_OK) < 0)
		return err_set(err, ERR_HOST,
			       "cordon itself is not at '%s' any more: install "
			       "it again, and the hook",
			       path);
	*out = arena_strdup(arena, path);
	return 0;
}

/* The agent calls from elsewhere. */
static int make_absolute(struct arena *arena, const char **file,
			 struct err *err)
{
	char path[PATH_MAX];

	if (!realpath(*file, path))
		return err_sys(err, "'%s'", *file);
	*file = arena_strdup(arena, path);
	return 0;
}

/* Strings in files of JSON and YAML, in one line. */
static int check_text(const char *text, struct err *err)
{
	struct arena arena = { 0 };
	struct text shown = { .arena = &arena };
	bool same;

	text_add_escaped(&shown, text);
	same = !strcmp(text_str(&shown), text);
	arena_free(&arena);
	if (same)
		return 0;
	return err_set(err, ERR_USAGE,
		       "a path or an option holds characters that a hook's "
		       "file cannot: '%.200s'",
		       text);
}

int hook_pinned_build(struct arena *arena, struct policy_args *args,
		      const struct host_args *host, struct hook_pinned *out,
		      struct err *err)
{
	struct text text = { .arena = arena };

	if (args->workdir)
		return err_set(err, ERR_USAGE,
			       "-C does not go with hooks: the agent says "
			       "where it works");
	for (size_t i = 0; i < args->profiles.n; i++) {
		const char **name = &args->profiles.v[i].text;

		if (strchr(*name, '/') && make_absolute(arena, name, err) < 0)
			return err_wrap(err, "--profile");
		add_option(&text, "profile", *name);
	}
	if (args->settings && make_absolute(arena, &args->settings, err) < 0)
		return err_wrap(err, "--settings");
	if (args->settings)
		add_option(&text, "settings", args->settings);
	if (args->no_project)
		add_option(&text, "no-project", NULL);
	for (size_t i = 0; i < args->keys.n; i++) {
		struct opt_value *value = &args->keys.v[i];

		/* The one that names a file to be read here. */
		if (!strcmp(value->opt->key, "syscalls.profile") &&
		    strchr(value->text, '/') &&
		    make_absolute(arena, &value->text, err) < 0)
			return err_wrap(err, "--%s", value->opt->name);
		add_option(&text, value->opt->name,
			   value->opt->arg ? value->text : NULL);
	}
	for (size_t i = 0; i < host->allow_degraded.n; i++)
		add_option(&text, "allow-degraded",
			   host->allow_degraded.v[i].text);
	out->options = text_str(&text);
	if (find_self(arena, &out->self, err) < 0 ||
	    check_text(out->self, err) < 0)
		return -1;
	return check_text(out->options, err);
}

/* ----------------------------------------------------------- the commands */

const char *hook_command_format(struct arena *arena,
				const struct hook_pinned *pinned,
				const struct hook_agent *agent, bool wrap)
{
	struct text text = { .arena = arena };

	text_add_quoted(&text, pinned->self);
	text_addf(&text, " hook %s%s%s", agent->name, pinned->options,
		  wrap ? " --wrap" : "");
	return text_str(&text);
}

static const char *program_name(const struct hook_script *script)
{
	const char *slash =
		script->n ? strrchr(script->v[0].words[0], '/') : NULL;

	return slash ? slash + 1 : "cordon";
}

bool hook_command_is_own(struct arena *arena, const char *command,
			 const struct hook_agent *agent, const char *like)
{
	struct hook_script script, known;
	const char *name;

	hook_script_scan(arena, command, &script);
	hook_script_scan(arena, like, &known);
	if (script.n != 1 || script.v[0].n < 3 || !script.plain)
		return false;
	name = program_name(&script);
	return strchr(script.v[0].words[0], '/') &&
	       (!strcmp(name, "cordon") ||
		!strcmp(name, program_name(&known))) &&
	       !strcmp(script.v[0].words[1], "hook") &&
	       !strcmp(script.v[0].words[2], agent->name);
}

const char *hook_wrap_format(struct arena *arena,
			     const struct hook_pinned *pinned,
			     const char *command)
{
	struct text text = { .arena = arena };

	text_add_quoted(&text, pinned->self);
	text_addf(&text, " run%s -c ", pinned->options);
	text_add_quoted(&text, command);
	return text_str(&text);
}

const char *hook_wrap_parse(struct arena *arena,
			    const struct hook_pinned *pinned, const char *text)
{
	const char *empty = hook_wrap_format(arena, pinned, "");
	size_t prefix = strlen(empty) - 1; /* with the first quote */
	struct text inside = { .arena = arena };
	const char *p = text + prefix;

	if (strncmp(text, empty, prefix) != 0)
		return NULL;
	while (*p && (*p != '\'' || !strncmp(p, "'\\''", 4))) {
		text_addn(&inside, p, 1);
		p += *p == '\'' ? 4 : 1;
	}
	/* Nothing follows the quote, and it is spelled as we do. */
	if (strcmp(p, "'") != 0 ||
	    strcmp(hook_wrap_format(arena, pinned, text_str(&inside)), text))
		return NULL;
	return text_str(&inside);
}
