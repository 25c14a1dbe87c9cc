/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/egress_text.c - verdicts on connections in words, and the plan of them
 *
 * Runs in:  the process that reads the policy; the egress process, for each
 *           refusal.
 * Trusts:   nothing: what becomes a line of the plan is escaped; sentences are
 *           escaped by who prints them.
 * Must not: decide anything.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "plan/egress.h"
#include "policy/format.h"

static const char *const codes[] = {
	[EGRESS_ALLOWED] = "allowed",
	[EGRESS_DENIED] = "blocked-by-denylist",
	[EGRESS_UNLISTED] = "blocked-by-allowlist",
	[EGRESS_PORT] = "blocked-by-port-policy",
	[EGRESS_PLACE] = "blocked-by-resolved-address",
	[EGRESS_OWN] = "blocked-by-resolved-address",
	[EGRESS_NAME_DIFFERS] = "blocked-by-name-mismatch",
	[EGRESS_NOT_TLS] = "blocked-by-tls-policy",
	[EGRESS_MALFORMED] = "malformed-request",
	[EGRESS_BUDGET] = "blocked-by-budget",
};

const char *egress_why_code(enum egress_why why)
{
	return codes[why];
}

/* HOST:PORT, as rules and URLs write it; a question for a name has no port. */
static const char *format_place(struct arena *arena, const char *host,
				uint16_t port)
{
	bool brackets = strchr(host, ':') != NULL;
	const char *place = arena_printf(arena, "%s%s%s", brackets ? "[" : "",
					 host, brackets ? "]" : "");

	return port ? arena_printf(arena, "%s:%u", place, port) : place;
}

static const char *format_rule(struct arena *arena, const char *key,
			       const struct egress_rule *rule)
{
	return arena_printf(arena, "%s '%s' (%s)", key, rule->text,
			    policy_origin_format(arena, &rule->origin));
}

static const char *format_ports(struct arena *arena,
				const struct egress_rule *rule)
{
	return rule->port ? arena_printf(arena, "port %u", rule->port)
			  : "ports 80 and 443";
}

/* "a.b:443", or "a.b:443 leads to 10.0.0.1, which": for "is denied …". */
static const char *format_subject(struct arena *arena,
				  const struct egress_target *target,
				  const struct address *address)
{
	const char *place = format_place(arena, target->name, target->port);
	char text[ADDRESS_TEXT];

	if (!address || target->is_address)
		return place;
	address_format(address, text);
	return arena_printf(arena, "%s leads to %s, which", place, text);
}

static const char *reason_port(struct arena *arena,
			       const struct egress_target *target,
			       const struct egress_rule *rule)
{
	const char *allowed =
		arena_printf(arena, "%s allows %s at %s",
			     format_rule(arena, "network.allow", rule),
			     target->name, format_ports(arena, rule));

	return target->port ? arena_printf(arena, "%s, not at port %u", allowed,
					   target->port)
			    : arena_printf(arena, "%s alone", allowed);
}

static bool stands_in(const struct egress_target *target)
{
	return target->is_address && egress_address_stands_in(&target->address);
}

static const char *reason_unlisted(struct arena *arena,
				   const struct egress_target *target)
{
	if (stands_in(target))
		return arena_printf(arena,
				    "%s stands for no name: addresses of its "
				    "network are the box's own, for names that "
				    "it has asked for",
				    target->name);
	return arena_printf(
		arena, "no rule of network.allow names %s%s", target->name,
		target->is_address ? ": an address needs a rule of its own"
				   : "");
}

/* Why the rule that comes nearest does not help. */
static const char *reason_nearest(struct arena *arena,
				  const struct address *address,
				  const struct egress_verdict *verdict)
{
	const struct egress_rule *rule = verdict->rule;
	const char *text;

	if (!rule)
		return "no rule of network.allow names it";
	text = format_rule(arena, "network.allow", rule);
	if (!address_net_names(&rule->net, rule->bits, address))
		return arena_printf(arena, "%s is too wide to name it", text);
	if (verdict->why == EGRESS_OWN && rule->bits < 128)
		return arena_printf(arena, "%s does not name it alone", text);
	return arena_printf(arena, "%s names it at %s", text,
			    format_ports(arena, rule));
}

