/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a filtered box is told and given: the words for verdicts, ports of the
 * host, and the sockets of a plan.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "plan/egress.h"

#include "egress_world.h"

static const struct {
	const char *rules;
	const char *host;
	uint16_t port;
	const char *address; /* NULL: the target alone is judged */
	const char *reason;
	const char *remedy; /* NULL: none */
} sentences[] = {
	{ "a.b", "a.b", 443, NULL,
	  "a.b:443 is allowed by network.allow 'a.b' (p.yaml:1)", NULL },
	{ "", "a.b", 443, NULL, "no rule of network.allow names a.b",
	  "--allow-domain=a.b, or network.allow: [a.b]" },
	{ "", "a.b", 8443, NULL, "no rule of network.allow names a.b",
	  "--allow-domain=a.b:8443, or network.allow: [a.b:8443]" },
	{ "", "8.8.8.8", 443, NULL,
	  "no rule of network.allow names 8.8.8.8: an address needs a rule of "
	  "its own",
	  "--allow-domain=8.8.8.8:443, or network.allow: [8.8.8.8:443]" },
	{ "", "[::1]", 5432, NULL,
	  "no rule of network.allow names ::1: an address needs a rule of its "
	  "own",
	  "--host-port=5432, or network.host_ports: [5432]" },
	{ "a.b", "a.b", 22, NULL,
	  "network.allow 'a.b' (p.yaml:1) allows a.b at ports 80 and 443, not "
	  "at port 22",
	  "--allow-domain=a.b:22, or network.allow: [a.b:22]" },
	{ "* !a.b", "a.b", 443, NULL,
	  "a.b:443 is denied by network.deny 'a.b' (p.yaml:2)",
	  "remove 'a.b' from network.deny (p.yaml:2)" },
	{ "a.b !8.0.0.0/8", "a.b", 443, "8.8.8.8",
	  "a.b:443 leads to 8.8.8.8, which is denied by network.deny "
	  "'8.0.0.0/8' (p.yaml:2)",
	  "remove '8.0.0.0/8' from network.deny (p.yaml:2)" },
	{ "a.b", "a.b", 443, "fd00::1",
	  "a.b:443 leads to fd00::1, which is a private network, and no rule "
	  "of network.allow names it",
	  "--allow-domain='[fd00::1]:443', or network.allow: "
	  "['[fd00::1]:443']" },
	{ "a.b 0.0.0.0/0", "a.b", 443, "169.254.169.254",
	  "a.b:443 leads to 169.254.169.254, which is a cloud's metadata "
	  "service, and network.allow '0.0.0.0/0' (p.yaml:2) is too wide to "
	  "name it",
	  "--allow-domain=169.254.169.254:443, or network.allow: "
	  "[169.254.169.254:443]" },
	/* A question for a name has no port. */
	{ "", "a.b", 0, NULL, "no rule of network.allow names a.b",
	  "--allow-domain=a.b, or network.allow: [a.b]" },
	{ "* !a.b", "a.b", 0, NULL,
	  "a.b is denied by network.deny 'a.b' (p.yaml:2)",
	  "remove 'a.b' from network.deny (p.yaml:2)" },
	{ "a.b", "a.b", 0, NULL,
	  "network.allow 'a.b' (p.yaml:1) allows a.b at ports 80 and 443 alone",
	  "--allow-domain=a.b, or network.allow: [a.b]" },
	{ "", "host.cordon.internal", 0, NULL,
	  "no rule of network.allow names host.cordon.internal",
	  "--host-port=PORT, or network.host_ports: [PORT]" },
	/* Ports of the host lead to names of its loopback, and to no other. */
	{ "", "host.cordon.internal", 9000, NULL,
	  "no rule of network.allow names host.cordon.internal",
	  "--host-port=9000, or network.host_ports: [9000]" },
	{ "*", "localhost", 9000, NULL,
	  "no rule of network.allow names localhost",
	  "--host-port=9000, or network.host_ports: [9000]" },
	{ "localhost", "localhost", 9000, NULL,
	  "network.allow 'localhost' (p.yaml:1) allows localhost at ports 80 "
	  "and 443, not at port 9000",
	  "--host-port=9000, or network.host_ports: [9000]" },
	{ "0.0.0.0/0:9000", "127.0.0.1", 9000, NULL,
	  "127.0.0.1:9000 is loopback, and network.allow '0.0.0.0/0:9000' "
	  "(p.yaml:1) is too wide to name it",
	  "--host-port=9000, or network.host_ports: [9000]" },
	{ "", "127.0.0.2", 9000, NULL,
	  "no rule of network.allow names 127.0.0.2: an address needs a rule "
	  "of its own",
	  "--allow-domain=127.0.0.2:9000, or network.allow: "
	  "[127.0.0.2:9000]" },
	{ "a.b:9000", "a.b", 9000, "127.0.0.1",
	  "a.b:9000 leads to 127.0.0.1, which is loopback, and no rule of "
	  "network.allow names it",
	  "--allow-domain=127.0.0.1:9000, or network.allow: "
	  "[127.0.0.1:9000]" },
	{ "localhost:9000", "localhost", 9000, "::1",
	  "localhost:9000 leads to ::1, which is loopback, and no rule of "
	  "network.allow names it",
	  "--host-port=9000, or network.host_ports: [9000]" },
	/* What stands for names is not to be allowed; what lies beside is. */
	{ "198.18.0.0/15", "198.18.0.5", 443, NULL,
	  "198.18.0.5 stands for no name: addresses of its network are the "
	  "box's own, for names that it has asked for",
	  NULL },
	{ "", "[fd63:6f72:646e::5]", 443, NULL,
	  "fd63:6f72:646e::5 stands for no name: addresses of its network are "
	  "the box's own, for names that it has asked for",
	  NULL },
	{ "fd00::/8", "[fd63:6f72:646e::ffff:ffff]", 443, NULL,
	  "fd63:6f72:646e::ffff:ffff stands for no name: addresses of its "
	  "network are the box's own, for names that it has asked for",
	  NULL },
	{ "fd00::/8", "[fd63:6f72:646e:0:0:1::]", 443, NULL,
	  "[fd63:6f72:646e::1:0:0]:443 is allowed by network.allow 'fd00::/8' "
	  "(p.yaml:1)",
	  NULL },
	{ "", "198.20.0.5", 443, NULL,
	  "no rule of network.allow names 198.20.0.5: an address needs a rule "
	  "of its own",
	  "--allow-domain=198.20.0.5:443, or network.allow: "
	  "[198.20.0.5:443]" },
	{ "a.b 10.0.0.1:22", "a.b", 443, "10.0.0.1",
	  "a.b:443 leads to 10.0.0.1, which is a private network, and "
	  "network.allow '10.0.0.1:22' (p.yaml:2) names it at port 22",
	  "--allow-domain=10.0.0.1:443, or network.allow: [10.0.0.1:443]" },
};

