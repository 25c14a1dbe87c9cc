/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a box says about itself: it reads back to the same answers, is bounded,
 * and tells no secret. (T-175)
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
#include "plan/egress.h"
#include "plan/explain.h"
#include "plan/plan.h"
#include "plan/summary.h"

#define BUILT_IN                                                               \
	{                                                                      \
		"built-in", 0                                                  \
	}
#define FILE_LINE                                                              \
	{                                                                      \
		"f \"q\".yaml", 7                                              \
	}

#define RULE(p, a, e, read, write, key, other)                                 \
	{                                                                      \
		.path = (p), .access = (a), .exists = (e),                     \
		.read_origin = read, .write_origin = write, .read_key = (key), \
		.write_key = (other)                                           \
	}

static struct plan_rule rules[] = {
	RULE("/", PLAN_READ, true, BUILT_IN, BUILT_IN, "view: host",
	     "view: host"),
	RULE("/etc/shadow", PLAN_HIDDEN, true, BUILT_IN, BUILT_IN, "hidden",
	     "view: host"),
	RULE("/home/u/secret", PLAN_HIDDEN, true, FILE_LINE, FILE_LINE,
	     "deny_read", "deny_read"),
	RULE("/home/u/secret/names", PLAN_HIDDEN, true, FILE_LINE, FILE_LINE,
	     "deny_read", "deny_read"),
	RULE("/home/u/secret/shown", PLAN_READ, true, FILE_LINE, BUILT_IN,
	     "allow_read", "view: host"),
	RULE("/home/u/secret/shown/key", PLAN_HIDDEN, true, FILE_LINE,
	     FILE_LINE, "deny_read", "deny_read"),
	RULE("/home/u/secret-not", PLAN_HIDDEN, false, FILE_LINE, FILE_LINE,
	     "deny_read", "deny_read"),
	RULE("/run/cordon", PLAN_HIDDEN, false, BUILT_IN, BUILT_IN, "own files",
	     "own files"),
	RULE("/tmp", PLAN_WRITE, true, BUILT_IN, BUILT_IN, "private",
	     "private"),
	RULE("/w", PLAN_WRITE, true, FILE_LINE, FILE_LINE, "allow_write",
	     "allow_write"),
	RULE("/w/.mcp.json", PLAN_READ, false, FILE_LINE, BUILT_IN,
	     "allow_write", "protected"),
	RULE("/w/odd\n\"\\\x01\xff", PLAN_HIDDEN, true, FILE_LINE, FILE_LINE,
	     "deny_read", "deny_read"),
};

enum { RULES_N = sizeof(rules) / sizeof(*rules) };

static const struct policy_item allow[] = {
	{ .text = "github.com", .origin = FILE_LINE },
	{ .text = "*.npmjs.org", .origin = { "--allow-domain", 0 } },
	{ .text = "10.1.2.3:8080", .origin = { "--allow-domain", 0 } },
};
static const struct policy_item deny[] = {
	{ .text = "evil.npmjs.org", .origin = BUILT_IN },
};
static const struct policy_item ports[] = {
	{ .text = "5432", .origin = { "--host-port", 0 } },
};

struct fixture {
	struct arena arena;
	struct policy policy;
	struct plan plan;
	struct err err;
	/* read back */
	struct policy policy_inside;
	struct plan plan_inside;
	struct plan_summary_cut cut;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	f->plan = (struct plan){
		.workdir = "/w",
		.network = POLICY_MODE_FILTERED,
		.rules = { arena_array(&f->arena, struct plan_rule,
				       RULES_N + 1),
			   RULES_N },
		.wall_time_ms = 600000,
	};
	memcpy(f->plan.rules.v, rules, sizeof(rules));
	f->policy.network = (struct policy_network){
		.mode = { .set = true,
			  .number = POLICY_MODE_FILTERED,
			  .origin = { "--network", 0 } },
		.allow = { .v = allow, .n = 3 },
		.deny = { .v = deny, .n = 1 },
		.host_ports = { .v = ports, .n = 1 },
	};
	egress_rules_build(&f->arena, &f->policy.network.allow,
			   &f->policy.network.deny, &f->plan.egress.rules);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	arena_free(&f->arena);
	free(f);
	return 0;
}

