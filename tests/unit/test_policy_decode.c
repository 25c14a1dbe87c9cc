/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents to policies: every type, and every error with its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/values.h"

static int decode(struct arena *arena, const char *text, struct policy *out,
		  struct err *err)
{
	struct policy_document document = { .text = text,
					    .n = strlen(text),
					    .source = "f.yaml" };

	return policy_decode(arena, &document, out, err);
}

/* The examples that the manual shows, all keys at once. */
static const char every_key[] =
	"version: 1\n"
	"extends: [strict, ./more.yaml]\n"
	"tier: strong\n"
	"min_tier: lxc\n"
	"filesystem:\n"
	"  view: minimal\n"
	"  allow_read: [/opt]\n"
	"  deny_read: [~/.ssh, \"**/.env\"]\n"
	"  allow_write: [.]\n"
	"  deny_write: [.git/hooks]\n"
	"  git: readonly\n"
	"  copy_on_write: true\n"
	"  strict: true\n"
	"  ignore_missing: true\n"
	"exec:\n"
	"  deny: [sudo, git push]\n"
	"  allow: [git push origin docs]\n"
	"  only_system: true\n"
	"  report: false\n"
	"network:\n"
	"  mode: host\n"
	"  allow: [github.com, '*.npmjs.org', 'db.example.com:5432']\n"
	"  deny: [metadata.google.internal]\n"
	"  host_ports: [5432]\n"
	"  publish: ['8080', 81]\n"
	"  unix_sockets: [/run/x.sock]\n"
	"  upstream_proxy: http://proxy:3128\n"
	"  resolver: 127.0.0.1:53\n"
	"environment:\n"
	"  inherit: false\n"
	"  pass: [PATH, LC_*]\n"
	"  deny: ['*_TOKEN']\n"
	"  set: {A: b=c, N: 1, EMPTY: ''}\n"
	"limits:\n"
	"  memory: 2GiB\n"
	"  cpus: 1.5\n"
	"  processes: 512\n"
	"  wall_time: 10m\n"
	"  cpu_time: 90s\n"
	"  file_size: 100MB\n"
	"  open_files: 2048\n"
	"  disk: 1T\n"
	"  output: 64KiB\n"
	"syscalls: {profile: strict}\n"
	"output: {mask: {presets: [openai, bearer], patterns: [x+]}}\n"
	"audit: {on_error: stop}\n"
	"setup: {network: [registry.npmjs.org], lock: false}\n"
	"workspace: writable\n"
	"strong: {accel: any, memory: 1GiB, cpus: 2}\n"
	"lxc: {executable: /usr/bin/lxc-attach, instance: box}\n"
	"require: [landlock, landlock_scopes]\n";

static void every_key_is_decoded_to_its_member(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct err err = { 0 };
	struct policy p;

	(void)state;
	if (decode(&arena, every_key, &p, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(p.version.number, 1);
	assert_int_equal(p.extends.n, 2);
	assert_string_equal(p.extends.v[1].text, "./more.yaml");
	assert_int_equal(p.tier.number, POLICY_TIER_STRONG);
	assert_int_equal(p.min_tier.number, POLICY_TIER_LXC);
	assert_int_equal(p.filesystem.view.number, POLICY_VIEW_MINIMAL);
	assert_int_equal(p.filesystem.view.origin.line, 6);
	assert_string_equal(p.filesystem.view.origin.source, "f.yaml");
	assert_string_equal(p.filesystem.deny_read.v[1].text, "**/.env");
	assert_int_equal(p.filesystem.deny_read.v[1].origin.line, 8);
	assert_int_equal(p.filesystem.git.number, POLICY_GIT_READONLY);
	assert_int_equal(p.filesystem.copy_on_write.number, 1);
	assert_string_equal(p.exec.deny.v[1].text, "git push");
	assert_int_equal(p.network.mode.number, POLICY_MODE_HOST);
	assert_string_equal(p.network.host_ports.v[0].text, "5432");
	assert_string_equal(p.network.publish.v[1].text, "81");
	assert_string_equal(p.network.resolver.text, "127.0.0.1:53");
	assert_true(p.environment.inherit.set);
	assert_int_equal(p.environment.inherit.number, 0);
	assert_string_equal(p.environment.set.v[0].text, "A=b=c");
	assert_string_equal(p.environment.set.v[2].text, "EMPTY=");
	assert_int_equal(p.limits.memory.number, INT64_C(2) << 30);
	assert_int_equal(p.limits.cpus.number, 1500);
	assert_int_equal(p.limits.wall_time.number, 600000);
	assert_int_equal(p.limits.file_size.number, 100000000);
	assert_int_equal(p.limits.disk.number, INT64_C(1) << 40);
	assert_string_equal(p.syscalls_profile.text, "strict");
	assert_string_equal(p.mask_presets.v[1].text, "bearer");
	assert_int_equal(p.audit_on_error.number, POLICY_ON_ERROR_STOP);
	assert_int_equal(p.workspace.number, POLICY_WORKSPACE_WRITABLE);
	assert_int_equal(p.strong_cpus.number, 2000);
	assert_string_equal(p.lxc_instance.text, "box");
	assert_string_equal(p.require.v[0].text, "landlock");
	assert_string_equal(p.require.v[1].text, "landlock_scopes");
	/* None was forgotten above or in the table. */
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];

		if (policy_field_is_list(field))
			assert_true(policy_field_list(field, &p)->n > 0);
		else
			assert_true(policy_field_scalar(field, &p)->set);
	}
}

