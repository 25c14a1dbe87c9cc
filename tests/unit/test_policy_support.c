/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a policy may ask for of this build: keys that nothing would enforce, and
 * rules that nothing could hold to, are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/decode.h"

static int decode(struct arena *arena, const char *text, struct policy *out,
		  struct err *err)
{
	struct policy_document document = { .text = text,
					    .n = strlen(text),
					    .source = "f.yaml" };

	return policy_decode(arena, &document, out, err);
}

/* What a later build enforces, one by one. */
static const struct {
	const char *text;
	const char *says;
} unsupported[] = {
	{ "limits: {memory: 1G}", "f.yaml:1: 'limits.memory' is not supported "
				  "by this build" },
	{ "limits: {cpus: 1}", "'limits.cpus'" },
	{ "limits: {processes: 1}", "'limits.processes'" },
	{ "limits: {cpu_time: 1}", "'limits.cpu_time'" },
	{ "limits: {disk: 1}", "'limits.disk'" },
	{ "limits: {output: 1}", "'limits.output'" },
	{ "filesystem: {copy_on_write: true}", "'filesystem.copy_on_write'" },
	{ "tier: strong", "'tier: strong'" },
	{ "tier: lxc", "'tier: lxc'" },
	{ "min_tier: strong", "'min_tier: strong'" },
	{ "setup: {network: [x.org]}", "'setup.network'" },
	{ "setup: {lock: false}", "'setup.lock'" },
	{ "workspace: readonly", "'workspace'" },
	{ "strong: {accel: any}", "'strong.accel'" },
	{ "strong: {memory: 1G}", "'strong.memory'" },
	{ "strong: {cpus: 2}", "'strong.cpus'" },
	{ "lxc: {executable: x}", "'lxc.executable'" },
	{ "lxc: {instance: x}", "'lxc.instance'" },
};

static void what_is_not_enforced_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]);
	     i++) {
		AUTO_ARENA arena = { 0 };
		struct err err = { 0 };
		struct policy p;

		assert_int_equal(decode(&arena, unsupported[i].text, &p, &err),
				 0);
		assert_int_equal(policy_check_supported(&p, &err), -1);
		assert_int_equal(err.kind, ERR_POLICY);
		if (!strstr(err.msg, unsupported[i].says))
			fail_msg("'%s' gave '%s'", unsupported[i].text,
				 err.msg);
	}
}

/* The mode is the document's or, typed, an option's. */
static const struct {
	const char *rules;
	bool typed;
	const char *says; /* NULL: it is taken */
} over_host[] = {
	{ "allow: [x.org]", false, "f.yaml:1: 'network.allow' cannot be held" },
	{ "deny: [x.org]", false, "f.yaml:1: 'network.deny' cannot be held" },
	{ "host_ports: [1]", false, "'network.host_ports' cannot be held" },
	{ "publish: [1]", false, "'network.publish' cannot be held" },
	{ "upstream_proxy: 'http://x:1'", false, "'network.upstream_proxy'" },
	{ "resolver: '1.1.1.1:53'", false, "'network.resolver' cannot" },
	{ "allow: [x.org]", true, NULL },
	{ "upstream_proxy: 'http://x:1'", true, NULL },
	{ "deny: [x.org]", true, "(--network), which filters nothing" },
	{ "allow: [x.org], deny: [y.org]", true, "'network.deny' cannot" },
};

static void nothing_filters_the_hosts_network(void **state)
{
	struct policy_origin option = { "--network", 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(over_host) / sizeof(over_host[0]); i++) {
		AUTO_ARENA arena = { 0 };
		struct err err = { 0 };
		struct policy p;
		const char *text =
			arena_printf(&arena, "network: {mode: host, %s}",
				     over_host[i].rules);
		int r;

		assert_int_equal(decode(&arena, text, &p, &err), 0);
		if (over_host[i].typed)
			p.network.mode.origin = option;
		r = policy_check_supported(&p, &err);
		if (r != (over_host[i].says ? -1 : 0))
			fail_msg("'%s' gave %d: %s", text, r, err.msg);
		if (over_host[i].says && !strstr(err.msg, over_host[i].says))
			fail_msg("'%s' gave '%s'", text, err.msg);
	}
}

static void what_is_typed_is_not_left_out(void **state)
{
	struct policy_origin typed = { "--network", 0 };
	AUTO_ARENA arena = { 0 };
	struct err err = { 0 };
	struct policy p = { 0 };

	(void)state;
	assert_int_equal(policy_set_text(&arena, &p, "network.mode", "host",
					 typed, &err),
			 0);
	assert_int_equal(policy_check_supported(&p, &err), 0);
	typed.source = "--allow-domain";
	assert_int_equal(policy_set_text(&arena, &p, "network.allow", "x.org",
					 typed, &err),
			 0);
	assert_int_equal(policy_check_supported(&p, &err), -1);
	assert_int_equal(err.kind, ERR_POLICY);
	assert_non_null(strstr(err.msg, "--allow-domain: 'network.allow'"));
}

static void what_asks_for_nothing_is_no_offence(void **state)
{
	static const char *const fine[] = {
		"",
		"exec: {deny: [], allow: {replace: []}, only_system: false}",
		"exec: {deny: [x, 'y z'], allow: [y z a], only_system: true, "
		"report: false}",
		"network: {mode: none, allow: [], upstream_proxy: ''}",
		"network: {mode: host, unix_sockets: [/x]}",
		"network: {mode: host, allow: [], resolver: ''}",
		"network: {mode: none, allow: [x.org], deny: [y.org]}",
		"network: {allow: [x.org], host_ports: [1], publish: [2]}",
		"network: {mode: filtered}",
		"network: {mode: filtered, allow: [x.org, '*', 10.0.0.1], "
		"deny: [y.org], host_ports: [1], publish: [2], "
		"upstream_proxy: 'http://x:1', resolver: '1.1.1.1:53'}",
		"limits: {memory: 0, cpus: 0, disk: 0, wall_time: 5s}",
		"limits: {file_size: 1G, open_files: 10}",
		"tier: light\nmin_tier: light",
		"filesystem: {strict: false, copy_on_write: false}",
		"workspace: cow\nstrong: {accel: kvm, memory: 512MiB}",
		"setup: {lock: true}\naudit: {on_error: continue}",
		"lxc: {executable: lxc-attach, instance: ''}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
		AUTO_ARENA arena = { 0 };
		struct err err = { 0 };
		struct policy p;

		if (decode(&arena, fine[i], &p, &err) < 0 ||
		    policy_check_supported(&p, &err) < 0)
			fail_msg("'%s' gave '%s'", fine[i], err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_enforced_is_refused),
		cmocka_unit_test(nothing_filters_the_hosts_network),
		cmocka_unit_test(what_is_typed_is_not_left_out),
		cmocka_unit_test(what_asks_for_nothing_is_no_offence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
