/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/explain.c - the verdict on a path or a connection, its rule, and what
 * would change it
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   the plan.
 * Must not: decide anything that the plan does not.
 */
#include "plan/explain.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "plan/egress.h"
#include "plan/exec.h"
#include "plan/patterns.h"
#include "policy/format.h"

static const struct plan_rule *rule_find(const struct plan *plan,
					 const char *path)
{
	const struct plan_rule *best = &plan->rules.v[0];

	for (size_t i = 0; i < plan->rules.n; i++) {
		if (path_within(plan->rules.v[i].path, path) &&
		    strlen(plan->rules.v[i].path) >= strlen(best->path))
			best = &plan->rules.v[i];
	}
	return best;
}

enum plan_access plan_explain_access(const struct plan *plan, const char *path)
{
	return rule_find(plan, path)->access;
}

static bool is_fixed(const char *key)
{
	return !strcmp(key, "protected") || !strcmp(key, "own files") ||
	       !strcmp(key, "private") || !strcmp(key, "hidden");
}

static const char *describe(struct arena *arena, const char *key,
			    const struct plan_rule *rule,
			    const struct policy_origin *origin)
{
	if (origin->line)
		return arena_printf(arena, "%s '%s' (%s:%u)", key, rule->path,
				    origin->source, origin->line);
	return arena_printf(arena, "%s '%s' (%s)", key, rule->path,
			    origin->source);
}

const char *plan_remedy_remove(struct arena *arena, const char *key,
			       const char *text)
{
	return arena_printf(arena,
			    "a policy with 'filesystem: {%s: {remove: "
			    "[%s]}}'",
			    key, policy_text_quote(arena, text));
}

const char *plan_remedy_option(struct arena *arena, const char *name,
			       const char *path)
{
	const char *option = policy_option_format(arena, name, path);

	return option ? option
		      : "none by its name, which cannot be printed; name a "
			"directory above it, or give it another name";
}

/* At one path a denial holds whatever is allowed: it has to go. */
static const char *removable(const struct plan_rule *rule, const char *key,
			     const char *path)
{
	if (strcmp(rule->path, path) != 0)
		return NULL;
	if (!strcmp(key, "deny_read"))
		return rule->read_text;
	return !strcmp(key, "deny_write") ? rule->write_text : NULL;
}

static const char *remedy(struct arena *arena, const struct plan_verdict *v,
			  const char *key, const char *path, bool write)
{
	const char *text = removable(v->rule, key, path);

	if (!strcmp(key, "summary"))
		return "none: every box has it, to be read";
	if (v->allowed)
		return plan_remedy_option(
			arena, write ? "deny-write" : "deny-read", path);
	if (!strcmp(key, "git"))
		return "--git=open";
	if (!strcmp(key, "socket"))
		return plan_remedy_option(arena, "unix-socket", path);
	if (!strcmp(key, PLAN_EXEC_KEY))
		return "take its program out of exec.deny";
	if (is_fixed(key))
		return "none: it is protected in every profile";
	if (text)
		return plan_remedy_remove(arena, key, text);
	return plan_remedy_option(arena, write ? "allow-write" : "allow-read",
				  path);
}

/* What lies in a private directory is the box's own. */
static bool in_private(const struct plan_rule *rule)
{
	return !strcmp(rule->read_key, "private");
}

/* What is decided at each open, also of files that do not exist yet. */
static void explain_pattern(struct arena *arena, const struct plan *plan,
			    const char *path, bool write,
			    struct plan_verdict *out)
{
	const struct plan_pattern *pattern =
		plan_pattern_find(plan, path, write);

	if (!pattern)
		return;
	out->allowed = false;
	out->access = pattern->read ? PLAN_HIDDEN : PLAN_READ;
	out->reason =
		arena_printf(arena, "%s '%s' (%s), at every open", pattern->key,
			     pattern->pattern,
			     policy_origin_format(arena, &pattern->origin));
	out->remedy = plan_remedy_remove(arena, pattern->key, pattern->text);
}

