/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns, expansion of paths, names of hosts: tables, and the matcher
 * against a slow one that is written after its definition.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "policy/match.h"
#include "policy/names.h"

static const struct policy_context context = {
	.home = "/home/u",
	.workdir = "/home/u/work",
	.xdg_config_home = "/home/u/.config",
	.xdg_state_home = "/home/u/.local/state",
	.xdg_cache_home = "/home/u/.cache",
	.xdg_data_home = "/home/u/.local/share",
};

static const struct {
	const char *pattern;
	const char *path;
	bool match;
} globs[] = {
	{ "/a", "/a", true },
	{ "/a", "/a/b", false },
	{ "/a/b", "/a", false },
	{ "/*", "/a", true },
	{ "/*", "/", false },
	{ "/*", "/.a", true },
	{ "/*", "/a/b", false },
	{ "/**", "/", true },
	{ "/**", "/a/b/c", true },
	{ "/a/**", "/a", true },
	{ "/a/**", "/a/b/c", true },
	{ "/a/**", "/b", false },
	{ "/**/.env", "/.env", true },
	{ "/**/.env", "/x/y/.env", true },
	{ "/**/.env", "/x/y/.env/z", false },
	{ "/**/.env", "/x/y.env", false },
	{ "/a/**/b/**/c", "/a/b/c", true },
	{ "/a/**/b/**/c", "/a/x/b/y/z/c", true },
	{ "/a/**/b/**/c", "/a/x/c/b", false },
	{ "/**/a/b", "/a/a/b", true },
	{ "/a**b", "/axxb", true },
	{ "/a**b", "/ax/xb", false },
	{ "/*.pem", "/k.pem", true },
	{ "/*.pem", "/.pem", true },
	{ "/*.pem", "/k.pem.bak", false },
	{ "/a?c", "/abc", true },
	{ "/a?c", "/ac", false },
	{ "/a?c", "/a/c", false },
	{ "/a?c",
	  "/a\xc3\xa4"
	  "c",
	  true },
	{ "/a??c",
	  "/a\xc3\xa4"
	  "c",
	  false },
	{ "/a?c",
	  "/a\xff"
	  "c",
	  true },
	{ "/[a-c]", "/b", true },
	{ "/[a-c]", "/d", false },
	{ "/[!a-c]", "/d", true },
	{ "/[!a-c]", "/b", false },
	{ "/[^a-c]", "/d", true },
	{ "/[]a]", "/]", true },
	{ "/[!]a]", "/b", true },
	{ "/[a-]", "/-", true },
	{ "/[\\]]", "/]", true },
	{ "/[\xc3\xa4-\xc3\xb6]", "/\xc3\xa5", true },
	{ "/[a", "/[a", true },
	{ "/\\*", "/*", true },
	{ "/\\*", "/a", false },
	{ "/a\\[b]", "/a[b]", true },
	{ "/*a*b*c", "/xxaxxbxxc", true },
	{ "/*a*b*c", "/xxaxxbxx", false },
};

static void glob_follows_its_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
		if (policy_glob_match(globs[i].pattern, globs[i].path) !=
		    globs[i].match)
			fail_msg("'%s' and '%s' should%s match",
				 globs[i].pattern, globs[i].path,
				 globs[i].match ? "" : " not");
	}
}

/* As the definition reads, tried in every way; for ASCII only. */
static bool slow_set(const char **pattern, char c)
{
	const char *p = *pattern + 1;
	bool negated = *p == '!', found = false, first = true;

	p += negated;
	for (; *p != ']' || first; first = false) {
		char from, to;

		p += *p == '\\';
		from = to = *p++;
		if (p[0] == '-' && p[1] != ']') {
			p++;
			p += *p == '\\';
			to = *p++;
		}
		found |= c >= from && c <= to;
	}
	*pattern = p + 1;
	return found != negated;
}

