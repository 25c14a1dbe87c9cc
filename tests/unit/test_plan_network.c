/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the mode of the network means: variables, the hosts file, notes, and
 * the answers of `cordon explain net`.
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
#include "plan/egress.h"
#include "plan/explain.h"
#include "plan/plan.h"
#include "policy/decode.h"
#include "policy/merge.h"
#include "policy/profiles.h"

struct fixture {
	struct arena arena;
	struct policy policy;
	struct facts facts;
	struct plan plan;
	struct err err;
	bool no_hosts; /* the host has no such file */
};

static const struct policy_context context = {
	.home = "/home/u",
	.workdir = "/w",
	.config_dir = "/home/u/.config/cordon",
	.state_dir = "/home/u/.local/state/cordon",
	.cache_dir = "/home/u/.cache/cordon",
	.runtime_dir = "/run/user/1000/cordon",
	.xdg_config_home = "/home/u/.config",
	.xdg_state_home = "/home/u/.local/state",
	.xdg_cache_home = "/home/u/.cache",
	.xdg_data_home = "/home/u/.local/share",
	.uid = 1000,
	.gid = 1000,
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	f->facts.landlock_abi = 7;
	f->facts.hostname = "paper";
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	arena_free(&f->arena);
	free(f);
	return 0;
}

/* Directories exist where this says so; of files the hosts file alone. */
static enum facts_kind kind_of(const struct fixture *f, const char *path)
{
	static const char *const directories[] = { "/w",   "/tmp", "/var/tmp",
						   "/run", "/dev", "/proc",
						   "/etc", "/usr" };

	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories);
	     i++) {
		if (!strcmp(path, directories[i]))
			return FACTS_DIRECTORY;
	}
	return !strcmp(path, "/etc/hosts") && !f->no_hosts ? FACTS_FILE
							   : FACTS_ABSENT;
}

static void answer(struct fixture *f, const struct plan_queries *queries)
{
	for (size_t i = 0; i < queries->paths.n; i++) {
		const char *path = queries->paths.v[i];
		struct facts_path fact = {
			.path = path,
			.real = path,
			.kind = kind_of(f, path),
			.id = { 1, i + 10 },
			.parent = { 1, 2 },
			.parent_real = "/",
		};

		*ARENA_PUSH(&f->arena, &f->facts.paths) = fact;
	}
	facts_index_build(&f->arena, &f->facts);
}

static void decode(struct fixture *f, const char *text)
{
	struct policy_document document = { text, strlen(text), "f.yaml",
					    NULL };
	struct policy policy;

	if (policy_decode(&f->arena, &document, &policy, &f->err) < 0)
		fail_msg("%s", f->err.msg);
	f->policy = *policy_builtin();
	policy_merge(&f->arena, &f->policy,
		     policy_profile_find("default")->policy, &f->policy);
	policy_merge(&f->arena, &f->policy, &policy, &f->policy);
}

static int build(struct fixture *f)
{
	struct plan_options options = { 0 };
	struct plan_queries queries;

	f->facts.paths.v = NULL;
	f->facts.paths.n = 0;
	assert_int_equal(plan_queries_build(&f->arena, &f->policy, &context,
					    &options, &queries, &f->err),
			 0);
	answer(f, &queries);
	return plan_build(&f->arena, &f->policy, &context, &queries, &f->facts,
			  &options, &f->plan, &f->err);
}

static void plans(struct fixture *f, const char *text)
{
	decode(f, text);
	if (build(f) < 0)
		fail_msg("%s", f->err.msg);
}

static void set_caller(struct fixture *f, const char *variable)
{
	*ARENA_PUSH(&f->arena, &f->facts.environ) = variable;
}

static const char *variable(const struct fixture *f, const char *name)
{
	size_t n = strlen(name);

	for (char *const *e = f->plan.environ; *e; e++) {
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	}
	return NULL;
}

static const char *note(const struct fixture *f, const char *part)
{
	for (size_t i = 0; i < f->plan.notes.n; i++) {
		if (strstr(f->plan.notes.v[i], part))
			return f->plan.notes.v[i];
	}
	return NULL;
}

