/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/summary_text.c - the rules of a box in words
 *
 * Runs in:  the process that reads the policy, at every start.
 * Trusts:   nothing that comes from a path or a policy: all of it is escaped.
 * Must not: grow with the policy beyond what a model reads in passing.
 */
#include <stdint.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "plan/egress.h"
#include "plan/plan.h"
#include "plan/summary.h"

enum { SHOWN_FEW = 12, SHOWN_NAMES = 40, SHOWN_MANY = 200 };

/* A list in a sentence: "a, b and 3 more". */
struct words {
	struct text *out;
	size_t max;
	size_t n;
};

static void word_add(struct words *words, const char *word)
{
	if (words->n++ >= words->max)
		return;
	if (words->n > 1)
		text_add(words->out, ", ");
	text_add_escaped(words->out, word);
}

static void words_end(struct words *words, const char *none)
{
	if (!words->n)
		text_add(words->out, none);
	if (words->n > words->max)
		text_addf(words->out, " and %zu more", words->n - words->max);
}

typedef bool rule_fn(const struct plan *plan, const struct plan_rule *rule);

static bool is_private(const struct plan_rule *rule)
{
	return !strcmp(rule->read_key, "private");
}

static bool is_writable(const struct plan *plan, const struct plan_rule *rule)
{
	(void)plan;
	return rule->access == PLAN_WRITE && !is_private(rule);
}

/* The box's own, of which nothing is left afterwards. */
static bool is_scratch(const struct plan *plan, const struct plan_rule *rule)
{
	(void)plan;
	return is_private(rule) && rule->exists &&
	       (!strcmp(rule->path, "/tmp") || !strcmp(rule->path, "/var/tmp"));
}

/* Kept as it is inside what can be written. */
static bool is_kept(const struct plan *plan, const struct plan_rule *rule)
{
	return rule->access == PLAN_READ && strcmp(rule->path, "/") != 0 &&
	       strcmp(rule->write_key, "summary") != 0 &&
	       path_within(plan->workdir, rule->path);
}

static bool is_readable(const struct plan *plan, const struct plan_rule *rule)
{
	(void)plan;
	return rule->access == PLAN_READ && rule->exists &&
	       !strcmp(rule->read_key, "allow_read");
}

static void add_paths(struct text *out, const struct plan *plan, rule_fn *which,
		      size_t max, const char *none)
{
	struct words words = { .out = out, .max = max };

	for (size_t i = 0; i < plan->rules.n; i++) {
		if (which(plan, &plan->rules.v[i]))
			word_add(&words, plan->rules.v[i].path);
	}
	words_end(&words, none);
}

/* The outermost ones alone: names in them are hidden too. cordon's own files
 * are nothing that anybody looks for. */
static void add_hidden(struct text *out, const struct plan *plan, size_t max,
		       const char *none)
{
	struct words words = { .out = out, .max = max };
	const char *around = NULL;

	for (size_t i = 0; i < plan->rules.n; i++) {
		const struct plan_rule *rule = &plan->rules.v[i];

		if (rule->access != PLAN_HIDDEN || !rule->exists ||
		    !strcmp(rule->read_key, "own files") ||
		    (around && path_within(around, rule->path)))
			continue;
		around = rule->path;
		word_add(&words, rule->path);
	}
	words_end(&words, none);
}

/* By their names in the workspace. */
static void add_kept(struct text *out, const struct plan *plan, size_t max)
{
	struct words words = { .out = out, .max = max };
	size_t len = strlen(plan->workdir);

	for (size_t i = 0; i < plan->rules.n; i++) {
		const struct plan_rule *rule = &plan->rules.v[i];
		const char *name = rule->path + len;

		if (!is_kept(plan, rule))
			continue;
		name += strspn(name, "/");
		word_add(&words, *name ? name : rule->path);
	}
	words_end(&words, "nothing");
}