static bool slow_component(const char *p, const char *s)
{
	for (; *p && *p != '/';) {
		if (*p == '*') {
			for (;; s++) {
				if (slow_component(p + 1, s))
					return true;
				if (!*s || *s == '/')
					return false;
			}
		}
		if (!*s || *s == '/')
			return false;
		if (*p == '?') {
			p++;
		} else if (*p == '[') {
			if (!slow_set(&p, *s))
				return false;
		} else {
			p += *p == '\\';
			if (*p++ != *s)
				return false;
		}
		s++;
	}
	return !*s || *s == '/';
}

static const char *slow_next(const char *s)
{
	s = strchr(s + 1, '/');
	return s ? s : "";
}

/* Both begin with '/' or are empty. */
static bool slow_glob(const char *p, const char *s)
{
	if (!*p)
		return !*s;
	if (!strncmp(p, "/**", 3) && (!p[3] || p[3] == '/'))
		return slow_glob(p + 3, s) ||
		       (*s && slow_glob(p, slow_next(s)));
	return *s && slow_component(p + 1, s + 1) &&
	       slow_glob(slow_next(p), slow_next(s));
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static void random_text(uint32_t *seed, const char *const *parts, size_t n,
			char *out, size_t room)
{
	size_t used = 0;
	unsigned int components = 1 + next_random(seed) % 4;

	while (components--) {
		unsigned int pieces = 1 + next_random(seed) % 3;

		used += (size_t)snprintf(out + used, room - used, "/");
		while (pieces--)
			used += (size_t)snprintf(out + used, room - used, "%s",
						 parts[next_random(seed) % n]);
	}
}

static void glob_agrees_with_a_slow_one_on_random_inputs(void **state)
{
	static const char *const pieces[] = { "a",    "b",    "*",   "**", "?",
					      "[ab]", "[!a]", "\\*", "." };
	static const char *const names[] = { "a", "b", "c", "ab", "*", "." };
	uint32_t seed = 20240607;
	unsigned int matches = 0;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		char pattern[128], path[128];
		bool want;

		random_text(&seed, pieces, 9, pattern, sizeof(pattern));
		random_text(&seed, names, 6, path, sizeof(path));
		want = slow_glob(pattern, path);
		matches += want;
		if (policy_glob_match(pattern, path) != want)
			fail_msg("'%s' and '%s' should%s match", pattern, path,
				 want ? "" : " not");
	}
	/* Else the comparison would say nothing. */
	assert_true(matches > 5000);
}

static void a_pattern_made_to_be_slow_is_not(void **state)
{
	AUTO_ARENA arena = { 0 };
	char *pattern = arena_alloc(&arena, 4001, 1);
	char *path = arena_alloc(&arena, 4002, 1);

	(void)state;
	for (size_t i = 0; i < 4000; i++)
		pattern[i] = "/**/*a*b"[i % 8];
	memset(path, 'a', 4001);
	for (size_t i = 0; i < 4000; i += 20)
		path[i] = '/';
	assert_false(policy_glob_match(pattern, path));
}

static void match_below_tells_where_a_walk_can_stop(void **state)
{
	(void)state;
	assert_true(policy_glob_match_below("/a/*/c", "/a"));
	assert_true(policy_glob_match_below("/a/*/c", "/a/b"));
	assert_false(policy_glob_match_below("/a/*/c", "/a/b/c"));
	assert_false(policy_glob_match_below("/a/*/c", "/b"));
	assert_true(policy_glob_match_below("/a/**/c", "/a/x/y/z"));
	assert_false(policy_glob_match_below("/a/**/c", "/b/x"));
	assert_true(policy_glob_match_below("/a", "/"));
}

static const struct {
	const char *pattern;
	const char *prefix;
} prefixes[] = {
	{ "/a/b/*.c", "/a/b" }, { "/a/b*/c", "/a" },	  { "/*", "/" },
	{ "/**/x", "/" },	{ "/a\\*/b/?", "/a*/b" }, { "/a/[b]", "/a" },
};