static void a_refusal_says_why_and_what_would_allow_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(sentences); i++) {
		AUTO_ARENA arena = { 0 };
		struct egress_rules rules =
			rules_of(&arena, sentences[i].rules);
		struct egress_target target =
			target_of(sentences[i].host, sentences[i].port);
		struct egress_verdict verdict = { 0 };
		struct address address;
		const char *remedy;

		(void)egress_judge(&rules, &target, &verdict);
		if (sentences[i].address) {
			address = address_of(sentences[i].address);
			(void)egress_judge_address(&rules, &target, &address,
						   false, &verdict);
		}
		assert_string_equal(
			egress_reason(&arena, &target,
				      sentences[i].address ? &address : NULL,
				      &verdict),
			sentences[i].reason);
		remedy = egress_remedy(&arena, &target,
				       sentences[i].address ? &address : NULL,
				       &verdict);
		assert_string_equal(
			remedy ? remedy : "",
			sentences[i].remedy ? sentences[i].remedy : "");
	}
}

static void every_reason_has_a_code_and_a_sentence(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct egress_rules rules = rules_of(&arena, "a.b !c.d");
	struct egress_target target = target_of("a.b", 443);

	(void)state;
	for (unsigned int why = EGRESS_ALLOWED; why <= EGRESS_BUDGET; why++) {
		struct egress_verdict verdict = {
			.why = (enum egress_why)why,
			.rule = why == EGRESS_DENIED ? rules.deny.v
						     : rules.allow.v,
		};

		assert_non_null(egress_why_code(verdict.why));
		assert_true(*egress_reason(&arena, &target, NULL, &verdict));
		(void)egress_remedy(&arena, &target, NULL, &verdict);
	}
	assert_string_equal(egress_why_code(EGRESS_UNLISTED),
			    "blocked-by-allowlist");
	assert_string_equal(egress_why_code(EGRESS_DENIED),
			    "blocked-by-denylist");
	assert_string_equal(egress_why_code(EGRESS_PORT),
			    "blocked-by-port-policy");
	assert_string_equal(egress_why_code(EGRESS_PLACE),
			    "blocked-by-resolved-address");
	assert_string_equal(egress_why_code(EGRESS_NAME_DIFFERS),
			    "blocked-by-name-mismatch");
	assert_string_equal(egress_why_code(EGRESS_NOT_TLS),
			    "blocked-by-tls-policy");
	assert_string_equal(egress_why_code(EGRESS_MALFORMED),
			    "malformed-request");
}

