/* SPDX-License-Identifier: Apache-2.0 */
/* From uses to the smallest policy: one row per situation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "policy/decode.h"
#include "policy/propose.h"

static const struct policy_context context = {
	.home = "/home/u",
	.workdir = "/home/u/work",
	.xdg_config_home = "/home/u/.config",
	.xdg_state_home = "/home/u/.local/state",
	.xdg_cache_home = "/home/u/.cache",
	.xdg_data_home = "/home/u/.local/share",
	.uid = 1000,
	.gid = 1000,
};

enum { USES = 8, ALL = -1 };

struct use {
	enum propose_act act;
	const char *path; /* NULL: no more */
	int existing; /* bytes; ALL: all of it */
	const char *comm;
	enum propose_verdict verdict;
	bool directory;
};

struct situation {
	const char *name;
	struct use uses[USES];
	const char *write; /* items, a blank after each */
	const char *read;
	const char *first; /* "DIR/" for directories */
	const char *kept; /* a piece of the lines; NULL: there are none */
	bool full;
};

#define W(p)                                                                   \
	{                                                                      \
		PROPOSE_WRITE, p, ALL, "tool", PROPOSE_REFUSED, false          \
	}
#define NEW(p, e)                                                              \
	{                                                                      \
		PROPOSE_CREATE, p, e, "tool", PROPOSE_REFUSED, false           \
	}
#define DIR(p, e)                                                              \
	{                                                                      \
		PROPOSE_CREATE, p, e, "tool", PROPOSE_REFUSED, true            \
	}
#define RM(p)                                                                  \
	{                                                                      \
		PROPOSE_REMOVE, p, ALL, "tool", PROPOSE_REFUSED, false         \
	}
#define R(p)                                                                   \
	{                                                                      \
		PROPOSE_READ, p, ALL, "tool", PROPOSE_REFUSED, false           \
	}
#define X(p)                                                                   \
	{                                                                      \
		PROPOSE_EXEC, p, ALL, "sh", PROPOSE_REFUSED, false             \
	}
#define LS(p)                                                                  \
	{                                                                      \
		PROPOSE_READ, p, ALL, "ls", PROPOSE_REFUSED, true              \
	}
#define OK(a, p)                                                               \
	{                                                                      \
		a, p, ALL, "tool", PROPOSE_ALLOWED, false                      \
	}
#define KEPT(a, p)                                                             \
	{                                                                      \
		a, p, ALL, "tool", PROPOSE_KEPT, false                         \
	}

