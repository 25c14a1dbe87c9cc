/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader on a home made for the test: which files take part, in which
 * order, and which are refused.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "policy_world.h"

static void without_files_the_default_profile_holds(void **state)
{
	struct world *w = *state;

	loads(w);
	assert_string_equal(w->out.profile, "default");
	assert_string_equal(w->out.sources[0].name, "profile default");
	assert_int_equal(w->out.policy.network.mode.number, POLICY_MODE_NONE);
	assert_true(has(&w->out.policy.filesystem.deny_read, "~/.ssh"));
	assert_true(has(&w->out.policy.require, "seccomp"));
	assert_int_equal(w->out.refused_n, 0);
}

static void later_layers_win(void **state)
{
	struct policy flags = { 0 };
	struct world *w = *state;

	write_file(w, "config/config.yaml", "limits: {wall_time: 5s}\n");
	loads(w);
	assert_int_equal(w->out.policy.limits.wall_time.number, 5000);
	/* A project narrows the user's, and cannot raise it. */
	write_file(w, "proj/.cordon.yaml", "limits: {wall_time: 3s}\n");
	loads(w);
	assert_int_equal(w->out.policy.limits.wall_time.number, 3000);
	write_file(w, "proj/.cordon.yaml", "limits: {wall_time: 9s}\n");
	loads(w);
	assert_int_equal(w->out.policy.limits.wall_time.number, 5000);
	assert_int_equal(w->out.refused_n, 1);
	flags.limits.wall_time = (struct policy_scalar){
		.set = true, .number = 7000, .origin = { "--timeout", 0 }
	};
	w->request.flags = &flags;
	loads(w);
	assert_int_equal(w->out.policy.limits.wall_time.number, 7000);
	w->request.no_project = true;
	loads(w);
	assert_int_equal(w->out.refused_n, 0);
}

static void settings_stand_in_place_of_user_and_project(void **state)
{
	struct world *w = *state;

	write_file(w, "config/config.yaml", "limits: {wall_time: 5s}\n");
	write_file(w, "proj/.cordon.yaml", "limits: {open_files: 9}\n");
	write_file(w, "s.yaml", "environment: {set: {A: b}}\n");
	write_file(w, "e.yaml", "environment: {set: {A: c}}\n");
	assert_int_equal(setenv("CORDON_CONFIG", at(w, "e.yaml"), 1), 0);
	loads(w);
	assert_int_equal(w->out.policy.limits.wall_time.number, 0);
	assert_int_equal(w->out.policy.limits.open_files.number, 1024);
	assert_true(has(&w->out.policy.environment.set, "A=c"));
	w->request.settings = at(w, "s.yaml");
	loads(w);
	assert_true(has(&w->out.policy.environment.set, "A=b"));
	assert_true(has(&w->out.policy.filesystem.deny_read, "~/.ssh"));
	/* What runs in a box cannot name another policy. */
	w->request.settings = NULL;
	assert_int_equal(setenv("CORDON_SANDBOX", "1", 1), 0);
	loads(w);
	assert_int_equal(w->out.policy.limits.wall_time.number, 5000);
	unsetenv("CORDON_SANDBOX");
	unsetenv("CORDON_CONFIG");
	w->request.settings = at(w, "nothing.yaml");
	refuses(w, "does not exist");
}

static void the_base_is_chosen_once(void **state)
{
	static const char *const two[] = { "strict", "offline", NULL };
	struct world *w = *state;

	write_file(w, "config/config.yaml", "extends: strict\n");
	loads(w);
	assert_string_equal(w->out.profile, "strict");
	assert_int_equal(w->out.policy.filesystem.view.number,
			 POLICY_VIEW_MINIMAL);
	/* Merged in, so it is not shown as something still to extend. */
	assert_int_equal(w->out.policy.extends.n, 0);
	/* A project that is not trusted does not choose. */
	write_file(w, "proj/.cordon.yaml", "extends: default\n");
	loads(w);
	assert_string_equal(w->out.profile, "strict");
	assert_int_equal(w->out.refused_n, 1);
	write_file(w, "proj/.cordon.yaml", "extends: strict\n");
	loads(w);
	assert_int_equal(w->out.refused_n, 0);
	w->request.profiles = two;
	loads(w);
	assert_string_equal(w->out.profile, "strict+offline");
	assert_true(has(&w->out.policy.require, "landlock"));
}

