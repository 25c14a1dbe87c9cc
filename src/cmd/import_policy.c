/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_policy.c - values of another program's settings into a policy
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing: every value passes the checks of the schema.
 * Must not: drop a value without a note.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "base/yaml.h"
#include "cmd/import.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/match.h"
#include "policy/names.h"

/* More than anybody writes; every rule is held against every other. */
enum { PATHS_MAX = 300, ITEMS_MAX = 1000 };

void import_note(struct import *im, enum import_loss loss, const char *path,
		 const struct yaml_node *node, const char *item,
		 const char *why)
{
	struct import_note note = {
		.loss = loss,
		.key = path,
		.item = item,
		.line = node ? node->line : 0,
		.why = why,
	};

	*ARENA_PUSH(im->arena, &im->notes) = note;
}

static size_t most_items(const struct policy_field *field)
{
	return field->form == POLICY_FORM_PATH ? PATHS_MAX : ITEMS_MAX;
}

static bool has_item(const struct policy_list *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->v[i].text, text))
			return true;
	}
	return false;
}

/* A reason without the value that it begins with: a note has that already. */
static const char *after_value(const char *reason, const char *value)
{
	size_t len = strlen(value);

	if (reason[0] == '\'' && !strncmp(reason + 1, value, len) &&
	    !strncmp(reason + 1 + len, "': ", 3))
		return reason + len + 4;
	return reason;
}

bool import_add(struct import *im, const char *key, const char *value,
		enum import_loss loss, const struct yaml_node *node,
		const char *path)
{
	const struct policy_field *field = policy_field_find(key);
	struct policy_origin origin = { im->source, node ? node->line : 0 };
	struct err refused = { 0 };

	if (policy_field_is_list(field)) {
		const struct policy_list *list =
			policy_field_list(field, &im->policy);

		if (has_item(list, value))
			return true;
		if (list->n >= most_items(field)) {
			import_note(im, loss, path, node, value,
				    arena_printf(im->arena,
						 "more than %zu rules for one "
						 "key are not taken over",
						 most_items(field)));
			return false;
		}
	}
	if (policy_set_text(im->arena, &im->policy, key, value, origin,
			    &refused) == 0)
		return true;
	import_note(im, loss, path, node, value,
		    after_value(arena_strdup(im->arena, refused.msg), value));
	return false;
}

void import_extend(struct import *im, const char *profile)
{
	if (im->extends)
		return;
	(void)import_add(im, "extends", profile, IMPORT_TOLD, NULL, "extends");
}

/* ----------------------------------------------------------------- paths */

/* X with a slash, or with one and two stars, is X; two stars alone are all
 * of what is here. */
static const char *strip_tail(struct arena *arena, const char *pattern)
{
	size_t n = strlen(pattern);

	for (;;) {
		if (n > 1 && pattern[n - 1] == '/')
			n--;
		else if (n > 2 && !strncmp(pattern + n - 3, "/**", 3))
			n -= n == 3 ? 2 : 3;
		else
			break;
	}
	if (n == 2 && !strncmp(pattern, "**", 2))
		return ".";
	return arena_strndup(arena, pattern, n);
}

/* `./x` is x, but for names that would mean something else without it. */
static const char *strip_head(const char *pattern)
{
	while (pattern[0] == '/' && pattern[1] == '/')
		pattern++;
	while (pattern[0] == '.' && pattern[1] == '/' && pattern[2] &&
	       !strchr("/~$", pattern[2]))
		pattern += 2;
	return pattern;
}

/* {a,b}: alternatives to some, characters here. */
static bool has_braces(const char *pattern)
{
	const char *open = strchr(pattern, '{');

	return open && strchr(open, '}') && strchr(open, ',');
}

static const char *path_trouble(struct import *im, const char *pattern)
{
	struct policy_item item = { .text = pattern };
	struct policy_path expanded;
	struct err err = { 0 };

	if (pattern[0] == '$')
		return "variables are not replaced there; write the path out";
	if (pattern[0] == '!')
		return "a pattern that takes back another has no counterpart";
	if (has_braces(pattern))
		return "{a,b} is no pattern here; write one rule for each";
	if (policy_path_expand(im->arena, &item, im->context, &expanded, &err) <
	    0)
		return "it is not a path that a rule can name";
	return NULL;
}

/* Everything below is looked through at each start of a box. */
static bool searches_much(const char *pattern)
{
	return !strncmp(pattern, "/**/", 4) || !strncmp(pattern, "~/**/", 5);
}

void import_add_path(struct import *im, const char *key, const char *pattern,
		     enum import_loss loss, const struct yaml_node *node,
		     const char *path)
{
	const char *trouble = path_trouble(im, pattern);
	const char *wanted;

	if (trouble) {
		import_note(im, loss, path, node, pattern, trouble);
		return;
	}
	wanted = strip_head(strip_tail(im->arena, pattern));
	if (import_add(im, key, wanted, loss, node, path) &&
	    searches_much(wanted))
		import_note(im, IMPORT_TOLD, path, node, pattern,
			    "all below is searched whenever a box starts; "
			    "narrow it if that takes long");
}

