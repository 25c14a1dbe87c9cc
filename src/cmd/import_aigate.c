/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_aigate.c - settings of aigate
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the document.
 * Must not: take an empty list of hosts for the whole network, as aigate does.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/yaml.h"
#include "cmd/import.h"
#include "policy/fields.h"

static int take_deny_read(struct import *im, const struct yaml_node *node,
			  const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_path(im, "filesystem.deny_read", node->text,
				IMPORT_DENIED, node, path);
	return 0;
}

static int take_deny_exec(struct import *im, const struct yaml_node *node,
			  const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_command(im, false, node->text, IMPORT_DENIED, node,
				   path);
	return 0;
}

static int take_allow_net(struct import *im, const struct yaml_node *node,
			  const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_host(im, IMPORT_HOSTS_ALLOW, node->text, node, path);
	return 0;
}

/* ---------------------------------------------------------------- limits */

/* A limit that this build would refuse is a note, so that the rest runs. */
static void add_limit(struct import *im, const char *key, const char *value,
		      const struct yaml_node *node, const char *path)
{
	if (policy_field_find(key)->supported) {
		(void)import_add(im, key, value, IMPORT_DENIED, node, path);
		return;
	}
	import_note(im, IMPORT_TOLD, path, node, value,
		    arena_printf(im->arena,
				 "%s is not held by this build, nor was it "
				 "there",
				 key));
}

static int take_memory(struct import *im, const struct yaml_node *node,
		       const char *path)
{
	if (node->kind != YAML_KIND_SCALAR)
		return import_fail(im, node, path, "a size is expected");
	add_limit(im, "limits.memory", node->text, node, path);
	return 0;
}

/* Of one processor, as cgroups count. */
static int take_cpu(struct import *im, const struct yaml_node *node,
		    const char *path)
{
	unsigned long percent = strtoul(node->text, NULL, 10);

	if (!percent)
		return 0; /* as if it were not there */
	if (percent > 100 * 1000)
		return import_fail(im, node, path,
				   "a percentage up to 100000 is expected");
	add_limit(im, "limits.cpus",
		  arena_printf(im->arena, "%lu.%02lu", percent / 100,
			       percent % 100),
		  node, path);
	return 0;
}

static int take_pids(struct import *im, const struct yaml_node *node,
		     const char *path)
{
	if (strcmp(node->text, "0")) /* which is no limit */
		add_limit(im, "limits.processes", node->text, node, path);
	return 0;
}

static const struct import_key limits_keys[] = {
	IMPORT_TAKE("max_memory", IMPORT_ANY, take_memory),
	IMPORT_TAKE("max_cpu_percent", IMPORT_NUMBER, take_cpu),
	IMPORT_TAKE("max_pids", IMPORT_NUMBER, take_pids),
	IMPORT_END,
};

static int take_limits(struct import *im, const struct yaml_node *node,
		       const char *path)
{
	return import_take_map(im, node, path, limits_keys);
}

/* --------------------------------------------------------------- masking */

