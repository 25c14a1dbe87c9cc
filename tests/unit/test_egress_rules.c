/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a filtered box may go: what rules say and cover, how a client may call
 * a host, and the verdicts on that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "plan/egress.h"
#include "policy/names.h"

#include "egress_world.h"

static void rules_are_checked_by_their_syntax(void **state)
{
	static const char *const good[] = {
		"tcp://ssh.github.com:443",
		"tcp://*.x.org:22",
		"tcp://*:22",
		"tcp://10.0.0.0/8:22",
		"tcp://[::1]:22",
		"10.0.0.0/8:8080",
		"0.0.0.0/0",
		"::/0",
		"[fd00::/8]:443",
		"::ffff:10.0.0.0/104",
		"10.1.2.3/32",
		"3dprinter",
		"1password.com",
		"0x7f.example",
		"xn--bcher-kva.example",
	};
	static const char *const bad[] = {
		"tcp://ssh.github.com",
		"tcp://[::1]",
		"tcp://",
		"tcp://:443",
		"TCP://x:443",
		"tcp:x:443",
		"tcp://tcp://x:443",
		"http://x.org",
		"https://x.org:443",
		"x.org/path",
		"x.org:443/path",
		"user@x.org",
		"user:pw@x.org",
		/* Which network was meant? */
		"10.1.2.3/8",
		"fd00::1/8",
		"::ffff:10.0.0.0/8",
		"10.0.0.0/-1",
		"10.0.0.0/08",
		"10.0.0.0/",
		"[10.0.0.1]:80",
		"[10.0.0.0/8]:80",
		"[::1%lo]:80",
		"[]:80",
		/* Numbers that some resolvers take for addresses. */
		"2130706433",
		"0x7f000001",
		"017700000001",
		"0177.0.0.1",
		"0x7f.1",
		"127.1",
		"127.0.0.1.",
		"example.1",
		"example.0x",
		"*.0x1",
		"*.1",
		/* T-104 */
		"a -j ACCEPT",
		"a\nb",
		"a\n",
		"a;b",
		"$(a)",
		"a%00.b",
		"%61.b",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(good); i++) {
		if (policy_host_check(good[i]))
			fail_msg("'%s': %s", good[i],
				 policy_host_check(good[i]));
	}
	for (size_t i = 0; i < LENGTH(bad); i++) {
		if (!policy_host_check(bad[i]))
			fail_msg("'%s' was accepted", bad[i]);
	}
	assert_non_null(policy_endpoint_check("tcp://9.9.9.9:53"));
	assert_non_null(policy_endpoint_check("10.0.0.0/8:53"));
	assert_non_null(policy_endpoint_check("10.0.0.1/32:53"));
	assert_non_null(policy_proxy_check("http://tcp://x:3128"));
	assert_non_null(policy_proxy_check("http://u:p@x:3128"));
	assert_null(policy_proxy_check("http://[::1]:3128"));
	assert_null(policy_publish_check("0.0.0.0:8080:80"));
	assert_null(policy_publish_check("[::]:8080:80"));
	assert_non_null(policy_publish_check("::1:8080:80"));
	assert_non_null(policy_publish_check("[127.0.0.1]:8080:80"));
	assert_non_null(policy_publish_check("127.1:8080:80"));
	assert_non_null(policy_publish_check("[::1]8080:80"));
}