void plan_explain_path(struct arena *arena, const struct plan *plan,
		       const char *path, bool write, struct plan_verdict *out)
{
	const struct plan_rule *rule = rule_find(plan, path);
	const char *key = write && rule->access != PLAN_HIDDEN ? rule->write_key
							       : rule->read_key;
	const struct policy_origin *origin =
		write && rule->access != PLAN_HIDDEN ? &rule->write_origin
						     : &rule->read_origin;

	out->rule = rule;
	out->access = rule->access;
	out->allowed = rule->access >= (write ? PLAN_WRITE : PLAN_READ);
	/* A name that does not exist yet may be forbidden to come about. */
	if (write && !rule->exists && rule->access == PLAN_READ)
		out->allowed = false;
	if (in_private(rule) && !plan->inside &&
	    strcmp(rule->path, path) != 0 && !write)
		out->allowed = false;
	out->reason = describe(arena, key, rule, origin);
	out->remedy = remedy(arena, out, key, path, write);
	if (out->allowed)
		explain_pattern(arena, plan, path, write, out);
}

static const struct policy_item *host_port_find(const struct policy *policy,
						uint16_t port)
{
	const struct policy_list *list = &policy->network.host_ports;
	char text[8];

	snprintf(text, sizeof(text), "%u", (unsigned int)port);
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->v[i].text, text))
			return &list->v[i];
	}
	return NULL;
}

static const char *describe_rule(struct arena *arena, const char *key,
				 const char *text,
				 const struct policy_origin *origin)
{
	return arena_printf(arena, "%s '%s' (%s)", key, text,
			    policy_origin_format(arena, origin));
}

static void explain_refusal(struct arena *arena,
			    const struct egress_target *target,
			    const struct address *address,
			    const struct egress_verdict *verdict,
			    struct plan_net_verdict *out)
{
	out->code = egress_why_code(verdict->why);
	out->reason = egress_reason(arena, target, address, verdict);
	out->remedy = egress_remedy(arena, target, address, verdict);
}

/* A port of the host's loopback that no host_ports leads to. */
static void explain_no_host_port(struct arena *arena,
				 const struct egress_target *target,
				 struct plan_net_verdict *out)
{
	out->code = egress_why_code(EGRESS_UNLISTED);
	out->reason = "the loopback inside is the box's own, and no "
		      "network.host_ports leads to this port of the host's";
	out->remedy = arena_printf(arena, "--host-port=%u",
				   (unsigned int)target->port);
}

static void explain_host_port(struct arena *arena, const struct plan *plan,
			      const struct egress_target *target,
			      const struct policy_item *item,
			      struct plan_net_verdict *out)
{
	struct egress_verdict verdict = { 0 };

	out->allowed =
		egress_judge_host(&plan->egress.rules, target->port, &verdict);
	if (out->allowed)
		out->reason = describe_rule(arena, "network.host_ports",
					    item->text, &item->origin);
	else
		explain_refusal(arena, target, NULL, &verdict, out);
}

/* What is seen only when it is connected. */
static const char *describe_later(struct arena *arena, const struct plan *plan,
				  const struct egress_target *target,
				  const struct egress_verdict *verdict)
{
	bool upstream = plan->egress.upstream.set;

	if (!target->is_address)
		return upstream ? "the upstream proxy resolves the name; its "
				  "addresses are not judged"
				: "the addresses that it resolves to are "
				  "judged when it is connected";
	if (verdict->class == ADDRESS_LOOPBACK)
		return arena_printf(arena,
				    "it is the host's when it is connected "
				    "through the proxy; without, %s is the "
				    "box's own",
				    target->name);
	if (verdict->rule->bits == 8 * sizeof(struct address) ||
	    (upstream && verdict->class == ADDRESS_PUBLIC))
		return NULL;
	return "should it be one of the host's own addresses when it is "
	       "connected, it needs a rule for it alone";
}

