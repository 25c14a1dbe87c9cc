/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_claude_rules.c - permission rules of Claude Code
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in a rule.
 * Must not: allow more than a rule says: one that allows exactly a command
 *           does not allow what begins with it.
 */
#include "cmd/import_claude_rules.h"

#include <string.h>

#include "base/arena.h"
#include "base/yaml.h"

/* A rule on its way into the policy. */
struct rule {
	struct import *im;
	const struct yaml_node *node;
	const char *path;
	bool allow;
	enum import_loss loss; /* if it has no counterpart */
	const char *tool;
	const char *what; /* between the brackets */
};

static void note_rule(const struct rule *rule, const char *why)
{
	import_note(rule->im, rule->loss, rule->path, rule->node,
		    rule->node->text, why);
}

/* -------------------------------------------------------------- commands */

static bool cut_end(char *text, const char *end)
{
	size_t n = strlen(text), len = strlen(end);

	if (n < len || strcmp(text + n - len, end))
		return false;
	text[n - len] = '\0';
	return true;
}

static void take_command(const struct rule *rule)
{
	char *words = arena_strdup(rule->im->arena, rule->what);

	if (cut_end(words, ":*") || cut_end(words, " *")) {
		import_add_command(rule->im, rule->allow, words, rule->loss,
				   rule->node, rule->path);
		return;
	}
	if (cut_end(words, "*")) {
		/* Denied as far as words go. */
		if (!rule->allow)
			import_add_command(rule->im, false, words, rule->loss,
					   rule->node, rule->path);
		note_rule(rule, "rules end at the end of a word, so what only "
				"begins with the last one is not matched");
		return;
	}
	if (!rule->allow) {
		import_add_command(rule->im, false, words, rule->loss,
				   rule->node, rule->path);
		return;
	}
	if (strchr(words, '*')) {
		note_rule(rule, "a command is matched by its first words; "
				"there are no patterns within");
		return;
	}
	import_note(rule->im, IMPORT_TOLD, rule->path, rule->node,
		    rule->node->text,
		    "exactly this command, and rules here are about "
		    "beginnings; what nothing denies needs no rule");
}

/* ----------------------------------------------------------------- paths */

/*
 * //x is absolute, /x is in the project, x in the working directory; without
 * a slash before its end it is at any depth, as in .gitignore.
 */
static const char *path_of(struct arena *arena, const char *what)
{
	const char *slash = strchr(what, '/');

	if (!strncmp(what, "//", 2))
		return what + 1;
	if (what[0] == '/')
		return arena_printf(arena, ".%s", what[1] ? what : "");
	if (what[0] == '~' || what[0] == '!' || what[0] == '$' ||
	    !strcmp(what, ".") || !strcmp(what, "..") || !strcmp(what, "**"))
		return what;
	if (!slash || !slash[1])
		return arena_printf(arena, "**/%s", what);
	return what;
}

static void take_read(const struct rule *rule)
{
	import_add_path(
		rule->im,
		rule->allow ? "filesystem.allow_read" : "filesystem.deny_read",
		path_of(rule->im->arena, rule->what), rule->loss, rule->node,
		rule->path);
}

static void take_write(const struct rule *rule)
{
	import_add_path(rule->im,
			rule->allow ? "filesystem.allow_write"
				    : "filesystem.deny_write",
			path_of(rule->im->arena, rule->what), rule->loss,
			rule->node, rule->path);
}

/* --------------------------------------------------------------- domains */

static void take_fetch(const struct rule *rule)
{
	static const char domain[] = "domain:";
	const char *host = rule->what + strlen(domain);

	if (strncmp(rule->what, domain, strlen(domain))) {
		note_rule(rule, "only domain:NAME has a counterpart");
	} else if (rule->allow && !strcmp(host, "*")) {
		note_rule(rule, "every name is not taken over; add \"*\" to "
				"network.allow if it is meant");
	} else {
		import_add_host(
			rule->im,
			rule->allow ? IMPORT_HOSTS_WEB : IMPORT_HOSTS_DENY,
			host, rule->node, rule->path);
	}
}

/* ----------------------------------------------------------------- rules */

struct tool {
	const char *name;
	void (*take)(const struct rule *rule);
};

static const struct tool tools[] = {
	{ "Bash", take_command },
	{ "Read", take_read },
	{ "Glob", take_read },
	{ "Grep", take_read },
	{ "LS", take_read },
	{ "Edit", take_write },
	{ "Write", take_write },
	{ "MultiEdit", take_write },
	{ "NotebookEdit", take_write },
	{ "WebFetch", take_fetch },
};

static const struct tool *find_tool(const char *name)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	}
	return NULL;
}

/* What stands in the brackets, "" if nothing does. */
static void split_rule(struct rule *rule)
{
	struct arena *arena = rule->im->arena;
	const char *text = rule->node->text;
	const char *open = strchr(text, '(');
	size_t n = strlen(text);

	if (!open || text[n - 1] != ')') {
		rule->tool = text;
		rule->what = "";
		return;
	}
	rule->tool = arena_strndup(arena, text, (size_t)(open - text));
	rule->what = arena_strndup(arena, open + 1,
				   (size_t)(text + n - 1 - open - 1));
}

static bool is_everything(const char *what)
{
	return !*what || !strcmp(what, "*") || !strcmp(what, ":*");
}

void import_add_claude_rule(struct import *im, enum claude_list list,
			    const struct yaml_node *node, const char *path)
{
	struct rule rule = {
		.im = im,
		.node = node,
		.path = path,
		.allow = list == CLAUDE_ALLOW,
		.loss = list == CLAUDE_ALLOW ? IMPORT_ALLOWED : IMPORT_DENIED,
	};
	const struct tool *tool;

	split_rule(&rule);
	tool = find_tool(rule.tool);
	if (!tool) {
		note_rule(&rule, "it is about a tool of the agent, not about "
				 "commands, files or the network");
		return;
	}
	if (is_everything(rule.what)) {
		note_rule(&rule, "a tool as a whole is not taken over; the "
				 "profile decides");
		return;
	}
	if (list == CLAUDE_ASK)
		import_note(im, IMPORT_ALLOWED, path, node, node->text,
			    "nobody can be asked, so it is denied");
	tool->take(&rule);
}