static void prefix_is_the_longest_fixed_directory(void **state)
{
	AUTO_ARENA arena = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		assert_string_equal(
			policy_glob_prefix(&arena, prefixes[i].pattern),
			prefixes[i].prefix);
}

static const struct {
	const char *text;
	const char *base;
	const char *path;
	const char *literal; /* NULL: not a pattern */
} expansions[] = {
	{ "/etc/x", NULL, "/etc/x", NULL },
	{ "/", NULL, "/", NULL },
	{ "~", NULL, "/home/u", NULL },
	{ "~/", NULL, "/home/u", NULL },
	{ "~/.ssh", NULL, "/home/u/.ssh", NULL },
	{ "$HOME/x", NULL, "/home/u/x", NULL },
	{ "$XDG_CONFIG_HOME/gh", NULL, "/home/u/.config/gh", NULL },
	{ "$XDG_STATE_HOME", NULL, "/home/u/.local/state", NULL },
	{ "$XDG_CACHE_HOME/a", NULL, "/home/u/.cache/a", NULL },
	{ "$XDG_DATA_HOME/a", NULL, "/home/u/.local/share/a", NULL },
	{ ".", NULL, "/home/u/work", NULL },
	{ "..", NULL, "/home/u", NULL },
	{ "a/../../b", NULL, "/home/u/b", NULL },
	{ "../../../../..", NULL, "/", NULL },
	{ "/a//b/./c/", NULL, "/a/b/c", NULL },
	{ "x", "/proj", "/proj/x", NULL },
	{ "~/x", "/proj", "/home/u/x", NULL },
	{ "./~", NULL, "/home/u/work/~", NULL },
	{ "./$HOME", NULL, "/home/u/work/$HOME", NULL },
	{ "secrets/", NULL, "/home/u/work/secrets", NULL },
	{ "a b\nc", NULL, "/home/u/work/a b\nc", NULL },
	{ "a\\*b", NULL, "/home/u/work/a*b", NULL },
	{ "\\.\\./x", NULL, "/home/u/x", NULL },
	{ "\\~x", NULL, "/home/u/work/~x", NULL },
	{ "*.pem", NULL, "/home/u/work/*.pem", "/home/u/work/*.pem" },
	{ "**/.env", NULL, "/home/u/work/**/.env", "/home/u/work/**/.env" },
	{ "*.pem", "/a[b", "/a\\[b/*.pem", "/a[b/*.pem" },
	{ "a\\*[b]", NULL, "/home/u/work/a\\*[b]", "/home/u/work/a*[b]" },
	{ "x/*/../y", NULL, "/home/u/work/x/y", "/home/u/work/x/y" },
};

static void expansion_follows_its_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(expansions) / sizeof(expansions[0]);
	     i++) {
		struct policy_item item = { .text = expansions[i].text,
					    .base = expansions[i].base };
		AUTO_ARENA arena = { 0 };
		struct policy_path out;
		struct err err = { 0 };

		if (policy_path_expand(&arena, &item, &context, &out, &err) < 0)
			fail_msg("'%s': %s", item.text, err.msg);
		assert_string_equal(out.path, expansions[i].path);
		assert_int_equal(out.glob, expansions[i].literal != NULL);
		assert_string_equal(out.literal, expansions[i].literal
							 ? expansions[i].literal
							 : out.path);
		assert_true(path_is_normal(out.literal));
	}
}

static void expansion_refuses_what_it_cannot_know(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} bad[] = {
		{ "~root/x", "another user's home" },
		{ "$TMPDIR/x", "only $HOME" },
		{ "$HOMER/x", "only $HOME" },
		{ "$XDG_RUNTIME_DIR/bus", "not set" },
		{ "a/**/../b", "'..' cannot follow" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct policy_item item = { .text = bad[i].text,
					    .origin = { "f.yaml", 7 } };
		AUTO_ARENA arena = { 0 };
		struct policy_path out;
		struct err err = { 0 };

		assert_int_equal(
			policy_path_expand(&arena, &item, &context, &out, &err),
			-1);
		assert_int_equal(err.kind, ERR_POLICY);
		assert_non_null(strstr(err.msg, bad[i].says));
		assert_non_null(strstr(err.msg, "f.yaml:7"));
	}
}

