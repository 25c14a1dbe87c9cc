/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/egress.c - where a filtered box may go: the rules and the judge
 *
 * Runs in:  the process that reads the policy; the egress process, for each
 *           connection and question.
 * Trusts:   the rules, which were checked when they were decoded; nothing of
 *           a target or an address.
 * Must not: allow what no rule names, or compare two spellings of one host:
 *           targets are canonical before they are judged.
 */
#include "plan/egress.h"

#include <string.h>

#include "base/arena.h"
#include "policy/names.h"

enum { ADDRESS_BITS = 8 * sizeof(struct address) };

static const enum egress_rule_kind rule_kinds[] = {
	[POLICY_HOST_NAME] = EGRESS_NAME,
	[POLICY_HOST_BELOW] = EGRESS_BELOW,
	[POLICY_HOST_DOMAIN] = EGRESS_DOMAIN,
	[POLICY_HOST_ANY] = EGRESS_ANY,
	[POLICY_HOST_NETWORK] = EGRESS_NETWORK,
};

static void copy_lower(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool upper = from[i] >= 'A' && from[i] <= 'Z';

		to[i] = (char)(upper ? from[i] - 'A' + 'a' : from[i]);
	}
	to[n] = '\0';
}

static void build_list(struct arena *arena, const struct policy_list *list,
		       struct egress_rule_list *out)
{
	out->v = arena_array(arena, struct egress_rule, list->n);
	out->n = 0;
	for (size_t i = 0; i < list->n; i++) {
		struct egress_rule *rule = &out->v[out->n];
		struct policy_host host;

		if (policy_host_parse(list->v[i].text, &host))
			continue;
		rule->kind = rule_kinds[host.kind];
		rule->opaque = host.opaque;
		rule->name = arena_array(arena, char, host.len + 1);
		copy_lower(rule->name, host.name, host.len);
		rule->net = host.net;
		rule->bits = host.bits;
		rule->port = host.port;
		rule->text = list->v[i].text;
		rule->origin = list->v[i].origin;
		out->n++;
	}
}

void egress_rules_build(struct arena *arena, const struct policy_list *allow,
			const struct policy_list *deny,
			struct egress_rules *out)
{
	build_list(arena, allow, &out->allow);
	build_list(arena, deny, &out->deny);
}

bool egress_target_parse(const char *host, size_t n, uint16_t port,
			 struct egress_target *out)
{
	struct egress_target target = { .port = port };
	bool brackets = n > 2 && host[0] == '[' && host[n - 1] == ']';

	if (n > sizeof(target.name))
		return false;
	if (brackets) {
		host++;
		n -= 2;
		if (!memchr(host, ':', n))
			return false;
	}
	target.is_address = address_parse(host, n, &target.address);
	if (target.is_address) {
		address_format(&target.address, target.name);
	} else {
		if (n > 1 && host[n - 1] == '.')
			n--;
		if (policy_host_name_check(host, n))
			return false;
		copy_lower(target.name, host, n);
	}
	*out = target;
	return true;
}

static const char *const host_names[] = { EGRESS_HOST_NAME, "localhost" };
static const char *const host_addresses[] = { "127.0.0.1", "::1" };

bool egress_target_is_host(const struct egress_target *target)
{
	const char *const *names =
		target->is_address ? host_addresses : host_names;

	return !strcmp(target->name, names[0]) ||
	       !strcmp(target->name, names[1]);
}

/* 198.18.0.0/15 and fd63:6f72:646e::/96 */
const struct address egress_stand_ins4 = { { [10] = 0xff, 0xff, 198, 18 } };
const struct address egress_stand_ins6 = { { 0xfd, 0x63, 0x6f, 0x72, 0x64,
					     0x6e } };

bool egress_address_stands_in(const struct address *address)
{
	return address_within(address, &egress_stand_ins4, 96 + 15) ||
	       address_within(address, &egress_stand_ins6, 96);
}