static void json_is_accepted_too(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct err err = { 0 };
	struct policy p;

	(void)state;
	assert_int_equal(decode(&arena,
				"{\"version\": 1, \"limits\": {\"open_files\": "
				"10}, \"filesystem\": {\"deny_read\": "
				"[\"/a\\u00e4\", \"/b\\nc\"]}}",
				&p, &err),
			 0);
	assert_int_equal(p.limits.open_files.number, 10);
	assert_string_equal(p.filesystem.deny_read.v[0].text, "/a\xc3\xa4");
	assert_string_equal(p.filesystem.deny_read.v[1].text, "/b\nc");
}

static void a_document_may_be_empty(void **state)
{
	static const char *const texts[] = { "", "# x\n", "filesystem:\n", "{}",
					     "exec: {}\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		AUTO_ARENA arena = { 0 };
		struct err err = { 0 };
		struct policy p, nothing = { 0 };

		memset(&p, 0xff, sizeof(p));
		assert_int_equal(decode(&arena, texts[i], &p, &err), 0);
		assert_memory_equal(&p, &nothing, sizeof(p));
	}
}

static const struct {
	const char *text;
	const char *says;
} refused[] = {
	{ "filesistem: {}\n",
	  "f.yaml:1:1: unknown key 'filesistem': did you mean 'filesystem'?" },
	{ "version: 1\nfilesystem:\n  deny_raed: []\n",
	  "f.yaml:3:3: unknown key 'filesystem.deny_raed': did you mean "
	  "'filesystem.deny_read'?" },
	{ "deny_read: []\n", "did you mean 'filesystem.deny_read'?" },
	{ "denyRead: []\n", "did you mean 'filesystem.deny_read'?" },
	{ "filesystem: {mode: none}\n", "did you mean 'network.mode'?" },
	{ "completely_else: 1\n", "unknown key 'completely_else'" },
	{ "filesystem.view: host\n", "unknown key 'filesystem.view'" },
	{ "output.mask: {presets: []}\n", "unknown key 'output.mask'" },
	{ "filesystem: {<<: {}}\n", "unknown key 'filesystem.<<'" },
	{ "version: 2\n", "f.yaml:1:10: version: this build reads version 1" },
	{ "version: one\n", "version: 'one' is not a whole number" },
	{ "tier: medium\n", "f.yaml:1:7: tier: 'medium' is not light, lxc or "
			    "strong" },
	{ "tier: [light]\n", "f.yaml:1:7: tier: expected a single value" },
	{ "tier:\n", "tier: '' is not light" },
	{ "filesystem: 3\n", "f.yaml:1:13: filesystem: expected keys" },
	{ "filesystem: ''\n", "filesystem: expected keys" },
	{ "filesystem: {deny_read: /x}\n", "deny_read: expected a list" },
	{ "filesystem:\n  deny_read:\n", "deny_read: expected a list" },
	{ "filesystem: {deny_read: {a: b}}\n", "deny_read: expected a list" },
	{ "filesystem: {deny_read: {swap: [a]}}\n", "expected a list" },
	{ "filesystem: {deny_read: {replace: [a], remove: [b]}}\n",
	  "expected a list" },
	{ "filesystem: {deny_read: {replace: a}}\n", "expected a list" },
	{ "filesystem: {deny_read: {replace: {a: b}}}\n", "expected a list" },
	{ "filesystem: {deny_read: [[a]]}\n", "an item is a text" },
	{ "filesystem: {deny_read: ['']}\n", "deny_read: '': it is empty" },
	{ "filesystem: {deny_read: ['a[b']}\n", "'[' has no ']'" },
	{ "filesystem: {strict: yes}\n", "'yes' is not true or false" },
	{ "filesystem: {strict: True}\n", "'True' is not true or false" },
	{ "environment: {inherit: no}\n", "'no' is not true or false" },
	{ "environment: {pass: ['A B']}\n", "pass: 'A B':" },
	{ "environment: {pass: ['A=B']}\n", "pass: 'A=B':" },
	{ "environment: {set: {'A=B': x}}\n", "set: 'A=B' is not the name" },
	{ "environment: {set: {1A: x}}\n", "set: '1A' is not the name" },
	{ "environment: {set: {'': x}}\n", "set: '' is not the name" },
	{ "environment: {set: {A: [x]}}\n", "the value of a variable" },
	{ "environment: {set: [A]}\n", "set: expected names and values" },
	{ "environment: {set: {replace: [A]}}\n", "expected names" },
	{ "environment: {set: {remove: {A: b}}}\n", "expected a list" },
	{ "network: {host_ports: [0]}\n", "host_ports: '0': a port" },
	{ "network: {host_ports: [65536]}\n", "host_ports: '65536'" },
	{ "network: {host_ports: ['1-2']}\n", "host_ports: '1-2'" },
	{ "network: {allow: ['a b']}\n", "network.allow: 'a b'" },
	{ "network: {unix_sockets: ['']}\n", "network.unix_sockets: ''" },
	{ "limits: {open_files: -1}\n", "open_files: '-1' is negative" },
	{ "limits: {open_files: 1.5}\n", "open_files: '1.5' is not a whole" },
	{ "limits: {open_files: 0x10}\n", "'0x10' is not a whole number" },
	{ "limits: {open_files: 010}\n", "'010' is not a whole number" },
	{ "limits: {open_files: 99999999999999999999}\n", "open_files: '9999" },
	{ "limits: {memory: 9000000T}\n", "memory: '9000000T' is too large" },
	{ "limits: {memory: 1.5X}\n", "memory: '1.5X' is not a size" },
	{ "limits: {memory: 0.1B}\n", "memory: '0.1B' is too small" },
	{ "limits: {memory: 1 GiB}\n", "memory: '1 GiB' is not a size" },
	{ "limits: {wall_time: soon}\n",
	  "wall_time: 'soon' is not a duration" },
	{ "limits: {wall_time: 0.0001s}\n", "is too small" },
	{ "limits: {cpus: 2x}\n", "cpus: '2x' is not a number" },
	{ "syscalls: {profile: strcit}\n", "syscalls.profile: 'strcit'" },
	{ "require: [magic]\n",
	  "require: 'magic' is not user_namespaces, "
	  "seccomp, landlock, landlock_scopes or network_namespaces" },
	{ "require: [landlok_scopes]\n", "'landlok_scopes' is not" },
	{ "extends: {replace: [a]}\n", "extends: expected a name" },
	{ "extends: ['']\n", "extends: '': it is empty" },
	{ "- a\n", "f.yaml:1:1: expected keys and values" },
	{ "hello\n", "f.yaml:1:1: expected keys and values" },
	{ "version: 1\nversion: 1\n", "f.yaml:2:1: key 'version'" },
	{ "filesystem: &a {}\n", "anchors" },
};

