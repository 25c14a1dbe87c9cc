/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shipped profiles, the built-in layer, and what is printed from the table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/format.h"
#include "policy/match.h"
#include "policy/merge.h"
#include "policy/profiles.h"

static const char *const names[] = {
	"base",	       "default",      "strict",   "offline",
	"dev",	       "agent",	       "trusted",  "code",
	"code-strict", "git-readonly", "commands", "guarded",
};

enum { NAMES_N = sizeof(names) / sizeof(names[0]) };

static bool has(const struct policy_list *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->v[i].text, text))
			return true;
	}
	return false;
}

static const struct policy *profile(const char *name)
{
	const struct policy_profile *found = policy_profile_find(name);

	if (!found)
		fail_msg("no profile %s", name);
	return found->policy;
}

static void shipped_profiles_are_found_and_listed(void **state)
{
	const struct policy_profile *list;
	size_t n;

	(void)state;
	list = policy_profiles_list(&n);
	assert_int_equal(n, NAMES_N - 1);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(policy_profile_find(list[i].name), &list[i]);
		assert_true(strlen(list[i].description) > 10);
		assert_string_not_equal(list[i].name, "base");
		assert_int_equal(list[i].policy->extends.n, 0);
	}
	assert_non_null(policy_profile_find("base"));
	assert_null(policy_profile_find("nothing"));
	assert_null(policy_profile_find(""));
}

static void every_profile_hides_the_secrets_of_the_base(void **state)
{
	static const char *const paths[] = {
		"~/.ssh",
		"~/.aws",
		"~/.gcloud",
		"~/.kube",
		"~/.npmrc",
		"~/.pypirc",
		"~/.gnupg",
		"~/.docker",
		"~/.netrc",
		"~/.git-credentials",
		"~/.cargo/credentials.toml",
		"~/.config/gcloud",
		".env",
		".env.*",
		"secrets",
		"credentials",
		"*.pem",
		"*.key",
		"*.p12",
		"*.tfvars",
		"terraform.tfstate",
		"~/.bash_history",
	};

	(void)state;
	for (size_t i = 0; i < NAMES_N; i++) {
		const struct policy *p = profile(names[i]);

		for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++) {
			if (!has(&p->filesystem.deny_read, paths[j]))
				fail_msg("%s does not hide %s", names[i],
					 paths[j]);
		}
		assert_true(has(&p->environment.deny, "*_TOKEN"));
		assert_true(has(&p->environment.deny, "AWS_*"));
		/* An agent needs its own configuration. */
		assert_false(has(&p->filesystem.deny_read, "~/.claude"));
	}
}

static void no_shipped_pattern_walks_a_tree(void **state)
{
	const struct policy *p = profile("base");

	(void)state;
	for (size_t i = 0; i < p->filesystem.deny_read.n; i++) {
		assert_null(strstr(p->filesystem.deny_read.v[i].text, "**"));
		/* Nor hides it what modes close to every user: each mask
		 * costs time; for root plan/ does. */
		assert_true(p->filesystem.deny_read.v[i].text[0] != '/');
	}
}

static void default_is_what_run_promises(void **state)
{
	const struct policy *p = profile("default");

	(void)state;
	assert_int_equal(p->filesystem.view.number, POLICY_VIEW_HOST);
	assert_int_equal(p->filesystem.git.number, POLICY_GIT_WORK);
	assert_int_equal(p->network.mode.number, POLICY_MODE_NONE);
	assert_int_equal(p->environment.inherit.number, 1);
	assert_int_equal(p->filesystem.allow_write.n, 1);
	assert_string_equal(p->filesystem.allow_write.v[0].text, ".");
	assert_string_equal(p->filesystem.allow_write.v[0].origin.source,
			    "profile default");
	assert_int_equal(p->filesystem.allow_write.v[0].origin.line, 6);
	assert_string_equal(p->filesystem.deny_read.v[0].origin.source,
			    "profile base");
}