static const char *summary(struct fixture *f)
{
	return plan_summary_format(&f->arena, &f->policy, &f->plan);
}

static int read_text(struct fixture *f, const char *text)
{
	return plan_summary_read(&f->arena, text, &f->policy_inside,
				 &f->plan_inside, &f->cut, &f->err);
}

static void read_back(struct fixture *f)
{
	if (read_text(f, summary(f)) < 0)
		fail_msg("%s", f->err.msg);
}

static void check_path(struct fixture *f, const char *path, bool write)
{
	struct plan_verdict outside = { 0 }, inside = { 0 };

	plan_explain_path(&f->arena, &f->plan, path, write, &outside);
	plan_explain_path(&f->arena, &f->plan_inside,
			  plan_summary_path(&f->arena, path), write, &inside);
	assert_int_equal(outside.allowed, inside.allowed);
	assert_int_equal(outside.access, inside.access);
	assert_string_equal(plan_summary_path(&f->arena, outside.reason),
			    inside.reason);
	/* Inside, a name that cannot be printed is the form that can be. */
	if (text_is_printable(path))
		assert_string_equal(
			plan_summary_path(&f->arena, outside.remedy),
			inside.remedy);
}

static void paths_get_the_same_answers_inside(void **state)
{
	static const char *const paths[] = {
		"/",
		"/etc/passwd",
		"/etc/shadow",
		"/home/u/secret",
		"/home/u/secret/x",
		"/home/u/secret/shown/x",
		"/home/u/secret-no",
		"/home/u/secret-not",
		"/tmp",
		"/w",
		"/w/x",
		"/w/.mcp.json",
		"/w/odd\n\"\\\x01\xff",
	};
	struct fixture *f = *state;
	struct plan_verdict verdict = { 0 };

	read_back(f);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		check_path(f, paths[i], false);
		check_path(f, paths[i], true);
	}
	assert_string_equal(f->plan_inside.workdir, "/w");
	/* Outside it is the host's that is asked about, inside the box's. */
	plan_explain_path(&f->arena, &f->plan, "/tmp/x", false, &verdict);
	assert_false(verdict.allowed);
	plan_explain_path(&f->arena, &f->plan_inside, "/tmp/x", false,
			  &verdict);
	assert_true(verdict.allowed);
}

static void check_host(struct fixture *f, const char *name, uint16_t port)
{
	struct plan_net_verdict outside, inside;
	struct egress_target target;

	assert_true(egress_target_parse(name, strlen(name), port, &target));
	plan_explain_net(&f->arena, &f->policy, &f->plan, &target, &outside);
	plan_explain_net(&f->arena, &f->policy_inside, &f->plan_inside, &target,
			 &inside);
	assert_int_equal(outside.allowed, inside.allowed);
	assert_string_equal(outside.reason, inside.reason);
	assert_string_equal(outside.remedy ? outside.remedy : "",
			    inside.remedy ? inside.remedy : "");
	assert_string_equal(outside.later ? outside.later : "",
			    inside.later ? inside.later : "");
}

static void hosts_get_the_same_answers_inside(void **state)
{
	static const char *const names[] = { "github.com",     "x.npmjs.org",
					     "evil.npmjs.org", "npmjs.org",
					     "10.1.2.3",       "localhost" };
	static const uint16_t at[] = { 443, 8080, 5432 };
	struct fixture *f = *state;

	for (int mode = POLICY_MODE_NONE; mode <= POLICY_MODE_HOST; mode++) {
		f->plan.network = (enum policy_mode)mode;
		f->policy.network.mode.number = mode;
		read_back(f);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			for (size_t k = 0; k < 3; k++)
				check_host(f, names[i], at[k]);
		}
	}
}