static const struct plan_mount *hosts_mount(const struct fixture *f)
{
	for (size_t i = 0; i < f->plan.mounts.n; i++) {
		if (f->plan.mounts.v[i].kind == PLAN_MOUNT_FILE &&
		    !f->plan.mounts.v[i].on_skeleton)
			return &f->plan.mounts.v[i];
	}
	return NULL;
}

/* ---------------------------------------------------------- variables */

static void proxies_are_set_in_both_cases(void **state)
{
	static const char *const names[] = { "HTTP_PROXY",  "http_proxy",
					     "HTTPS_PROXY", "https_proxy",
					     "ALL_PROXY",   "all_proxy" };
	struct fixture *f = *state;

	set_caller(f, "HTTPS_PROXY=http://user:word@corp:8080");
	set_caller(f, "no_proxy=*");
	plans(f, "network: {mode: filtered, allow: [x.org]}");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(variable(f, names[i]),
				    "http://127.0.0.1:3128");
	assert_string_equal(variable(f, "NO_PROXY"), "localhost,127.0.0.1,::1");
	assert_string_equal(variable(f, "no_proxy"), "localhost,127.0.0.1,::1");
	assert_null(variable(f, "FTP_PROXY"));
}

static void the_callers_proxies_stay_outside(void **state)
{
	static const char *const names[] = { "HTTP_PROXY", "https_proxy",
					     "FTP_PROXY", "no_proxy",
					     "npm_config_https_proxy" };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		set_caller(f, arena_printf(&f->arena, "%s=http://corp:8080",
					   names[i]));
	set_caller(f, "GOPROXY=https://proxy.golang.org");
	plans(f, "network: {mode: host}");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_non_null(variable(f, names[i]));
	plans(f, "network: {mode: none}");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_null(variable(f, names[i]));
	assert_non_null(variable(f, "GOPROXY"));
	plans(f, "network: {mode: filtered}");
	assert_null(variable(f, "FTP_PROXY"));
	assert_null(variable(f, "npm_config_https_proxy"));
}

static void what_is_set_wins_and_what_is_passed_does_not(void **state)
{
	struct fixture *f = *state;

	set_caller(f, "HTTPS_PROXY=http://corp:8080");
	plans(f, "network: {mode: filtered}\n"
		 "environment: {pass: [HTTPS_PROXY], set: {ALL_PROXY: ''}}");
	assert_string_equal(variable(f, "HTTPS_PROXY"),
			    "http://127.0.0.1:3128");
	assert_string_equal(variable(f, "ALL_PROXY"), "");
}

/* --------------------------------------------------------- hosts file */

static void the_box_has_its_own_hosts_file(void **state)
{
	struct fixture *f = *state;
	const struct plan_mount *mount;

	plans(f, "network: {mode: filtered}");
	mount = hosts_mount(f);
	assert_non_null(mount);
	assert_string_equal(mount->path, "/etc/hosts");
	assert_false(mount->writable);
	assert_true(mount->id.ino != 0);
	assert_string_equal(mount->content,
			    "127.0.0.1 localhost\n127.0.1.1 paper\n"
			    "::1 localhost ip6-localhost ip6-loopback\n");
	/* Over whatever else is mounted there. */
	while (++mount < f->plan.mounts.v + f->plan.mounts.n)
		assert_ptr_equal(strstr(mount->path, "/run/cordon"),
				 mount->path);
	plans(f, "network: {mode: filtered}\nfilesystem: {view: minimal}");
	assert_non_null(hosts_mount(f));
}

static void other_hosts_files_are_left_alone(void **state)
{
	struct fixture *f = *state;

	plans(f, "network: {mode: none}");
	assert_null(hosts_mount(f));
	plans(f, "network: {mode: host}");
	assert_null(hosts_mount(f));
	plans(f, "network: {mode: filtered}\n"
		 "filesystem: {deny_read: [/etc/hosts]}");
	assert_null(hosts_mount(f));
	f->no_hosts = true;
	plans(f, "network: {mode: filtered}");
	assert_null(hosts_mount(f));
}