static void strict_and_offline_differ_from_default(void **state)
{
	const struct policy *strict = profile("strict");
	const struct policy *offline = profile("offline");

	(void)state;
	assert_int_equal(strict->filesystem.view.number, POLICY_VIEW_MINIMAL);
	assert_int_equal(strict->environment.inherit.number, 0);
	assert_true(has(&strict->environment.pass, "PATH"));
	assert_int_equal(strict->environment.pass.op, POLICY_REPLACE);
	assert_int_equal(strict->environment.set.op, POLICY_REPLACE);
	assert_int_equal(strict->filesystem.allow_read.op, POLICY_REPLACE);
	assert_int_equal(strict->filesystem.allow_write.op, POLICY_REPLACE);
	assert_int_equal(strict->network.unix_sockets.op, POLICY_REPLACE);
	assert_int_equal(strict->network.allow.op, POLICY_REPLACE);
	assert_int_equal(strict->network.host_ports.op, POLICY_REPLACE);
	assert_int_equal(strict->network.publish.op, POLICY_REPLACE);
	assert_string_equal(strict->syscalls_profile.text, "strict");
	assert_true(has(&offline->environment.deny, "*_proxy"));
	assert_true(has(&offline->require, "landlock"));
	assert_int_equal(offline->network.unix_sockets.op, POLICY_REPLACE);
	assert_int_equal(offline->network.allow.op, POLICY_REPLACE);
	assert_int_equal(offline->network.mode.number, POLICY_MODE_NONE);
}

static void networks_are_filtered_by_name(void **state)
{
	static const char *const filtered[] = { "dev", "agent", "trusted" };
	const struct policy *dev = profile("dev");
	const struct policy *agent = profile("agent");

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct policy *p = profile(filtered[i]);

		assert_int_equal(p->network.mode.number, POLICY_MODE_FILTERED);
		assert_int_equal(p->filesystem.allow_write.n, 1);
		assert_int_equal(p->network.host_ports.n, 0);
		assert_int_equal(p->network.publish.n, 0);
		assert_int_equal(p->network.unix_sockets.n, 0);
	}
	/* An agent can fetch what a developer can. */
	for (size_t i = 0; i < dev->network.allow.n; i++)
		assert_true(has(&agent->network.allow,
				dev->network.allow.v[i].text));
	assert_true(has(&dev->network.allow, "registry.npmjs.org"));
	assert_true(has(&dev->network.allow, "github.com:22"));
	assert_false(has(&dev->network.allow, "api.anthropic.com"));
	assert_true(has(&agent->network.allow, "api.anthropic.com"));
	assert_true(has(&agent->network.deny, "statsig.anthropic.com"));
	assert_true(has(&agent->network.deny, "**.sentry.io"));
}

/* What anybody can rent leads anywhere: no such domain as a whole. */
static void no_listed_domain_is_a_common_carrier(void **state)
{
	static const char *const filtered[] = { "dev", "agent" };
	static const char *const carriers[] = {
		"amazonaws.com",
		"cloudfront.net",
		"googleapis.com",
		"azureedge.net",
		"github.io",
		"fastly.net",
		"workers.dev",
		"vercel.app",
		"githubusercontent.com",
		"storage.googleapis.com",
	};
	const size_t n = sizeof(carriers) / sizeof(carriers[0]);

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		const struct policy_list *allow =
			&profile(filtered[k])->network.allow;

		assert_false(has(allow, "*"));
		for (size_t i = 0; i < allow->n; i++) {
			const char *text = allow->v[i].text;

			for (size_t j = 0; j < n; j++)
				assert_false(text[0] == '*' &&
					     strstr(text, carriers[j]));
			for (size_t j = 0; j < n; j++)
				assert_string_not_equal(text, carriers[j]);
		}
	}
}

static void trusted_reaches_names_but_no_metadata(void **state)
{
	const struct policy *p = profile("trusted");

	(void)state;
	assert_true(has(&p->network.allow, "*"));
	assert_true(has(&p->network.deny, "metadata.google.internal"));
	assert_true(has(&p->network.deny, "169.254.0.0/16"));
}

static void keys_are_passed_to_agents_alone(void **state)
{
	static const char *const keys[] = {
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY",
		"GEMINI_API_KEY",    "GOOGLE_API_KEY",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		for (size_t j = 0; j < NAMES_N; j++)
			assert_int_equal(
				has(&profile(names[j])->environment.pass,
				    keys[i]),
				!strcmp(names[j], "agent") ||
					!strncmp(names[j], "code", 4));
	}
	/* Names, not patterns: a pattern could pass another secret. */
	for (size_t i = 0; i < profile("agent")->environment.pass.n; i++)
		assert_null(strpbrk(
			profile("agent")->environment.pass.v[i].text, "*?["));
}