static void add_hosts(struct text *out, const struct egress_rule_list *rules,
		      size_t max)
{
	struct words words = { .out = out, .max = max };

	for (size_t i = 0; i < rules->n; i++)
		word_add(&words, rules->v[i].text);
	words_end(&words, "none");
}

static void add_items(struct text *out, const struct policy_list *items,
		      size_t max)
{
	struct words words = { .out = out, .max = max };

	for (size_t i = 0; i < items->n; i++)
		word_add(&words, items->v[i].text);
	words_end(&words, "none");
}

static void add_commands(struct text *out, const struct plan *plan, bool allow,
			 size_t max)
{
	struct words words = { .out = out, .max = max };

	for (size_t i = 0; i < plan->exec.rules.n; i++) {
		if (plan->exec.rules.v[i].allow == allow)
			word_add(&words, plan->exec.rules.v[i].text);
	}
	words_end(&words, "none");
}

static void add_network(struct text *out, const struct policy *policy,
			const struct plan *plan, size_t max)
{
	const struct egress_rules *rules = &plan->egress.rules;

	if (plan->network == POLICY_MODE_NONE) {
		text_add(out, "none; no host can be reached");
		return;
	}
	if (plan->network == POLICY_MODE_HOST) {
		text_add(out, "the host's own, unfiltered");
		return;
	}
	text_add(out, "only these hosts: ");
	add_hosts(out, &rules->allow, max);
	if (rules->deny.n) {
		text_add(out, "; never: ");
		add_hosts(out, &rules->deny, max);
	}
	if (policy->network.host_ports.n) {
		text_add(out, "; ports of the host, at localhost: ");
		add_items(out, &policy->network.host_ports, max);
	}
	if (policy->network.publish.n) {
		text_add(out, "; reachable from the host: ");
		add_items(out, &policy->network.publish, max);
	}
}

static bool has_exec_rules(const struct plan *plan)
{
	return plan->exec.rules.n || plan->exec.only_system;
}

static void add_exec(struct text *out, const struct plan *plan, size_t max)
{
	text_add(out, "refused: ");
	add_commands(out, plan, false, max);
	for (size_t i = 0; i < plan->exec.rules.n; i++) {
		if (!plan->exec.rules.v[i].allow)
			continue;
		text_add(out, "; but not: ");
		add_commands(out, plan, true, max);
		break;
	}
	if (plan->exec.only_system)
		text_add(out, "; nothing that the box can write is executed");
}

static void add_limits(struct text *out, const struct plan *plan)
{
	bool any = false;

	for (size_t i = 0; i < plan->rlimits.n; i++) {
		const struct plan_rlimit *limit = &plan->rlimits.v[i];

		if (!strcmp(limit->name, "core"))
			continue;
		text_addf(out, "%s%s %llu", any ? ", " : "", limit->name,
			  (unsigned long long)limit->value);
		any = true;
	}
	if (plan->wall_time_ms)
		text_addf(out, "%swall_time %llu ms", any ? ", " : "",
			  (unsigned long long)plan->wall_time_ms);
	else if (!any)
		text_add(out, "none");
}

static void add_masks(struct text *out, const struct plan *plan)
{
	struct words words = { .out = out, .max = SHOWN_FEW };
	const char *last = NULL;
	size_t own = 0;

	for (size_t i = 0; i < plan->masks.n; i++) {
		const char *name = plan->masks.v[i].name;

		own += !name;
		if (name && (!last || strcmp(name, last) != 0))
			word_add(&words, name);
		last = name ? name : last;
	}
	if (own)
		text_addf(out, "%s%zu pattern%s of the policy",
			  words.n ? ", " : "", own, own == 1 ? "" : "s");
}