static void what_is_wrong_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct policy p = { .version.number = 77 };
		AUTO_ARENA arena = { 0 };
		struct err err = { 0 };

		if (decode(&arena, refused[i].text, &p, &err) == 0)
			fail_msg("accepted: %s", refused[i].text);
		assert_int_equal(err.kind, ERR_POLICY);
		if (!strstr(err.msg, refused[i].says) ||
		    strncmp(err.msg, "f.yaml:", 7))
			fail_msg("'%s' gave '%s'", refused[i].text, err.msg);
		/* On failure no output is touched. */
		assert_int_equal(p.version.number, 77);
	}
}

static void lists_say_how_they_change_what_is_inherited(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct err err = { 0 };
	struct policy p;

	(void)state;
	assert_int_equal(decode(&arena,
				"filesystem:\n"
				"  deny_read: {replace: [a, b]}\n"
				"  deny_write: {remove: [c]}\n"
				"  allow_read: {replace: []}\n"
				"environment: {set: {remove: [A, B]}}\n"
				"extends: one\n",
				&p, &err),
			 0);
	assert_int_equal(p.filesystem.deny_read.op, POLICY_REPLACE);
	assert_int_equal(p.filesystem.deny_read.n, 2);
	assert_int_equal(p.filesystem.deny_write.op, POLICY_REMOVE);
	assert_int_equal(p.filesystem.allow_read.op, POLICY_REPLACE);
	assert_int_equal(p.filesystem.allow_read.n, 0);
	assert_int_equal(p.environment.set.op, POLICY_REMOVE);
	assert_string_equal(p.environment.set.v[1].text, "B");
	assert_int_equal(p.extends.n, 1);

	assert_int_equal(decode(&arena, "environment: {set: {replace: {A: b}}}",
				&p, &err),
			 0);
	assert_int_equal(p.environment.set.op, POLICY_REPLACE);
	/* A variable may have that name. */
	assert_int_equal(
		decode(&arena, "environment: {set: {replace: b}}", &p, &err),
		0);
	assert_int_equal(p.environment.set.op, POLICY_APPEND);
	assert_string_equal(p.environment.set.v[0].text, "replace=b");
}

