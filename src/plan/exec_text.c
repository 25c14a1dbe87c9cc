/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/exec_text.c - exec rules in words, and the verdict on an execution
 *
 * Runs in:  the process that reads the policy; golden tests.
 * Trusts:   the plan; nothing that comes from a rule, which is escaped.
 * Must not: decide anything that the plan does not.
 */
#include "plan/exec_text.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "plan/exec.h"
#include "plan/explain.h"
#include "plan/plan.h"
#include "policy/command.h"
#include "policy/format.h"

enum { REMEDY_WORDS = 16 }; /* longer lines are no help */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *plan_exec_held(const struct plan_exec *exec,
			   const struct command_rule *rule)
{
	const char *word = rule->words[0];

	if (rule->n > 1)
		return "arguments";
	for (size_t i = 0; i < exec->programs.n; i++) {
		const struct plan_program *program = &exec->programs.v[i];

		if (program->masked &&
		    (!strcmp(program->path, word) ||
		     !strcmp(base_name(program->path), word)))
			return "mask";
	}
	return "name";
}

void plan_exec_format(struct text *out, const struct plan_exec *exec)
{
	AUTO_ARENA arena = { 0 };

	if (!exec->rules.n && !exec->only_system)
		return;
	text_addf(out, "exec: %s\n",
		  exec->judged ? "every execution is looked at"
			       : "executions are not looked at");
	if (exec->only_system)
		text_add(out, "  only_system: nothing that the box can write "
			      "is executed\n");
	for (size_t i = 0; i < exec->rules.n; i++) {
		const struct command_rule *rule = &exec->rules.v[i];

		text_addf(out, "  %-5s ", rule->allow ? "allow" : "deny");
		text_add_escaped(out, rule->text);
		text_add(out, "  (");
		text_add_escaped(out,
				 policy_origin_format(&arena, &rule->origin));
		text_addf(out, ")%s%s\n", rule->allow ? "" : " by ",
			  rule->allow ? "" : plan_exec_held(exec, rule));
	}
	for (size_t i = 0; i < exec->programs.n; i++) {
		const struct plan_program *program = &exec->programs.v[i];

		text_addf(out, "  %-5s ", program->masked ? "mask" : "know");
		text_add_escaped(out, program->path);
		text_add(out, program->size ? "  (and copies)\n" : "\n");
	}
}

static json_t *json_text(const char *s)
{
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	json_t *json = json_string(s);

	if (json)
		return json;
	text_add_escaped(&text, s);
	return json_string(text_str(&text));
}

static json_t *json_rule(const struct plan_exec *exec,
			 const struct command_rule *rule)
{
	AUTO_ARENA arena = { 0 };
	json_t *json = json_pack(
		"{s:s, s:o, s:o}", "action", rule->allow ? "allow" : "deny",
		"rule", json_text(rule->text), "origin",
		json_text(policy_origin_format(&arena, &rule->origin)));

	if (!rule->allow)
		json_object_set_new(json, "held_by",
				    json_string(plan_exec_held(exec, rule)));
	return json;
}

json_t *plan_exec_json(const struct plan_exec *exec)
{
	json_t *rules = json_array(), *masked = json_array();

	for (size_t i = 0; i < exec->rules.n; i++)
		json_array_append_new(rules,
				      json_rule(exec, &exec->rules.v[i]));
	for (size_t i = 0; i < exec->programs.n; i++) {
		if (exec->programs.v[i].masked)
			json_array_append_new(
				masked, json_text(exec->programs.v[i].path));
	}
	return json_pack("{s:b, s:b, s:o, s:o}", "judged", exec->judged,
			 "only_system", exec->only_system, "rules", rules,
			 "masked", masked);
}

/* The first words as a rule has them; NULL for one that no rule can have. */
static const char *join(struct arena *arena, const struct command_seen *seen,
			size_t n)
{
	struct text text = { .arena = arena };

	for (size_t i = 0; i < n; i++) {
		const char *word = i ? seen->argv[i] : base_name(seen->argv[0]);

		if (!*word)
			return NULL;
		text_add(&text, i ? " " : "");
		text_add_shell(&text, word);
	}
	return text_str(&text);
}

/* How many words of the command it takes to have those of the rule. */
static size_t count_covering(const struct command_seen *seen,
			     const struct command_rule *rule)
{
	size_t at = 1;

	for (size_t i = 1; i < rule->n; i++) {
		while (at < seen->argc &&
		       strcmp(seen->argv[at], rule->words[i]) != 0)
			at++;
		if (at == seen->argc)
			return 2; /* it has them in another form */
		at++;
	}
	return at < 2 ? 2 : at;
}

/* The shortest beginning of the command that would allow it as a rule, but
 * not shorter than what is denied: that would allow more. */
