/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What -P means beside files, and how cordon keeps the files it reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/policy_file.h"
#include "policy_world.h"

static const char *const user_widens =
	"filesystem:\n"
	"  view: host\n"
	"  deny_read: {remove: [~/.ssh]}\n"
	"  allow_read: [/data]\n"
	"  allow_write: [/cache]\n"
	"network: {mode: host, unix_sockets: [/run/x]}\n"
	"environment: {inherit: true, pass: [TOKEN], set: {A: b}}\n"
	"limits: {open_files: 9000}\n"
	"require: {replace: []}\n"
	"syscalls: {profile: default}\n";

static void a_profile_that_was_typed_holds_against_files(void **state)
{
	static const char *const offline[] = { "offline", NULL };
	static const char *const strict[] = { "strict", NULL };
	struct world *w = *state;
	const struct policy *p = &w->out.policy;

	write_file(w, "config/config.yaml", user_widens);
	loads(w); /* the control: files are laid over the base */
	assert_int_equal(p->network.mode.number, POLICY_MODE_HOST);
	assert_false(has(&p->filesystem.deny_read, "~/.ssh"));

	w->request.profiles = offline;
	loads(w);
	assert_int_equal(p->network.mode.number, POLICY_MODE_NONE);
	assert_string_equal(p->network.mode.origin.source, "profile offline");
	assert_true(has(&p->filesystem.deny_read, "~/.ssh"));
	assert_true(has(&p->require, "landlock"));
	assert_true(has(&p->require, "seccomp"));
	assert_false(has(&p->network.unix_sockets, "/run/x"));
	/* Of the rest it says nothing. */
	assert_true(has(&p->filesystem.allow_write, "/cache"));
	assert_true(has(&p->filesystem.allow_write, "."));
	assert_int_equal(p->limits.open_files.number, 9000);
	assert_int_equal(w->out.refused_n, 1);
	assert_non_null(strstr(w->out.refused[0], "config.yaml:6"));
	assert_non_null(strstr(w->out.refused[0], "/run/x"));
	assert_non_null(strstr(w->out.refused[0], "-P (offline)"));

	w->request.profiles = strict;
	loads(w);
	assert_int_equal(p->filesystem.view.number, POLICY_VIEW_MINIMAL);
	assert_int_equal(p->network.mode.number, POLICY_MODE_NONE);
	assert_int_equal(p->environment.inherit.number, 0);
	assert_string_equal(p->syscalls_profile.text, "strict");
	assert_int_equal(p->filesystem.allow_read.n, 0);
	assert_int_equal(p->filesystem.allow_write.n, 1);
	assert_true(has(&p->filesystem.allow_write, "."));
	assert_int_equal(p->network.unix_sockets.n, 0);
	assert_int_equal(p->environment.set.n, 0);
	assert_false(has(&p->environment.pass, "TOKEN"));
	assert_true(has(&p->environment.pass, "PATH"));
	assert_int_equal(w->out.refused_n, 5);
	/* Likewise against a file that was named. */
	write_file(w, "s.yaml", user_widens);
	w->request.settings = at(w, "s.yaml");
	loads(w);
	assert_int_equal(p->network.mode.number, POLICY_MODE_NONE);
	assert_int_equal(p->filesystem.allow_write.n, 1);
}

static void a_profile_that_was_typed_does_not_widen_files(void **state)
{
	static const char *const mine[] = { "mine", NULL };
	struct world *w = *state;
	const struct policy *p = &w->out.policy;

	write_file(w, "config/config.yaml",
		   "filesystem: {view: minimal, allow_write: {remove: [.]}, "
		   "deny_read: [~/x], git: readonly}\n"
		   "environment: {set: {A: b, C: d}, pass: [ONE, TWO]}\n"
		   "limits: {wall_time: 5s, open_files: 100}\n");
	write_file(w, "config/profiles/mine.yaml",
		   "extends: default\n"
		   "filesystem: {deny_read: {remove: [~/x, ~/.ssh]}}\n"
		   "environment: {set: {remove: [A]}, pass: {remove: [TWO]}}\n"
		   "limits: {wall_time: 9s, open_files: 50}\n");
	w->request.profiles = mine;
	loads(w);
	assert_int_equal(p->filesystem.view.number, POLICY_VIEW_MINIMAL);
	assert_int_equal(p->filesystem.git.number, POLICY_GIT_READONLY);
	assert_false(has(&p->filesystem.allow_write, "."));
	assert_true(has(&p->filesystem.deny_read, "~/x"));
	assert_false(has(&p->filesystem.deny_read, "~/.ssh"));
	assert_int_equal(p->limits.wall_time.number, 5000);
	assert_int_equal(p->limits.open_files.number, 50);
	/* What it takes away goes. */
	assert_false(has(&p->environment.set, "A=b"));
	assert_true(has(&p->environment.set, "C=d"));
	assert_true(has(&p->environment.pass, "ONE"));
	assert_false(has(&p->environment.pass, "TWO"));
}

