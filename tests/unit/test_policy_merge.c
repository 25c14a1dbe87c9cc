/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies laid over each other: all of it where the upper one is trusted,
 * what narrows where it is not, what a ceiling leaves.
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
#include "policy/format.h"
#include "policy/merge.h"
#include "policy/profiles.h"

static const struct policy_context context = {
	.home = "/home/u",
	.workdir = "/work",
	.xdg_config_home = "/home/u/.config",
	.xdg_state_home = "/home/u/.local/state",
	.xdg_cache_home = "/home/u/.cache",
	.xdg_data_home = "/home/u/.local/share",
};

static struct policy decode(struct arena *arena, const char *text,
			    const char *source, const char *base)
{
	struct policy_document document = { text, strlen(text), source, base };
	struct err err = { 0 };
	struct policy policy;

	if (policy_decode(arena, &document, &policy, &err) < 0)
		fail_msg("%s", err.msg);
	return policy;
}

static const char *shown(struct arena *arena, const struct policy *policy)
{
	struct text out = { .arena = arena };

	policy_format_yaml(&out, policy, false);
	return text_str(&out);
}

/* What two documents give, as a document. */
static const struct {
	const char *base;
	const char *over;
	const char *result;
} merges[] = {
	{ "tier: light", "tier: strong", "tier: strong" },
	{ "tier: light", "", "tier: light" },
	{ "limits: {memory: 1G}", "limits: {memory: 0}",
	  "limits: {memory: 0}" },
	{ "limits: {memory: 1G}", "limits: {cpus: 2}",
	  "limits: {memory: 1G, cpus: 2}" },
	{ "filesystem: {deny_read: [a, b]}", "filesystem: {deny_read: [c, b]}",
	  "filesystem: {deny_read: [a, b, c]}" },
	{ "filesystem: {deny_read: [a, a]}", "filesystem: {deny_read: [b, b]}",
	  "filesystem: {deny_read: [a, b]}" },
	{ "filesystem: {deny_read: [a, b]}", "filesystem: {deny_read: []}",
	  "filesystem: {deny_read: [a, b]}" },
	{ "filesystem: {deny_read: [a, b]}",
	  "filesystem: {deny_read: {replace: [c, c]}}",
	  "filesystem: {deny_read: {replace: [c]}}" },
	{ "filesystem: {deny_read: [a, b]}",
	  "filesystem: {deny_read: {replace: []}}",
	  "filesystem: {deny_read: {replace: []}}" },
	{ "filesystem: {deny_read: [a, b, c]}",
	  "filesystem: {deny_read: {remove: [b, x]}}",
	  "filesystem: {deny_read: [a, c]}" },
	{ "", "filesystem: {deny_read: {remove: [b]}}", "" },
	{ "environment: {set: {A: 1, B: 2}}",
	  "environment: {set: {B: 3, C: 4}}",
	  "environment: {set: {A: 1, B: 3, C: 4}}" },
	{ "environment: {set: {A: 1, AB: 2}}", "environment: {set: {A: ''}}",
	  "environment: {set: {AB: 2, A: ''}}" },
	{ "environment: {set: {A: 1, B: 2}}",
	  "environment: {set: {remove: [A]}}", "environment: {set: {B: 2}}" },
	{ "environment: {set: {A: 1, B: 2}}",
	  "environment: {set: {replace: {C: 3}}}",
	  "environment: {set: {replace: {C: 3}}}" },
};

static void merging_follows_its_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(merges) / sizeof(merges[0]); i++) {
		AUTO_ARENA arena = { 0 };
		struct policy base, over, result, want;

		base = decode(&arena, merges[i].base, "base", NULL);
		over = decode(&arena, merges[i].over, "over", NULL);
		want = decode(&arena, merges[i].result, "want", NULL);
		policy_merge(&arena, &base, &over, &result);
		assert_string_equal(shown(&arena, &result),
				    shown(&arena, &want));
		/* In place it is the same. */
		policy_merge(&arena, &base, &over, &base);
		assert_string_equal(shown(&arena, &base), shown(&arena, &want));
	}
}

static void the_same_text_elsewhere_is_another_rule(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct policy base, over;

	(void)state;
	base = decode(&arena, "filesystem: {deny_read: [x]}", "a", NULL);
	over = decode(&arena, "filesystem: {deny_read: [x]}", "b", "/proj");
	policy_merge(&arena, &base, &over, &base);
	assert_int_equal(base.filesystem.deny_read.n, 2);
	/* But a removal names the text. */
	over = decode(&arena, "filesystem: {deny_read: {remove: [x]}}", "b",
		      "/proj");
	policy_merge(&arena, &base, &over, &base);
	assert_int_equal(base.filesystem.deny_read.n, 0);
}