static int take_presets(struct import *im, const struct yaml_node *node,
			const char *path)
{
	for (node = node->first; node; node = node->next)
		(void)import_add(im, "output.mask.presets", node->text,
				 IMPORT_DENIED, node, path);
	return 0;
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Both forms of the letter or of the range of letters at @s in a set. */
static size_t add_both_in_set(struct text *out, const char *s)
{
	size_t len = s[1] == '-' && is_letter(s[2]) ? 3 : 1;

	text_addn(out, s, len);
	/* [A-z] has both already, and would be turned round. */
	if (len == 3 && (s[0] & 0x20) != (s[2] & 0x20))
		return len;
	for (size_t i = 0; i < len; i++) {
		char c = (char)(is_letter(s[i]) ? s[i] ^ 0x20 : s[i]);

		text_addn(out, &c, 1);
	}
	return len;
}

/* Of a set, up to its bracket. */
static const char *copy_set(struct text *out, const char *s)
{
	const char *begin = s + 1 + (s[1] == '^');

	text_addn(out, s, (size_t)(begin - s));
	for (s = begin; *s && (*s != ']' || s == begin);) {
		const char *end = NULL;

		if (s[0] == '[' && s[1] == ':')
			end = strstr(s, ":]");
		if (end) {
			text_addn(out, s, (size_t)(end + 2 - s));
			s = end + 2;
		} else if (is_letter(*s)) {
			s += add_both_in_set(out, s);
		} else {
			size_t len = *s == '\\' && s[1] ? 2 : 1;

			text_addn(out, s, len);
			s += len;
		}
	}
	return s;
}

/* `[kK]` is understood by every kind of regular expression, a flag is not. */
static const char *fold_case(struct arena *arena, const char *regex)
{
	struct text out = { .arena = arena };

	for (const char *s = regex; *s;) {
		if (*s == '[') {
			s = copy_set(&out, s);
		} else if (*s == '\\' && s[1]) {
			text_addn(&out, s, 2);
			s += 2;
		} else if (is_letter(*s)) {
			text_addf(&out, "[%c%c]", *s | 0x20, *s & ~0x20);
			s++;
		} else {
			text_addn(&out, s++, 1);
		}
	}
	return text_str(&out);
}

static int take_pattern(struct import *im, const struct yaml_node *entry,
			const char *path)
{
	const struct yaml_node *regex = import_find(entry, "regex");
	const struct yaml_node *prefix = import_find(entry, "show_prefix");
	const char *text;

	if (!regex || regex->kind != YAML_KIND_SCALAR)
		return import_fail(im, regex ? regex : entry, path,
				   "regex: a string is expected");
	text = regex->text;
	if (strstr(text, "(?")) {
		import_note(im, IMPORT_DENIED, path, regex, text,
			    "groups with a question mark are not taken over");
		return 0;
	}
	if (import_is_true(import_find(entry, "case_insensitive")))
		text = fold_case(im->arena, text);
	(void)import_add(im, "output.mask.patterns", text, IMPORT_DENIED, regex,
			 path);
	if (prefix &&
	    (prefix->kind != YAML_KIND_SCALAR || strcmp(prefix->text, "0")))
		import_note(im, IMPORT_TOLD, path, prefix, regex->text,
			    "show_prefix: all that it matches is blotted out");
	return 0;
}

static int take_patterns(struct import *im, const struct yaml_node *node,
			 const char *path)
{
	for (node = node->first; node; node = node->next) {
		if (take_pattern(im, node, path) < 0)
			return -1;
	}
	return 0;
}

static const struct import_key mask_keys[] = {
	IMPORT_TAKE("presets", IMPORT_TEXTS, take_presets),
	IMPORT_TAKE("patterns", IMPORT_MAPS, take_patterns),
	IMPORT_END,
};

static int take_mask(struct import *im, const struct yaml_node *node,
		     const char *path)
{
	return import_take_map(im, node, path, mask_keys);
}

/* -------------------------------------------------------------- document */

static const char no_account[] = "a box runs as its caller; no group or user "
				 "is needed";

static const struct import_key root_keys[] = {
	IMPORT_TELL("group", IMPORT_TEXT, IMPORT_TOLD, no_account),
	IMPORT_TELL("user", IMPORT_TEXT, IMPORT_TOLD, no_account),
	IMPORT_TAKE("deny_read", IMPORT_TEXTS, take_deny_read),
	IMPORT_TAKE("deny_exec", IMPORT_TEXTS, take_deny_exec),
	IMPORT_TAKE("allow_net", IMPORT_TEXTS, take_allow_net),
	IMPORT_TAKE("resource_limits", IMPORT_MAP, take_limits),
	IMPORT_TAKE("mask_stdout", IMPORT_MAP, take_mask),
	IMPORT_END,
};

int import_read_aigate(struct import *im, const struct yaml_node *root)
{
	const struct yaml_node *hosts = import_find(root, "allow_net");

	im->network_said = true;
	import_extend(im, "default");
	import_note(im, IMPORT_ALLOWED, "filesystem", NULL, NULL,
		    "all of the user's files could be written; here it is the "
		    "current directory and what allow_write names");
	if (!hosts || (hosts->kind == YAML_KIND_LIST && !hosts->n))
		import_note(im, IMPORT_ALLOWED, "allow_net", hosts, NULL,
			    "no hosts were the whole network there; here they "
			    "are none: list what is needed in network.allow");
	return root ? import_take_map(im, root, "", root_keys) : 0;
}
