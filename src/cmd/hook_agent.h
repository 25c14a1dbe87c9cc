/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_HOOK_AGENT_H
#define CORDON_CMD_HOOK_AGENT_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/prepare.h"

struct arena;
struct err;

/*
 * The agents that hooks are for, as data: where each keeps its hooks, which of
 * its tools are looked at, and in which form it asks and is answered.
 * docs/agents.md says what was read about them.
 */

/* What a tool does, as far as a policy has rules for it. */
enum hook_kind {
	HOOK_OTHER, /* nothing: no opinion */
	HOOK_SHELL, /* runs a command */
	HOOK_WRITE, /* writes the file that it names */
	HOOK_PATCH, /* writes the files that a patch names */
	HOOK_URL, /* fetches what a URL or a list of them names */
};

struct hook_tool {
	const char *name;
	enum hook_kind kind;
	const char *fields; /* of its input, those that are there: "a|b" */
	const char *directory; /* HOOK_SHELL: names where it runs, or NULL */
};

/* How an agent asks, and is answered. */
enum hook_form {
	HOOK_FORM_CLAUDE, /* hookSpecificOutput, silence, exit code 2 */
	HOOK_FORM_CURSOR, /* {"permission": …} */
	HOOK_FORM_CURSOR_SHELL, /* the same, without another input */
	HOOK_FORM_HERMES, /* {"action": …} */
	HOOK_FORM_OPENCODE, /* {"decision": …}, for our own plugin */
	HOOK_FORM_WINDSURF, /* exit code 2 and a line on standard error */
};

/* What its file looks like. */
enum hook_file {
	HOOK_FILE_GROUPS, /* JSON: event: [{matcher, hooks: [{command}]}] */
	HOOK_FILE_FLAT, /* JSON: event: [{command}] */
	HOOK_FILE_YAML, /* likewise, in YAML */
	HOOK_FILE_PLUGIN, /* a file of its own */
};

enum { HOOK_EVENTS_MAX = 2 };

struct hook_agent {
	const char *name;
	const char *title;
	enum hook_form form;
	enum hook_file file;
	const char *variable; /* names its directory; NULL: none does */
	const char *directory; /* below the home directory otherwise */
	const char *path; /* in that directory */
	const char *events[HOOK_EVENTS_MAX]; /* of its file */
	const char *matcher; /* tools that it calls us for; NULL: no such */
	const char *closed; /* member that stops the tool when we fail, as
				 * JSON; NULL: it has none */
	bool version; /* the file begins with "version": 1 */
	bool rewrites; /* takes another command for granted */
	bool may_rewrite; /* newer ones do: --wrap */
	const char *covers; /* for people */
	const char *note; /* what they have to know or do besides, or NULL */
	const struct hook_tool *tools;
	size_t tools_n;
};

/* NULL: there is none of this name. */
const struct hook_agent *hook_agent_find(const char *name);

/* ERR_USAGE unless the words are the name of one agent. */
int hook_agent_parse(const struct opt_rest *rest, const struct hook_agent **out,
		     struct err *err);

/* Its tool of this name; one that is HOOK_OTHER if it is not known. */
const struct hook_tool *hook_tool_find(const struct hook_agent *agent,
				       const char *name);

/* What was set up with the hook, and is the same in every call. */
struct hook_pinned {
	const char *self; /* cordon's own path */
	const char *options; /* " --profile=x …", each quoted; "" */
};

/*
 * @args as options in one form, so that the same ones give the same text.
 * Names of files become absolute in @args. ERR_USAGE where one of them cannot
 * be set up in advance.
 */
int hook_pinned_build(struct arena *arena, struct policy_args *args,
		      const struct host_args *host, struct hook_pinned *out,
		      struct err *err);

/* 'SELF' hook AGENT OPTIONS: what the agent is told to call. */
const char *hook_command_format(struct arena *arena,
				const struct hook_pinned *pinned,
				const struct hook_agent *agent, bool wrap);

/* Is this what hook_command_format() gives, with any path and options? The
 * program is called cordon, or as it is in the command @like. */
bool hook_command_is_own(struct arena *arena, const char *command,
			 const struct hook_agent *agent, const char *like);

/* 'SELF' run OPTIONS -c 'COMMAND' */
const char *hook_wrap_format(struct arena *arena,
			     const struct hook_pinned *pinned,
			     const char *command);

/* The command in what hook_wrap_format() gave; NULL if it did not. */
const char *hook_wrap_parse(struct arena *arena,
			    const struct hook_pinned *pinned, const char *text);

#endif
