/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/network.c - what the mode of the network means for the box
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   the view; not the host's name, which goes into a file.
 * Must not: look at the file system, or resolve a name.
 */
#include "plan/network.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "plan/egress.h"
#include "plan/landlock.h"
#include "plan/plan.h"
#include "plan/view.h"
#include "policy/fields.h"
#include "policy/format.h"

static void note(struct arena *arena, struct plan *plan, const char *text)
{
	*ARENA_PUSH(arena, &plan->notes) =
		arena_printf(arena, "network: %s", text);
}

/* What opens a filtered network, and only that. */
static const char *const openings[] = {
	"network.allow",	  "network.host_ports", "network.publish",
	"network.upstream_proxy", "network.resolver",
};

/* `none` that nobody chose: a file without a mode is laid over it. */
static bool is_initial(const struct policy_origin *origin)
{
	return !origin->source || !strcmp(origin->source, "built-in") ||
	       !strcmp(origin->source, "profile default");
}

/* Rules that were written and do nothing are mostly a mistake, unless who
 * wrote them was overruled on purpose. */
static void note_unused(struct arena *arena, const struct policy *policy,
			struct plan *plan)
{
	const struct policy_origin *mode = &policy->network.mode.origin;

	for (size_t i = 0; i < sizeof(openings) / sizeof(*openings); i++) {
		const struct policy_origin *rule = policy_field_origin(
			policy_field_find(openings[i]), policy);

		if (!rule)
			continue;
		if (plan->network == POLICY_MODE_NONE && !is_initial(mode) &&
		    !policy_origin_is_option(rule))
			continue;
		note(arena, plan,
		     arena_printf(arena,
				  "'%s' (%s) has no effect with "
				  "'network.mode: %s' (%s), only with "
				  "'filtered'",
				  openings[i],
				  policy_origin_format(arena, rule),
				  plan->network == POLICY_MODE_NONE ? "none"
								    : "host",
				  policy_origin_format(arena, mode)));
	}
}

static const struct egress_rule *any_rule_find(const struct egress_rules *rules)
{
	for (size_t i = 0; i < rules->allow.n; i++) {
		if (rules->allow.v[i].kind == EGRESS_ANY)
			return &rules->allow.v[i];
	}
	return NULL;
}

static void note_reach(struct arena *arena, struct plan *plan)
{
	const struct plan_egress *egress = &plan->egress;
	const struct egress_rule *any = any_rule_find(&egress->rules);

	if (any)
		note(arena, plan,
		     arena_printf(arena,
				  "'%s' (%s) allows every name that leads to "
				  "a public address",
				  any->text,
				  policy_origin_format(arena, &any->origin)));
	if (!egress->rules.allow.n && !egress->host_ports.n &&
	    !egress->publish.n)
		note(arena, plan,
		     "nothing can be reached: 'network.allow' is empty");
}

/* The name of the caller's variable, in either case; NULL if it is not set. */
static const char *caller_proxy_find(const struct facts *facts)
{
	static const char *const names[] = { "HTTPS_PROXY", "HTTP_PROXY",
					     "ALL_PROXY" };

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		size_t n = strlen(names[k]);

		for (size_t i = 0; i < facts->environ.n; i++) {
			const char *variable = facts->environ.v[i];

			if (!strncasecmp(variable, names[k], n) &&
			    variable[n] == '=' && variable[n + 1])
				return names[k];
		}
	}
	return NULL;
}

/* Values are not shown: such a URL may hold a password. */
static void note_proxies(struct arena *arena, const struct facts *facts,
			 struct plan *plan)
{
	const char *variable = caller_proxy_find(facts);

	if (plan->egress.upstream.set)
		note(arena, plan,
		     "names are resolved by the upstream proxy, so the "
		     "addresses that they lead to are its to check");
	else if (variable)
		note(arena, plan,
		     arena_printf(arena,
				  "the caller's %s is not used; where the host "
				  "needs that proxy, name it with "
				  "--upstream-proxy",
				  variable));
}

/* Written to a file that programs take apart at spaces and lines. */
static bool is_plain_name(const char *name)
{
	for (const char *p = name; *p; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') ||
			     (*p >= 'A' && *p <= 'Z') ||
			     (*p >= '0' && *p <= '9') || strchr("-._", *p);

		if (!plain)
			return false;
	}
	return *name && strcasecmp(name, "localhost") != 0;
}

static const char *hosts_format(struct arena *arena, const char *hostname)
{
	struct text out = { .arena = arena };

	text_add(&out, "127.0.0.1 localhost\n");
	if (hostname && is_plain_name(hostname))
		text_addf(&out, "127.0.1.1 %s\n", hostname);
	text_add(&out, "::1 localhost ip6-localhost ip6-loopback\n");
	return text_str(&out);
}

/*
 * What the host's file says is an address to whoever reads it inside, and no
 * rule for a name allows an address. Without the names in it programs ask for
 * them, and egress reads the host's file outside.
 */
static void add_hosts_file(struct arena *arena, const struct facts *facts,
			   const struct view *view, struct plan *plan)
{
	const struct facts_path *fact = facts_path_find(facts, PLAN_HOSTS_FILE);
	const struct view_node *node;

	if (!fact || fact->kind != FACTS_FILE)
		return;
	/* Where the policy hides it, or a private directory covers what it is
	 * a link to, there is nothing to mount on and nothing to read. */
	node = view_find(view, fact->real);
	if (node->access == PLAN_HIDDEN || node->private)
		return;
	*ARENA_PUSH(arena, &plan->mounts) = (struct plan_mount){
		.kind = PLAN_MOUNT_FILE,
		.path = fact->real,
		.id = fact->id,
		.content = hosts_format(arena, facts->hostname),
		.reason = "network: filtered",
	};
}

int plan_network_build(struct arena *arena, const struct policy *policy,
		       const struct facts *facts, const struct view *view,
		       struct plan *plan, struct err *err)
{
	switch (plan->network) {
	case POLICY_MODE_NONE:
		note_unused(arena, policy, plan);
		return 0;
	case POLICY_MODE_FILTERED:
		if (plan_egress_build(arena, policy, &plan->egress, err) < 0)
			return -1;
		plan_landlock_close(facts, &plan->cage);
		add_hosts_file(arena, facts, view, plan);
		note_reach(arena, plan);
		note_proxies(arena, facts, plan);
		return 0;
	case POLICY_MODE_HOST:
		note(arena, plan, "the command shares the host's network");
		note_unused(arena, policy, plan);
		return 0;
	}
	return 0;
}