static const char *reason_place(struct arena *arena,
				const struct egress_target *target,
				const struct address *address,
				const struct egress_verdict *verdict)
{
	const char *what = verdict->why == EGRESS_OWN
				   ? "this host's own"
				   : address_class_name(verdict->class);

	if (!address)
		address = &target->address;
	return arena_printf(arena, "%s is %s, and %s",
			    format_subject(arena, target, address), what,
			    reason_nearest(arena, address, verdict));
}

const char *egress_reason(struct arena *arena,
			  const struct egress_target *target,
			  const struct address *address,
			  const struct egress_verdict *verdict)
{
	const char *place = format_place(arena, target->name, target->port);

	switch (verdict->why) {
	case EGRESS_ALLOWED:
		if (!verdict->rule)
			return arena_printf(arena, "%s is allowed", place);
		return arena_printf(
			arena, "%s is allowed by %s", place,
			format_rule(arena, "network.allow", verdict->rule));
	case EGRESS_DENIED:
		return arena_printf(
			arena, "%s is denied by %s",
			format_subject(arena, target, address),
			format_rule(arena, "network.deny", verdict->rule));
	case EGRESS_UNLISTED:
		return reason_unlisted(arena, target);
	case EGRESS_PORT:
		return reason_port(arena, target, verdict->rule);
	case EGRESS_PLACE:
	case EGRESS_OWN:
		return reason_place(arena, target, address, verdict);
	case EGRESS_NAME_DIFFERS:
		return arena_printf(arena,
				    "what was sent to %s asks for another "
				    "name, or for none",
				    place);
	case EGRESS_NOT_TLS:
		return arena_printf(arena,
				    "what was sent to %s is not TLS, so it "
				    "cannot be seen which name it is for",
				    place);
	case EGRESS_MALFORMED:
		return "the request, or the name of the host in it, is "
		       "malformed";
	case EGRESS_BUDGET:
		return "the box has too many connections, or has asked for "
		       "too many names";
	}
	return "";
}

/* A rule that is to be added, where one writes it. */
static const char *remedy_allow(struct arena *arena, const char *rule)
{
	/* A shell and YAML would read brackets. */
	const char *quote = rule[0] == '[' ? "'" : "";

	return arena_printf(arena,
			    "--allow-domain=%s%s%s, or network.allow: "
			    "[%s%s%s]",
			    quote, rule, quote, quote, rule, quote);
}

static const char *remedy_host_port(struct arena *arena, uint16_t port)
{
	const char *text = port ? arena_printf(arena, "%u", port) : "PORT";

	return arena_printf(arena,
			    "--host-port=%s, or network.host_ports: [%s]", text,
			    text);
}

/* What has to be named is where a name leads, not the name. */
static const char *remedy_place(struct arena *arena,
				const struct egress_target *target,
				const struct address *address)
{
	char text[ADDRESS_TEXT];

	if (egress_target_is_host(target))
		return remedy_host_port(arena, target->port);
	address_format(address ? address : &target->address, text);
	return remedy_allow(arena, format_place(arena, text, target->port));
}

static const char *remedy_unlisted(struct arena *arena,
				   const struct egress_target *target)
{
	if (stands_in(target))
		return NULL;
	if (target->is_address || egress_target_is_host(target))
		return remedy_place(arena, target, NULL);
	if (target->port == 80 || target->port == 443)
		return remedy_allow(arena, target->name);
	return remedy_allow(arena,
			    format_place(arena, target->name, target->port));
}

/* What a shipped profile denies is not to be allowed in passing. */
static const char *remedy_denied(struct arena *arena,
				 const struct egress_rule *rule)
{
	const char *source = rule->origin.source;

	if (!source || !strncmp(source, "profile ", 8))
		return NULL;
	if (!strncmp(source, "--", 2))
		return arena_printf(arena, "leave out %s '%s'", source,
				    rule->text);
	return arena_printf(arena, "remove '%s' from network.deny (%s)",
			    rule->text,
			    policy_origin_format(arena, &rule->origin));
}