static void profiles_are_found_by_name_and_by_path(void **state)
{
	static const char *const mine[] = { "mine", NULL };
	static const char *const slip[] = { "strcit", NULL };
	struct world *w = *state;

	write_file(w, "config/profiles/mine.yaml",
		   "extends: [../../other/a.yaml]\n"
		   "filesystem: {deny_read: {remove: [~/.ssh]}}\n");
	write_file(w, "other/a.yaml", "filesystem: {deny_read: [/from-a]}\n");
	w->request.profiles = mine;
	loads(w);
	assert_true(has(&w->out.policy.filesystem.deny_read, "/from-a"));
	/* At the bottom lies `default`. */
	assert_true(has(&w->out.policy.filesystem.deny_read, "~/.aws"));
	assert_false(has(&w->out.policy.filesystem.deny_read, "~/.ssh"));
	w->request.profiles = slip;
	refuses(w, "did you mean 'strict'?");
	write_file(w, "config/profiles/strict.yaml", "version: 1\n");
	w->request.profiles = (const char *const[]){ "strict", NULL };
	refuses(w, "rename it");
}

static void chains_end(void **state)
{
	struct world *w = *state;

	write_file(w, "a.yaml", "extends: ./b.yaml\n");
	write_file(w, "b.yaml", "extends: ./link.yaml\n");
	assert_int_equal(symlink("a.yaml", at(w, "link.yaml")), 0);
	w->request.settings = at(w, "a.yaml");
	refuses(w, "cycle");
	for (int i = 0; i < 12; i++)
		write_file(w, arena_printf(&w->arena, "d%d.yaml", i),
			   arena_printf(&w->arena, "extends: ./d%d.yaml\n",
					i + 1));
	write_file(w, "d12.yaml", "version: 1\n");
	w->request.settings = at(w, "d0.yaml");
	refuses(w, "more than 10 deep");
	w->request.settings = at(w, "d4.yaml");
	loads(w);
}

static void files_that_others_can_write_are_refused(void **state)
{
	struct world *w = *state;
	char *big = arena_alloc(&w->arena, 2 * 1024 * 1024, 1);

	write_file(w, "s.yaml", "version: 1\n");
	w->request.settings = at(w, "s.yaml");
	assert_int_equal(chmod(w->request.settings, 0664), 0);
	refuses(w, "chmod go-w");
	assert_int_equal(chmod(w->request.settings, 0646), 0);
	refuses(w, "mode 0646");
	if (geteuid() == 0) {
		assert_int_equal(chmod(w->request.settings, 0644), 0);
		assert_int_equal(chown(w->request.settings, 12345, 12345), 0);
		refuses(w, "belongs to user 12345");
	}
	/* By a link it is the same file. */
	assert_int_equal(symlink("s.yaml", at(w, "l.yaml")), 0);
	w->request.settings = at(w, "l.yaml");
	assert_int_equal(load(w), -1);
	assert_int_equal(mkfifo(at(w, "fifo"), 0600), 0);
	w->request.settings = at(w, "fifo");
	refuses(w, "not a regular file");
	w->request.settings = w->root;
	refuses(w, "not a regular file");
	memset(big, '#', 2 * 1024 * 1024 - 1);
	write_file(w, "big.yaml", big);
	w->request.settings = at(w, "big.yaml");
	refuses(w, "too large");
}

static void a_broken_project_file_is_an_error(void **state)
{
	struct world *w = *state;

	write_file(w, "proj/.cordon.yaml", "filesystem: [\n");
	refuses(w, ".cordon.yaml:2:");
	assert_int_equal(unlink(at(w, "proj/.cordon.yaml")), 0);
	write_file(w, "other/x.yaml", "version: 1\n");
	assert_int_equal(symlink("../other/x.yaml", at(w, "proj/cordon.yaml")),
			 0);
	refuses(w, "symbolic link");
}

static void a_project_is_looked_for_up_to_the_home(void **state)
{
	struct world *w = *state;
	const char *found;

	assert_int_equal(
		host_project_find(&w->arena, &w->context, &found, &w->err), 0);
	assert_null(found);
	write_file(w, "cordon.yaml", "version: 1\n");
	write_file(w, "proj/cordon.yaml", "version: 1\n");
	assert_int_equal(
		host_project_find(&w->arena, &w->context, &found, &w->err), 0);
	assert_string_equal(found, at(w, "proj/cordon.yaml"));
	write_file(w, "proj/.cordon.yaml", "version: 1\n");
	assert_int_equal(
		host_project_find(&w->arena, &w->context, &found, &w->err), 0);
	assert_string_equal(found, at(w, "proj/.cordon.yaml"));
	/* Above the home is not the user's. */
	w->context.home = w->context.workdir;
	assert_int_equal(
		host_project_find(&w->arena, &w->context, &found, &w->err), 0);
	assert_null(found);
}