static bool is_below(const char *name, const char *domain)
{
	size_t n = strlen(name), len = strlen(domain);

	return n > len && name[n - len - 1] == '.' &&
	       !strcmp(name + n - len, domain);
}

static bool rule_names(const struct egress_rule *rule, const char *name)
{
	switch (rule->kind) {
	case EGRESS_NAME:
		return !strcmp(name, rule->name);
	case EGRESS_BELOW:
		return is_below(name, rule->name);
	case EGRESS_DOMAIN:
		return !strcmp(name, rule->name) || is_below(name, rule->name);
	case EGRESS_ANY:
		return true;
	case EGRESS_NETWORK:
		break;
	}
	return false;
}

/* What leads into a denied network through a translator is denied too. */
static bool rule_holds(const struct egress_rule *rule,
		       const struct address *address)
{
	struct address inner;

	if (rule->kind != EGRESS_NETWORK)
		return false;
	return address_within(address, &rule->net, rule->bits) ||
	       (address_embedded(address, &inner) &&
		address_within(&inner, &rule->net, rule->bits));
}

static bool denies_port(const struct egress_rule *rule, uint16_t port)
{
	return !rule->port || rule->port == port;
}

static bool allows_port(const struct egress_rule *rule, uint16_t port)
{
	return rule->port ? rule->port == port : port == 80 || port == 443;
}

static const struct egress_rule *
find_denied_name(const struct egress_rules *rules, const char *name,
		 uint16_t port)
{
	for (size_t i = 0; i < rules->deny.n; i++) {
		const struct egress_rule *rule = &rules->deny.v[i];

		if (denies_port(rule, port) && rule_names(rule, name))
			return rule;
	}
	return NULL;
}

static const struct egress_rule *
find_denied_address(const struct egress_rules *rules,
		    const struct address *address, uint16_t port)
{
	for (size_t i = 0; i < rules->deny.n; i++) {
		const struct egress_rule *rule = &rules->deny.v[i];

		if (denies_port(rule, port) && rule_holds(rule, address))
			return rule;
	}
	return NULL;
}

/* The first rules of each kind. */
struct found {
	const struct egress_rule *rule; /* allows it */
	const struct egress_rule *elsewhere; /* would, at other ports */
	const struct egress_rule *around; /* holds the address, and does not
					   * name it */
};

/* Of two that allow it, the one that does not look inside allows more. */
static void take_rule(const struct egress_rule *rule, uint16_t port,
		      struct found *found)
{
	if (!allows_port(rule, port)) {
		if (!found->elsewhere)
			found->elsewhere = rule;
	} else if (!found->rule || (rule->opaque && !found->rule->opaque)) {
		found->rule = rule;
	}
}

/* RFC 6761: it means whoever says it. Outside it is another than inside, so
 * `*` does not mean it. */
static bool is_localhost(const char *name)
{
	return !strcmp(name, "localhost") || is_below(name, "localhost");
}

static struct found find_name(const struct egress_rules *rules,
			      const struct egress_target *target)
{
	struct found found = { 0 };

	for (size_t i = 0; i < rules->allow.n; i++) {
		const struct egress_rule *rule = &rules->allow.v[i];

		if (rule_names(rule, target->name) &&
		    !(rule->kind == EGRESS_ANY && is_localhost(target->name)))
			take_rule(rule, target->port, &found);
	}
	return found;
}

/* @alone: only a rule for this very address will do. */
static struct found find_address(const struct egress_rules *rules,
				 const struct address *address, uint16_t port,
				 bool alone)
{
	struct found found = { 0 };

	for (size_t i = 0; i < rules->allow.n; i++) {
		const struct egress_rule *rule = &rules->allow.v[i];

		if (rule->kind != EGRESS_NETWORK ||
		    !address_within(address, &rule->net, rule->bits))
			continue;
		if (address_net_names(&rule->net, rule->bits, address) &&
		    (!alone || rule->bits == ADDRESS_BITS))
			take_rule(rule, port, &found);
		else if (!found.around)
			found.around = rule;
	}
	return found;
}

