/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hook_check.c - what the policy says of a call that an agent wants to make
 *
 * Runs in:  the hook that an agent calls, outside of boxes or inside one.
 * Trusts:   what was set up with the hook; nothing in the call.
 * Must not: start anything, or let the call choose its policy.
 */
#include "cmd/hook_check.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/text.h"
#include "cmd/explain.h"
#include "cmd/hook_words.h"
#include "plan/egress.h"
#include "plan/exec_text.h"
#include "plan/explain.h"
#include "policy/command.h"
#include "policy/format.h"

enum { LOOKS_MAX = 512 };

/* ------------------------------------------------------ cordon by any name */

struct own {
	struct arena *arena;
	const char *self;
	const char *cwd;
	struct stat file; /* of @self */
	unsigned int looks; /* so far: a text has room for many names */
};

static bool is_same_file(struct own *own, const char *path, bool *directory)
{
	struct stat st;

	*directory = false;
	if (path[0] != '/')
		path = arena_printf(own->arena, "%s/%s", own->cwd, path);
	if (own->looks++ >= LOOKS_MAX || stat(path, &st) < 0)
		return false;
	*directory = S_ISDIR(st.st_mode);
	return st.st_dev == own->file.st_dev && st.st_ino == own->file.st_ino;
}

static bool is_in_path(struct own *own, const char *name)
{
	const char *path = getenv("PATH");
	bool directory;

	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n && is_same_file(own,
				      arena_printf(own->arena, "%.*s/%s",
						   (int)n, path, name),
				      &directory))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

/* hook_own_fn: by its name, as a pattern of it, or as the same file. */
static bool is_own(void *data, const char *word, bool command)
{
	struct own *own = data;
	const char *slash = strrchr(word, '/');
	const char *base = slash ? slash + 1 : word;
	const char *own_base = strrchr(own->self, '/') + 1;
	bool named = !strcmp(base, "cordon") || !strcmp(base, own_base) ||
		     (command && (!fnmatch(base, "cordon", 0) ||
				  !fnmatch(base, own_base, 0)));
	bool directory = false;

	if (slash)
		return is_same_file(own, word, &directory) ||
		       (named && !directory);
	return named || (command && is_in_path(own, word));
}

static const char *describe_own(struct arena *arena, const char *word)
{
	return arena_printf(arena,
			    "this would start cordon itself ('%.60s'); the "
			    "hook puts commands into the box, with the policy "
			    "that was set up for this agent: write the command "
			    "without cordon",
			    word);
}

/* ------------------------------------------------------------- commands */

/*
 * What the rules say of one simple command, @words from its name on. NULL:
 * nothing against it.
 */
static const char *hook_judge_words(struct arena *arena,
				    const struct plan_exec *exec,
				    const char *const *words, size_t n)
{
	const struct command_seen seen = {
		.names = words, .names_n = n ? 1 : 0, .argv = words, .argc = n
	};
	struct text line = { .arena = arena };
	struct command_verdict verdict;

	command_judge(&exec->rules, &seen, &verdict);
	if (!verdict.denied)
		return NULL;
	text_add_command(&line, words, n);
	return arena_printf(
		arena,
		"exec %.200s: denied by exec.deny '%s' (%s); what would change "
		"it: %s",
		text_str(&line), verdict.rule->text,
		policy_origin_format(arena, &verdict.rule->origin),
		plan_exec_remedy(arena, exec, &seen, verdict.rule));
}

/* A program that runs others is judged as each of those that its words could
 * mean. */
static const char *judge_command(struct arena *arena,
				 const struct plan_exec *exec,
				 const struct hook_command *command)
{
	const char *why =
		hook_judge_words(arena, exec, command->words, command->n);

	if (!hook_is_launcher(command->words[0]))
		return why;
	for (size_t i = 1; i < command->n && !why; i++) {
		if (command->words[i][0] != '-')
			why = hook_judge_words(arena, exec, command->words + i,
					       command->n - i);
	}
	return why;
}

static const char *judge_script(struct arena *arena, struct own *own,
				const struct plan_exec *exec,
				const struct hook_script *script,
				const char *text)
{
	const char *word =
		hook_script_find_own(arena, script, text, is_own, own);
	const char *why = NULL;

	if (word)
		return describe_own(arena, word);
	for (size_t i = 0; i < script->n && !why; i++)
		why = judge_command(arena, exec, &script->v[i]);
	return why;
}

/* First the check, then what needs no wrapping: neither `cd` nor a wrapper of
 * ours gets past it. */