static void relative_paths_know_their_base(void **state)
{
	static const char text[] = "filesystem: {deny_read: [x]}\n"
				   "environment: {pass: [Y]}\n"
				   "syscalls: {profile: ./s.json}\n";
	struct policy_document document = { .text = text,
					    .n = sizeof(text) - 1,
					    .source = "/p/.cordon.yaml",
					    .base = "/p" };
	AUTO_ARENA arena = { 0 };
	struct err err = { 0 };
	struct policy p;

	(void)state;
	assert_int_equal(policy_decode(&arena, &document, &p, &err), 0);
	assert_string_equal(p.filesystem.deny_read.v[0].base, "/p");
	assert_null(p.environment.pass.v[0].base);
	assert_string_equal(p.syscalls_profile.text, "/p/./s.json");
}

static const struct {
	const char *key;
	const char *text;
	int64_t value;
} numbers[] = {
	{ "limits.memory", "0", 0 },
	{ "limits.memory", "4096", 4096 },
	{ "limits.memory", "512M", INT64_C(512) << 20 },
	{ "limits.memory", "512MiB", INT64_C(512) << 20 },
	{ "limits.memory", "1.5GiB", INT64_C(1536) << 20 },
	{ "limits.memory", "1.5G", INT64_C(1536) << 20 },
	{ "limits.memory", "100MB", 100000000 },
	{ "limits.memory", "1G", INT64_C(1) << 30 },
	{ "limits.memory", "1GB", 1000000000 },
	{ "limits.memory", "3K", 3072 },
	{ "limits.memory", "3k", 3072 },
	{ "limits.memory", "3KB", 3000 },
	{ "limits.memory", "3kB", 3000 },
	{ "limits.memory", "7B", 7 },
	{ "limits.memory", "0.5K", 512 },
	{ "limits.memory", "1.000000001G", 1073741825 },
	{ "limits.memory", "9223372036854775807", INT64_MAX },
	{ "limits.memory", "8388607T", INT64_C(8388607) << 40 },
	{ "limits.wall_time", "500ms", 500 },
	{ "limits.wall_time", "30s", 30000 },
	{ "limits.wall_time", "30", 30000 },
	{ "limits.wall_time", "0.5", 500 },
	{ "limits.wall_time", "5m", 300000 },
	{ "limits.wall_time", "1h", 3600000 },
	{ "limits.wall_time", "1.5h", 5400000 },
	{ "limits.wall_time", "2d", 172800000 },
	{ "limits.cpus", "2", 2000 },
	{ "limits.cpus", "0.25", 250 },
	{ "limits.cpus", "1.125", 1125 },
	{ "limits.processes", "512", 512 },
};