static bool decide(struct egress_verdict *out, enum egress_why why,
		   const struct egress_rule *rule)
{
	out->why = why;
	out->rule = rule;
	return why == EGRESS_ALLOWED;
}

bool egress_judge_address(const struct egress_rules *rules,
			  const struct egress_target *target,
			  const struct address *address, bool own,
			  struct egress_verdict *out)
{
	const struct egress_rule *denied =
		find_denied_address(rules, address, target->port);
	struct found found;

	out->class = address_classify(address);
	if (denied)
		return decide(out, EGRESS_DENIED, denied);
	/* Who names loopback means the host. */
	if (out->class == ADDRESS_LOOPBACK)
		own = false;
	if (!target->is_address && out->class == ADDRESS_PUBLIC && !own)
		return decide(out, EGRESS_ALLOWED, NULL);
	found = find_address(rules, address, target->port, own);
	if (found.rule)
		return decide(out, EGRESS_ALLOWED, found.rule);
	if (own)
		return decide(out, EGRESS_OWN,
			      found.elsewhere ? found.elsewhere : found.around);
	if (!target->is_address)
		return decide(out, EGRESS_PLACE,
			      found.elsewhere ? found.elsewhere : found.around);
	if (found.elsewhere)
		return decide(out, EGRESS_PORT, found.elsewhere);
	return decide(out, found.around ? EGRESS_PLACE : EGRESS_UNLISTED,
		      found.around);
}

bool egress_judge(const struct egress_rules *rules,
		  const struct egress_target *target,
		  struct egress_verdict *out)
{
	const struct egress_rule *denied;
	struct found found;

	if (target->is_address && egress_address_stands_in(&target->address)) {
		out->class = address_classify(&target->address);
		return decide(out, EGRESS_UNLISTED, NULL);
	}
	if (target->is_address)
		return egress_judge_address(rules, target, &target->address,
					    false, out);
	out->class = ADDRESS_PUBLIC;
	denied = find_denied_name(rules, target->name, target->port);
	if (denied)
		return decide(out, EGRESS_DENIED, denied);
	found = find_name(rules, target);
	if (found.rule)
		return decide(out, EGRESS_ALLOWED, found.rule);
	return decide(out, found.elsewhere ? EGRESS_PORT : EGRESS_UNLISTED,
		      found.elsewhere);
}

bool egress_judge_host(const struct egress_rules *rules, uint16_t port,
		       struct egress_verdict *out)
{
	const struct egress_rule *denied = NULL;

	out->class = ADDRESS_LOOPBACK;
	for (size_t i = 0; !denied && i < 2; i++)
		denied = find_denied_name(rules, host_names[i], port);
	for (size_t i = 0; !denied && i < 2; i++) {
		struct address address;

		(void)address_parse(host_addresses[i],
				    strlen(host_addresses[i]), &address);
		denied = find_denied_address(rules, &address, port);
	}
	return decide(out, denied ? EGRESS_DENIED : EGRESS_ALLOWED, denied);
}

bool egress_judge_name(const struct egress_rules *rules, const char *name,
		       struct egress_verdict *out)
{
	const struct egress_rule *denied = NULL;

	out->class = ADDRESS_PUBLIC;
	for (size_t i = 0; i < rules->allow.n; i++) {
		const struct egress_rule *rule = &rules->allow.v[i];
		const struct egress_rule *at, *also;

		if (!rule_names(rule, name))
			continue;
		at = find_denied_name(rules, name,
				      rule->port ? rule->port : 443);
		also = rule->port ? at : find_denied_name(rules, name, 80);
		if (!at || !also)
			return decide(out, EGRESS_ALLOWED, rule);
		denied = at;
	}
	if (!denied)
		denied = find_denied_name(rules, name, 0);
	return decide(out, denied ? EGRESS_DENIED : EGRESS_UNLISTED, denied);
}