static void the_first_of_equal_rules_keeps_its_origin(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct policy base, over;

	(void)state;
	base = decode(&arena, "filesystem: {deny_read: [x]}", "a", NULL);
	over = decode(&arena, "filesystem: {deny_read: [x]}\ntier: light", "b",
		      NULL);
	policy_merge(&arena, &base, &over, &base);
	assert_string_equal(base.filesystem.deny_read.v[0].origin.source, "a");
	assert_string_equal(base.tier.origin.source, "b");
}

static void who_allowed_a_path_last_has_allowed_it(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct policy base, over;
	const struct policy_list *list = &base.filesystem.allow_write;

	(void)state;
	base = decode(&arena, "filesystem: {allow_write: [., y]}", "a", NULL);
	over = decode(&arena, "filesystem: {allow_write: [z, .]}", "b", NULL);
	policy_merge(&arena, &base, &over, &base);
	assert_int_equal(list->n, 3);
	assert_string_equal(list->v[0].text, ".");
	assert_string_equal(list->v[0].origin.source, "b");
	assert_string_equal(list->v[1].origin.source, "a");
}

static const char *many_rules(struct arena *arena, int from, int n)
{
	struct text text = { .arena = arena };

	text_add(&text, "filesystem:\n  deny_read:\n");
	for (int i = from; i < from + n; i++)
		text_addf(&text, "  - /srv/%d\n", i);
	return text.v;
}

static void tens_of_thousands_of_rules_merge_at_once(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct policy base, over;

	(void)state;
	base = decode(&arena, many_rules(&arena, 0, 40000), "a", NULL);
	over = decode(&arena, many_rules(&arena, 20000, 40000), "b", NULL);
	policy_merge(&arena, &base, &over, &base);
	assert_int_equal(base.filesystem.deny_read.n, 60000);
	assert_string_equal(base.filesystem.deny_read.v[59999].text,
			    "/srv/59999");
}

/* A base, what a project says, what comes out, and how many are refused. */
struct narrowing {
	const char *base;
	const char *over;
	const char *result;
	size_t refused;
};

