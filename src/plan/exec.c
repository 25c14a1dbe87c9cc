/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/exec.c - which programs are masked, and what is left to be judged
 *
 * Runs in:  the process that reads the policy, before any privilege is taken.
 * Trusts:   facts; nothing in the policy.
 * Must not: look at the file system, or mask a program that no rule denies as
 *           a whole.
 *
 * A mask is a wall: nobody gets the content of a masked file, whatever it is
 * called or copied to. But a file can be several programs (busybox, systemctl
 * as reboot): there the name is masked, and the judge looks at what the file
 * is called.
 */
#include "plan/exec.h"

#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "plan/claims.h"
#include "plan/plan.h"
#include "plan/view.h"
#include "policy/command.h"
#include "policy/format.h"

/* More names than that in directories of programs: a multicall program. */
enum { NAMES_OF_ONE = 6 };

/* Where programs lie besides PATH: it can be changed in the box. */
static const char *const program_dirs[] = {
	"/usr/local/sbin",
	"/usr/local/bin",
	"/usr/sbin",
	"/usr/bin",
	"/sbin",
	"/bin",
	"/usr/games",
	"/usr/lib/klibc/bin",
	NULL,
};

/* Second copies, or links, that lie beside the parts of a program. */
static const struct {
	const char *name;
	const char *path;
} elsewhere[] = {
	{ "git", "/usr/lib/git-core/git" },
	{ "git", "/usr/libexec/git-core/git" },
	{ "git", "/usr/local/lib/git-core/git" },
	{ "git", "/usr/local/libexec/git-core/git" },
};

/* They run what a mask on a single program does not hold. */
static const char *const multicalls[] = { "busybox", "toybox", "coreutils",
					  NULL };

static void add_once(struct arena *arena, const char *s,
		     struct facts_strings *out)
{
	for (size_t i = 0; i < out->n; i++) {
		if (!strcmp(out->v[i], s))
			return;
	}
	*ARENA_PUSH(arena, out) = s;
}

static void ask_program(struct arena *arena, const char *name,
			struct facts_strings *out)
{
	add_once(arena, name, out);
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		if (!strcmp(elsewhere[i].name, name))
			add_once(arena, elsewhere[i].path, out);
	}
}

/* PATH as the policy sets it; the caller's is known to who looks. */
static void ask_path_variable(struct arena *arena, const struct policy *policy,
			      struct plan_queries *out)
{
	const struct policy_list *set = &policy->environment.set;

	for (size_t i = 0; i < set->n; i++) {
		const char *path = set->v[i].text;

		if (strncmp(path, "PATH=", 5) != 0)
			continue;
		for (path += 5; *path; path += *path == ':') {
			size_t n = strcspn(path, ":");

			add_once(arena, arena_strndup(arena, path, n),
				 &out->program_dirs);
			path += n;
		}
	}
}

static bool has_deny(const struct command_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		if (!rules->v[i].allow)
			return true;
	}
	return false;
}

int plan_exec_ask(struct arena *arena, const struct policy *policy,
		  const struct policy_context *context,
		  struct plan_queries *out, struct err *err)
{
	struct command_rules rules;

	if (command_rules_build(arena, &policy->exec, &rules, err) < 0)
		return -1;
	if (!has_deny(&rules))
		return 0;
	for (size_t i = 0; i < rules.n; i++)
		ask_program(arena, rules.v[i].words[0], &out->programs);
	for (const char *const *name = multicalls; *name; name++)
		add_once(arena, *name, &out->programs);
	ask_path_variable(arena, policy, out);
	for (const char *const *dir = program_dirs; *dir; dir++)
		add_once(arena, *dir, &out->program_dirs);
	add_once(arena, path_join(arena, context->home, ".local/bin"),
		 &out->program_dirs);
	return 0;
}