static void every_profile_can_be_enforced_and_expanded(void **state)
{
	static const struct policy_context context = {
		.home = "/h",
		.workdir = "/w",
		.xdg_config_home = "/h/.c",
		.xdg_state_home = "/h/.s",
		.xdg_cache_home = "/h/.k",
		.xdg_data_home = "/h/.d",
	};

	(void)state;
	for (size_t i = 0; i < NAMES_N; i++) {
		const struct policy *p = profile(names[i]);
		AUTO_ARENA arena = { 0 };
		struct err err = { 0 };
		struct policy merged;

		policy_merge(&arena, policy_builtin(), p, &merged);
		if (policy_check_supported(&merged, &err) < 0)
			fail_msg("%s", err.msg);
		for (size_t j = 0; j < p->filesystem.deny_read.n; j++) {
			struct policy_path path;

			assert_int_equal(
				policy_path_expand(
					&arena, &p->filesystem.deny_read.v[j],
					&context, &path, &err),
				0);
		}
	}
}

static void the_built_in_layer_sets_every_scalar(void **state)
{
	const struct policy *p = policy_builtin();
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];

		if (policy_field_is_list(field))
			continue;
		assert_true(policy_field_scalar(field, p)->set);
		assert_string_equal(
			policy_field_scalar(field, p)->origin.source,
			"built-in");
	}
	assert_int_equal(p->limits.open_files.number, 1024);
	assert_int_equal(p->limits.memory.number, 0);
	assert_int_equal(p->environment.inherit.number, 1);
	assert_true(has(&p->require, "user_namespaces"));
	assert_true(has(&p->require, "seccomp"));
	assert_int_equal(policy_check_supported(p, &err), 0);
}

static struct policy decode(struct arena *arena, const char *text)
{
	struct policy_document document = { text, strlen(text), "f", NULL };
	struct err err = { 0 };
	struct policy policy;

	if (policy_decode(arena, &document, &policy, &err) < 0)
		fail_msg("%s in:\n%s", err.msg, text);
	return policy;
}

static void check_round_trip(const struct policy *policy)
{
	AUTO_ARENA arena = { 0 };
	struct text first = { .arena = &arena };
	struct text second = { .arena = &arena };
	struct text third = { .arena = &arena };
	struct policy again;

	policy_format_yaml(&first, policy, true);
	again = decode(&arena, text_str(&first));
	first.n = 0;
	policy_format_yaml(&first, policy, false);
	policy_format_yaml(&second, &again, false);
	assert_string_equal(text_str(&first), text_str(&second));

	again = decode(&arena, policy_format_json(&arena, policy, false));
	policy_format_yaml(&third, &again, false);
	assert_string_equal(text_str(&first), text_str(&third));
}

static void what_is_printed_decodes_to_the_same_policy(void **state)
{
	static const char odd[] =
		"filesystem:\n"
		"  deny_read: {replace: [\"a\\nb\", 'c: d', '# e', \"\\e(1m\", "
		"\"\\u00e4\", '- x']}\n"
		"  allow_read: {remove: [x]}\n"
		"  allow_write: {replace: []}\n"
		"environment:\n"
		"  set: {replace: {A: \"x\\ny\", B: ''}}\n"
		"limits: {memory: 1.5G, cpus: 0.25, wall_time: 90s, "
		"cpu_time: 500ms, file_size: 100MB}\n"
		"output: {mask: {presets: [github], patterns: ['a b']}}\n";
	AUTO_ARENA arena = { 0 };
	struct policy p = decode(&arena, odd);

	(void)state;
	check_round_trip(&p);
	check_round_trip(policy_builtin());
	for (size_t i = 0; i < NAMES_N; i++)
		check_round_trip(profile(names[i]));
}