static void a_rule_covers_what_it_names_and_no_more(void **state)
{
	static const struct {
		const char *wide;
		const char *narrow;
		bool covers;
	} cases[] = {
		{ "x.org.", "X.ORG", true },
		{ "*.x.org", "a.x.org.", true },
		{ "*.x.org", "*.a.x.org", true },
		{ "*.x.org", "**.a.x.org", true },
		{ "*.x.org", "*.x.org", true },
		{ "*.x.org", "**.x.org", false },
		{ "*.a.x.org", "*.x.org", false },
		{ "*.x.org", "ax.org", false },
		{ "**.x.org", "*.ax.org", false },
		{ "x.org", "*.x.org", false },
		{ "x.org", "**.x.org", false },
		{ "*", "**.x.org", true },
		{ "*", "*", true },
		{ "**.x.org", "*", false },
		/* What is not looked at allows more. */
		{ "tcp://x.org:443", "x.org:443", true },
		{ "x.org:443", "tcp://x.org:443", false },
		{ "x.org", "tcp://x.org:443", false },
		{ "tcp://x.org:443", "x.org", false },
		{ "tcp://*.x.org:22", "tcp://a.x.org:22", true },
		{ "tcp://*:22", "tcp://10.0.0.1:22", false },
		{ "10.0.0.0/8", "10.1.0.0/16", true },
		{ "10.0.0.0/8", "10.1.2.3", true },
		{ "10.0.0.0/8", "10.1.2.3:8080", false },
		{ "10.0.0.0/8:8080", "10.1.2.3:8080", true },
		{ "10.1.0.0/16", "10.0.0.0/8", false },
		{ "0.0.0.0/0", "93.0.0.0/8", true },
		{ "0.0.0.0/0", "10.0.0.0/8", false },
		{ "0.0.0.0/0", "0.0.0.0/1", true },
		{ "169.254.0.0/16", "169.254.169.254", false },
		{ "169.254.0.0/16", "169.254.1.1", true },
		{ "0.0.0.0/0", "169.254.169.254/31", false },
		{ "::/0", "64:ff9b::/96", false },
		{ "::/0", "10.0.0.1", false },
		{ "::ffff:10.0.0.0/104", "10.0.0.1", true },
		{ "10.0.0.1", "::ffff:a00:1", true },
		{ "10.0.0.1", "a.b", false },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		if (policy_host_covers(cases[i].wide, cases[i].narrow) !=
		    cases[i].covers)
			fail_msg("'%s' and '%s'", cases[i].wide,
				 cases[i].narrow);
	}
}