static void glob_is_told_from_a_path(void **state)
{
	(void)state;
	assert_true(policy_path_is_glob("*.c"));
	assert_true(policy_path_is_glob("a?"));
	assert_true(policy_path_is_glob("a[b]"));
	assert_false(policy_path_is_glob("a\\*"));
	assert_false(policy_path_is_glob("a\\"));
	assert_false(policy_path_is_glob("plain/path"));
}

static void name_patterns_match_whole_names(void **state)
{
	(void)state;
	assert_true(policy_name_match("*_TOKEN", "GITHUB_TOKEN"));
	assert_true(policy_name_match("*_TOKEN", "_TOKEN"));
	assert_false(policy_name_match("*_TOKEN", "GITHUB_TOKENS"));
	assert_false(policy_name_match("*_TOKEN", "TOKEN"));
	assert_true(policy_name_match("AWS_*", "AWS_REGION"));
	assert_false(policy_name_match("AWS_*", "MAWS_REGION"));
	assert_true(policy_name_match("*", ""));
	assert_true(policy_name_match("LC_???", "LC_ALL"));
	assert_true(policy_name_match("*_x", "a/b_x"));
	assert_false(policy_name_match("aws_*", "AWS_REGION"));
}

static void hosts_are_checked_by_their_syntax(void **state)
{
	static const char *const good[] = {
		"github.com",
		"*.npmjs.org",
		"**.npmjs.org",
		"*",
		"*:8080",
		"db.example.com:5432",
		"10.1.2.3",
		"10.1.2.3:8080",
		"10.0.0.0/8",
		"[::1]:80",
		"::1",
		"fe80::1",
		"fd00::/8",
		"[fd00::]:1",
		"1:2:3:4:5:6:7:8",
		"::ffff:1.2.3.4",
		"localhost",
		"xn--bcher-kva.example",
		"a-b.c",
		"Example.COM",
		"x.y.",
		"3com.com",
		"1::",
	};
	static const char *const bad[] = {
		"",	     ".",	 "a..b",	 "-a.b",
		"a-.b",	     "a_b.c",	 "a b",		 "http://x",
		"x/y",	     "x:0",	 "x:65536",	 "x:",
		"x:08",	     "*.",	 "a.*.b",	 "*x.y",
		"**",	     "127.1",	 "0x7f.1",	 "1.2.3.4.5",
		"256.1.1.1", "1.2.3.04", "10.0.0.0/33",	 "::1/129",
		":::",	     "1:2:3",	 "1::2::3",	 "[::1",
		"[x]:80",    "[::1]80",	 "b\xc3\xbc.de", "1:2:3:4:5:6:7:8:9",
		"12345::",   "::1.2.3",	 ":1::",	 "x\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (policy_host_check(good[i]))
			fail_msg("'%s': %s", good[i],
				 policy_host_check(good[i]));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!policy_host_check(bad[i]))
			fail_msg("'%s' was accepted", bad[i]);
	}
}

static void published_ports_and_endpoints_are_checked(void **state)
{
	(void)state;
	assert_null(policy_publish_check("8080"));
	assert_null(policy_publish_check("8080:80"));
	assert_null(policy_publish_check("127.0.0.1:8080:80"));
	assert_null(policy_publish_check("[::1]:8080:80"));
	assert_non_null(policy_publish_check(""));
	assert_non_null(policy_publish_check("0"));
	assert_non_null(policy_publish_check("a:80"));
	assert_non_null(policy_publish_check("1.2.3:8080:80"));
	assert_non_null(policy_publish_check("[::1:8080:80"));
	assert_non_null(policy_publish_check("[]:8080:80"));
	assert_non_null(policy_publish_check(":80:80"));
	assert_null(policy_endpoint_check(""));
	assert_null(policy_endpoint_check("9.9.9.9:53"));
	assert_non_null(policy_endpoint_check("9.9.9.9"));
	assert_non_null(policy_endpoint_check("*:53"));
	assert_null(policy_proxy_check("http://proxy:3128"));
	assert_non_null(policy_proxy_check("https://proxy:3128"));
	assert_non_null(policy_proxy_check("http://"));
}