static int check_shell(struct arena *arena, const struct hook_request *request,
		       const struct prepared *prepared, const char *command,
		       struct hook_answer *out, struct err *err)
{
	struct own own = { .arena = arena,
			   .self = request->pinned.self,
			   .cwd = prepared->context.workdir };
	const char *inside = hook_wrap_parse(arena, &request->pinned, command);
	struct plan_exec exec = { 0 };
	struct hook_script script;

	if (command_rules_build(arena, &prepared->policy.policy.exec,
				&exec.rules, err) < 0)
		return -1;
	if (stat(own.self, &own.file) < 0)
		return err_sys(err, "look at '%s'", own.self);
	hook_script_scan(arena, inside ? inside : command, &script);
	out->text = judge_script(arena, &own, &exec, &script,
				 inside ? inside : command);
	if (out->text) {
		out->verdict = HOOK_DENY;
		return 0;
	}
	if (!request->wrap || inside || host_is_inside_box() ||
	    hook_script_is_cd(&script) || (script.plain && !script.n))
		return 0;
	out->verdict = HOOK_WRAP;
	out->text = hook_wrap_format(arena, &request->pinned, command);
	return 0;
}

/* ---------------------------------------------------------------- files */

/* Skips @word in any case, and the blanks behind it. */
static bool skip_word(const char **p, const char *word)
{
	size_t n = strlen(word);

	if (strncasecmp(*p, word, n) != 0)
		return false;
	*p += n;
	*p += strspn(*p, " \t");
	return true;
}

/*
 * Skips "*** Update File: " and the like, as leniently as the tools read it.
 * @move: two names may follow.
 */
static bool skip_head(const char **p, bool *move)
{
	static const char *const acts[] = { "Add",    "Create", "Update",
					    "Delete", "Move",	"Rename" };
	size_t n = sizeof(acts) / sizeof(*acts), i = 0;

	*p += strspn(*p, " \t");
	if (!skip_word(p, "***"))
		return false;
	while (i < n && !skip_word(p, acts[i]))
		i++;
	if (i == n || (!skip_word(p, "File") && !skip_word(p, "to")))
		return false;
	*move = i >= n - 2;
	return skip_word(p, ":");
}

static void add_name(struct arena *arena, struct hook_texts *out,
		     const char *name, size_t n)
{
	for (; n && strchr(" \t", name[0]); n--)
		name++;
	while (n && strchr(" \t", name[n - 1]))
		n--;
	if (n)
		*ARENA_PUSH(arena, out) = arena_strndup(arena, name, n);
}

/* Each file stands on a line of its own; "A -> B" are two. */
void hook_patch_list(struct arena *arena, const char *patch,
		     struct hook_texts *out)
{
	*out = (struct hook_texts){ 0 };
	while (*patch) {
		size_t n = strcspn(patch, "\r\n");
		const char *end = patch + n, *p = patch, *arrow;
		bool move = false;

		if (skip_head(&p, &move) && p < end) {
			arrow = move ? memmem(p, (size_t)(end - p), "->", 2)
				     : NULL;
			add_name(arena, out, p,
				 (size_t)((arrow ? arrow : end) - p));
			if (arrow)
				add_name(arena, out, arrow + 2,
					 (size_t)(end - arrow - 2));
		}
		patch = end + strspn(end, "\r\n");
	}
}

/* A name that a policy would take for something else is one of a file. */
static const char *plain_name(struct arena *arena, const char *path)
{
	if (path[0] == '$' ||
	    (path[0] == '~' && path[1] != '/' && path[1] != '\0'))
		return arena_printf(arena, "./%s", path);
	return path;
}

static void judge_path(struct arena *arena, const struct prepared *prepared,
		       const char *path, struct hook_answer *out)
{
	const struct facts_path *fact = facts_path_find(&prepared->facts, path);
	struct plan_verdict verdict;

	if (fact && fact->real)
		path = fact->real;
	plan_explain_path(arena, &prepared->plan, path, true, &verdict);
	if (verdict.allowed)
		return;
	out->verdict = HOOK_DENY;
	out->text = arena_printf(arena,
				 "writing %s is denied by %s; what would "
				 "change it: %s",
				 path, verdict.reason, verdict.remedy);
}

static int check_files(struct arena *arena, const struct hook_request *request,
		       struct prepared *prepared,
		       const struct hook_texts *paths, struct hook_answer *out,
		       struct err *err)
{
	struct facts_strings look = { 0 };

