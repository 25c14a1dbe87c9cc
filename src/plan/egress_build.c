/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/egress_build.c - the sockets of a filtered box, and what they lead to
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   nothing in the policy.
 * Must not: plan two sockets for one place, inside or on the host: the second
 *           could only fail when the box starts.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/egress.h"
#include "policy/names.h"

/* What is being built. */
struct builder {
	struct arena *arena;
	struct plan_egress *plan;
	struct err *err;
};

static int refuse(struct builder *b, const char *key, const char *text,
		  const struct policy_origin *origin, const char *why)
{
	if (origin->line)
		return err_set(b->err, ERR_POLICY, "%s:%u: %s '%s': %s",
			       origin->source, origin->line, key, text, why);
	return err_set(b->err, ERR_POLICY, "%s (%s) '%s': %s", key,
		       origin->source, text, why);
}

static int refuse_item(struct builder *b, const char *key,
		       const struct policy_item *item, const char *why)
{
	return refuse(b, key, item->text, &item->origin, why);
}

static bool is_own_port(uint16_t port)
{
	return port == EGRESS_HTTP_PORT || port == EGRESS_SOCKS_PORT ||
	       port == EGRESS_DNS_PORT;
}

static const char own_port[] =
	"inside, ports 3128 and 1080 are the proxy's and 53 is the name "
	"server's";

static bool is_host_port(const struct plan_egress *plan, uint16_t port)
{
	for (size_t i = 0; i < plan->host_ports.n; i++) {
		if (plan->host_ports.v[i] == port)
			return true;
	}
	return false;
}

static int build_host_ports(struct builder *b, const struct policy_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		uint16_t port = policy_port_parse(list->v[i].text);
		const char *wrong = policy_port_check(list->v[i].text);

		if (!wrong && is_own_port(port))
			wrong = own_port;
		if (wrong)
			return refuse_item(b, "network.host_ports", &list->v[i],
					   wrong);
		if (!is_host_port(b->plan, port))
			*ARENA_PUSH(b->arena, &b->plan->host_ports) = port;
	}
	return 0;
}

static bool is_everywhere(const struct address *address)
{
	static const struct address ipv4 = { { [10] = 0xff, [11] = 0xff } };
	static const struct address ipv6;

	return !memcmp(address, &ipv4, sizeof(ipv4)) ||
	       !memcmp(address, &ipv6, sizeof(ipv6));
}

static bool is_same_publish(const struct egress_publish *a,
			    const struct policy_publish *b)
{
	return a->host_port == b->host_port && a->port == b->port &&
	       !memcmp(&a->address, &b->address, sizeof(a->address));
}

/* Could not both be bound? */
static bool is_same_socket(const struct egress_publish *a,
			   const struct policy_publish *b)
{
	if (a->host_port != b->host_port ||
	    address_is_ipv4(&a->address) != address_is_ipv4(&b->address))
		return false;
	return is_everywhere(&a->address) || is_everywhere(&b->address) ||
	       !memcmp(&a->address, &b->address, sizeof(a->address));
}

static const char *check_publish(const struct plan_egress *plan,
				 const struct policy_publish *publish)
{
	if (is_own_port(publish->port))
		return own_port;
	if (is_host_port(plan, publish->port))
		return "inside, this port leads to the host's: it is in "
		       "network.host_ports";
	for (size_t i = 0; i < plan->publish.n; i++) {
		if (is_same_socket(&plan->publish.v[i], publish))
			return "another item publishes at this address and "
			       "port of the host";
	}
	return NULL;
}

static bool is_published(const struct plan_egress *plan,
			 const struct policy_publish *publish)
{
	for (size_t i = 0; i < plan->publish.n; i++) {
		if (is_same_publish(&plan->publish.v[i], publish))
			return true;
	}
	return false;
}

static int build_publish(struct builder *b, const struct policy_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct policy_publish publish;
		const char *wrong =
			policy_publish_parse(list->v[i].text, &publish);

		if (!wrong && is_published(b->plan, &publish))
			continue;
		if (!wrong)
			wrong = check_publish(b->plan, &publish);
		if (wrong)
			return refuse_item(b, "network.publish", &list->v[i],
					   wrong);
		*ARENA_PUSH(b->arena, &b->plan->publish) =
			(struct egress_publish){
				.address = publish.address,
				.host_port = publish.host_port,
				.port = publish.port,
				.origin = list->v[i].origin,
			};
	}
	return 0;
}

static bool add_listener(struct builder *b, struct egress_listener listener)
{
	if (b->plan->listeners.n == EGRESS_LISTENERS_MAX)
		return false;
	*ARENA_PUSH(b->arena, &b->plan->listeners) = listener;
	return true;
}