/* clang-format off */
static const struct situation situations[] = {
	{ "nothing was used", { { 0 } }, "", "", "", NULL, false },
	{ "what is allowed needs no rule",
	  { OK(PROPOSE_WRITE, "/home/u/work/a"),
	    OK(PROPOSE_READ, "/usr/bin/sh") }, "", "", "", NULL, false },
	{ "one file is named itself",
	  { W("/home/u/notes/todo") }, "~/notes/todo ", "", "", NULL, false },
	{ "two files are two rules",
	  { W("/home/u/n/a"), W("/home/u/n/b") },
	  "~/n/a ~/n/b ", "", "", NULL, false },
	{ "three files are their directory",
	  { W("/home/u/n/a"), W("/home/u/n/b"), W("/home/u/n/c") },
	  "~/n ", "", "", NULL, false },
	{ "three files at several depths are what holds them all",
	  { W("/home/u/n/a/x"), W("/home/u/n/b/y"), W("/home/u/n/c") },
	  "~/n ", "", "", NULL, false },
	{ "the deepest directory that holds many is taken",
	  { W("/srv/d/x/1a"), W("/srv/d/x/2a"), W("/srv/d/x/3a"),
	    W("/srv/d/y") }, "/srv/d/x /srv/d/y ", "", "", NULL, false },
	{ "a file twice is one file",
	  { W("/home/u/n/a"), W("/home/u/n/a"), W("/home/u/n/b") },
	  "~/n/a ~/n/b ", "", "", NULL, false },
	{ "a new file needs its directory",
	  { NEW("/home/u/.cache/pip/x", 16 + 2) },
	  "~/.cache/pip ", "", "", NULL, false },
	{ "the directory that exists is named, not the one that does not",
	  { NEW("/srv/data/new/deep/x", 9) },
	  "/srv/data ", "", "", NULL, false },
	{ "a new file in the home directory has to be made first",
	  { NEW("/home/u/.toolrc", 7) }, "", "", "~/.toolrc ", NULL, false },
	{ "a new directory in the home directory has to be made first",
	  { NEW("/home/u/.tool/cache/x", 7) }, "", "", "~/.tool/ ", NULL,
	  false },
	{ "mkdir in the home directory",
	  { DIR("/home/u/.tool", 7) }, "", "", "~/.tool/ ", NULL, false },
	{ "many new files in one new directory are one thing to make",
	  { NEW("/home/u/.tool/a", 7), NEW("/home/u/.tool/b", 7) },
	  "", "", "~/.tool/ ", NULL, false },
	{ "a new directory in a shared one has to be made first",
	  { NEW("/home/u/.cache/tool/x", 14) }, "", "", "~/.cache/tool/ ",
	  NULL, false },
	{ "of a shared one that does not exist, what is made in it is named",
	  { DIR("/home/u/.cache", 7), DIR("/home/u/.cache/tool", 7),
	    NEW("/home/u/.cache/tool/x", 7), NEW("/home/u/.local/share/t/x", 7) },
	  "", "", "~/.cache/tool/ ~/.local/share/t/ ", NULL, false },
	{ "a shared one is not opened for being made",
	  { DIR("/home/u/.config", 7) }, "", "", "", "holds too much else",
	  false },
	{ "removing in a directory that was made needs no other rule",
	  { NEW("/home/u/.tool/tmp/x", 7),
	    { PROPOSE_REMOVE, "/home/u/.tool/tmp/x", 7, "tool",
	      PROPOSE_REFUSED, false } },
	  "", "", "~/.tool/ ", NULL, false },
	{ "the cache as a whole is not opened",
	  { W("/home/u/.cache/a/1x"), W("/home/u/.cache/b/2x"),
	    W("/home/u/.cache/c/3x") },
	  "~/.cache/a/1x ~/.cache/b/2x ~/.cache/c/3x ", "", "", NULL, false },
	{ "the home directory is never opened",
	  { W("/home/u/a"), W("/home/u/b"), W("/home/u/c"), W("/home/u/d") },
	  "~/a ~/b ~/c ~/d ", "", "", NULL, false },
	{ "the configuration of all programs is not opened",
	  { W("/home/u/.config/x"), W("/home/u/.config/y"),
	    W("/home/u/.config/z") },
	  "~/.config/x ~/.config/y ~/.config/z ", "", "", NULL, false },
	{ "removing needs the directory",
	  { RM("/home/u/.cache/tool/old") }, "~/.cache/tool ", "", "", NULL,
	  false },
	{ "removing in the home directory is not proposed",
	  { RM("/home/u/old") }, "", "", "", "holds too much else", false },
	{ "a temporary name means its directory",
	  { W("/srv/d/tmpk3x9_abc") }, "/srv/d ", "", "", NULL, false },
	{ "a hash means the directory above it",
	  { W("/srv/d/3f9c0a77/data") }, "/srv/d ", "", "", NULL, false },
	{ "a number means its directory",
	  { W("/srv/d/log-20240102") }, "/srv/d ", "", "", NULL, false },
	{ "a made-up name in a shared directory is not proposed",
	  { NEW("/home/u/.cache/3f9c0a77aa", 14) }, "", "", "",
	  "holds too much else", false },
	{ "ordinary names are not taken for made-up ones",
	  { W("/srv/d/MyAppCache/python3.11") },
	  "/srv/d/MyAppCache/python3.11 ", "", "", NULL, false },
	{ "a file of the system is named itself",
	  { W("/etc/tool.conf") }, "/etc/tool.conf ", "", "", NULL, false },
	{ "a directory of the system is not opened",
	  { NEW("/etc/tool.d/x", 11) }, "", "", "/etc/tool.d/x ", NULL,
	  false },
	{ "many files of the system do not become a directory",
	  { W("/etc/t/a"), W("/etc/t/b"), W("/etc/t/c") },
	  "/etc/t/a /etc/t/b /etc/t/c ", "", "", NULL, false },
	{ "another's home is not opened",
	  { W("/home/v/a"), W("/home/v/b"), W("/home/v/c") },
	  "/home/v/a /home/v/b /home/v/c ", "", "", NULL, false },
	{ "what is kept is listed",
	  { KEPT(PROPOSE_READ, "/home/u/.ssh/id") }, "", "", "",
	  "read ~/.ssh/id (tool): deny_read", false },
	{ "what is kept is not opened by its neighbours",
	  { KEPT(PROPOSE_WRITE, "/home/u/n/.env"), W("/home/u/n/a") },
	  "~/n/a ", "", "", "write ~/n/.env", false },
	{ "a hidden file is read",
	  { R("/srv/x/conf") }, "", "/srv/x/conf ", "", NULL, false },
	{ "many hidden files are their directory",
	  { R("/srv/x/a"), R("/srv/x/b"), R("/srv/x/c") },
	  "", "/srv/x ", "", NULL, false },
	{ "looking for what is not there needs no rule",
	  { { PROPOSE_READ, "/srv/x/none", 6, "tool", PROPOSE_REFUSED,
	      false } }, "", "", "", NULL, false },
	{ "a hidden program is read to be executed",
	  { X("/home/u/bin/tool") }, "", "~/bin/tool ", "", NULL, false },
	{ "a directory that is listed is opened",
	  { LS("/srv/x") }, "", "/srv/x ", "", NULL, false },
	{ "the home directory is not opened for a listing",
	  { LS("/home/u") }, "", "", "", "holds too much else", false },
	{ "what is written can be read",
	  { W("/srv/x/a"), W("/srv/x/b"), W("/srv/x/c"), R("/srv/x/d") },
	  "/srv/x ", "", "", NULL, false },
	{ "patterns in a name are taken literally",
	  { W("/srv/a*b[1]") }, "/srv/a\\*b\\[1] ", "", "", NULL, false },
	{ "a name with a line feed is not proposed",
	  { W("/srv/x/a\nb") }, "", "", "", "cannot stand in a policy", false },
	{ "with full, what is allowed is listed too",
	  { OK(PROPOSE_WRITE, "/home/u/work/src/a"),
	    OK(PROPOSE_READ, "/home/u/lib/b") },
	  "~/work/src/a ", "~/lib/b ", "", NULL, true },
	{ "with full, the system's files are no news",
	  { OK(PROPOSE_READ, "/usr/lib/libc.so"), OK(PROPOSE_READ, "/etc/x"),
	    OK(PROPOSE_EXEC, "/bin/sh") }, "", "", "", NULL, true },
	{ "with full, what is kept stays kept",
	  { KEPT(PROPOSE_READ, "/home/u/.aws/x") }, "", "", "",
	  "read ~/.aws/x", true },
};
/* clang-format on */