static void options_are_stronger_than_a_profile(void **state)
{
	static const char *const offline[] = { "offline", NULL };
	struct policy_item item = { .text = "/from-option",
				    .origin = { "--allow-write", 0 } };
	struct policy flags = { 0 };
	struct world *w = *state;

	flags.network.mode = (struct policy_scalar){
		.set = true,
		.number = POLICY_MODE_HOST,
		.origin = { "--network", 0 },
	};
	flags.filesystem.allow_write =
		(struct policy_list){ .v = &item, .n = 1 };
	w->request.flags = &flags;
	w->request.profiles = offline;
	loads(w);
	assert_int_equal(w->out.policy.network.mode.number, POLICY_MODE_HOST);
	assert_true(has(&w->out.policy.filesystem.allow_write, "/from-option"));
}

static void files_that_took_part_cannot_be_written(void **state)
{
	static const char *const odd[] = { "./odd [1].yaml", NULL };
	struct world *w = *state;
	const struct policy_list *list = &w->out.policy.filesystem.deny_write;
	char back[4096];

	assert_non_null(getcwd(back, sizeof(back)));
	loads(w);
	assert_int_equal(list->n, 0);
	write_file(w, "config/config.yaml", "extends: ../other/a.yaml\n");
	write_file(w, "other/a.yaml", "version: 1\n");
	write_file(w, "proj/.cordon.yaml", "version: 1\n");
	loads(w);
	assert_int_equal(list->n, 3);
	assert_true(has(list, at(w, "config/config.yaml")));
	assert_true(has(list, at(w, "other/a.yaml")));
	assert_true(has(list, at(w, "proj/.cordon.yaml")));
	assert_string_equal(list->v[0].origin.source, "policy file");

	/* Named relative to this process, not to the box; no pattern. */
	write_file(w, "other/odd [1].yaml", "version: 1\n");
	write_file(w, "other/s.yaml", "syscalls: {profile: ./calls.json}\n");
	assert_int_equal(chdir(at(w, "other")), 0);
	w->request.settings = "../proj/../other/s.yaml";
	w->request.profiles = odd;
	loads(w);
	assert_int_equal(chdir(back), 0);
	assert_int_equal(list->n, 3);
	assert_true(has(list, at(w, "other/odd \\[1].yaml")));
	assert_true(has(list, at(w, "other/s.yaml")));
	assert_true(has(list, at(w, "proj/sub/calls.json")));
}

static void the_systems_directory_is_open_to_all(void **state)
{
	struct world *w = *state;
	mode_t mask = umask(077);
	struct stat st;

	assert_int_equal(policy_directory_mode(HOST_SYSTEM_DIR), 0755);
	assert_int_equal(policy_directory_mode(at(w, "config")), 0700);
	assert_int_equal(
		policy_directory_make(&w->arena, at(w, "x/y"), 0755, &w->err),
		0);
	(void)umask(mask);
	assert_int_equal(stat(at(w, "x/y"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	/* What was there stays as it was. */
	assert_int_equal(chmod(at(w, "x"), 0711), 0);
	assert_int_equal(
		policy_directory_make(&w->arena, at(w, "x/y"), 0700, &w->err),
		0);
	assert_int_equal(stat(at(w, "x"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0711);
}

static void a_trust_store_is_no_link(void **state)
{
	struct world *w = *state;

	write_file(w, "proj/.cordon.yaml", "version: 1\n");
	write_file(w, "proj/store", "");
	assert_int_equal(symlink("../proj/store", at(w, "config/trust")), 0);
	refuses(w, "symbolic link");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_profile_that_was_typed_holds_against_files),
		WORLD_TEST(a_profile_that_was_typed_does_not_widen_files),
		WORLD_TEST(options_are_stronger_than_a_profile),
		WORLD_TEST(files_that_took_part_cannot_be_written),
		WORLD_TEST(the_systems_directory_is_open_to_all),
		WORLD_TEST(a_trust_store_is_no_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