static const char *find_exception(struct arena *arena,
				  const struct command_rules *rules,
				  const struct command_seen *seen,
				  const struct command_rule *denied)
{
	struct command_rules with = { .n = rules->n + 1 };
	struct command_verdict verdict;
	struct command_rule *added;
	const char **words;

	if (!seen->argc || seen->argc > REMEDY_WORDS)
		return NULL;
	/* Denied under a name that is not seen here, of a copy or of an
	 * interpreter: a rule for these words would not allow it. */
	command_judge(rules, seen, &verdict);
	if (!verdict.denied)
		return NULL;
	words = arena_array(arena, const char *, seen->argc);
	memcpy(words, seen->argv, seen->argc * sizeof(*words));
	words[0] = base_name(words[0]);
	with.v = arena_array(arena, struct command_rule, with.n);
	memcpy(with.v, rules->v, rules->n * sizeof(*with.v));
	added = &with.v[rules->n];
	added->allow = true;
	added->words = words;
	for (added->n = count_covering(seen, denied); added->n <= seen->argc;
	     added->n++) {
		command_judge(&with, seen, &verdict);
		if (!verdict.denied)
			return join(arena, seen, added->n);
	}
	return NULL;
}

static const char *format_option(struct arena *arena, const char *option,
				 const char *words)
{
	struct text text = { .arena = arena };

	text_add(&text, option);
	text_add_shell(&text, words);
	return text_str(&text);
}

/* Where no exception is longer than the rule, it has to go. Who reads this
 * cannot change a shipped profile. */
static const char *format_removal(struct arena *arena,
				  const struct command_rule *rule)
{
	const char *source = rule->origin.source;

	if (!strncmp(source, "--", 2))
		return format_option(arena,
				     "leave out --deny-exec=", rule->text);
	if (!strncmp(source, "profile ", 8) && !strpbrk(rule->text, "\"'\\"))
		return arena_printf(
			arena,
			"a policy with 'exec: {deny: {remove: [\"%s\"]}}'",
			rule->text);
	return arena_printf(arena, "take '%s' out of exec.deny (%s)",
			    rule->text,
			    policy_origin_format(arena, &rule->origin));
}

const char *plan_exec_remedy(struct arena *arena, const struct plan_exec *exec,
			     const struct command_seen *seen,
			     const struct command_rule *rule)
{
	const char *exception = find_exception(arena, &exec->rules, seen, rule);

	return exception && text_is_printable(exception)
		       ? format_option(arena, "--allow-exec=", exception)
		       : format_removal(arena, rule);
}

/* The file itself, which may run as another program. */
static bool is_masked(const struct plan_exec *exec, const char *real)
{
	for (size_t i = 0; i < exec->programs.n; i++) {
		if (exec->programs.v[i].masked &&
		    !strcmp(exec->programs.v[i].path, real))
			return true;
	}
	return false;
}

static const char *held_by(const struct plan_exec *exec,
			   const struct command_rule *rule, const char *real)
{
	const char *held = plan_exec_held(exec, rule);

	if (real && is_masked(exec, real))
		return "mask";
	return real && !strcmp(held, "mask") ? "name" : held;
}

static void explain_rule(struct arena *arena, const struct plan_exec *exec,
			 const struct command_seen *seen, const char *real,
			 const struct command_verdict *verdict,
			 struct plan_exec_verdict *out)
{
	const struct command_rule *rule = verdict->rule;
	const char *origin = policy_origin_format(arena, &rule->origin);

	out->reason = arena_printf(arena, "exec.%s '%s' (%s)%s",
				   rule->allow ? "allow" : "deny", rule->text,
				   origin, verdict->doubt ? ", in doubt" : "");
	if (!verdict->denied)
		return;
	out->held = held_by(exec, rule, real);
	out->remedy = plan_exec_remedy(arena, exec, seen, rule);
}

/* What lies where the box can write, or where it cannot read. */
static bool explain_place(struct arena *arena, const struct plan *plan,
			  const char *real, struct plan_exec_verdict *out)
{
	struct plan_verdict read;

	plan_explain_path(arena, plan, real, false, &read);
	if (!read.allowed) {
		out->held = "mask";
		out->reason = read.reason;
		out->remedy = read.remedy;
		return true;
	}
	if (!plan->exec.only_system || read.access != PLAN_WRITE)
		return false;
	out->held = "noexec";
	out->reason = arena_printf(
		arena, "exec.only_system: the box can write '%s'", real);
	out->remedy = PLAN_EXEC_SYSTEM_REMEDY;
	return true;
}

void plan_explain_exec(struct arena *arena, const struct plan *plan,
		       const struct command_seen *seen, const char *real,
		       struct plan_exec_verdict *out)
{
	const char *words = join(arena, seen, seen->argc > 1 ? 2 : seen->argc);
	struct command_verdict verdict;

	*out = (struct plan_exec_verdict){ .allowed = false };
	command_judge(&plan->exec.rules, seen, &verdict);
	if (verdict.denied) {
		explain_rule(arena, &plan->exec, seen, real, &verdict, out);
		return;
	}
	if (real && explain_place(arena, plan, real, out))
		return;
	out->allowed = true;
	out->reason = "no rule of exec.deny applies";
	if (verdict.rule)
		explain_rule(arena, &plan->exec, seen, real, &verdict, out);
	out->remedy = words && text_is_printable(words)
			      ? format_option(arena, "--deny-exec=", words)
			      : NULL;
}