/* What a shipped profile denies, and what an option does. */
static void a_denial_is_undone_where_it_was_made(void **state)
{
	static const struct {
		const char *source;
		const char *remedy;
	} cases[] = {
		{ "profile default", "" },
		{ "--deny-domain", "leave out --deny-domain 'a.b'" },
		{ "p.yaml", "remove 'a.b' from network.deny (p.yaml)" },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct egress_rules rules = rules_of(&arena, "!a.b");
		struct egress_target target = target_of("a.b", 443);
		struct egress_verdict verdict = { 0 };
		const char *remedy;

		rules.deny.v[0].origin = (struct policy_origin){
			.source = cases[i].source,
		};
		assert_false(egress_judge(&rules, &target, &verdict));
		remedy = egress_remedy(&arena, &target, NULL, &verdict);
		assert_string_equal(remedy ? remedy : "", cases[i].remedy);
	}
}

static void a_denied_loopback_has_no_host_ports(void **state)
{
	static const struct {
		const char *rules;
		uint16_t port;
		const char *denied; /* the rule; NULL: it is allowed */
	} cases[] = {
		{ "", 9000, NULL },
		{ "!a.b !10.0.0.0/8", 9000, NULL },
		{ "!host.cordon.internal", 9000, "host.cordon.internal" },
		{ "!*.cordon.internal:9000", 9000, "*.cordon.internal:9000" },
		{ "!localhost:9000", 9000, "localhost:9000" },
		{ "!localhost:9001", 9000, NULL },
		{ "!*.localhost", 9000, NULL },
		{ "!127.0.0.1", 9000, "127.0.0.1" },
		{ "!127.0.0.0/8:9000", 9000, "127.0.0.0/8:9000" },
		{ "!127.0.0.1:9001", 9000, NULL },
		{ "!127.0.0.2", 9000, NULL },
		{ "![::1]:9000", 9000, "[::1]:9000" },
		{ "!::/0", 9000, "::/0" },
		{ "!*", 9000, "*" },
		{ "localhost 127.0.0.1:9000 !127.0.0.1", 9000, "127.0.0.1" },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct egress_rules rules = rules_of(&arena, cases[i].rules);
		struct egress_verdict verdict = { 0 };
		bool allowed =
			egress_judge_host(&rules, cases[i].port, &verdict);
		const char *denied = cases[i].denied;

		if (allowed != !denied ||
		    verdict.why != (denied ? EGRESS_DENIED : EGRESS_ALLOWED) ||
		    (denied && strcmp(verdict.rule->text, denied) != 0))
			fail_msg("[%s] %u", cases[i].rules, cases[i].port);
		assert_int_equal(verdict.class, ADDRESS_LOOPBACK);
	}
}

/* The network section of a policy, each list as words. */
struct section {
	const char *rules;
	const char *host_ports;
	const char *publish;
	const char *upstream;
	const char *resolver;
};