void plan_banner_format(struct text *out, const struct policy *policy,
			const struct plan *plan)
{
	static const char *const git_names[] = { "work", "readonly", "open" };

	text_add(out, "workdir: ");
	text_add_escaped(out, plan->workdir);
	text_add(out, "\nwritable: ");
	add_paths(out, plan, is_writable, SHOWN_MANY, "nothing");
	text_add(out, "\nhidden: ");
	add_hidden(out, plan, SHOWN_MANY, "nothing");
	text_add(out, "\nkept as it is in the workdir: ");
	add_kept(out, plan, SHOWN_MANY);
	text_addf(out, "\ngit: %s\nnetwork: ", git_names[plan->git]);
	add_network(out, policy, plan, SHOWN_MANY);
	if (has_exec_rules(plan)) {
		text_add(out, "\ncommands: ");
		add_exec(out, plan, SHOWN_MANY);
	}
	text_add(out, "\nlimits: ");
	add_limits(out, plan);
	if (plan->masks.n) {
		text_add(out, "\nblotted out in the output: ");
		add_masks(out, plan);
	}
	text_add(out, "\n");
}

static void add_reading(struct text *out, const struct plan *plan)
{
	if (plan->view == POLICY_VIEW_HOST) {
		text_add(out, "The rest can be read, but not changed.\n");
		return;
	}
	text_add(out, "Only the system's directories can be read besides, "
		      "and: ");
	add_paths(out, plan, is_readable, SHOWN_FEW, "nothing");
	text_add(out, ".\n");
}

static void add_files(struct text *out, const struct plan *plan)
{
	text_add(out, "- Files: you can write ");
	add_paths(out, plan, is_writable, SHOWN_FEW, "nothing of the host");
	text_add(out, "; also, gone afterwards: ");
	add_paths(out, plan, is_scratch, SHOWN_FEW, "nothing");
	text_add(out, ". ");
	add_reading(out, plan);
	text_add(out, "- Hidden (secrets; it looks empty or gives \"Permission "
		      "denied\"): ");
	add_hidden(out, plan, SHOWN_FEW, "nothing that is there");
	text_add(out, ".\n- Can be neither changed nor made in the workspace "
		      "(\"Read-only file system\" or \"Permission denied\"): ");
	add_kept(out, plan, SHOWN_NAMES);
	text_add(out, ".\n");
}

/* How a refusal of this network looks. */
static const char *network_signs(enum policy_mode mode)
{
	if (mode == POLICY_MODE_NONE)
		return " (\"Network is unreachable\", \"Could not resolve "
		       "host\")";
	if (mode == POLICY_MODE_FILTERED)
		return " (others: \"Could not resolve host\", 403 with "
		       "X-Proxy-Error)";
	return "";
}

void plan_agents_format(struct text *out, const struct policy *policy,
			const struct plan *plan)
{
	text_add(out,
		 "## Sandbox\n\nCommands run in a box made by cordon. Its "
		 "rules hold for every program in it and cannot be "
		 "changed from inside. All of them are in " PLAN_SUMMARY_FILE
		 ".\n\n");
	add_files(out, plan);
	text_add(out, "- Network: ");
	add_network(out, policy, plan, SHOWN_FEW);
	text_addf(out, "%s.\n", network_signs(plan->network));
	if (has_exec_rules(plan)) {
		text_add(out, "- Commands (\"Permission denied\", exit code "
			      "126), ");
		add_exec(out, plan, SHOWN_FEW);
		text_add(out, ".\n");
	}
	text_add(out, "- Limits: ");
	add_limits(out, plan);
	text_add(out, ".\n");
	if (plan->masks.n) {
		text_add(out, "- Secrets in the output are shown as ***: ");
		add_masks(out, plan);
		text_add(out, ".\n");
	}
	text_add(out,
		 "\nWhen something is refused:\n"
		 "1. Do not try another way to the same thing; it is refused "
		 "on purpose.\n"
		 "2. Ask why: `cordon explain read PATH`, `cordon explain "
		 "write PATH`, `cordon explain net HOST[:PORT]`, `cordon "
		 "explain exec -- COMMAND`. The answer "
		 "names the rule and the option that would change it.\n"
		 "3. Go on with what works without it, or stop and tell the "
		 "person: \"The sandbox refused WHAT by RULE. I need it for "
		 "REASON. To allow it, start cordon with OPTION.\"\n");
}