static const struct narrowing by_project[] = {
	/* Scalars */
	{ "network: {mode: host}", "network: {mode: none}",
	  "network: {mode: none}", 0 },
	{ "network: {mode: none}", "network: {mode: host}",
	  "network: {mode: none}", 1 },
	{ "network: {mode: filtered}", "network: {mode: host}",
	  "network: {mode: filtered}", 1 },
	{ "", "network: {mode: host}", "", 1 },
	{ "", "network: {mode: none}", "", 0 },
	{ "tier: light", "tier: strong", "tier: strong", 0 },
	{ "tier: strong", "tier: lxc", "tier: strong", 1 },
	{ "min_tier: lxc", "min_tier: strong", "min_tier: strong", 0 },
	{ "min_tier: strong", "min_tier: light", "min_tier: strong", 1 },
	{ "filesystem: {view: host}", "filesystem: {view: minimal}",
	  "filesystem: {view: minimal}", 0 },
	{ "filesystem: {view: minimal}", "filesystem: {view: host}",
	  "filesystem: {view: minimal}", 1 },
	{ "filesystem: {git: work}", "filesystem: {git: readonly}",
	  "filesystem: {git: readonly}", 0 },
	{ "filesystem: {git: work}", "filesystem: {git: open}",
	  "filesystem: {git: work}", 1 },
	{ "filesystem: {strict: false}", "filesystem: {strict: true}",
	  "filesystem: {strict: true}", 0 },
	{ "filesystem: {strict: true}", "filesystem: {strict: false}",
	  "filesystem: {strict: true}", 1 },
	{ "", "filesystem: {ignore_missing: true}", "", 1 },
	{ "filesystem: {ignore_missing: true}",
	  "filesystem: {ignore_missing: false}",
	  "filesystem: {ignore_missing: false}", 0 },
	{ "environment: {inherit: true}", "environment: {inherit: false}",
	  "environment: {inherit: false}", 0 },
	{ "environment: {inherit: false}", "environment: {inherit: true}",
	  "environment: {inherit: false}", 1 },
	{ "limits: {memory: 2G}", "limits: {memory: 1G}",
	  "limits: {memory: 1G}", 0 },
	{ "limits: {memory: 2G}", "limits: {memory: 4G}",
	  "limits: {memory: 2G}", 1 },
	{ "limits: {memory: 2G}", "limits: {memory: 0}", "limits: {memory: 2G}",
	  1 },
	{ "limits: {memory: 0}", "limits: {memory: 4G}", "limits: {memory: 4G}",
	  0 },
	{ "", "limits: {open_files: 4096}", "", 1 },
	{ "", "limits: {open_files: 100}", "limits: {open_files: 100}", 0 },
	{ "syscalls: {profile: default}", "syscalls: {profile: strict}",
	  "syscalls: {profile: strict}", 0 },
	{ "syscalls: {profile: strict}", "syscalls: {profile: default}",
	  "syscalls: {profile: strict}", 1 },
	{ "", "syscalls: {profile: /x.json}", "", 1 },
	{ "", "network: {resolver: '1.1.1.1:53'}", "", 1 },
	{ "", "network: {upstream_proxy: 'http://x:1'}", "", 1 },
	{ "", "lxc: {executable: /tmp/x}", "", 1 },
	{ "", "version: 1", "", 0 },
	{ "", "audit: {on_error: stop}", "audit: {on_error: stop}", 0 },
	{ "", "workspace: readonly", "workspace: readonly", 0 },
	{ "", "workspace: writable", "", 1 },
	{ "", "strong: {accel: any}", "", 1 },
	{ "", "setup: {lock: false}", "", 1 },
	/* Deny lists grow */
	{ "filesystem: {deny_read: [a]}", "filesystem: {deny_read: [b]}",
	  "filesystem: {deny_read: [a, b]}", 0 },
	{ "filesystem: {deny_read: [a]}",
	  "filesystem: {deny_read: {remove: [a]}}",
	  "filesystem: {deny_read: [a]}", 1 },
	{ "filesystem: {deny_read: [a]}",
	  "filesystem: {deny_read: {remove: [x]}}",
	  "filesystem: {deny_read: [a]}", 0 },
	{ "filesystem: {deny_read: [a]}",
	  "filesystem: {deny_read: {replace: [b]}}",
	  "filesystem: {deny_read: [a, b]}", 1 },
	{ "filesystem: {deny_read: [a, c]}",
	  "filesystem: {deny_read: {replace: []}}",
	  "filesystem: {deny_read: [a, c]}", 1 },
	{ "environment: {deny: [A]}", "environment: {deny: [B]}",
	  "environment: {deny: [A, B]}", 0 },
	{ "require: [seccomp]", "require: [landlock]",
	  "require: [seccomp, landlock]", 0 },
	{ "require: [seccomp]", "require: {replace: []}", "require: [seccomp]",
	  1 },
	{ "exec: {deny: [a]}", "exec: {deny: [b]}", "exec: {deny: [a, b]}", 0 },
	/* Allow lists shrink */
	{ "filesystem: {allow_write: [.]}", "filesystem: {allow_write: [/x]}",
	  "filesystem: {allow_write: [.]}", 1 },
	{ "filesystem: {allow_write: [.]}", "filesystem: {allow_write: [src]}",
	  "filesystem: {allow_write: [.]}", 0 },
	{ "filesystem: {allow_write: [.]}",
	  "filesystem: {allow_write: {replace: [src]}}",
	  "filesystem: {allow_write: [src]}", 0 },
	{ "filesystem: {allow_write: [.]}",
	  "filesystem: {allow_write: {replace: [/work/src, /x]}}",
	  "filesystem: {allow_write: [/work/src]}", 1 },
	{ "filesystem: {allow_write: [.]}",
	  "filesystem: {allow_write: {replace: [/workshop]}}", "", 1 },
	{ "filesystem: {allow_write: [., /x]}",
	  "filesystem: {allow_write: {replace: [/]}}",
	  "filesystem: {allow_write: [., /x]}", 1 },
	{ "filesystem: {allow_write: [.]}",
	  "filesystem: {allow_write: {replace: []}}", "", 0 },
	{ "filesystem: {allow_write: [., /x]}",
	  "filesystem: {allow_write: {remove: [/x]}}",
	  "filesystem: {allow_write: [.]}", 0 },
	/* An allowed path inside a denied one would undo the denial. */
	{ "filesystem: {allow_write: [.], deny_write: [a]}",
	  "filesystem: {allow_write: {replace: [a/b]}}",
	  "filesystem: {deny_write: [a]}", 1 },
	{ "filesystem: {allow_write: [.], deny_read: [a]}",
	  "filesystem: {allow_write: [a/b]}",
	  "filesystem: {allow_write: [.], deny_read: [a]}", 1 },
	{ "filesystem: {allow_write: [.], deny_read: ['**/k*']}",
	  "filesystem: {allow_write: {replace: [x/key/y]}}",
	  "filesystem: {deny_read: ['**/k*']}", 1 },
	{ "filesystem: {allow_write: [a/b], deny_write: [a]}",
	  "filesystem: {allow_write: {replace: [a/b/c]}}",
	  "filesystem: {allow_write: [a/b/c], deny_write: [a]}", 0 },
	/* What is protected without being listed begins with a dot. */
	{ "filesystem: {allow_write: [.]}",
	  "filesystem: {allow_write: {replace: [.git/hooks]}}", "", 1 },
	{ "filesystem: {allow_write: [.]}",
	  "filesystem: {allow_write: {replace: ['*.c']}}", "", 1 },
	{ "filesystem: {allow_write: ['b*']}",
	  "filesystem: {allow_write: {replace: ['b*']}}",
	  "filesystem: {allow_write: ['b*']}", 0 },
	{ "filesystem: {allow_write: ['b*']}",
	  "filesystem: {allow_write: {replace: [build/x]}}",
	  "filesystem: {allow_write: [build/x]}", 0 },
	/* Where all can be read, a list of what is left can be given. */
	{ "filesystem: {deny_read: [~/.ssh]}",
	  "filesystem: {view: minimal, allow_read: [/data, ~/.ssh/id]}",
	  "filesystem: {view: minimal, allow_read: [/data], "
	  "deny_read: [~/.ssh]}",
	  1 },
	{ "filesystem: {view: minimal}", "filesystem: {allow_read: [/data]}",
	  "filesystem: {view: minimal}", 1 },
	{ "network: {unix_sockets: [/run/a]}",
	  "network: {unix_sockets: [/run/b]}",
	  "network: {unix_sockets: [/run/a]}", 1 },
	{ "environment: {pass: [A, B]}",
	  "environment: {pass: {replace: [B, C]}}", "environment: {pass: [B]}",
	  1 },
	/* An exact name would beat a denied pattern. */
	{ "environment: {pass: [A_*]}",
	  "environment: {pass: {replace: [A_KEY]}}", "", 1 },
	{ "environment: {pass: [A_KEY]}",
	  "environment: {pass: {replace: [A_*]}}",
	  "environment: {pass: [A_KEY]}", 1 },
	{ "environment: {set: {A: 1}}", "environment: {set: {B: 2}}",
	  "environment: {set: {A: 1}}", 1 },
	{ "environment: {set: {A: 1}}", "environment: {set: {A: 2}}",
	  "environment: {set: {A: 1}}", 1 },
	{ "environment: {set: {A: 1, B: 2}}",
	  "environment: {set: {remove: [A]}}", "environment: {set: {B: 2}}",
	  0 },
	{ "network: {allow: ['*.x.org']}",
	  "network: {allow: {replace: [a.x.org, b.org]}}",
	  "network: {allow: [a.x.org]}", 1 },
	{ "network: {host_ports: [1, 2]}",
	  "network: {host_ports: {replace: [2, 3]}}",
	  "network: {host_ports: [2]}", 1 },
	{ "network: {publish: [80]}", "network: {publish: [81]}",
	  "network: {publish: [80]}", 1 },
	{ "exec: {allow: [a]}", "exec: {allow: [b]}", "exec: {allow: [a]}", 1 },
	{ "", "extends: strict", "", 1 },
	{ "extends: strict", "extends: strict", "extends: strict", 0 },
};