	for (size_t i = 0; i < paths->n; i++) {
		const char *path;

		if (explain_path_expand(arena, prepared,
					plain_name(arena, paths->v[i]), &path,
					err) < 0)
			return -1;
		*ARENA_PUSH(arena, &look) = path;
	}
	if (prepare_plan(arena, &request->host, &look, prepared, err) < 0)
		return -1;
	for (size_t i = 0; i < look.n && out->verdict == HOOK_PASS; i++)
		judge_path(arena, prepared, look.v[i], out);
	return 0;
}

/* ------------------------------------------------------------------ URLs */

static const struct {
	const char *scheme;
	uint16_t port;
} schemes[] = {
	{ "https://", 443 },
	{ "http://", 80 },
};

/* Where a URL leads. One that programs read in different ways leads nowhere. */
static bool url_parse(const char *url, struct egress_target *out)
{
	uint16_t port = 443;
	const char *end, *at, *colon;
	unsigned long number;
	char *rest;

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
		size_t n = strlen(schemes[i].scheme);

		if (strncasecmp(url, schemes[i].scheme, n) != 0)
			continue;
		url += n;
		port = schemes[i].port;
		break;
	}
	end = url + strcspn(url, "/?#");
	if (url[strcspn(url, "\\ \t\r\n")] || strstr(url, "://"))
		return false;
	at = memrchr(url, '@', (size_t)(end - url));
	url = at ? at + 1 : url;
	colon = memrchr(url, ':', (size_t)(end - url));
	if (colon && (url[0] != '[' || colon[-1] == ']')) {
		number = strtoul(colon + 1, &rest, 10);
		if (rest != end || colon + 1 == end || colon[1] < '0' ||
		    colon[1] > '9' || !number || number > UINT16_MAX)
			return false;
		port = (uint16_t)number;
		end = colon;
	}
	return egress_target_parse(url, (size_t)(end - url), port, out);
}

static int check_urls(struct arena *arena, const struct hook_request *request,
		      struct prepared *prepared, const struct hook_texts *urls,
		      struct hook_answer *out, struct err *err)
{
	if (prepare_plan(arena, &request->host, NULL, prepared, err) < 0)
		return -1;
	for (size_t i = 0; i < urls->n && out->verdict == HOOK_PASS; i++) {
		struct plan_net_verdict verdict;
		struct egress_target target;

		if (!url_parse(urls->v[i], &target))
			return err_set(err, ERR_POLICY,
				       "'%.200s' is not a URL of http or "
				       "https that names a host",
				       urls->v[i]);
		plan_explain_net(arena, &prepared->policy.policy,
				 &prepared->plan, &target, &verdict);
		if (verdict.allowed)
			continue;
		out->verdict = HOOK_DENY;
		out->text = arena_printf(
			arena,
			"connecting to %s:%u is denied by %s; what would "
			"change it: %s",
			target.name, (unsigned int)target.port, verdict.reason,
			verdict.remedy ? verdict.remedy : "nothing");
	}
	return 0;
}

/* As in the directory @workdir, from which projects' files are found. */
static int check_in(struct arena *arena, struct hook_request *request,
		    const struct hook_call *call, const char *workdir,
		    struct hook_answer *out, struct err *err)
{
	struct prepared *prepared = arena_array(arena, struct prepared, 1);

	*out = (struct hook_answer){ 0 };
	request->policy.workdir = workdir;
	if (prepare_policy(arena, &request->policy, prepared, err) < 0)
		return -1;
	switch (call->kind) {
	case HOOK_SHELL:
		return check_shell(arena, request, prepared, call->texts.v[0],
				   out, err);
	case HOOK_WRITE:
	case HOOK_PATCH:
		return check_files(arena, request, prepared, &call->texts, out,
				   err);
	case HOOK_URL:
		return check_urls(arena, request, prepared, &call->texts, out,
				  err);
	case HOOK_OTHER:
		break;
	}
	return 0;
}

int hook_check(struct arena *arena, struct hook_request *request,
	       const struct hook_call *call, struct hook_answer *out,
	       struct err *err)
{
	*out = (struct hook_answer){ 0 };
	if (call->kind == HOOK_OTHER)
		return 0;
	if (check_in(arena, request, call, call->cwd, out, err) < 0)
		return -1;
	/* Where a command runs is the model's choice: it counts besides. */
	if (!call->runs_in || out->verdict == HOOK_DENY)
		return 0;
	return check_in(arena, request, call, call->runs_in, out, err);
}