/* It leads to both of its addresses, whatever resolves it. */
static bool judge_localhost(const struct egress_rules *rules,
			    const struct egress_target *target,
			    struct address *address, struct egress_verdict *out)
{
	static const char *const addresses[] = { "::1", "127.0.0.1" };
	bool allowed = false;

	for (size_t i = 0; !allowed && i < 2; i++) {
		(void)address_parse(addresses[i], strlen(addresses[i]),
				    address);
		allowed =
			egress_judge_address(rules, target, address, true, out);
	}
	return allowed;
}

static void explain_filtered(struct arena *arena, const struct policy *policy,
			     const struct plan *plan,
			     const struct egress_target *target,
			     struct plan_net_verdict *out)
{
	const struct egress_rules *rules = &plan->egress.rules;
	bool host = egress_target_is_host(target);
	const struct policy_item *item =
		host ? host_port_find(policy, target->port) : NULL;
	struct egress_verdict verdict = { 0 };
	struct address address;

	if (item) {
		explain_host_port(arena, plan, target, item, out);
		return;
	}
	/* Its name is ours, whatever is allowed. */
	if (!strcmp(target->name, EGRESS_HOST_NAME)) {
		explain_no_host_port(arena, target, out);
		return;
	}
	if (!egress_judge(rules, target, &verdict)) {
		if (host && verdict.why == EGRESS_UNLISTED)
			explain_no_host_port(arena, target, out);
		else
			explain_refusal(arena, target, NULL, &verdict, out);
		return;
	}
	out->reason = describe_rule(arena, "network.allow", verdict.rule->text,
				    &verdict.rule->origin);
	if (host && !target->is_address && !plan->egress.upstream.set &&
	    !judge_localhost(rules, target, &address, &verdict)) {
		explain_refusal(arena, target, &address, &verdict, out);
		return;
	}
	out->allowed = true;
	out->later = describe_later(arena, plan, target, &verdict);
}

/* Without a network a rule is not enough where `none` was typed, and not
 * needed where there is one. */
static const char *open_network(struct arena *arena,
				const struct policy *policy,
				const struct egress_target *target)
{
	const struct policy_network *network = &policy->network;
	bool brackets =
		target->is_address && !address_is_ipv4(&target->address);
	bool web = target->port == 80 || target->port == 443;
	struct egress_verdict verdict = { 0 };
	struct egress_rules rules;

	/* It stands for a name inside. */
	if (target->is_address && egress_address_stands_in(&target->address))
		return NULL;
	egress_rules_build(arena, &network->allow, &network->deny, &rules);
	if (egress_judge(&rules, target, &verdict))
		return "--network=filtered";
	return arena_printf(
		arena, "%s--allow-domain=%s%s%s%s",
		policy_origin_is_option(&network->mode.origin)
			? "--network=filtered "
			: "",
		brackets ? "[" : "", target->name, brackets ? "]" : "",
		web ? ""
		    : arena_printf(arena, ":%u", (unsigned int)target->port));
}

void plan_explain_net(struct arena *arena, const struct policy *policy,
		      const struct plan *plan,
		      const struct egress_target *target,
		      struct plan_net_verdict *out)
{
	const struct policy_origin *mode = &policy->network.mode.origin;

	*out = (struct plan_net_verdict){ 0 };
	if (plan->network == POLICY_MODE_HOST) {
		out->allowed = true;
		out->reason =
			describe_rule(arena, "network.mode", "host", mode);
	} else if (plan->network == POLICY_MODE_FILTERED) {
		explain_filtered(arena, policy, plan, target, out);
	} else if (egress_target_is_host(target)) {
		explain_no_host_port(arena, target, out);
	} else {
		out->code = egress_why_code(EGRESS_UNLISTED);
		out->reason =
			describe_rule(arena, "network.mode", "none", mode);
		out->remedy = open_network(arena, policy, target);
	}
}