static const struct narrowing by_ceiling[] = {
	{ "network: {mode: host}", "network: {mode: none}",
	  "network: {mode: none}", 1 },
	{ "network: {mode: none}", "network: {mode: host}",
	  "network: {mode: none}", 0 },
	{ "limits: {memory: 0}", "limits: {memory: 4G}", "limits: {memory: 4G}",
	  1 },
	{ "limits: {memory: 2G}", "limits: {memory: 4G}",
	  "limits: {memory: 2G}", 0 },
	{ "filesystem: {allow_write: [., /x]}",
	  "filesystem: {allow_write: [/work]}",
	  "filesystem: {allow_write: [.]}", 1 },
	{ "filesystem: {allow_write: [/work/a, /x]}",
	  "filesystem: {allow_write: {replace: [/work]}}",
	  "filesystem: {allow_write: [/work/a]}", 1 },
	{ "filesystem: {allow_write: [/]}",
	  "filesystem: {allow_write: {replace: [/work]}}",
	  "filesystem: {allow_write: [/work]}", 1 },
	{ "filesystem: {allow_write: [/]}",
	  "filesystem: {allow_write: {replace: []}}", "", 1 },
	{ "filesystem: {allow_write: [/x]}", "",
	  "filesystem: {allow_write: [/x]}", 0 },
	{ "filesystem: {deny_read: [a]}", "filesystem: {deny_read: [b]}",
	  "filesystem: {deny_read: [a, b]}", 0 },
	{ "environment: {pass: [LC_ALL, X]}", "environment: {pass: [LC_*]}",
	  "environment: {pass: [LC_ALL]}", 1 },
	{ "syscalls: {profile: /x.json}", "syscalls: {profile: strict}",
	  "syscalls: {profile: strict}", 1 },
	{ "syscalls: {profile: strict}", "syscalls: {profile: default}",
	  "syscalls: {profile: strict}", 0 },
	{ "", "network: {resolver: '1.1.1.1:53'}",
	  "network: {resolver: '1.1.1.1:53'}", 0 },
	{ "", "limits: {wall_time: 5s}", "limits: {wall_time: 5s}", 0 },
};