static void numbers_follow_their_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		AUTO_ARENA arena = { 0 };
		int64_t value = -1;
		const char *wrong = policy_value_parse(
			&arena, policy_field_find(numbers[i].key),
			numbers[i].text, &value);

		if (wrong || value != numbers[i].value)
			fail_msg("%s gave %lld (%s)", numbers[i].text,
				 (long long)value, wrong ? wrong : "");
	}
}

static void numbers_that_do_not_fit_are_no_limits(void **state)
{
	static const char *const bad[] = {
		"9223372036854775808",
		"18446744073709551616",
		"8388608T",
		"99999999999999999999999G",
		"",
		"G",
		".5G",
		"1.G",
		"1..5G",
		"1e9",
		"+5",
		" 5",
		"5 ",
		"1,5G",
		"0.0000000001G",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		AUTO_ARENA arena = { 0 };
		int64_t value = -1;

		if (!policy_value_parse(&arena,
					policy_field_find("limits.memory"),
					bad[i], &value))
			fail_msg("'%s' gave %lld", bad[i], (long long)value);
		assert_int_equal(value, -1);
	}
}

static void options_set_what_a_document_would(void **state)
{
	struct policy_origin origin = { "--deny-read", 0 };
	AUTO_ARENA arena = { 0 };
	struct policy p = { 0 };
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_int_equal(
			policy_set_text(&arena, &p, "filesystem.deny_read",
					"/x", origin, &err),
			0);
	assert_int_equal(p.filesystem.deny_read.n, 5);
	assert_string_equal(p.filesystem.deny_read.v[4].text, "/x");
	assert_string_equal(p.filesystem.deny_read.v[4].origin.source,
			    "--deny-read");
	assert_int_equal(policy_set_text(&arena, &p, "network.mode", "host",
					 origin, &err),
			 0);
	assert_int_equal(p.network.mode.number, POLICY_MODE_HOST);
	assert_int_equal(policy_set_text(&arena, &p, "environment.set", "A=b=c",
					 origin, &err),
			 0);
	assert_string_equal(p.environment.set.v[0].text, "A=b=c");
	assert_int_equal(policy_set_text(&arena, &p, "limits.wall_time", "5m",
					 origin, &err),
			 0);
	assert_int_equal(p.limits.wall_time.number, 300000);
}

static void options_are_checked_like_documents(void **state)
{
	static const struct {
		const char *key;
		const char *value;
		const char *says;
	} bad[] = {
		{ "filesystem.deny_read", "", "empty" },
		{ "network.mode", "all", "none, filtered or host" },
		{ "limits.wall_time", "5x", "not a duration" },
		{ "environment.set", "A", "NAME=VALUE" },
		{ "environment.set", "=x", "not the name" },
	};
	struct policy_origin origin = { "--x", 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		AUTO_ARENA arena = { 0 };
		struct policy p = { 0 }, nothing = { 0 };
		struct err err = { 0 };

		assert_int_equal(policy_set_text(&arena, &p, bad[i].key,
						 bad[i].value, origin, &err),
				 -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.msg, bad[i].says));
		assert_memory_equal(&p, &nothing, sizeof(p));
	}
}

static void fifty_thousand_rules_are_decoded(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	struct err err = { 0 };
	struct policy p;

	(void)state;
	text_add(&text, "filesystem:\n  deny_read:\n");
	for (int i = 0; i < 50000; i++)
		text_addf(&text, "  - /srv/%d\n", i);
	assert_int_equal(decode(&arena, text.v, &p, &err), 0);
	assert_int_equal(p.filesystem.deny_read.n, 50000);
	assert_string_equal(p.filesystem.deny_read.v[49999].text, "/srv/49999");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_decoded_to_its_member),
		cmocka_unit_test(json_is_accepted_too),
		cmocka_unit_test(a_document_may_be_empty),
		cmocka_unit_test(what_is_wrong_is_refused_with_its_place),
		cmocka_unit_test(lists_say_how_they_change_what_is_inherited),
		cmocka_unit_test(relative_paths_know_their_base),
		cmocka_unit_test(numbers_follow_their_table),
		cmocka_unit_test(numbers_that_do_not_fit_are_no_limits),
		cmocka_unit_test(options_set_what_a_document_would),
		cmocka_unit_test(options_are_checked_like_documents),
		cmocka_unit_test(fifty_thousand_rules_are_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