static int build(struct arena *arena, const struct section *section,
		 struct plan_egress *out, struct err *err)
{
	const char *rules = section->rules ? section->rules : "";
	const char *ports = section->host_ports ? section->host_ports : "";
	const char *publish = section->publish ? section->publish : "";
	struct policy policy = {
		.network = {
			.allow = list_of(arena, rules, false),
			.deny = list_of(arena, rules, true),
			.host_ports = list_of(arena, ports, false),
			.publish = list_of(arena, publish, false),
			.upstream_proxy = { .text = section->upstream,
					    .origin = { "p.yaml", 7 } },
			.resolver = { .text = section->resolver,
				      .origin = { "--resolver", 0 } },
		},
	};

	return plan_egress_build(arena, &policy, out, err);
}

static void a_plan_has_a_socket_for_each_way(void **state)
{
	static const struct section section = {
		.rules = "a.b x.y:22 c.d:443 e.f:53 g.h:3128 i.j:5432 !k.l:99",
		.host_ports = "5432 8080 5432",
		.publish = "3000 127.0.0.1:3000:3000 [::1]:3000:3000 "
			   "0.0.0.0:3128:80",
		.upstream = "http://Proxy.corp.:3128",
		.resolver = "[::ffff:9.9.9.9]:53",
	};
	static const char expected[] =
		"egress:\n"
		"  deny     k.l:99  (p.yaml:7)\n"
		"  allow    a.b at ports 80 and 443  (p.yaml:1)\n"
		"  allow    x.y:22  (p.yaml:2)\n"
		"  allow    c.d:443  (p.yaml:3)\n"
		"  allow    e.f:53  (p.yaml:4)\n"
		"  allow    g.h:3128  (p.yaml:5)\n"
		"  allow    i.j:5432  (p.yaml:6)\n"
		"  listen   127.0.0.1:3128 tcp  (HTTP and SOCKS5 proxy)\n"
		"  listen   127.0.0.1:1080 tcp  (HTTP and SOCKS5 proxy)\n"
		"  listen   [::]:53 udp  (name server)\n"
		"  listen   [::]:53 tcp  (all TCP that leaves the box)\n"
		"  listen   [::]:80 tcp  (this port of it, without TPROXY)\n"
		"  listen   [::]:443 tcp  (this port of it, without TPROXY)\n"
		"  listen   [::]:22 tcp  (this port of it, without TPROXY)\n"
		"  listen   127.0.0.1:5432 tcp  (the host's loopback)\n"
		"  listen   [::1]:5432 tcp  (the host's loopback)\n"
		"  listen   127.0.0.1:8080 tcp  (the host's loopback)\n"
		"  listen   [::1]:8080 tcp  (the host's loopback)\n"
		"  publish  127.0.0.1:3000 -> port 3000  (p.yaml:1)\n"
		"  publish  [::1]:3000 -> port 3000  (p.yaml:3)\n"
		"  publish  0.0.0.0:3128 -> port 80  (p.yaml:4)\n"
		"  upstream proxy.corp:3128\n"
		"  resolver 9.9.9.9:53\n";
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	struct plan_egress plan = { 0 };
	struct err err = { 0 };

	(void)state;
	if (build(&arena, &section, &plan, &err) < 0)
		fail_msg("%s", err.msg);
	plan_egress_format(&text, &plan);
	assert_string_equal(text_str(&text), expected);
	assert_int_equal(plan.host_ports.n, 2);
	assert_true(plan.upstream.set && !plan.upstream.host.is_address);
	assert_true(plan.resolver.set && plan.resolver.host.is_address);
}

static void an_empty_policy_has_the_first_sockets_only(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct plan_egress plan = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		build(&arena,
		      &(struct section){ .upstream = "", .resolver = "" },
		      &plan, &err),
		0);
	assert_int_equal(plan.listeners.n, 4);
	assert_int_equal(plan.listeners.v[0].kind, EGRESS_PROXY);
	assert_int_equal(plan.listeners.v[2].kind, EGRESS_DNS);
	assert_int_equal(plan.listeners.v[3].kind, EGRESS_STREAM);
	assert_false(plan.upstream.set || plan.resolver.set);
}