static void a_host_has_one_spelling(void **state)
{
	static const struct {
		const char *host;
		const char *canonical; /* NULL: refused */
		bool is_address;
	} cases[] = {
		{ "example.com", "example.com", false },
		{ "EXAMPLE.Com", "example.com", false },
		{ "example.com.", "example.com", false },
		{ "LOCALHOST.", "localhost", false },
		{ "xn--Bcher-KVA.example", "xn--bcher-kva.example", false },
		{ "3com.com", "3com.com", false },
		{ "127.0.0.1", "127.0.0.1", true },
		{ "[::1]", "::1", true },
		{ "::1", "::1", true },
		{ "[0:0:0:0:0:0:0:1]", "::1", true },
		{ "[::ffff:127.0.0.1]", "127.0.0.1", true },
		{ "[::FFFF:7F00:1]", "127.0.0.1", true },
		{ "[2001:DB8:66::66]", "2001:db8:66::66", true },
		{ "", NULL, false },
		{ ".", NULL, false },
		{ "..", NULL, false },
		{ ".example.com", NULL, false },
		{ "example.com..", NULL, false },
		{ "a..b", NULL, false },
		{ "-a.b", NULL, false },
		{ "a_b.c", NULL, false },
		{ "*.example.com", NULL, false },
		{ "*", NULL, false },
		{ "exam ple.com", NULL, false },
		{ "example.com\n", NULL, false },
		{ "example.com\t", NULL, false },
		{ "example.com\r\nHost: evil", NULL, false },
		{ "ex%61mple.com", NULL, false },
		{ "example.com%00.evil.test", NULL, false },
		{ "user@example.com", NULL, false },
		{ "example.com:443", NULL, false },
		{ "example.com/", NULL, false },
		{ "example.com\\", NULL, false },
		{ "b\xc3\xbc"
		  "cher.example",
		  NULL, false },
		{ "example\xe3\x80\x82"
		  "com",
		  NULL, false },
		{ "\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1", NULL, false },
		{ "127.1", NULL, false },
		{ "127.0.1", NULL, false },
		{ "127.0.0.1.", NULL, false },
		{ "0", NULL, false },
		{ "2130706433", NULL, false },
		{ "0x7f000001", NULL, false },
		{ "0X7F000001", NULL, false },
		{ "017700000001", NULL, false },
		{ "0177.0.0.1", NULL, false },
		{ "0x7f.1", NULL, false },
		{ "0x7f.0x1", NULL, false },
		{ "0x7f.0x1.", NULL, false },
		{ "256.1.1.1", NULL, false },
		{ "[127.0.0.1]", NULL, false },
		{ "[example.com]", NULL, false },
		{ "[::1", NULL, false },
		{ "::1]", NULL, false },
		{ "[]", NULL, false },
		{ "[::1]]", NULL, false },
		{ "[[::1]]", NULL, false },
		{ "[::1%25lo]", NULL, false },
		{ "fe80::1%lo", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct egress_target target;
		bool taken = egress_target_parse(
			cases[i].host, strlen(cases[i].host), 443, &target);

		if (taken != (cases[i].canonical != NULL))
			fail_msg("'%s'", cases[i].host);
		if (!taken)
			continue;
		assert_string_equal(target.name, cases[i].canonical);
		assert_int_equal(target.is_address, cases[i].is_address);
		assert_int_equal(target.port, 443);
	}
}

static void lengths_and_nul_bytes_are_refused(void **state)
{
	struct egress_target target;
	char name[300];

	(void)state;
	assert_false(egress_target_parse("example.com\0.evil.test", 22, 443,
					 &target));
	assert_false(egress_target_parse("example.com\0", 12, 443, &target));
	assert_false(egress_target_parse("\0", 1, 443, &target));
	/* Labels of 63 and the longest name; one more of either. */
	memset(name, 'a', sizeof(name));
	name[63] = name[127] = name[191] = '.';
	assert_true(egress_target_parse(name, 253, 443, &target));
	assert_int_equal(strlen(target.name), 253);
	assert_false(egress_target_parse(name, 254, 443, &target));
	assert_false(egress_target_parse(name, 300, 443, &target));
	name[253] = '.';
	assert_true(egress_target_parse(name, 254, 443, &target));
	assert_true(egress_target_parse(name, 63, 443, &target));
	name[63] = 'a';
	assert_false(egress_target_parse(name, 64, 443, &target));
}

static const struct {
	const char *rules;
	const char *host;
	uint16_t port;
	enum egress_why why;
	const char *rule; /* that decided; NULL: none */
} verdicts[] = {
	/* Names; T-092, NP-09. */
	{ "a.b", "a.b", 443, EGRESS_ALLOWED, "a.b" },
	{ "a.b", "a.b", 80, EGRESS_ALLOWED, "a.b" },
	{ "A.B.", "a.b", 443, EGRESS_ALLOWED, "A.B." },
	{ "a.b", "A.b.", 443, EGRESS_ALLOWED, "a.b" },
	{ "a.b", "x.a.b", 443, EGRESS_UNLISTED, NULL },
	{ "a.b", "xa.b", 443, EGRESS_UNLISTED, NULL },
	{ "a.b", "b", 443, EGRESS_UNLISTED, NULL },
	{ "", "a.b", 443, EGRESS_UNLISTED, NULL },
	{ "*.wild.test", "a.wild.test", 443, EGRESS_ALLOWED, "*.wild.test" },
	{ "*.wild.test", "a.b.WILD.test.", 443, EGRESS_ALLOWED, "*.wild.test" },
	{ "*.wild.test", "wild.test", 443, EGRESS_UNLISTED, NULL },
	{ "*.wild.test", "notwild.test", 443, EGRESS_UNLISTED, NULL },
	{ "*.wild.test", "xwild.test", 443, EGRESS_UNLISTED, NULL },
	{ "*.wild.test", "evil.test.wild.test.evil.test", 443, EGRESS_UNLISTED,
	  NULL },
	{ "**.wild.test", "wild.test", 443, EGRESS_ALLOWED, "**.wild.test" },
	{ "**.wild.test", "a.wild.test", 443, EGRESS_ALLOWED, "**.wild.test" },
	{ "**.wild.test", "notwild.test", 443, EGRESS_UNLISTED, NULL },
	{ "xn--bcher-kva.example", "XN--bcher-kva.example", 443, EGRESS_ALLOWED,
	  "xn--bcher-kva.example" },

	/* Ports. */
	{ "a.b", "a.b", 8443, EGRESS_PORT, "a.b" },
	{ "a.b", "a.b", 0, EGRESS_PORT, "a.b" },
	{ "a.b:8443", "a.b", 8443, EGRESS_ALLOWED, "a.b:8443" },
	{ "a.b:8443", "a.b", 443, EGRESS_PORT, "a.b:8443" },
	{ "a.b a.b:8443", "a.b", 8443, EGRESS_ALLOWED, "a.b:8443" },
	{ "*:22 a.b", "a.b", 22, EGRESS_ALLOWED, "*:22" },
	{ "*:22 a.b", "c.d", 443, EGRESS_PORT, "*:22" },

	/* What is not looked at wins. */
	{ "*.a.b tcp://s.a.b:443", "s.a.b", 443, EGRESS_ALLOWED,
	  "tcp://s.a.b:443" },
	{ "tcp://s.a.b:443 *.a.b", "s.a.b", 443, EGRESS_ALLOWED,
	  "tcp://s.a.b:443" },
	{ "tcp://s.a.b:443", "s.a.b", 80, EGRESS_PORT, "tcp://s.a.b:443" },

	/* Denied beats allowed, wherever it stands; T-092, T-105. */
	{ "a.b !a.b", "a.b", 443, EGRESS_DENIED, "a.b" },
	{ "!*.b a.b", "a.b", 443, EGRESS_DENIED, "*.b" },
	{ "a.b !A.B.", "a.b.", 443, EGRESS_DENIED, "A.B." },
	{ "**.a.b !*.a.b", "a.b", 443, EGRESS_ALLOWED, "**.a.b" },
	{ "a.b:8443 !a.b", "a.b", 8443, EGRESS_DENIED, "a.b" },
	{ "a.b !a.b:80", "a.b", 80, EGRESS_DENIED, "a.b:80" },
	{ "a.b !a.b:80", "a.b", 443, EGRESS_ALLOWED, "a.b" },
	{ "tcp://a.b:443 !a.b", "a.b", 443, EGRESS_DENIED, "a.b" },
	{ "a.b !tcp://a.b:443", "a.b", 443, EGRESS_DENIED, "tcp://a.b:443" },
	{ "a.b !tcp://a.b:443", "a.b", 80, EGRESS_ALLOWED, "a.b" },
	{ "* !evil.test", "good.test", 443, EGRESS_ALLOWED, "*" },
	{ "* !evil.test", "evil.test", 443, EGRESS_DENIED, "evil.test" },
	{ "* !evil.test", "evil.test", 22, EGRESS_DENIED, "evil.test" },
	{ "* !**.evil.test", "a.evil.test", 443, EGRESS_DENIED,
	  "**.evil.test" },
	{ "* !*", "a.b", 443, EGRESS_DENIED, "*" },
	{ "!evil.test", "evil.test", 443, EGRESS_DENIED, "evil.test" },

	/* An address needs a rule of its own; NP-04. */
	{ "*", "93.184.216.66", 443, EGRESS_UNLISTED, NULL },
	{ "*", "[2606:2800::66]", 443, EGRESS_UNLISTED, NULL },
	{ "*", "[::ffff:93.184.216.66]", 443, EGRESS_UNLISTED, NULL },
	{ "*", "0.0.0.0", 443, EGRESS_UNLISTED, NULL },
	{ "*", "[::]", 443, EGRESS_UNLISTED, NULL },
	{ "*", "127.0.0.1", 443, EGRESS_UNLISTED, NULL },
	{ "*", "198.18.0.1", 443, EGRESS_UNLISTED, NULL },
	{ "93.184.216.66", "93.184.216.66", 443, EGRESS_ALLOWED,
	  "93.184.216.66" },
	{ "93.184.216.66", "[::ffff:5db8:d842]", 443, EGRESS_ALLOWED,
	  "93.184.216.66" },
	{ "93.184.216.66", "93.184.216.67", 443, EGRESS_UNLISTED, NULL },
	{ "93.184.216.66", "93.184.216.66", 22, EGRESS_PORT, "93.184.216.66" },
	{ "93.184.0.0/16", "93.184.216.66", 443, EGRESS_ALLOWED,
	  "93.184.0.0/16" },
	{ "10.1.2.3:8080", "10.1.2.3", 8080, EGRESS_ALLOWED, "10.1.2.3:8080" },
	{ "10.0.0.0/8:8080", "10.1.2.3", 8080, EGRESS_ALLOWED,
	  "10.0.0.0/8:8080" },
	{ "[::1]:80", "[::1]", 80, EGRESS_ALLOWED, "[::1]:80" },
	{ "tcp://10.1.2.3:22", "10.1.2.3", 22, EGRESS_ALLOWED,
	  "tcp://10.1.2.3:22" },

	/* A wide network names no special address; NP-05. */
	{ "0.0.0.0/0", "93.184.216.66", 443, EGRESS_ALLOWED, "0.0.0.0/0" },
	{ "0.0.0.0/0", "10.0.0.1", 443, EGRESS_PLACE, "0.0.0.0/0" },
	{ "0.0.0.0/0", "127.0.0.1", 443, EGRESS_PLACE, "0.0.0.0/0" },
	{ "0.0.0.0/0", "[::ffff:127.0.0.1]", 443, EGRESS_PLACE, "0.0.0.0/0" },
	{ "0.0.0.0/0", "0.0.0.0", 443, EGRESS_PLACE, "0.0.0.0/0" },
	{ "0.0.0.0/0", "169.254.169.254", 80, EGRESS_PLACE, "0.0.0.0/0" },
	{ "169.254.0.0/16", "169.254.169.254", 80, EGRESS_PLACE,
	  "169.254.0.0/16" },
	{ "169.254.169.254", "169.254.169.254", 80, EGRESS_ALLOWED,
	  "169.254.169.254" },
	{ "::/0", "[::1]", 443, EGRESS_PLACE, "::/0" },
	{ "::/0", "[::127.0.0.1]", 443, EGRESS_PLACE, "::/0" },
	{ "::/0", "[64:ff9b::7f00:1]", 443, EGRESS_PLACE, "::/0" },
	{ "::/0", "[2002:7f00:1::]", 443, EGRESS_PLACE, "::/0" },
	{ "::/0", "[fd77::1]", 443, EGRESS_PLACE, "::/0" },
	{ "::/0", "[2606:2800::66]", 443, EGRESS_ALLOWED, "::/0" },
	{ "::/0", "93.184.216.66", 443, EGRESS_UNLISTED, NULL },

	/* Denied networks, in every spelling. */
	{ "10.0.0.0/8 !10.1.0.0/16", "10.1.2.3", 80, EGRESS_DENIED,
	  "10.1.0.0/16" },
	{ "10.0.0.0/8 !10.1.0.0/16", "[::ffff:a01:203]", 80, EGRESS_DENIED,
	  "10.1.0.0/16" },
	{ "10.0.0.0/8 !10.1.0.0/16", "10.2.2.3", 80, EGRESS_ALLOWED,
	  "10.0.0.0/8" },
	{ "10.0.0.0/8 !0.0.0.0/0", "10.2.2.3", 80, EGRESS_DENIED, "0.0.0.0/0" },
	{ "10.0.0.0/8 !::/0", "10.2.2.3", 80, EGRESS_ALLOWED, "10.0.0.0/8" },
	{ "10.1.2.3 !10.1.2.3:22", "10.1.2.3", 80, EGRESS_ALLOWED, "10.1.2.3" },
	{ "64:ff9b::/96 !8.8.8.8", "[64:ff9b::808:808]", 443, EGRESS_DENIED,
	  "8.8.8.8" },
	{ "64:ff9b::/96 !8.8.8.8", "[64:ff9b::808:809]", 443, EGRESS_ALLOWED,
	  "64:ff9b::/96" },
};

static void connections_are_judged_by_the_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(verdicts); i++) {
		AUTO_ARENA arena = { 0 };
		struct egress_rules rules = rules_of(&arena, verdicts[i].rules);
		struct egress_target target =
			target_of(verdicts[i].host, verdicts[i].port);
		struct egress_verdict verdict = { 0 };
		const char *rule;
		bool allowed = egress_judge(&rules, &target, &verdict);

		rule = verdict.rule ? verdict.rule->text : "none";
		if (verdict.why != verdicts[i].why ||
		    allowed != (verdict.why == EGRESS_ALLOWED) ||
		    strcmp(rule,
			   verdicts[i].rule ? verdicts[i].rule : "none") != 0)
			fail_msg("[%s] %s:%u: %s, %s", verdicts[i].rules,
				 verdicts[i].host, verdicts[i].port,
				 egress_why_code(verdict.why), rule);
	}
}