struct builder {
	struct arena *arena;
	const struct policy_context *context;
	const struct facts *facts;
	struct claims *claims;
	struct plan_exec *out;
	bool unmasked; /* a rule that masks do not hold */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same_file(const struct facts_path *a, const struct facts_path *b)
{
	return a->id.dev == b->id.dev && a->id.ino == b->id.ino;
}

/* "python3.11" is still "python3"; "mawk" is not "awk", nor "vim" "vi". */
static bool is_name_of(const char *name, const char *file)
{
	size_t n = strlen(name);
	char next = strncmp(name, file, n) ? 'x' : file[n];

	return !((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'));
}

/* git-add and git-push are git. */
static bool is_hard_multicall(const struct facts_program *program)
{
	const char *name = base_name(program->at.path);
	size_t names = 0;

	for (size_t i = 0; i < program->others.n; i++) {
		if (command_is_multicall(program->others.v[i]))
			return true;
		names += !is_name_of(name, base_name(program->others.v[i]));
	}
	return names >= NAMES_OF_ONE;
}

/* Does the file lie where programs do under the name that it has? */
static bool is_program_itself(const struct builder *b, const char *real)
{
	const char *base = base_name(real);
	size_t n = (size_t)(base - real) - 1;

	for (size_t i = 0; i < b->facts->program_dirs.n; i++) {
		const char *dir = b->facts->program_dirs.v[i];

		if (strlen(dir) == n && !strncmp(dir, real, n))
			return true;
	}
	return false;
}

/* Is this name one of several that the file has, as several programs? */
static bool is_alias(const struct builder *b,
		     const struct facts_program *program)
{
	const char *name = base_name(program->at.path);
	const char *file = base_name(program->at.real);

	if (command_is_multicall(file) && strcmp(name, file) != 0)
		return true;
	if (is_hard_multicall(program) && !command_is_multicall(name))
		return true;
	return !is_name_of(name, file) &&
	       is_program_itself(b, program->at.real);
}

static bool is_about(const struct command_rule *rule,
		     const struct facts_program *program)
{
	if (!strcmp(rule->words[0], program->name))
		return true;
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		if (!strcmp(elsewhere[i].name, rule->words[0]) &&
		    !strcmp(elsewhere[i].path, program->name))
			return true;
	}
	return false;
}

/* Something that begins with the program is allowed: it has to be readable. */
static bool is_partly_allowed(const struct builder *b,
			      const struct facts_program *program)
{
	for (size_t i = 0; i < b->out->rules.n; i++) {
		const struct command_rule *rule = &b->out->rules.v[i];
		const char *name = rule->words[0];

		if (!rule->allow || rule->n == 1)
			continue;
		if (!strcmp(base_name(name), base_name(program->at.path)) ||
		    !strcmp(base_name(name), base_name(program->at.real)) ||
		    !strcmp(name, program->name))
			return true;
	}
	return false;
}

static void claim_add(struct builder *b, const struct command_rule *rule,
		      const char *path, bool links_only)
{
	*ARENA_PUSH(b->arena, b->claims) = (struct claim){
		.kind = CLAIM_DENY_READ,
		.path = path,
		.shipped = true,
		.links_only = links_only,
		.key = PLAN_EXEC_KEY,
		.origin = rule->origin,
	};
}

/* What lies in the workspace is the box's to replace. A home directory or
 * one of the system that the box is started in is none. */
static bool in_workspace(const struct builder *b, const char *path)
{
	return path_within(b->context->workdir, path) &&
	       !view_is_too_wide(b->context, b->context->workdir);
}

/* True if nobody gets the content of the file any more. */
static bool mask(struct builder *b, const struct command_rule *rule,
		 const struct facts_program *program)
{
	bool alias = is_alias(b, program);

	if (is_partly_allowed(b, program) ||
	    in_workspace(b, program->at.path) ||
	    in_workspace(b, program->at.real)) {
		b->unmasked = true;
		return false;
	}
	b->unmasked |= alias;
	claim_add(b, rule, program->at.path, alias && program->at.links.n);
	for (size_t i = 0; !alias && i < program->others.n; i++)
		claim_add(b, rule, program->others.v[i], false);
	return !alias;
}

static void mask_programs(struct builder *b, const struct command_rule *rule,
			  bool *masked)
{
	for (size_t i = 0; i < b->facts->programs.n; i++) {
		const struct facts_program *program = &b->facts->programs.v[i];

		if (is_about(rule, program) && mask(b, rule, program))
			masked[i] = true;
	}
}

static bool is_listed(const struct plan_programs *list, const char *path)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->v[i].path, path))
			return true;
	}
	return false;
}

static void list_add(struct builder *b, const struct facts_program *program,
		     const char *path, bool masked)
{
	if (is_listed(&b->out->programs, path))
		return;
	*ARENA_PUSH(b->arena, &b->out->programs) = (struct plan_program){
		.path = path,
		.id = program->at.id,
		/* Scripts that stand for many programs (pyenv's) are alike. */
		.size = program->script ? 0 : program->size,
		.masked = masked,
	};
}