static void names_inside_what_is_hidden_are_not_told(void **state)
{
	struct fixture *f = *state;
	struct text words = { .arena = &f->arena };
	const char *text = summary(f);

	plan_agents_format(&words, &f->policy, &f->plan);
	assert_non_null(strstr(text_str(&words), "/home/u/secret"));
	assert_null(strstr(text_str(&words), "/home/u/secret/"));
	assert_non_null(strstr(text, "\"/home/u/secret\""));
	assert_null(strstr(text, "/home/u/secret/names"));
	assert_non_null(strstr(text, "\"/home/u/secret/shown\""));
	assert_non_null(strstr(text, "\"/home/u/secret/shown/key\""));
	assert_non_null(strstr(text, "\"/home/u/secret-not\""));
}

static void values_are_not_told(void **state)
{
	struct plan_mask masks[] = {
		{ "github", "x", BUILT_IN },
		{ "github", "y", BUILT_IN },
		{ NULL, "my-password-123", BUILT_IN },
	};
	char *environ_[] = { (char *)(uintptr_t) "TOKEN=value-456", NULL };
	struct fixture *f = *state;
	struct text agents = { .arena = &f->arena };
	const char *text;

	f->plan.masks = (struct plan_masks){ masks, 3 };
	f->plan.environ = environ_;
	text = summary(f);
	plan_agents_format(&agents, &f->policy, &f->plan);
	assert_null(strstr(text, "my-password"));
	assert_null(strstr(text, "value-456"));
	assert_null(strstr(text_str(&agents), "my-password"));
	assert_null(strstr(text_str(&agents), "value-456"));
	assert_non_null(
		strstr(text, "{\"presets\": [\"github\"], \"patterns\": 1}"));
	assert_non_null(strstr(text_str(&agents),
			       "***: github, 1 pattern of the policy."));
}

static void commands_are_listed(void **state)
{
	struct command_rule commands[] = {
		{ .text = "git push", .origin = FILE_LINE },
		{ .text = "sudo", .origin = BUILT_IN },
		{ .text = "git push origin docs",
		  .allow = true,
		  .origin = FILE_LINE },
	};
	struct plan_program programs[] = {
		{ .path = "/usr/bin/sudo", .masked = true },
		{ .path = "/usr/bin/git" },
	};
	struct fixture *f = *state;
	struct text agents = { .arena = &f->arena };
	struct text banner = { .arena = &f->arena };

	f->plan.exec.rules = (struct command_rules){ commands, 3 };
	f->plan.exec.programs = (struct plan_programs){ programs, 2 };
	f->plan.exec.only_system = true;
	read_back(f);
	assert_int_equal(f->policy_inside.exec.deny.n, 2);
	assert_string_equal(f->policy_inside.exec.deny.v[0].text, "git push");
	assert_string_equal(f->policy_inside.exec.deny.v[0].origin.source,
			    "f \"q\".yaml:7");
	assert_int_equal(f->policy_inside.exec.allow.n, 1);
	assert_true(f->plan_inside.exec.only_system);
	assert_int_equal(f->plan_inside.exec.rules.n, 3);
	assert_int_equal(f->plan_inside.exec.programs.n, 1);
	assert_true(f->plan_inside.exec.programs.v[0].masked);
	plan_agents_format(&agents, &f->policy, &f->plan);
	assert_non_null(strstr(text_str(&agents),
			       "refused: git push, sudo; but not: git push "
			       "origin docs; nothing that"));
	plan_banner_format(&banner, &f->policy, &f->plan);
	assert_non_null(strstr(text_str(&banner), "commands: refused: git"));
}

static void words_name_what_holds(void **state)
{
	static const char *const wanted[] = {
		"you can write /w;",
		"gone afterwards: /tmp.",
		"/etc/shadow",
		".mcp.json",
		"github.com, *.npmjs.org",
		"never: evil.npmjs.org",
		"wall_time 600000 ms",
		"/run/cordon/policy.json",
		"cordon explain write",
	};
	struct fixture *f = *state;
	struct text out = { .arena = &f->arena };

	plan_agents_format(&out, &f->policy, &f->plan);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (!strstr(text_str(&out), wanted[i]))
			fail_msg("no '%s' in %s", wanted[i], text_str(&out));
	}
	assert_null(strchr(text_str(&out), '\x01'));
	assert_true(out.n < 4096);
}