const char *egress_remedy(struct arena *arena,
			  const struct egress_target *target,
			  const struct address *address,
			  const struct egress_verdict *verdict)
{
	const char *place = format_place(arena, target->name, target->port);

	switch (verdict->why) {
	case EGRESS_DENIED:
		return remedy_denied(arena, verdict->rule);
	case EGRESS_UNLISTED:
		return remedy_unlisted(arena, target);
	case EGRESS_PORT:
		return egress_target_is_host(target)
			       ? remedy_host_port(arena, target->port)
			       : remedy_allow(arena, place);
	case EGRESS_PLACE:
	case EGRESS_OWN:
		return remedy_place(arena, target, address);
	case EGRESS_NAME_DIFFERS:
	case EGRESS_NOT_TLS:
		return remedy_allow(arena,
				    arena_printf(arena, "tcp://%s", place));
	case EGRESS_ALLOWED:
	case EGRESS_MALFORMED:
	case EGRESS_BUDGET:
		break;
	}
	return NULL;
}

static void add_origin(struct text *out, const struct policy_origin *origin)
{
	text_add(out, "  (");
	text_add_escaped(out, policy_origin_format(out->arena, origin));
	text_add(out, ")\n");
}

static void format_rules(struct text *out, const char *word,
			 const struct egress_rule_list *rules, bool denied)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct egress_rule *rule = &rules->v[i];

		text_addf(out, "  %-8s ", word);
		text_add_escaped(out, rule->text);
		if (!rule->port)
			text_add(out, denied ? " at every port"
					     : " at ports 80 and 443");
		if (rule->opaque && !denied)
			text_add(out, ", not inspected");
		add_origin(out, &rule->origin);
	}
}

static void format_listener(struct text *out,
			    const struct egress_listener *listener)
{
	static const char *const places[] = {
		[EGRESS_AT_LOOPBACK] = "127.0.0.1",
		[EGRESS_AT_LOOPBACK6] = "[::1]",
		[EGRESS_AT_ANY] = "[::]",
	};
	static const char *const reasons[] = {
		[EGRESS_PROXY] = "HTTP and SOCKS5 proxy",
		[EGRESS_DNS] = "name server",
		[EGRESS_STREAM] = "all TCP that leaves the box",
		[EGRESS_STREAM_PORT] = "this port of it, without TPROXY",
		[EGRESS_HOST_PORT] = "the host's loopback",
	};

	text_addf(out, "  %-8s %s:%u %s  (%s)\n", "listen",
		  places[listener->at], listener->port,
		  listener->kind == EGRESS_DNS ? "udp" : "tcp",
		  reasons[listener->kind]);
}

static void format_endpoint(struct text *out, const char *word,
			    const struct egress_endpoint *endpoint)
{
	if (endpoint->set)
		text_addf(out, "  %-8s %s\n", word,
			  format_place(out->arena, endpoint->host.name,
				       endpoint->host.port));
}

void plan_egress_format(struct text *out, const struct plan_egress *egress)
{
	text_add(out, "egress:\n");
	format_rules(out, "deny", &egress->rules.deny, true);
	format_rules(out, "allow", &egress->rules.allow, false);
	for (size_t i = 0; i < egress->listeners.n; i++)
		format_listener(out, &egress->listeners.v[i]);
	for (size_t i = 0; i < egress->publish.n; i++) {
		const struct egress_publish *publish = &egress->publish.v[i];
		char address[ADDRESS_TEXT];

		address_format(&publish->address, address);
		text_addf(out, "  %-8s %s -> port %u", "publish",
			  format_place(out->arena, address, publish->host_port),
			  publish->port);
		add_origin(out, &publish->origin);
	}
	format_endpoint(out, "upstream", &egress->upstream);
	format_endpoint(out, "resolver", &egress->resolver);
}