static const char *items(struct arena *arena, const struct policy_list *list)
{
	struct text out = { .arena = arena };

	for (size_t i = 0; i < list->n; i++)
		text_addf(&out, "%s ", list->v[i].text);
	return text_str(&out);
}

static const char *firsts(struct arena *arena, const struct proposal *p)
{
	struct text out = { .arena = arena };

	for (size_t i = 0; i < p->first.n; i++)
		text_addf(&out, "%s%s ", p->first.v[i].path,
			  p->first.v[i].directory ? "/" : "");
	return text_str(&out);
}

static const char *lines(struct arena *arena, const struct propose_lines *from)
{
	struct text out = { .arena = arena };

	for (size_t i = 0; i < from->n; i++)
		text_addf(&out, "%s\n", from->v[i]);
	return text_str(&out);
}

/* The document says what the proposal says, and nothing else. */
static void check_document(struct arena *arena, const struct proposal *p)
{
	const struct policy_item base = { .text = "default",
					  .origin = { .source = "test" } };
	const struct policy_list extends = { .v = &base, .n = 1 };
	struct text text = { .arena = arena };
	struct policy decoded = { 0 };
	struct err err = { 0 };

	propose_format_yaml(&text, p, &extends, NULL);
	if (policy_decode(arena,
			  &(struct policy_document){ .text = text.v,
						     .n = text.n,
						     .source = "proposal" },
			  &decoded, &err) < 0)
		fail_msg("%s\n%s", err.msg, text.v);
	assert_string_equal(items(arena, &decoded.extends), "default ");
	assert_string_equal(items(arena, &decoded.filesystem.allow_write),
			    items(arena, &p->policy.filesystem.allow_write));
	assert_string_equal(items(arena, &decoded.filesystem.allow_read),
			    items(arena, &p->policy.filesystem.allow_read));
	assert_string_equal(items(arena, &decoded.network.allow),
			    items(arena, &p->policy.network.allow));
	assert_string_equal(items(arena, &decoded.exec.allow),
			    items(arena, &p->policy.exec.allow));
	assert_int_equal(decoded.filesystem.deny_read.n, 0);
	assert_int_equal(decoded.filesystem.deny_write.n, 0);
	assert_false(decoded.filesystem.view.set);
}