static void odd_names_of_the_host_are_not_written(void **state)
{
	static const char *const odd[] = {
		"",   "localhost", "LocalHost", "a b", "a\n1.2.3.4 github.com",
		"a#b"
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		f->facts.hostname = odd[i];
		plans(f, "network: {mode: filtered}");
		assert_null(strstr(hosts_mount(f)->content, "127.0.1.1"));
		assert_null(strstr(hosts_mount(f)->content, "github"));
	}
	f->facts.hostname = "My-host.example_1";
	plans(f, "network: {mode: filtered}");
	assert_non_null(strstr(hosts_mount(f)->content,
			       "127.0.1.1 My-host.example_1\n"));
}

/* -------------------------------------------------------------- notes */

static const struct {
	const char *policy;
	const char *says; /* a part of the note; NULL: there is none at all */
} notes[] = {
	{ "network: {mode: filtered, allow: [x.org]}", NULL },
	{ "network: {mode: filtered}", "nothing can be reached" },
	{ "network: {mode: filtered, host_ports: [1]}", NULL },
	{ "network: {mode: filtered, publish: [1]}", NULL },
	{ "network: {mode: filtered, deny: [x.org]}", "nothing can be" },
	{ "network: {mode: filtered, allow: [x.org, '*:22']}",
	  "'*:22' (f.yaml:1) allows every name" },
	{ "network: {mode: filtered, allow: [x.org], "
	  "upstream_proxy: 'http://p:1'}",
	  "resolved by the upstream proxy" },
	{ "network: {mode: host}", "shares the host's network" },
	/* Nobody said `none` but the default profile. */
	{ "network: {allow: [x.org]}", "'network.allow' (f.yaml:1) has no" },
	{ "network: {publish: [1]}", "'network.publish' (f.yaml:1) has no" },
	{ "network: {mode: none, allow: [x.org]}", NULL },
	{ "network: {mode: none}", NULL },
};

static void notes_say_what_seems_otherwise(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		plans(f, notes[i].policy);
		if (!notes[i].says && f->plan.notes.n)
			fail_msg("'%s' has the note '%s'", notes[i].policy,
				 f->plan.notes.v[0]);
		if (notes[i].says && !note(f, notes[i].says))
			fail_msg("'%s' has no note '%s'", notes[i].policy,
				 notes[i].says);
	}
}

static void the_callers_proxy_is_noted_and_not_shown(void **state)
{
	struct fixture *f = *state;

	plans(f, "network: {mode: filtered, allow: [x.org]}");
	assert_null(note(f, "PROXY"));
	set_caller(f, "https_proxy=http://user:word@corp:8080");
	plans(f, "network: {mode: filtered, allow: [x.org]}");
	assert_non_null(note(f, "HTTPS_PROXY is not used"));
	assert_null(note(f, "word"));
	plans(f, "network: {mode: filtered, allow: [x.org], "
		 "upstream_proxy: 'http://corp:8080'}");
	assert_null(note(f, "HTTPS_PROXY is not used"));
	plans(f, "network: {mode: none}");
	assert_null(note(f, "PROXY"));
}

static void typed_rules_without_effect_are_noted(void **state)
{
	struct policy_origin typed = { "--allow-domain", 0 };
	struct fixture *f = *state;

	decode(f, "network: {mode: none}");
	assert_int_equal(policy_set_text(&f->arena, &f->policy, "network.allow",
					 "x.org", typed, &f->err),
			 0);
	assert_int_equal(build(f), 0);
	assert_non_null(note(f, "'network.allow' (--allow-domain) has no "));
}

static void rules_that_do_not_fit_stop_the_plan(void **state)
{
	struct fixture *f = *state;

	decode(f, "network: {mode: filtered, host_ports: [3128]}");
	assert_int_equal(build(f), -1);
	assert_int_equal(f->err.kind, ERR_POLICY);
	/* They bind nobody where there is no network. */
	plans(f, "network: {mode: none, host_ports: [3128]}");
}

/* ------------------------------------------------------------ explain */

static const char rules[] = "network:\n"
			    "  mode: filtered\n"
			    "  allow: [x.org, '*.y.org:8443', 10.1.2.3]\n"
			    "  deny: [bad.y.org]\n"
			    "  host_ports: [5432]\n";