static void what_does_not_fit_together_is_refused(void **state)
{
	static const struct {
		struct section section;
		const char *message; /* how it begins; NULL: it fits */
	} cases[] = {
		{ { .host_ports = "5432" }, NULL },
		{ { .host_ports = "5432 3128" },
		  "p.yaml:2: network.host_ports '3128': inside, ports 3128" },
		{ { .host_ports = "1080" },
		  "p.yaml:1: network.host_ports '1080': " },
		{ { .host_ports = "53" }, "p.yaml:1: network.host_ports '53'" },
		{ { .host_ports = "x" }, "p.yaml:1: network.host_ports 'x'" },
		{ { .publish = "53" }, "p.yaml:1: network.publish '53': " },
		{ { .publish = "8080:3128" },
		  "p.yaml:1: network.publish '8080:3128': inside, " },
		{ { .publish = "3128:8080" }, NULL },
		{ { .publish = "5432", .host_ports = "5432" },
		  "p.yaml:1: network.publish '5432': inside, this port" },
		{ { .publish = "5433:80", .host_ports = "5433" }, NULL },
		{ { .publish = "80:80 80:81" },
		  "p.yaml:2: network.publish '80:81': another item" },
		{ { .publish = "80:80 80:80" }, NULL },
		{ { .publish = "0.0.0.0:80:80 80" },
		  "p.yaml:2: network.publish '80': another item" },
		{ { .publish = "80 0.0.0.0:80:80" },
		  "p.yaml:2: network.publish '0.0.0.0:80:80': another" },
		{ { .publish = "80 [::1]:80:80" }, NULL },
		{ { .publish = "80 [::ffff:127.0.0.1]:80:81" },
		  "p.yaml:2: network.publish '[::ffff:127.0.0.1]:80:81': " },
		{ { .publish = "127.0.0.1:80:80 127.0.0.2:80:81" }, NULL },
		{ { .resolver = "127.0.0.1:5353" }, NULL },
		{ { .resolver = "dns.corp:53" },
		  "network.resolver (--resolver) 'dns.corp:53': it is " },
		{ { .resolver = "9.9.9.9" },
		  "network.resolver (--resolver) '9.9.9.9': " },
		{ { .upstream = "http://[::1]:3128" }, NULL },
		{ { .upstream = "socks5://p:1080" },
		  "p.yaml:7: network.upstream_proxy 'socks5://p:1080': " },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct plan_egress plan = { 0 };
		struct err err = { 0 };
		int built = build(&arena, &cases[i].section, &plan, &err);

		if ((built == 0) != !cases[i].message)
			fail_msg("%zu: %s", i, err.msg);
		if (built == 0)
			continue;
		assert_int_equal(err.kind, ERR_POLICY);
		if (strncmp(err.msg, cases[i].message,
			    strlen(cases[i].message)) != 0)
			fail_msg("'%s', not '%s'", err.msg, cases[i].message);
	}
}

/* @n rules, each with a port of its own, and a port of the host. */
static int build_ports(struct arena *arena, unsigned int n, struct err *err)
{
	struct text rules = { .arena = arena };
	struct plan_egress plan;

	for (unsigned int i = 0; i < n; i++)
		text_addf(&rules, "a.b:%u ", 2000 + i);
	return build(arena,
		     &(struct section){ .rules = text_str(&rules),
					.host_ports = "99" },
		     &plan, err);
}

static void there_is_an_end_to_the_sockets(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(build_ports(&arena, 114, &err), 0);
	assert_int_equal(build_ports(&arena, 115, &err), -1);
	assert_non_null(strstr(err.msg, "network.host_ports '99': more than"));
	assert_int_equal(build_ports(&arena, 117, &err), -1);
	assert_non_null(strstr(err.msg, "'a.b:2116': more than 120"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_says_why_and_what_would_allow_it),
		cmocka_unit_test(every_reason_has_a_code_and_a_sentence),
		cmocka_unit_test(a_denial_is_undone_where_it_was_made),
		cmocka_unit_test(a_denied_loopback_has_no_host_ports),
		cmocka_unit_test(a_plan_has_a_socket_for_each_way),
		cmocka_unit_test(an_empty_policy_has_the_first_sockets_only),
		cmocka_unit_test(what_does_not_fit_together_is_refused),
		cmocka_unit_test(there_is_an_end_to_the_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