static void build(struct arena *arena, const struct situation *s,
		  struct proposal *out)
{
	static const struct policy present = {
		.network.mode = { .set = true, .number = POLICY_MODE_NONE },
	};
	struct propose_input input = { .context = &context,
				       .present = &present,
				       .full = s->full };

	for (size_t i = 0; i < USES && s->uses[i].path; i++) {
		const struct use *use = &s->uses[i];

		*ARENA_PUSH(arena, &input.uses) = (struct propose_use){
			.act = use->act,
			.path = use->path,
			.comm = use->comm,
			.count = 1,
			.verdict = use->verdict,
			.why = "deny_read '~/.ssh' (profile base:6)",
			.existing = use->existing < 0 ? strlen(use->path)
						      : (size_t)use->existing,
			.directory = use->directory,
		};
	}
	propose_build(arena, &input, out);
}

static void propose_has_the_smallest_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(situations) / sizeof(*situations); i++) {
		const struct situation *s = &situations[i];
		AUTO_ARENA arena = { 0 };
		struct proposal p;

		print_message("# %s\n", s->name);
		build(&arena, s, &p);
		assert_string_equal(
			items(&arena, &p.policy.filesystem.allow_write),
			s->write);
		assert_string_equal(
			items(&arena, &p.policy.filesystem.allow_read),
			s->read);
		assert_string_equal(firsts(&arena, &p), s->first);
		if (s->kept)
			assert_non_null(
				strstr(lines(&arena, &p.kept), s->kept));
		else
			assert_int_equal(p.kept.n, 0);
		assert_int_equal(p.rules,
				 p.policy.filesystem.allow_write.n +
					 p.policy.filesystem.allow_read.n);
		check_document(&arena, &p);
	}
}

static void propose_tells_its_evidence(void **state)
{
	static const struct situation s = {
		.uses = { { PROPOSE_CREATE, "/srv/d/a", 6, "npm", 0, false },
			  { PROPOSE_CREATE, "/srv/d/b", 6, "node", 0, false },
			  { PROPOSE_CREATE, "/srv/d/b", 6, "node", 0, false } },
	};
	AUTO_ARENA arena = { 0 };
	struct proposal p;

	(void)state;
	build(&arena, &s, &p);
	assert_int_equal(p.policy.filesystem.allow_write.n, 1);
	assert_string_equal(
		p.policy.filesystem.allow_write.v[0].origin.source,
		"npm, node: written, 2 files, 3 times, e.g. /srv/d/a; files "
		"are made in it");
}

/* A program may call itself what it likes. */
static void propose_prints_no_line_of_the_command(void **state)
{
	static const struct situation s = {
		.uses = { { PROPOSE_WRITE, "/srv/d/a", ALL,
			    "x\nnetwork: {mode: host}", 0, false } },
	};
	const struct policy_item base = { .text = "default",
					  .origin = { .source = "test" } };
	const struct policy_list extends = { .v = &base, .n = 1 };
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	struct proposal p;

	(void)state;
	build(&arena, &s, &p);
	check_document(&arena, &p);
	propose_format_yaml(&text, &p, &extends, NULL);
	assert_null(strstr(text_str(&text), "\nnetwork:"));
}

static const struct propose_host hosts[] = {
	{ "a.example", 443, "curl", 2, NULL },
	{ "a.example", 80, "curl", 1, NULL },
	{ "db.example", 5432, "psql", 1, NULL },
	{ "10.1.2.3", 8080, NULL, 1, NULL },
	{ "2001:db8::1", 443, NULL, 1, NULL },
	{ "denied.example", 443, "curl", 1, "network.deny 'denied.example'" },
	{ "a.example", 0, "curl", 1, NULL },
	{ "dns.example", 0, "node", 3, NULL },
};

static void build_hosts(struct arena *arena, enum policy_mode mode,
			struct proposal *out)
{
	struct policy present = {
		.network.mode = { .set = true, .number = mode },
	};
	struct propose_input input = { .context = &context,
				       .present = &present };

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
		*ARENA_PUSH(arena, &input.hosts) = hosts[i];
	propose_build(arena, &input, out);
}