static const char too_many[] = "more than 120 sockets would be needed inside: "
			       "name fewer ports";

static void add_own_listeners(struct builder *b)
{
	static const struct egress_listener own[] = {
		{ EGRESS_PROXY, EGRESS_AT_LOOPBACK, EGRESS_HTTP_PORT },
		{ EGRESS_PROXY, EGRESS_AT_LOOPBACK, EGRESS_SOCKS_PORT },
		{ EGRESS_DNS, EGRESS_AT_ANY, EGRESS_DNS_PORT },
		{ EGRESS_STREAM, EGRESS_AT_ANY, EGRESS_DNS_PORT },
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		(void)add_listener(b, own[i]); /* the first: there is room */
}

/* Sockets at all addresses cannot be where others are at loopback. */
static bool is_taken(const struct plan_egress *plan, uint16_t port)
{
	for (size_t i = 0; i < plan->listeners.n; i++) {
		if (plan->listeners.v[i].port == port)
			return true;
	}
	return is_host_port(plan, port);
}

static bool add_stream_port(struct builder *b, uint16_t port)
{
	return is_taken(b->plan, port) ||
	       add_listener(b, (struct egress_listener){ EGRESS_STREAM_PORT,
							 EGRESS_AT_ANY, port });
}

static int build_listeners(struct builder *b, const struct policy_list *ports)
{
	const struct egress_rule_list *allow = &b->plan->rules.allow;

	add_own_listeners(b);
	for (size_t i = 0; i < allow->n; i++) {
		const struct egress_rule *rule = &allow->v[i];

		if (!add_stream_port(b, rule->port ? rule->port : 80) ||
		    !add_stream_port(b, rule->port ? rule->port : 443))
			return refuse(b, "network.allow", rule->text,
				      &rule->origin, too_many);
	}
	for (size_t i = 0; i < b->plan->host_ports.n; i++) {
		uint16_t port = b->plan->host_ports.v[i];

		if (!add_listener(b,
				  (struct egress_listener){ EGRESS_HOST_PORT,
							    EGRESS_AT_LOOPBACK,
							    port }) ||
		    !add_listener(b, (struct egress_listener){
					     EGRESS_HOST_PORT,
					     EGRESS_AT_LOOPBACK6, port }))
			return refuse_item(b, "network.host_ports",
					   &ports->v[ports->n - 1], too_many);
	}
	return 0;
}

static void set_endpoint(const struct policy_host *host,
			 struct egress_endpoint *out)
{
	char text[ADDRESS_TEXT];
	bool named = host->kind == POLICY_HOST_NAME;

	if (!named)
		address_format(&host->net, text);
	out->set = egress_target_parse(named ? host->name : text,
				       named ? host->len : strlen(text),
				       host->port, &out->host);
}

static int build_upstream(struct builder *b, const struct policy_scalar *scalar)
{
	struct policy_host host;
	const char *wrong;

	if (!scalar->text || !*scalar->text)
		return 0;
	wrong = policy_proxy_parse(scalar->text, &host);
	if (wrong)
		return refuse(b, "network.upstream_proxy", scalar->text,
			      &scalar->origin, wrong);
	set_endpoint(&host, &b->plan->upstream);
	return 0;
}

static int build_resolver(struct builder *b, const struct policy_scalar *scalar)
{
	struct policy_host host;
	const char *wrong;

	if (!scalar->text || !*scalar->text)
		return 0;
	wrong = policy_endpoint_parse(scalar->text, &host);
	if (!wrong && host.kind != POLICY_HOST_NETWORK)
		wrong = "it is written ADDRESS:PORT: there is nobody to ask "
			"for the name of a name server";
	if (wrong)
		return refuse(b, "network.resolver", scalar->text,
			      &scalar->origin, wrong);
	set_endpoint(&host, &b->plan->resolver);
	return 0;
}

int plan_egress_build(struct arena *arena, const struct policy *policy,
		      struct plan_egress *out, struct err *err)
{
	const struct policy_network *network = &policy->network;
	struct plan_egress plan = { 0 };
	struct builder b = { .arena = arena, .plan = &plan, .err = err };

	egress_rules_build(arena, &network->allow, &network->deny, &plan.rules);
	if (build_host_ports(&b, &network->host_ports) < 0 ||
	    build_publish(&b, &network->publish) < 0 ||
	    build_listeners(&b, &network->host_ports) < 0 ||
	    build_upstream(&b, &network->upstream_proxy) < 0 ||
	    build_resolver(&b, &network->resolver) < 0)
		return -1;
	*out = plan;
	return 0;
}