static void check_narrowing(const struct narrowing *row,
			    enum policy_narrower by)
{
	AUTO_ARENA arena = { 0 };
	struct policy_refusals refused = { 0 };
	struct policy base, over, want, result;
	struct err err = { 0 };

	base = decode(&arena, row->base, "base", NULL);
	over = decode(&arena, row->over, "over", NULL);
	want = decode(&arena, row->result, "want", NULL);
	if (policy_narrow(&arena, &context, &base, &over, by, &result, &refused,
			  &err) < 0)
		fail_msg("%s", err.msg);
	if (strcmp(shown(&arena, &result), shown(&arena, &want)))
		fail_msg("'%s' under '%s' gave:\n%s", row->over, row->base,
			 shown(&arena, &result));
	if (refused.n != row->refused)
		fail_msg("'%s' under '%s' was refused %zu times", row->over,
			 row->base, refused.n);
	for (size_t i = 0; i < refused.n; i++) {
		const char *who = by == POLICY_BY_PROJECT ? "over:1" : "base:1";

		if (strncmp(refused.v[i], who, 6))
			fail_msg("no place in '%s'", refused.v[i]);
	}
}

static void a_project_can_only_narrow(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(by_project) / sizeof(by_project[0]); i++)
		check_narrowing(&by_project[i], POLICY_BY_PROJECT);
}

static void a_ceiling_cuts_what_is_over_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(by_ceiling) / sizeof(by_ceiling[0]); i++)
		check_narrowing(&by_ceiling[i], POLICY_BY_CEILING);
}

static void every_key_has_a_way_to_narrow(void **state)
{
	(void)state;
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];
		size_t choices = 0;

		while (field->choices[choices])
			choices++;
		if (field->type == POLICY_BOOL)
			choices = 2;
		if (field->narrowing == POLICY_NARROW_RANK)
			assert_int_equal(strlen(field->rank), choices);
		if (policy_field_is_list(field))
			assert_true(field->narrowing != POLICY_NARROW_RANK &&
				    field->narrowing != POLICY_NARROW_FALL);
		assert_true(field->doc[0] &&
			    field->doc[strlen(field->doc) - 1] == '.');
	}
}

static void tens_of_thousands_of_rules_narrow_at_once(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct policy_refusals refused = { 0 };
	struct text text = { .arena = &arena };
	struct policy base, over;
	struct err err = { 0 };

	(void)state;
	base = decode(&arena, many_rules(&arena, 0, 20000), "a", NULL);
	base.filesystem.allow_write = base.filesystem.deny_read;
	memset(&base.filesystem.deny_read, 0,
	       sizeof(base.filesystem.deny_read));
	text_add(&text, "filesystem: {allow_write: {replace: [");
	for (int i = 10000; i < 30000; i++)
		text_addf(&text, "/srv/%d/x,", i);
	text_add(&text, "]}}");
	over = decode(&arena, text.v, "b", NULL);
	assert_int_equal(
		policy_narrow(&arena, &context, &base, &over, POLICY_BY_PROJECT,
			      &base, &refused, &err),
		0);
	assert_int_equal(base.filesystem.allow_write.n, 10000);
	assert_int_equal(refused.n, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging_follows_its_table),
		cmocka_unit_test(the_same_text_elsewhere_is_another_rule),
		cmocka_unit_test(the_first_of_equal_rules_keeps_its_origin),
		cmocka_unit_test(who_allowed_a_path_last_has_allowed_it),
		cmocka_unit_test(tens_of_thousands_of_rules_merge_at_once),
		cmocka_unit_test(a_project_can_only_narrow),
		cmocka_unit_test(a_ceiling_cuts_what_is_over_it),
		cmocka_unit_test(every_key_has_a_way_to_narrow),
		cmocka_unit_test(tens_of_thousands_of_rules_narrow_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