static void trust_lasts_until_a_byte_changes(void **state)
{
	static const char text[] = "network: {mode: host}\n";
	struct host_trust_entry entry, *list;
	struct world *w = *state;
	struct stat st;
	size_t n;

	write_file(w, "proj/.cordon.yaml", text);
	loads(w);
	assert_int_equal(w->out.policy.network.mode.number, POLICY_MODE_NONE);
	assert_false(w->out.sources[w->out.sources_n - 1].trusted);
	assert_int_equal(w->out.refused_n, 1);

	/* Where there was no directory there is one afterwards. */
	w->context.config_dir = at(w, "new/config");
	assert_int_equal(
		host_trust_add(&w->arena, &w->context,
			       at(w, "proj/.cordon.yaml"), &entry, &w->err),
		0);
	assert_int_equal(stat(at(w, "new/config/trust"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(at(w, "new/config"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	loads(w);
	assert_int_equal(w->out.policy.network.mode.number, POLICY_MODE_HOST);
	assert_int_equal(w->out.refused_n, 0);

	write_file(w, "proj/.cordon.yaml", "network: {mode: host} \n");
	loads(w);
	assert_int_equal(w->out.policy.network.mode.number, POLICY_MODE_NONE);
	write_file(w, "proj/.cordon.yaml", text);
	loads(w);
	assert_int_equal(w->out.policy.network.mode.number, POLICY_MODE_HOST);

	assert_int_equal(
		host_trust_list(&w->arena, &w->context, &list, &n, &w->err), 0);
	assert_int_equal(n, 1);
	assert_string_equal(list[0].sha256, entry.sha256);
	assert_int_equal(host_trust_remove(&w->arena, &w->context,
					   at(w, "proj/.cordon.yaml"), &w->err),
			 0);
	assert_int_equal(host_trust_remove(&w->arena, &w->context,
					   at(w, "proj/.cordon.yaml"), &w->err),
			 -1);
	loads(w);
	assert_int_equal(w->out.policy.network.mode.number, POLICY_MODE_NONE);
}

static void a_trust_store_of_others_is_refused(void **state)
{
	struct host_trust_entry entry;
	struct world *w = *state;

	write_file(w, "proj/.cordon.yaml", "version: 1\n");
	assert_int_equal(
		host_trust_add(&w->arena, &w->context,
			       at(w, "proj/.cordon.yaml"), &entry, &w->err),
		0);
	assert_int_equal(chmod(at(w, "config/trust"), 0666), 0);
	refuses(w, "writable by others");
	write_file(w, "config/trust", "nonsense\n");
	refuses(w, "trust:1:");
	write_file(w, "proj/.cordon.yaml", "unknown: 1\n");
	write_file(w, "config/trust", "");
	assert_int_equal(
		host_trust_add(&w->arena, &w->context,
			       at(w, "proj/.cordon.yaml"), &entry, &w->err),
		-1);
}

static void trust_is_in_one_file(void **state)
{
	static const char *const texts[] = {
		"extends: ./more.yaml\n", "syscalls: {profile: ./all.json}\n"
	};
	struct host_trust_entry entry;
	struct world *w = *state;

	write_file(w, "proj/more.yaml", "network: {mode: host}\n");
	for (size_t i = 0; i < 2; i++) {
		write_file(w, "proj/.cordon.yaml", texts[i]);
		assert_int_equal(host_trust_add(&w->arena, &w->context,
						at(w, "proj/.cordon.yaml"),
						&entry, &w->err),
				 0);
		refuses(w, "trust is in one file");
	}
}

static void a_link_in_the_project_does_not_widen(void **state)
{
	struct world *w = *state;

	w->context.workdir = at(w, "proj");
	assert_int_equal(mkdir(at(w, "proj/src"), 0755), 0);
	assert_int_equal(symlink("../other", at(w, "proj/link")), 0);
	write_file(w, "proj/.cordon.yaml",
		   "filesystem: {allow_write: "
		   "{replace: [src, link, link/new, sub/new]}}\n");
	loads(w);
	assert_int_equal(w->out.policy.filesystem.allow_write.n, 2);
	assert_true(has(&w->out.policy.filesystem.allow_write, "src"));
	assert_true(has(&w->out.policy.filesystem.allow_write, "sub/new"));
	assert_int_equal(w->out.refused_n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(without_files_the_default_profile_holds),
		WORLD_TEST(later_layers_win),
		WORLD_TEST(settings_stand_in_place_of_user_and_project),
		WORLD_TEST(the_base_is_chosen_once),
		WORLD_TEST(profiles_are_found_by_name_and_by_path),
		WORLD_TEST(chains_end),
		WORLD_TEST(files_that_others_can_write_are_refused),
		WORLD_TEST(a_broken_project_file_is_an_error),
		WORLD_TEST(a_project_is_looked_for_up_to_the_home),
		WORLD_TEST(trust_lasts_until_a_byte_changes),
		WORLD_TEST(a_trust_store_of_others_is_refused),
		WORLD_TEST(trust_is_in_one_file),
		WORLD_TEST(a_link_in_the_project_does_not_widen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