/* What is wrong has to tell how it is right. */
static void what_is_wrong_with_a_place_is_said(void **state)
{
	static const struct {
		const char *(*check)(const char *text);
		const char *text;
		const char *says; /* NULL: nothing is wrong */
	} cases[] = {
		{ policy_endpoint_check, "[2620:fe::fe]:53", NULL },
		{ policy_endpoint_check, "1.2.3.4", "written ADDRESS:PORT" },
		{ policy_endpoint_check, "::1", "written ADDRESS:PORT" },
		{ policy_endpoint_check, "dns:53", "written ADDRESS:PORT" },
		{ policy_endpoint_check, "dns", "written ADDRESS:PORT" },
		{ policy_proxy_check, "http://u:p@a:1", "password" },
		{ policy_proxy_check, "http://u@a:1", "not supported" },
		{ policy_proxy_check, "http://a", "HOST:PORT" },
		{ policy_host_check, "[2a00:77::/64]:9100", NULL },
		{ policy_host_check, "2a00:77::/64:9100", "[fd00::/8]:443" },
		{ policy_host_check, "2a00:77::/640", "not a network" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *wrong = cases[i].check(cases[i].text);

		if (!wrong != !cases[i].says ||
		    (wrong && !strstr(wrong, cases[i].says)))
			fail_msg("'%s': %s", cases[i].text,
				 wrong ? wrong : "accepted");
	}
}

static void a_host_rule_covers_what_it_names_and_no_more(void **state)
{
	(void)state;
	assert_true(policy_host_covers("*.x.org", "a.x.org"));
	assert_true(policy_host_covers("*.x.org", "A.X.ORG:443"));
	assert_false(policy_host_covers("*.x.org", "x.org"));
	assert_false(policy_host_covers("*.x.org", "ax.org"));
	assert_false(policy_host_covers("*.x.org", "**.x.org"));
	assert_true(policy_host_covers("**.x.org", "x.org"));
	assert_true(policy_host_covers("**.x.org", "*.x.org"));
	assert_false(policy_host_covers("*.x.org", "a.x.org:5432"));
	assert_true(policy_host_covers("*.x.org:5432", "a.x.org:5432"));
	assert_false(policy_host_covers("*.x.org:5432", "a.x.org"));
	assert_true(policy_host_covers("*", "a.b"));
	assert_false(policy_host_covers("*", "10.0.0.1"));
	assert_false(policy_host_covers("*", "::1"));
	assert_false(policy_host_covers("*", "10.0.0.0/8"));
	assert_false(policy_host_covers("a.b", "*"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(glob_follows_its_table),
		cmocka_unit_test(glob_agrees_with_a_slow_one_on_random_inputs),
		cmocka_unit_test(a_pattern_made_to_be_slow_is_not),
		cmocka_unit_test(match_below_tells_where_a_walk_can_stop),
		cmocka_unit_test(prefix_is_the_longest_fixed_directory),
		cmocka_unit_test(expansion_follows_its_table),
		cmocka_unit_test(expansion_refuses_what_it_cannot_know),
		cmocka_unit_test(glob_is_told_from_a_path),
		cmocka_unit_test(name_patterns_match_whole_names),
		cmocka_unit_test(hosts_are_checked_by_their_syntax),
		cmocka_unit_test(published_ports_and_endpoints_are_checked),
		cmocka_unit_test(what_is_wrong_with_a_place_is_said),
		cmocka_unit_test(a_host_rule_covers_what_it_names_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
