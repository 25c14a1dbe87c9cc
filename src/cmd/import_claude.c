/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_claude.c - settings of Claude Code
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the document.
 * Must not: let a rule that allows reach into one that denies or asks: there
 *           the order is deny, ask, allow, however specific a rule is.
 *
 * A rule is TOOL or TOOL(WHAT). Those about commands, paths and domains have
 * counterparts; the others are about the agent's own tools.
 */
#include <string.h>

#include "base/arena.h"
#include "base/yaml.h"
#include "cmd/import_claude_rules.h"
#include "cmd/import_srt.h"

/* ----------------------------------------------------------- permissions */

static int take_allow(struct import *im, const struct yaml_node *node,
		      const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_claude_rule(im, CLAUDE_ALLOW, node, path);
	return 0;
}

static int take_ask(struct import *im, const struct yaml_node *node,
		    const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_claude_rule(im, CLAUDE_ASK, node, path);
	return 0;
}

static int take_deny(struct import *im, const struct yaml_node *node,
		     const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_claude_rule(im, CLAUDE_DENY, node, path);
	return 0;
}

/* Without prompts only what is allowed is done. */
static bool writes_only_allowed(const char *mode)
{
	return !strcmp(mode, "plan") || !strcmp(mode, "dontAsk");
}

static int take_directories(struct import *im, const struct yaml_node *node,
			    const char *path)
{
	const char *mode = im->state;
	const char *key = writes_only_allowed(mode) ? "filesystem.allow_read"
						    : "filesystem.allow_write";

	for (node = node->first; node; node = node->next)
		import_add_plain_path(im, key, node->text, IMPORT_ALLOWED, node,
				      path);
	return 0;
}

static int take_mode(struct import *im, const struct yaml_node *node,
		     const char *path)
{
	if (!strcmp(node->text, "bypassPermissions"))
		import_note(im, IMPORT_ALLOWED, path, node, node->text,
			    "nothing is asked there; here the rules hold");
	return 0;
}

static const struct import_key permissions_keys[] = {
	IMPORT_TAKE("allow", IMPORT_TEXTS, take_allow),
	IMPORT_TAKE("ask", IMPORT_TEXTS, take_ask),
	IMPORT_TAKE("deny", IMPORT_TEXTS, take_deny),
	IMPORT_TAKE("additionalDirectories", IMPORT_TEXTS, take_directories),
	IMPORT_TAKE("defaultMode", IMPORT_TEXT, take_mode),
	IMPORT_PASS("disableBypassPermissionsMode", IMPORT_TEXT),
	IMPORT_PASS("disableAutoMode", IMPORT_TEXT),
	IMPORT_PASS("skipDangerousModePermissionPrompt", IMPORT_FLAG),
	IMPORT_END,
};

static int take_permissions(struct import *im, const struct yaml_node *node,
			    const char *path)
{
	return import_take_map(im, node, path, permissions_keys);
}

/* --------------------------------------------------------------- sandbox */

static int take_enabled(struct import *im, const struct yaml_node *node,
			const char *path)
{
	if (!import_is_true(node))
		import_note(im, IMPORT_TOLD, path, node, NULL,
			    "it is switched off there; its rules were taken");
	return 0;
}

static int take_network(struct import *im, const struct yaml_node *node,
			const char *path)
{
	im->network_said = true;
	return import_take_srt_network(im, node, path);
}

static const char outside[] = "nothing is run outside of the box";

static const struct import_key sandbox_keys[] = {
	IMPORT_TAKE("enabled", IMPORT_FLAG, take_enabled),
	IMPORT_TAKE("network", IMPORT_MAP, take_network),
	IMPORT_TAKE("filesystem", IMPORT_MAP, import_take_srt_filesystem),
	IMPORT_TAKE("credentials", IMPORT_MAP, import_take_srt_credentials),
	IMPORT_TELL("excludedCommands", IMPORT_TEXTS, IMPORT_ALLOWED, outside),
	IMPORT_TELL("allowUnsandboxedCommands", IMPORT_FLAG, IMPORT_ALLOWED,
		    outside),
	IMPORT_PASS("autoAllowBashIfSandboxed", IMPORT_FLAG),
	IMPORT_PASS("failIfUnavailable", IMPORT_FLAG),
	IMPORT_PASS("enabledPlatforms", IMPORT_TEXTS),
	IMPORT_TELL("ignoreViolations", IMPORT_MAP, IMPORT_TOLD,
		    "it decides what is reported, not what is allowed"),
	IMPORT_TELL("enableWeakerNestedSandbox", IMPORT_FLAG, IMPORT_TOLD,
		    "nothing is weakened to run inside a container"),
	IMPORT_TELL("enableWeakerNetworkIsolation", IMPORT_FLAG, IMPORT_TOLD,
		    "it is about macOS"),
	IMPORT_TELL("ripgrep", IMPORT_MAP, IMPORT_TOLD,
		    "it is about the other program's own parts"),
	IMPORT_END,
};

static int take_sandbox(struct import *im, const struct yaml_node *node,
			const char *path)
{
	return import_take_map(im, node, path, sandbox_keys);
}

/* -------------------------------------------------------------- document */

static const struct import_key root_keys[] = {
	IMPORT_TAKE("permissions", IMPORT_MAP, take_permissions),
	IMPORT_TAKE("sandbox", IMPORT_MAP, take_sandbox),
	IMPORT_PASS("$schema", IMPORT_TEXT),
	IMPORT_END,
};

static const struct import_key *find_root(const char *name)
{
	for (const struct import_key *row = root_keys; row->name; row++) {
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

/* Models, hooks, themes: there are many, and they stay where they are. */
static void note_others(struct import *im, const struct yaml_node *root)
{
	for (const struct yaml_node *node = root->first; node;
	     node = node->next) {
		if (!find_root(node->key))
			import_note(im, IMPORT_TOLD, "settings", node,
				    node->key,
				    "keys of the agent itself, or not known; "
				    "they stay in its settings");
	}
}

static int take_known(struct import *im, const struct yaml_node *root)
{
	struct yaml_node known = *root;
	const struct yaml_node **end = &known.first;

	/* A list of its own, of copies: the tree is for reading only. */
	known.first = NULL;
	for (const struct yaml_node *node = root->first; node;
	     node = node->next) {
		struct yaml_node *copy =
			arena_array(im->arena, struct yaml_node, 1);

		if (!find_root(node->key))
			continue;
		*copy = *node;
		copy->next = NULL;
		*end = copy;
		end = &copy->next;
	}
	return import_take_map(im, &known, "", root_keys);
}

/* What the profile that was chosen here means. */
static void note_profile(struct import *im, bool only_allowed)
{
	if (!only_allowed)
		import_note(im, IMPORT_TOLD, "extends", NULL, NULL,
			    "what would be asked about and has no rule is "
			    "decided by the profile: the current directory "
			    "can be written");
	import_note(im, IMPORT_TOLD, "extends", NULL, NULL,
		    "an agent that runs in the box itself needs its service: "
		    "--extends agent allows it");
}

int import_read_claude(struct import *im, const struct yaml_node *root)
{
	const struct yaml_node *mode =
		import_find(import_find(root, "permissions"), "defaultMode");
	char *name = arena_strdup(
		im->arena, mode && mode->kind == YAML_KIND_SCALAR ? mode->text
								  : "default");

	im->state = name;
	im->deny_exec_wins = true;
	import_extend(im, writes_only_allowed(name) ? "base" : "default");
	if (!im->extends)
		note_profile(im, writes_only_allowed(name));
	if (!root)
		return 0;
	note_others(im, root);
	return take_known(im, root);
}
