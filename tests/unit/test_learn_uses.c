/* SPDX-License-Identifier: Apache-2.0 */
/* What a command did, and what the present policy says of it. */
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

#include "base/arena.h"
#include "base/err.h"
#include "base/remove.h"
#include "cmd/learn_uses.h"
#include "host/mounts.h"
#include "plan/plan.h"

struct fixture {
	struct arena arena;
	char dir[64];
	struct plan plan;
	struct learn_uses uses;
};

static const char *at(struct fixture *f, const char *name)
{
	return arena_printf(&f->arena, "%s/%s", f->dir, name);
}

static void rule(struct fixture *f, const char *path, enum plan_access access,
		 const char *key, const char *source)
{
	*ARENA_PUSH(&f->arena, &f->plan.rules) = (struct plan_rule){
		.path = path,
		.access = access,
		.exists = true,
		.read_key = key,
		.write_key = key,
		.read_origin = { .source = source },
		.write_origin = { .source = source },
	};
}

static void file(struct fixture *f, const char *name)
{
	int fd = open(at(f, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	close(fd);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	snprintf(f->dir, sizeof(f->dir), "/tmp/cordon-uses-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->uses.arena = &f->arena;
	mkdir(at(f, "work"), 0755);
	mkdir(at(f, "ssh"), 0755);
	mkdir(at(f, "mine"), 0755);
	mkdir(at(f, "tmp"), 0755);
	file(f, "plain");
	file(f, "work/a");
	file(f, "ssh/id");
	file(f, "mine/x");
	file(f, "tmp/x");
	rule(f, "/", PLAN_READ, "view: host", "built-in");
	rule(f, at(f, "mine"), PLAN_HIDDEN, "deny_read", "/etc/my.yaml");
	rule(f, at(f, "ssh"), PLAN_HIDDEN, "deny_read", "profile base");
	rule(f, at(f, "tmp"), PLAN_WRITE, "private", "built-in");
	rule(f, at(f, "work"), PLAN_WRITE, "allow_write", "profile default");
	rule(f, at(f, "work/.mcp.json"), PLAN_READ, "protected", "built-in");
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct err err;

	assert_int_equal(remove_tree(AT_FDCWD, f->dir, &err), 0);
	arena_free(&f->arena);
	free(f);
	return 0;
}

static void use(struct fixture *f, enum frame_act act, const char *name)
{
	learn_uses_add(&f->uses, &(struct run_used){ .act = act,
						     .path = at(f, name),
						     .comm = "tool",
						     .pid = 2 });
}

static const struct propose_use *find(const struct propose_uses *uses,
				      const char *path)
{
	for (size_t i = 0; i < uses->n; i++) {
		if (!strcmp(uses->v[i].path, path))
			return &uses->v[i];
	}
	return NULL;
}

static void uses_are_judged_by_the_present_policy(void **state)
{
	static const struct {
		enum frame_act act;
		const char *name;
		int verdict; /* -1: left out */
	} rows[] = {
		{ FRAME_WRITE, "work/a", PROPOSE_ALLOWED },
		{ FRAME_CREATE, "work/new", PROPOSE_ALLOWED },
		{ FRAME_READ, "plain", PROPOSE_ALLOWED },
		{ FRAME_CREATE, "new", PROPOSE_REFUSED },
		{ FRAME_READ, "ssh/id", PROPOSE_KEPT },
		{ FRAME_READ, "mine/x", PROPOSE_REFUSED },
		{ FRAME_READ, "mine", PROPOSE_KEPT },
		{ FRAME_CREATE, "work/.mcp.json", PROPOSE_KEPT },
		{ FRAME_WRITE, "tmp/x", -1 },
		{ FRAME_READ, "ssh/none", -1 },
		{ FRAME_CREATE, "plain/x", -1 },
	};
	struct fixture *f = *state;
	struct propose_uses out = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		use(f, rows[i].act, rows[i].name);
	learn_uses_judge(&f->uses, &f->plan, &out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct propose_use *got = find(&out, at(f, rows[i].name));

		print_message("# %s\n", rows[i].name);
		assert_int_equal(got ? (int)got->verdict : -1, rows[i].verdict);
	}
	assert_int_equal(find(&out, at(f, "new"))->existing, strlen(f->dir));
	assert_true(find(&out, at(f, "mine"))->directory);
}

static void uses_are_counted_once(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 5000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "work/f%d", i % 2500);
		use(f, FRAME_WRITE, name);
	}
	use(f, FRAME_READ, "work/f1");
	assert_int_equal(f->uses.list.n, 2501);
	assert_int_equal(f->uses.list.v[7].count, 2);
	assert_string_equal(f->uses.list.v[7].comm, "tool");
}

static void a_layer_tells_only_what_is_new(void **state)
{
	struct fixture *f = *state;

	use(f, FRAME_CREATE, "work/new");
	learn_uses_changed(&f->uses, RUN_MADE, at(f, "work/new"), false);
	learn_uses_changed(&f->uses, RUN_REMOVED, at(f, "work/a"), false);
	assert_int_equal(f->uses.list.n, 2);
	assert_int_equal(f->uses.list.v[1].act, PROPOSE_REMOVE);
}

static void paths_that_are_none_are_left_out(void **state)
{
	static const char *const bad[] = { "", "a", "/a/../b", "//a", "/a//" };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		learn_uses_add(&f->uses, &(struct run_used){ .act = FRAME_READ,
							     .path = bad[i],
							     .comm = "x" });
	assert_int_equal(f->uses.list.n, 0);
}

static void refusals_are_sorted_by_what_they_are(void **state)
{
	struct fixture *f = *state;
	struct outcome_denial denials[] = {
		{ .operation = "connect",
		  .target = "a.example:443",
		  .why = "blocked-by-allowlist",
		  .count = 2 },
		{ .operation = "connect",
		  .target = "[2001:db8::1]:80",
		  .why = "blocked-by-allowlist" },
		{ .operation = "connect",
		  .target = "169.254.169.254:80",
		  .why = "blocked-by-allowlist" },
		{ .operation = "connect",
		  .target = "d.example:443",
		  .why = "blocked-by-denylist",
		  .rule = "denied" },
		{ .operation = "resolve",
		  .target = "b.example",
		  .why = "blocked-by-allowlist" },
		{ .operation = "exec",
		  .target = "sudo",
		  .rule = "exec.deny (profile code:3)" },
		{ .operation = "exec",
		  .target = "git push",
		  .rule = "exec.deny (/etc/my.yaml:3)" },
		{ .operation = "create",
		  .target = at(f, "work/.mcp.json"),
		  .rule = "protected (built-in)" },
		{ .operation = "read",
		  .target = at(f, "mine/x"),
		  .rule = "deny_read (/etc/my.yaml)" },
		{ .operation = "write", /* not by the plan */
		  .target = at(f, "work/a"),
		  .rule = "owner and mode" },
	};
	const struct outcome outcome = {
		.denials = denials,
		.denials_n = sizeof(denials) / sizeof(*denials),
	};
	struct propose_input input = { 0 };

	learn_denials_sort(&f->arena, &outcome, &f->plan, &input);
	assert_int_equal(input.hosts.n, 5);
	assert_string_equal(input.hosts.v[0].name, "a.example");
	assert_int_equal(input.hosts.v[0].port, 443);
	assert_null(input.hosts.v[0].why);
	assert_string_equal(input.hosts.v[1].name, "2001:db8::1");
	assert_non_null(input.hosts.v[2].why);
	assert_string_equal(input.hosts.v[3].why, "denied");
	assert_int_equal(input.hosts.v[4].port, 0);
	assert_int_equal(input.commands.n, 2);
	assert_non_null(input.commands.v[0].why);
	assert_null(input.commands.v[1].why);
	assert_int_equal(input.uses.n, 2);
	assert_int_equal(input.uses.v[0].verdict, PROPOSE_KEPT);
	assert_int_equal(input.uses.v[1].verdict, PROPOSE_REFUSED);
}

/* Deeper than a path can be, closed, and with names that are numbers. */
static void a_tree_is_removed_whatever_it_is(void **state)
{
	struct fixture *f = *state;
	int dir = open(at(f, "work"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int top = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct err err;
	struct stat st;

	for (int i = 0; i < 3000; i++) {
		int next;

		assert_int_equal(mkdirat(dir, "a-long-name", 0700), 0);
		assert_int_equal(symlinkat("/etc", dir, "link"), 0);
		if (i % 100 == 0)
			assert_int_equal(mkdirat(dir, "0", 0), 0);
		next = openat(dir, "a-long-name",
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		assert_int_equal(fchmod(dir, i % 3 ? 0700 : 0), 0);
		close(dir);
		dir = next;
	}
	close(dir);
	if (remove_tree(top, "work", &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(fstatat(top, "work", &st, 0), -1);
	assert_int_equal(remove_tree(top, "work", &err), 0);
	assert_int_equal(stat("/etc/passwd", &st), 0);
	close(top);
}

static void mount_points_are_read_from_the_table(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(
		host_mounts_parse(&f->arena,
				  "36 35 98:0 / /mnt/a\\040b\\134c rw - ext4 x "
				  "rw\n"),
		"/mnt/a b\\c");
	assert_null(host_mounts_parse(&f->arena, "36 35 98:0\n"));
	assert_null(host_mounts_parse(&f->arena, ""));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(uses_are_judged_by_the_present_policy),
		CASE(uses_are_counted_once),
		CASE(a_layer_tells_only_what_is_new),
		CASE(paths_that_are_none_are_left_out),
		CASE(refusals_are_sorted_by_what_they_are),
		CASE(a_tree_is_removed_whatever_it_is),
		CASE(mount_points_are_read_from_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