/* An allowed name at port 443 that leads to an address; T-093. */
static const struct {
	const char *rules;
	const char *address;
	bool own;
	enum egress_why why;
} resolved[] = {
	{ "a.b", "93.184.216.34", false, EGRESS_ALLOWED },
	{ "a.b", "2606:2800::1", false, EGRESS_ALLOWED },
	{ "a.b", "127.0.0.1", false, EGRESS_PLACE },
	{ "a.b", "0.0.0.0", false, EGRESS_PLACE },
	{ "a.b", "10.0.0.1", false, EGRESS_PLACE },
	{ "a.b", "172.16.0.1", false, EGRESS_PLACE },
	{ "a.b", "192.168.0.1", false, EGRESS_PLACE },
	{ "a.b", "100.64.0.1", false, EGRESS_PLACE },
	{ "a.b", "169.254.169.254", false, EGRESS_PLACE },
	{ "a.b", "198.18.0.1", false, EGRESS_PLACE },
	{ "a.b", "224.0.0.1", false, EGRESS_PLACE },
	{ "a.b", "255.255.255.255", false, EGRESS_PLACE },
	{ "a.b", "::1", false, EGRESS_PLACE },
	{ "a.b", "::", false, EGRESS_PLACE },
	{ "a.b", "::ffff:127.0.0.1", false, EGRESS_PLACE },
	{ "a.b", "::ffff:10.0.0.1", false, EGRESS_PLACE },
	{ "a.b", "64:ff9b::a00:1", false, EGRESS_PLACE },
	{ "a.b", "64:ff9b::808:808", false, EGRESS_PLACE },
	{ "a.b", "2002:a00:1::", false, EGRESS_PLACE },
	{ "a.b", "fd00::1", false, EGRESS_PLACE },
	{ "a.b", "fe80::1", false, EGRESS_PLACE },
	{ "a.b 0.0.0.0/0 ::/0", "10.0.0.1", false, EGRESS_PLACE },
	{ "a.b 10.0.0.0/8", "10.0.0.1", false, EGRESS_ALLOWED },
	{ "a.b 10.0.0.0/8:443", "10.0.0.1", false, EGRESS_ALLOWED },
	{ "a.b 10.0.0.0/8:5432", "10.0.0.1", false, EGRESS_PLACE },
	{ "a.b 127.0.0.1", "127.0.0.1", true, EGRESS_ALLOWED },
	{ "a.b 127.0.0.0/8", "127.0.0.1", true, EGRESS_ALLOWED },
	{ "a.b", "127.0.0.1", true, EGRESS_PLACE },
	{ "a.b", "93.184.216.34", true, EGRESS_OWN },
	{ "a.b 0.0.0.0/0", "93.184.216.34", true, EGRESS_OWN },
	{ "a.b 93.184.216.34:22", "93.184.216.34", true, EGRESS_OWN },
	{ "a.b 93.184.216.34", "93.184.216.34", true, EGRESS_ALLOWED },
	{ "a.b 192.168.0.0/16", "192.168.0.5", true, EGRESS_OWN },
	{ "a.b 192.168.0.5", "192.168.0.5", true, EGRESS_ALLOWED },
	{ "a.b !93.184.0.0/16", "93.184.216.34", false, EGRESS_DENIED },
	{ "a.b !93.184.0.0/16:22", "93.184.216.34", false, EGRESS_ALLOWED },
	{ "a.b 10.0.0.1 !10.0.0.1", "10.0.0.1", false, EGRESS_DENIED },
	{ "a.b 127.0.0.1 !127.0.0.0/8", "127.0.0.1", true, EGRESS_DENIED },
};