/* The names that a copy of the file is judged by: those that mean no other
 * program. */
static void list_program(struct builder *b, const struct facts_program *program,
			 bool masked)
{
	if (is_hard_multicall(program)) {
		for (size_t i = 0; i < program->others.n; i++) {
			if (command_is_multicall(program->others.v[i]))
				list_add(b, program, program->others.v[i],
					 masked);
		}
		if (!command_is_multicall(program->at.real))
			return;
	}
	list_add(b, program, program->at.real, masked);
	if (!is_alias(b, program))
		list_add(b, program, program->at.path, masked);
}

/* Under each of the rules' names, whichever of them is the one denied. */
static bool file_is_masked(const struct builder *b, size_t at,
			   const bool *masked)
{
	const struct facts_programs *programs = &b->facts->programs;

	for (size_t i = 0; i < programs->n; i++) {
		if (masked[i] &&
		    same_file(&programs->v[i].at, &programs->v[at].at))
			return true;
	}
	return false;
}

static bool any_multicall(const struct builder *b, const bool *masked)
{
	for (size_t i = 0; i < b->facts->programs.n; i++) {
		const struct facts_program *program = &b->facts->programs.v[i];

		if (command_is_multicall(program->name) &&
		    !file_is_masked(b, i, masked))
			return true;
	}
	return false;
}

static bool same_words(const struct command_rule *a,
		       const struct command_rule *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		if (strcmp(a->words[i], b->words[i]) != 0)
			return false;
	}
	return a->n == b->n;
}

/* Who allows what is denied in the same words should know that it is not. */
static void note_idle(struct arena *arena, struct plan_exec *exec)
{
	for (size_t i = 0; i < exec->rules.n; i++) {
		const struct command_rule *allow = &exec->rules.v[i];

		for (size_t k = 0; allow->allow && k < exec->rules.n; k++) {
			const struct command_rule *deny = &exec->rules.v[k];

			if (!deny->allow && same_words(allow, deny))
				*ARENA_PUSH(arena, &exec->notes) = arena_printf(
					arena,
					"exec.allow '%s' (%s) changes nothing: "
					"exec.deny (%s) has the same words and "
					"wins; a file that extends it can "
					"remove it there",
					allow->text,
					policy_origin_format(arena,
							     &allow->origin),
					policy_origin_format(arena,
							     &deny->origin));
		}
	}
}

int plan_exec_build(struct arena *arena, const struct policy *policy,
		    const struct policy_context *context,
		    const struct facts *facts, struct claims *claims,
		    struct plan_exec *out, struct err *err)
{
	struct builder b = { .arena = arena,
			     .context = context,
			     .facts = facts,
			     .claims = claims,
			     .out = out };
	bool *masked = arena_array(arena, bool, facts->programs.n + 1);
	bool by_name = false; /* an applet could have the name */

	*out = (struct plan_exec){
		.only_system = policy->exec.only_system.number != 0,
		.judged = policy->exec.only_system.number &&
			  policy->exec.report.number,
	};
	if (command_rules_build(arena, &policy->exec, &out->rules, err) < 0)
		return -1;
	if (!has_deny(&out->rules))
		return 0;
	for (size_t i = 0; i < out->rules.n; i++) {
		const struct command_rule *rule = &out->rules.v[i];

		if (rule->allow)
			continue;
		by_name |= !strchr(rule->words[0], '/');
		if (rule->n > 1)
			b.unmasked = true;
		else
			mask_programs(&b, rule, masked);
	}
	note_idle(arena, out);
	for (size_t i = 0; i < facts->programs.n; i++)
		list_program(&b, &facts->programs.v[i],
			     file_is_masked(&b, i, masked));
	out->judged = b.unmasked || (by_name && any_multicall(&b, masked)) ||
		      policy->exec.report.number;
	return 0;
}

void plan_exec_restrict(struct plan *plan)
{
	if (!plan->exec.only_system)
		return;
	for (size_t i = 0; i < plan->mounts.n; i++) {
		struct plan_mount *mount = &plan->mounts.v[i];

		/* The directories of /dev are as writable as the others. */
		if (mount->writable && mount->kind != PLAN_MOUNT_PROC)
			mount->noexec = true;
	}
}