static void propose_names_hosts_once(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct proposal p;

	(void)state;
	build_hosts(&arena, POLICY_MODE_NONE, &p);
	assert_string_equal(items(&arena, &p.policy.network.allow),
			    "a.example db.example:5432 10.1.2.3:8080 "
			    "[2001:db8::1] ");
	assert_string_equal(p.policy.network.allow.v[0].origin.source,
			    "curl: connected to port 443, 2 times");
	assert_true(p.policy.network.mode.set);
	assert_int_equal(p.policy.network.mode.number, POLICY_MODE_FILTERED);
	assert_string_equal(lines(&arena, &p.asked), "dns.example (node)\n");
	assert_string_equal(lines(&arena, &p.kept),
			    "connect denied.example (curl): network.deny "
			    "'denied.example'\n");
	check_document(&arena, &p);
}

static void propose_leaves_a_filtered_network_alone(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct proposal p;

	(void)state;
	build_hosts(&arena, POLICY_MODE_FILTERED, &p);
	assert_false(p.policy.network.mode.set);
}

static void propose_allows_commands_that_nothing_shipped_denies(void **state)
{
	static const struct policy present = { 0 };
	struct propose_input input = { .context = &context,
				       .present = &present };
	AUTO_ARENA arena = { 0 };
	struct proposal p;

	(void)state;
	*ARENA_PUSH(&arena, &input.commands) =
		(struct propose_command){ "git push", "sh", 2, NULL };
	*ARENA_PUSH(&arena, &input.commands) =
		(struct propose_command){ "sudo", "sh", 1,
					  "exec.deny 'sudo' (profile code:3)" };
	propose_build(&arena, &input, &p);
	assert_string_equal(items(&arena, &p.policy.exec.allow), "git push ");
	assert_string_equal(lines(&arena, &p.kept),
			    "execute sudo (sh): exec.deny 'sudo' (profile "
			    "code:3)\n");
	check_document(&arena, &p);
}

static void propose_shows_what_would_be_added(void **state)
{
	static const struct policy_item now = { .text = "." };
	const struct policy present = {
		.filesystem.allow_write = { .v = &now, .n = 1 },
		.network.mode = { .set = true, .number = POLICY_MODE_NONE },
	};
	struct propose_input input = { .context = &context,
				       .present = &present };
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	struct proposal p;

	(void)state;
	*ARENA_PUSH(&arena, &input.uses) = (struct propose_use){
		.act = PROPOSE_WRITE,
		.path = "/srv/d/a",
		.count = 1,
		.existing = 8,
	};
	*ARENA_PUSH(&arena, &input.hosts) = hosts[0];
	propose_build(&arena, &input, &p);
	propose_format_diff(&text, &p, &present);
	assert_string_equal(
		text_str(&text),
		"--- in force\n+++ proposed\n"
		"@@ filesystem.allow_write @@\n   .\n+  /srv/d/a  # written\n"
		"@@ network.mode @@\n-  none\n+  filtered  # for the hosts "
		"below\n"
		"@@ network.allow @@\n+  a.example  # curl: connected to port "
		"443, 2 times\n");
}

static void propose_knows_names_that_programs_make_up(void **state)
{
	static const char *const generated[] = {
		"tmpk3x9_abc",
		"3f9c0a77aa",
		"20240102",
		"x.tmp",
		"cache-1f3a9c0d.bin",
		"file~",
		"aB3dEf9x",
		"tmp.Xk9QzP",
		"550e8400-e29b-41d4-a716-446655440000",
	};
	static const char *const chosen[] = {
		"Makefile", "python3.11", "MyAppCache", "deadbeef",
		"x86_64",   "sha256",	  "tmpfiles",	"node18",
		"a",	    "Cargo.lock", "README.md",	"settings.json",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(generated) / sizeof(*generated); i++) {
		if (!propose_name_is_generated(generated[i],
					       strlen(generated[i])))
			fail_msg("%s", generated[i]);
	}
	for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++) {
		if (propose_name_is_generated(chosen[i], strlen(chosen[i])))
			fail_msg("%s", chosen[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(propose_has_the_smallest_rules),
		cmocka_unit_test(propose_tells_its_evidence),
		cmocka_unit_test(propose_prints_no_line_of_the_command),
		cmocka_unit_test(propose_names_hosts_once),
		cmocka_unit_test(propose_leaves_a_filtered_network_alone),
		cmocka_unit_test(
			propose_allows_commands_that_nothing_shipped_denies),
		cmocka_unit_test(propose_shows_what_would_be_added),
		cmocka_unit_test(propose_knows_names_that_programs_make_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