static const struct {
	const char *host;
	uint16_t port;
	bool allowed;
	const char *reason;
	const char *remedy; /* NULL: none */
	bool later;
} explained[] = {
	{ "x.org", 443, true, "network.allow 'x.org' (f.yaml:3)", NULL, true },
	{ "X.ORG.", 80, true, "network.allow 'x.org' (f.yaml:3)", NULL, true },
	{ "a.y.org", 8443, true, "'*.y.org:8443'", NULL, true },
	{ "10.1.2.3", 443, true, "'10.1.2.3'", NULL, false },
	{ "x.org", 22, false, "x.org", "--allow-domain", false },
	{ "z.org", 443, false, "z.org", "--allow-domain", false },
	{ "bad.y.org", 8443, false, "'bad.y.org'", NULL, false },
	{ "localhost", 5432, true, "network.host_ports '5432'", NULL, false },
	{ "127.0.0.1", 5432, true, "network.host_ports", NULL, false },
	{ "::1", 5432, true, "network.host_ports", NULL, false },
	{ "host.cordon.internal", 5432, true, "host_ports", NULL, false },
	{ "localhost", 80, false, "the box's own", "--host-port=80", false },
};

static void explain(struct fixture *f, const char *host, uint16_t port,
		    struct plan_net_verdict *out)
{
	struct egress_target target;

	assert_true(egress_target_parse(host, strlen(host), port, &target));
	plan_explain_net(&f->arena, &f->policy, &f->plan, &target, out);
}

static void explain_says_what_egress_would(void **state)
{
	struct fixture *f = *state;

	plans(f, rules);
	for (size_t i = 0; i < sizeof(explained) / sizeof(*explained); i++) {
		const char *host = explained[i].host;
		struct plan_net_verdict got;

		explain(f, host, explained[i].port, &got);
		if (got.allowed != explained[i].allowed)
			fail_msg("%s: allowed is %d", host, got.allowed);
		if (!strstr(got.reason, explained[i].reason))
			fail_msg("%s: the reason is '%s'", host, got.reason);
		if (explained[i].remedy &&
		    (!got.remedy || !strstr(got.remedy, explained[i].remedy)))
			fail_msg("%s: the remedy is '%s'", host,
				 got.remedy ? got.remedy : "none");
		assert_int_equal(got.later != NULL, explained[i].later);
		assert_int_equal(got.code == NULL, got.allowed);
	}
}

static void explain_knows_the_other_modes(void **state)
{
	struct plan_net_verdict got;
	struct fixture *f = *state;

	plans(f, "network: {mode: none, allow: [x.org], host_ports: [5432]}");
	explain(f, "x.org", 443, &got);
	assert_false(got.allowed);
	assert_non_null(strstr(got.reason, "network.mode 'none' (f.yaml:1)"));
	assert_string_equal(got.remedy, "--network=filtered");
	explain(f, "fd00::1", 22, &got);
	assert_string_equal(got.remedy, "--allow-domain=[fd00::1]:22");
	explain(f, "z.org", 80, &got);
	assert_string_equal(got.remedy, "--allow-domain=z.org");
	f->policy.network.mode.origin.source = "--network";
	explain(f, "z.org", 80, &got);
	assert_string_equal(got.remedy,
			    "--network=filtered --allow-domain=z.org");
	explain(f, "localhost", 5432, &got);
	assert_false(got.allowed);
	plans(f, "network: {mode: host}");
	explain(f, "x.org", 9, &got);
	assert_true(got.allowed);
	explain(f, "localhost", 9, &got);
	assert_true(got.allowed);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(proxies_are_set_in_both_cases),
		CASE(the_callers_proxies_stay_outside),
		CASE(what_is_set_wins_and_what_is_passed_does_not),
		CASE(the_box_has_its_own_hosts_file),
		CASE(other_hosts_files_are_left_alone),
		CASE(odd_names_of_the_host_are_not_written),
		CASE(notes_say_what_seems_otherwise),
		CASE(the_callers_proxy_is_noted_and_not_shown),
		CASE(typed_rules_without_effect_are_noted),
		CASE(rules_that_do_not_fit_stop_the_plan),
		CASE(explain_says_what_egress_would),
		CASE(explain_knows_the_other_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