static void scalars_are_printed_as_people_write_them(void **state)
{
	static const struct {
		const char *key;
		int64_t number;
		const char *text;
	} rows[] = {
		{ "limits.memory", INT64_C(2) << 30, "2GiB" },
		{ "limits.memory", 1536 << 20, "1536MiB" },
		{ "limits.memory", 1000, "1000" },
		{ "limits.memory", 0, "0" },
		{ "limits.wall_time", 600000, "10m" },
		{ "limits.wall_time", 90000, "90s" },
		{ "limits.wall_time", 1, "1ms" },
		{ "limits.wall_time", 0, "0" },
		{ "limits.cpus", 1500, "1.5" },
		{ "limits.cpus", 2000, "2" },
		{ "limits.cpus", 0, "0" },
		{ "limits.cpus", 1, "0.001" },
		{ "network.mode", POLICY_MODE_HOST, "host" },
		{ "environment.inherit", 1, "true" },
		{ "limits.processes", 7, "7" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct policy_scalar scalar = { .set = true,
						.number = rows[i].number };
		AUTO_ARENA arena = { 0 };

		assert_string_equal(
			policy_scalar_format(&arena,
					     policy_field_find(rows[i].key),
					     &scalar),
			rows[i].text);
	}
}

static void printed_policies_say_where_values_come_from(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct text out = { .arena = &arena };

	(void)state;
	policy_format_yaml(&out, profile("default"), true);
	assert_non_null(strstr(text_str(&out), "\"~/.ssh\"  # profile base:"));
	assert_non_null(
		strstr(text_str(&out), "mode: none  # profile default"));
	assert_non_null(
		strstr(policy_format_json(&arena, profile("default"), true),
		       "\"origin\": \"profile default:"));
}

static void what_is_not_utf8_can_be_printed(void **state)
{
	struct policy_origin origin = { "--deny-read", 0 };
	AUTO_ARENA arena = { 0 };
	struct text out = { .arena = &arena };
	struct policy p = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(policy_set_text(&arena, &p, "filesystem.deny_read",
					 "/a\xff\x1b", origin, &err),
			 0);
	policy_format_yaml(&out, &p, true);
	assert_null(strchr(text_str(&out), '\x1b'));
	assert_null(strchr(text_str(&out), '\xff'));
	assert_non_null(strstr(policy_format_json(&arena, &p, false), "/a"));
}

static void schema_has_every_key_and_no_other(void **state)
{
	AUTO_ARENA arena = { 0 };
	json_error_t error;
	json_t *schema = json_loads(policy_schema_format(&arena), 0, &error);

	(void)state;
	assert_non_null(schema);
	assert_string_equal(
		json_string_value(json_object_get(schema, "$schema")),
		"https://json-schema.org/draft/2020-12/schema");
	assert_true(
		json_is_false(json_object_get(schema, "additionalProperties")));
	for (size_t i = 0; i < policy_fields_n; i++) {
		const json_t *at = schema;
		char *key = arena_strdup(&arena, policy_fields[i].key), *part;

		while ((part = strsep(&key, ".")))
			at = json_object_get(json_object_get(at, "properties"),
					     part);
		assert_string_equal(
			json_string_value(json_object_get(at, "description")),
			policy_fields[i].doc);
	}
	json_decref(schema);
}

static void the_manual_has_every_key(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct text out = { .arena = &arena };

	(void)state;
	policy_fields_format_mdoc(&out);
	for (size_t i = 0; i < policy_fields_n; i++) {
		char *line = arena_printf(&arena, ".It Ic %s\n",
					  policy_fields[i].key);

		assert_non_null(strstr(text_str(&out), line));
	}
}

static void slips_find_the_key_that_was_meant(void **state)
{
	static const struct {
		const char *slip;
		const char *key;
	} rows[] = {
		{ "filesistem", "filesystem" },
		{ "netwrok", "network" },
		{ "extend", "extends" },
		{ "network.mod", "network.mode" },
		{ "filesystem.deny_raed", "filesystem.deny_read" },
		{ "deny_write", "filesystem.deny_write" },
		{ "limits.wall_tme", "limits.wall_time" },
		{ "output.presets", "output.mask.presets" },
	};
	AUTO_ARENA arena = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(policy_field_nearest(&arena, rows[i].slip),
				    rows[i].key);
	assert_null(policy_field_nearest(&arena, "zzzzzzzzzzzz"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_profiles_are_found_and_listed),
		cmocka_unit_test(every_profile_hides_the_secrets_of_the_base),
		cmocka_unit_test(no_shipped_pattern_walks_a_tree),
		cmocka_unit_test(default_is_what_run_promises),
		cmocka_unit_test(strict_and_offline_differ_from_default),
		cmocka_unit_test(networks_are_filtered_by_name),
		cmocka_unit_test(no_listed_domain_is_a_common_carrier),
		cmocka_unit_test(trusted_reaches_names_but_no_metadata),
		cmocka_unit_test(keys_are_passed_to_agents_alone),
		cmocka_unit_test(every_profile_can_be_enforced_and_expanded),
		cmocka_unit_test(the_built_in_layer_sets_every_scalar),
		cmocka_unit_test(what_is_printed_decodes_to_the_same_policy),
		cmocka_unit_test(scalars_are_printed_as_people_write_them),
		cmocka_unit_test(printed_policies_say_where_values_come_from),
		cmocka_unit_test(what_is_not_utf8_can_be_printed),
		cmocka_unit_test(schema_has_every_key_and_no_other),
		cmocka_unit_test(the_manual_has_every_key),
		cmocka_unit_test(slips_find_the_key_that_was_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
