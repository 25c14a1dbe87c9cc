/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_EGRESS_H
#define CORDON_PLAN_EGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/address.h"
#include "policy/policy.h"

struct arena;
struct err;
struct text;

/*
 * network: filtered. Where a box may go, and the sockets through which it
 * does. The rules are judged by the egress process for each connection, by
 * its DNS, and by `cordon explain net`: one function, one answer.
 */

enum egress_rule_kind {
	EGRESS_NAME, /* a.b */
	EGRESS_BELOW, /* *.a.b: names below it */
	EGRESS_DOMAIN, /* **.a.b: it and names below */
	EGRESS_ANY, /* *: every name, no address */
	EGRESS_NETWORK, /* an address or a network */
};

struct egress_rule {
	enum egress_rule_kind kind;
	bool opaque; /* tcp://…: what is said in it is not looked at */
	char *name; /* canonical, without the stars */
	struct address net; /* NETWORK */
	unsigned int bits;
	uint16_t port; /* 0: of an allowed one 80 and 443, of a denied one
			* every port */
	const char *text; /* as written */
	struct policy_origin origin;
};

struct egress_rule_list {
	struct egress_rule *v;
	size_t n;
};

struct egress_rules {
	struct egress_rule_list allow;
	struct egress_rule_list deny;
};

/* Where a connection wants to go. */
struct egress_target {
	bool is_address;
	char name[254]; /* canonical; of an address its text */
	struct address address;
	uint16_t port;
};

enum egress_why {
	EGRESS_ALLOWED,
	EGRESS_DENIED, /* by a rule of network.deny */
	EGRESS_UNLISTED, /* no rule of network.allow names it */
	EGRESS_PORT, /* one does, at other ports */
	EGRESS_PLACE, /* the address is of a kind that no rule names */
	EGRESS_OWN, /* it is one of the host's own */
	EGRESS_NAME_DIFFERS, /* TLS or HTTP asks for another name */
	EGRESS_NOT_TLS, /* on port 443 */
	EGRESS_MALFORMED, /* the request, or the name in it */
	EGRESS_BUDGET, /* too many connections, or too many names */
};

struct egress_verdict {
	enum egress_why why;
	const struct egress_rule *rule; /* that decided, or is at the wrong
					 * port; NULL if none did */
	enum address_class class; /* EGRESS_PLACE */
};

/* Rules of both lists, as far as they are well formed (the decoder has seen to
 * that). Their texts and origins are borrowed. */
void egress_rules_build(struct arena *arena, const struct policy_list *allow,
			const struct policy_list *deny,
			struct egress_rules *out);

/*
 * The canonical form of what a client calls a host: lower case, one final dot
 * less, letters, digits and hyphens; or an address, with or without brackets.
 * False: it is neither, and no resolver may see it.
 */
bool egress_target_parse(const char *host, size_t n, uint16_t port,
			 struct egress_target *out);

/* Is it one of the names by which ports of the host's loopback are reached?
 * localhost, 127.0.0.1, ::1 and EGRESS_HOST_NAME. */
bool egress_target_is_host(const struct egress_target *target);

/* In 198.18.0.0/15 or fd63:6f72:646e::/96, whose addresses stand for names
 * inside: no rule leads to one, only a name that was given it does. */
bool egress_address_stands_in(const struct address *address);
extern const struct address egress_stand_ins4, egress_stand_ins6;

/* Before anything is looked up: may it be connected to? The addresses of a name
 * are judged as well, and an address that may be the host's own. Where more
 * rules than one allow it, an opaque one decides. Returns verdict->why ==
 * EGRESS_ALLOWED. */
bool egress_judge(const struct egress_rules *rules,
		  const struct egress_target *target,
		  struct egress_verdict *out);

/* @address is what the allowed @target is or resolved to; @own: it is the
 * host's, and unless it is loopback only a rule for it alone names it. */
bool egress_judge_address(const struct egress_rules *rules,
			  const struct egress_target *target,
			  const struct address *address, bool own,
			  struct egress_verdict *out);

/* A port of network.host_ports: allowed unless a rule of network.deny names the
 * host's loopback, by any of its names and addresses. */
bool egress_judge_host(const struct egress_rules *rules, uint16_t port,
		       struct egress_verdict *out);

/* For DNS: is there a port at which it may be connected to? @name is
 * canonical. */
bool egress_judge_name(const struct egress_rules *rules, const char *name,
		       struct egress_verdict *out);

/* "blocked-by-allowlist", … for X-Proxy-Error and events. */
const char *egress_why_code(enum egress_why why);

/*
 * One sentence: what was refused and why, with the rule and where it came
 * from; and what would allow it, NULL if nothing does. @address may be NULL.
 */
const char *egress_reason(struct arena *arena,
			  const struct egress_target *target,
			  const struct address *address,
			  const struct egress_verdict *verdict);
const char *egress_remedy(struct arena *arena,
			  const struct egress_target *target,
			  const struct address *address,
			  const struct egress_verdict *verdict);

/* Sockets that are made inside, in the box's network namespace, and served
 * outside. */
enum egress_listener_kind {
	EGRESS_PROXY, /* HTTP or SOCKS5, as the client begins */
	EGRESS_DNS, /* datagrams */
	EGRESS_STREAM, /* all TCP that leaves the box, and DNS over TCP: by
			* TPROXY, which leads every port here */
	EGRESS_STREAM_PORT, /* where there is no TPROXY: one port of it */
	EGRESS_HOST_PORT, /* leads to the same port of the host's loopback */
};

struct egress_listener {
	enum egress_listener_kind kind;
	enum { EGRESS_AT_LOOPBACK, EGRESS_AT_LOOPBACK6, EGRESS_AT_ANY } at;
	uint16_t port;
};

struct egress_publish {
	struct address address; /* on the host */
	uint16_t host_port;
	uint16_t port; /* inside, on its loopback */
	struct policy_origin origin;
};

struct egress_endpoint {
	bool set;
	struct egress_target host;
};

enum {
	EGRESS_HTTP_PORT = 3128,
	EGRESS_SOCKS_PORT = 1080,
	EGRESS_DNS_PORT = 53, /* also that of EGRESS_STREAM */
	EGRESS_LISTENERS_MAX = 120,
	/* The message in which the box hands them out: 'L', 1 if every port is
	 * caught (0: those of the rules), then for each descriptor its number
	 * in the plan, or that of a namespace. */
	EGRESS_MESSAGE_MAX = EGRESS_LISTENERS_MAX + 2,
	EGRESS_NS_USER = 254,
	EGRESS_NS_NET = 255,
};

/* As `host.cordon.internal` the host's loopback has a name inside. */
#define EGRESS_HOST_NAME "host.cordon.internal"

struct plan_egress {
	struct egress_rules rules;
	struct {
		struct egress_listener *v;
		size_t n;
	} listeners;
	struct {
		uint16_t *v;
		size_t n;
	} host_ports;
	struct {
		struct egress_publish *v;
		size_t n;
	} publish;
	struct egress_endpoint upstream; /* proxy for all that is allowed */
	struct egress_endpoint resolver; /* an address; else the system's */
};

/* Fails with ERR_POLICY and the origin of what does not fit together. */
int plan_egress_build(struct arena *arena, const struct policy *policy,
		      struct plan_egress *out, struct err *err);

/* For `cordon plan`. */
void plan_egress_format(struct text *out, const struct plan_egress *egress);

#endif