static void a_name_may_not_lead_where_no_rule_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(resolved); i++) {
		AUTO_ARENA arena = { 0 };
		struct egress_rules rules = rules_of(&arena, resolved[i].rules);
		struct egress_target target = target_of("a.b", 443);
		struct address address = address_of(resolved[i].address);
		struct egress_verdict verdict = { 0 };

		assert_true(egress_judge(&rules, &target, &verdict));
		(void)egress_judge_address(&rules, &target, &address,
					   resolved[i].own, &verdict);
		if (verdict.why != resolved[i].why)
			fail_msg("[%s] %s: %s", resolved[i].rules,
				 resolved[i].address,
				 egress_why_code(verdict.why));
		/* A literal needs no less than a name that leads there. */
		target = target_of(resolved[i].address, 443);
		if (verdict.why != EGRESS_ALLOWED)
			assert_false(egress_judge_address(
				&rules, &target, &address, resolved[i].own,
				&verdict));
	}
}

static void dns_knows_the_names_that_some_port_allows(void **state)
{
	static const struct {
		const char *rules;
		const char *name;
		enum egress_why why;
	} cases[] = {
		{ "a.b", "a.b", EGRESS_ALLOWED },
		{ "a.b:8443", "a.b", EGRESS_ALLOWED },
		{ "tcp://a.b:22", "a.b", EGRESS_ALLOWED },
		{ "*", "a.b", EGRESS_ALLOWED },
		{ "*.a.b", "a.b", EGRESS_UNLISTED },
		{ "10.0.0.0/8", "a.b", EGRESS_UNLISTED },
		{ "", "a.b", EGRESS_UNLISTED },
		{ "* !a.b", "a.b", EGRESS_DENIED },
		{ "!a.b", "a.b", EGRESS_DENIED },
		{ "!a.b:80", "a.b", EGRESS_UNLISTED },
		{ "a.b !a.b:80", "a.b", EGRESS_ALLOWED },
		{ "a.b !a.b:443", "a.b", EGRESS_ALLOWED },
		{ "a.b !a.b:443 !a.b:80", "a.b", EGRESS_DENIED },
		{ "a.b:22 !a.b:443", "a.b", EGRESS_ALLOWED },
		{ "a.b:22 !a.b:22", "a.b", EGRESS_DENIED },
		{ "a.b:22 a.b !a.b:22", "a.b", EGRESS_ALLOWED },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct egress_rules rules = rules_of(&arena, cases[i].rules);
		struct egress_verdict verdict = { 0 };
		bool allowed =
			egress_judge_name(&rules, cases[i].name, &verdict);

		if (verdict.why != cases[i].why ||
		    allowed != (verdict.why == EGRESS_ALLOWED))
			fail_msg("[%s] %s: %s", cases[i].rules, cases[i].name,
				 egress_why_code(verdict.why));
	}
}