static void a_large_policy_is_cut_and_says_so(void **state)
{
	enum { MANY = 3000 };
	struct fixture *f = *state;
	struct plan_rule *many =
		arena_array(&f->arena, struct plan_rule, MANY + 1);
	struct policy_item *items =
		arena_array(&f->arena, struct policy_item, MANY);
	struct text words = { .arena = &f->arena };
	const char *text;
	json_t *json;

	for (size_t i = 0; i < MANY; i++) {
		many[i] = rules[2];
		many[i].path = arena_printf(&f->arena, "/h/%zu", i);
		items[i] = allow[0];
		items[i].text = arena_printf(&f->arena, "h%zu.org", i);
	}
	f->plan.rules = (struct plan_rules){ many, MANY };
	f->policy.network.allow = (struct policy_list){ .v = items, .n = MANY };
	text = summary(f);
	assert_true(strlen(text) <= PLAN_SUMMARY_MAX);
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	assert_true(json_is_true(json_object_get(json, "truncated")));
	assert_true(json_array_size(json_object_get(
			    json_object_get(json, "files"), "hidden")) > 100);
	json_decref(json);
	read_back(f);
	assert_true(f->cut.files && f->cut.network && !f->cut.exec);
	/* And words stay few. */
	plan_agents_format(&words, &f->policy, &f->plan);
	assert_true(words.n < 4096);
	assert_non_null(strstr(text_str(&words), "and 2988 more"));
}

static void what_is_no_summary_is_refused(void **state)
{
	static const char *const broken[] = {
		"",
		"[]",
		"{}",
		"{\"version\": 2}",
		"{\"version\": 1, \"workdir\": \"/w\"}",
		("{\"version\": 1, \"workdir\": \"/w\", \"network\": "
		 "{\"mode\": \"all\", \"origin\": \"x\"}}"),
	};
	struct fixture *f = *state;
	const char *text = summary(f);
	char *changed;

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		assert_int_equal(read_text(f, broken[i]), -1);
		assert_int_equal(f->err.kind, ERR_POLICY);
	}
	/* Any byte less is noticed, or changes nothing that counts. */
	for (size_t cut = 1; cut < strlen(text) - 2; cut += 7) {
		changed = arena_strndup(&f->arena, text, cut);
		assert_int_equal(read_text(f, changed), -1);
	}
	changed = arena_strdup(&f->arena, text);
	*strstr(changed, "/etc/shadow") = 'x';
	assert_int_equal(read_text(f, changed), -1);
	assert_int_equal(read_text(f, text), 0);
}

static void the_plan_has_it_where_nothing_is_written(void **state)
{
	struct fixture *f = *state;
	const struct plan_mount *mounts;
	struct plan_verdict verdict = { 0 };

	plan_summary_add(&f->arena, &f->policy, &f->plan);
	mounts = f->plan.mounts.v;
	assert_int_equal(f->plan.mounts.n, 3);
	assert_string_equal(mounts[0].path, PLAN_SUMMARY_DIR);
	assert_int_equal(mounts[0].kind, PLAN_MOUNT_HOLLOW);
	assert_false(mounts[0].writable);
	assert_string_equal(mounts[1].path, PLAN_SUMMARY_FILE);
	assert_string_equal(mounts[2].path, PLAN_SUMMARY_README);
	plan_explain_path(&f->arena, &f->plan, PLAN_SUMMARY_FILE, false,
			  &verdict);
	assert_true(verdict.allowed);
	plan_explain_path(&f->arena, &f->plan, PLAN_SUMMARY_FILE, true,
			  &verdict);
	assert_false(verdict.allowed);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(paths_get_the_same_answers_inside),
		WITH(hosts_get_the_same_answers_inside),
		WITH(names_inside_what_is_hidden_are_not_told),
		WITH(values_are_not_told),
		WITH(commands_are_listed),
		WITH(words_name_what_holds),
		WITH(a_large_policy_is_cut_and_says_so),
		WITH(what_is_no_summary_is_refused),
		WITH(the_plan_has_it_where_nothing_is_written),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