void import_add_plain_path(struct import *im, const char *key, const char *name,
			   enum import_loss loss, const struct yaml_node *node,
			   const char *path)
{
	struct text quoted = { .arena = im->arena };

	for (const char *s = name; *s; s++) {
		if (strchr("*?[\\", *s))
			text_add(&quoted, "\\");
		text_addn(&quoted, s, 1);
	}
	import_add_path(im, key, text_str(&quoted), loss, node, path);
}

/* -------------------------------------------------------------- commands */

/* What a shell does itself, so that nothing is executed. */
static const char *const builtins[] = { ".",	"alias", "cd",	   "eval",
					"exec", "exit",	 "export", "read",
					"set",	"shift", "source", "trap",
					"type", "umask", "unset",  NULL };
/* What it does itself although there is a program as well. */
static const char *const doubles[] = { "[",    "echo",	 "false", "kill",
				       "pwd",  "printf", "test",  "time",
				       "true", "ulimit", NULL };

static bool begins_with_word(const char *const *words, const char *text)
{
	size_t len = strcspn(text, " ");

	for (; *words; words++) {
		if (strlen(*words) == len && !strncmp(*words, text, len))
			return true;
	}
	return false;
}

static const char *command_trouble(const char *words)
{
	if (words[strcspn(words, "|&;<>()`$\n\r")])
		return "rules are about single programs, not about what a "
		       "shell makes of a line";
	if (words[strcspn(words, "\"'\\")])
		return "quotes and backslashes are not taken over";
	if (words[strcspn(words, "*?")])
		return "a command is matched by its first words; there are no "
		       "patterns within";
	if (memchr(words, '=', strcspn(words, " ")))
		return "it begins with a variable, which no program sees";
	if (begins_with_word(builtins, words))
		return "the shell does this itself and executes nothing";
	return NULL;
}

/* One blank between words. */
static const char *squeeze(struct arena *arena, const char *words)
{
	struct text out = { .arena = arena };

	for (;;) {
		size_t len;

		words += strspn(words, " \t");
		len = strcspn(words, " \t");
		if (!len)
			return text_str(&out);
		if (out.n)
			text_add(&out, " ");
		text_addn(&out, words, len);
		words += len;
	}
}

void import_add_command(struct import *im, bool allow, const char *words,
			enum import_loss loss, const struct yaml_node *node,
			const char *path)
{
	const char *plain = squeeze(im->arena, words);
	const char *trouble = *plain ? command_trouble(plain) : "it is empty";

	if (trouble) {
		import_note(im, loss, path, node, words, trouble);
		return;
	}
	if (import_add(im, allow ? "exec.allow" : "exec.deny", plain, loss,
		       node, path) &&
	    !allow && begins_with_word(doubles, plain))
		import_note(im, loss, path, node, words,
			    "only the program is denied; a shell does the same "
			    "itself");
}

/* ----------------------------------------------------------------- hosts */

static const char *const loopbacks[] = { "localhost", "127.0.0.1", "[::1]",
					 NULL };

/* The port of the host's own loopback, "" for none; NULL if it is not that. */
static const char *loopback_port(const char *host)
{
	for (size_t i = 0; loopbacks[i]; i++) {
		size_t len = strlen(loopbacks[i]);

		if (strncmp(host, loopbacks[i], len))
			continue;
		if (!host[len])
			return host + len;
		if (host[len] == ':')
			return host + len + 1;
	}
	return NULL;
}

static void allow_host(struct import *im, bool every_port, const char *host,
		       const struct yaml_node *node, const char *path)
{
	const char *port = loopback_port(host);
	struct policy_host parsed;

	if (port && !*port) {
		import_note(im, IMPORT_ALLOWED, path, node, host,
			    "the host's loopback is reached by port: list them "
			    "in network.host_ports");
		return;
	}
	if (port) {
		(void)import_add(im, "network.host_ports", port, IMPORT_ALLOWED,
				 node, path);
		return;
	}
	if (import_add(im, "network.allow", host, IMPORT_ALLOWED, node, path) &&
	    every_port && !policy_host_parse(host, &parsed) && !parsed.port)
		import_note(im, IMPORT_ALLOWED, path, node, NULL,
			    "without a port it was every port, here it is 80 "
			    "and 443; add NAME:PORT for others");
}

void import_add_host(struct import *im, enum import_hosts list,
		     const char *host, const struct yaml_node *node,
		     const char *path)
{
	bool deny = list == IMPORT_HOSTS_DENY;

	/* Names only would be denied, an address that is allowed would not. */
	if (deny && (!strcmp(host, "*") || !strcmp(host, "0.0.0.0/0")))
		im->network_off = true;
	else if (deny)
		(void)import_add(im, "network.deny", host, IMPORT_DENIED, node,
				 path);
	else
		allow_host(im, list == IMPORT_HOSTS_ALLOW, host, node, path);
}