/* The text of a remedy between "network.allow: [" and "]". */
static const char *remedy_rule(struct arena *arena, const char *remedy)
{
	const char *from = strstr(remedy, "network.allow: [");
	char *rule;

	if (!from)
		return NULL;
	from += strlen("network.allow: [");
	rule = arena_strndup(arena, from, strlen(from) - 1);
	if (rule[0] == '\'') {
		rule[strlen(rule) - 1] = '\0';
		rule++;
	}
	return rule;
}

/* Who follows the advice gets there. */
static void a_remedy_allows_what_was_refused(void **state)
{
	unsigned int followed = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(verdicts); i++) {
		AUTO_ARENA arena = { 0 };
		struct egress_rules rules = rules_of(&arena, verdicts[i].rules);
		struct egress_target target =
			target_of(verdicts[i].host, verdicts[i].port);
		struct egress_verdict verdict = { 0 };
		const char *remedy;

		if (egress_judge(&rules, &target, &verdict) || !target.port)
			continue;
		remedy = egress_remedy(&arena, &target, NULL, &verdict);
		/* No rule leads to what stands for a name. */
		assert_true(!remedy ==
			    egress_address_stands_in(&target.address));
		remedy = remedy ? remedy_rule(&arena, remedy) : NULL;
		if (!remedy)
			continue;
		rules = rules_of(
			&arena, arena_printf(&arena, "%s %s", verdicts[i].rules,
					     remedy));
		if (!egress_judge(&rules, &target, &verdict))
			fail_msg("[%s] %s:%u: %s", verdicts[i].rules,
				 verdicts[i].host, verdicts[i].port, remedy);
		followed++;
	}
	assert_true(followed > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_checked_by_their_syntax),
		cmocka_unit_test(a_rule_covers_what_it_names_and_no_more),
		cmocka_unit_test(a_host_has_one_spelling),
		cmocka_unit_test(lengths_and_nul_bytes_are_refused),
		cmocka_unit_test(connections_are_judged_by_the_rules),
		cmocka_unit_test(a_name_may_not_lead_where_no_rule_does),
		cmocka_unit_test(dns_knows_the_names_that_some_port_allows),
		cmocka_unit_test(a_remedy_allows_what_was_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
