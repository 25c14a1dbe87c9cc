/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of a tree made for the test: what patterns find, what one walk costs,
 * and that nothing is passed over in silence.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "host/resolve.h"
#include "host/tree.h"

struct world {
	struct arena arena;
	struct host_resolver resolver;
	char *root;
	struct err err;
};

static const char *at(struct world *w, const char *name)
{
	return arena_printf(&w->arena, "%s/%s", w->root, name);
}

static void make_file(struct world *w, const char *name)
{
	AUTO_CLOSE int fd =
		open(at(w, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
}

static int set_up(void **state)
{
	static const char *const dirs[] = { "a",     "a/b",   "a/b/c",
					    "d.pem", "[odd]", "a/.env" };
	static const char *const files[] = {
		".env",	      ".env.local", "x.pem",	   "y.key",
		"plain",      "a/.env.x",   "a/x.pem",	   "a/b/.env",
		"a/b/c/.env", "d.pem/.env", "[odd]/z.pem", "a/.env/k.pem",
	};
	char name[] = "/tmp/cordon-tree-XXXXXX";
	struct world *w = calloc(1, sizeof(*w));

	if (!w || !mkdtemp(name) ||
	    host_resolver_init(&w->arena, &w->resolver, &w->err) < 0)
		return -1;
	w->root = arena_strdup(&w->arena, name);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (mkdir(at(w, dirs[i]), 0755) < 0)
			return -1;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_file(w, files[i]);
	if (symlink("a", at(w, "link")) < 0)
		return -1;
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	char *command =
		arena_printf(&w->arena, "chmod -R u+rwX '%s'; rm -rf '%s'",
			     w->root, w->root);
	int r = system(command);

	arena_free(&w->arena);
	free(w);
	return r;
}

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* What was found, sorted, relative to the root, separated by spaces. */
static const char *found_text(struct world *w, const struct facts_glob *glob)
{
	const char **paths =
		arena_array(&w->arena, const char *, glob->found.n + 1);
	const char *text = "";

	for (size_t i = 0; i < glob->found.n; i++)
		paths[i] = glob->found.v[i].path + strlen(w->root) + 1;
	qsort(paths, glob->found.n, sizeof(*paths), by_text);
	for (size_t i = 0; i < glob->found.n; i++)
		text = arena_printf(&w->arena, "%s%s%s", text, *text ? " " : "",
				    paths[i]);
	return text;
}

static int find(struct world *w, const char *const *patterns, size_t n,
		struct facts_globs *out)
{
	out->v = arena_array(&w->arena, struct facts_glob, n);
	out->n = n;
	for (size_t i = 0; i < n; i++)
		out->v[i].pattern = at(w, patterns[i]);
	return host_tree_globs(&w->resolver, out, &w->err);
}

static const struct {
	const char *pattern;
	const char *found;
} rows[] = {
	{ ".env.*", ".env.local" },
	{ "*.pem", "d.pem x.pem" },
	{ "*.key", "y.key" },
	{ "**/.env", ".env a/.env a/b/.env a/b/c/.env d.pem/.env" },
	{ "**/*.pem", "[odd]/z.pem a/.env/k.pem a/x.pem d.pem x.pem" },
	{ "**", "" }, /* filled in by the test */
	{ "a/*/.env", "a/b/.env" },
	{ "a/**/.env", "a/.env a/b/.env a/b/c/.env" },
	{ "a/b/**", "a/b/.env a/b/c" },
	{ "*/b/**", "a/b" },
	{ "\\[odd]/*.pem", "[odd]/z.pem" },
	{ "[ad]*/.env", "a/.env d.pem/.env" },
	{ "nothing/*", "" },
	{ "plain/*", "" },
	{ "link/*.pem", "" }, /* found where the link leads */
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void patterns_find_the_same_together_and_alone(void **state)
{
	const char *patterns[ROWS];
	struct world *w = *state;
	struct facts_globs all;

	for (size_t i = 0; i < ROWS; i++)
		patterns[i] = rows[i].pattern;
	if (find(w, patterns, ROWS, &all) < 0)
		fail_msg("%s", w->err.msg);
	for (size_t i = 0; i < ROWS; i++) {
		struct facts_globs one;
		const char *together = found_text(w, &all.v[i]);

		assert_int_equal(find(w, &patterns[i], 1, &one), 0);
		assert_string_equal(together, found_text(w, &one.v[0]));
		if (*rows[i].found)
			assert_string_equal(together, rows[i].found);
	}
	/* What lies inside a match is not listed. */
	assert_int_equal(all.v[5].found.n, 9);
	assert_int_equal(all.v[12].found.n, 0);
	assert_int_equal(all.v[13].found.n, 0);
	assert_int_equal(all.v[14].found.n, 1);
	assert_string_equal(all.v[14].found.v[0].real, at(w, "a/x.pem"));
}

/* How often the directory was opened since the last call. */
static size_t count_opens(int fd)
{
	char buf[4096] __attribute__((aligned(8)));
	size_t opens = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n;) {
			const struct inotify_event *event =
				(const void *)(buf + i);

			/* Itself, not a name in it. */
			opens += event->mask & IN_OPEN && !event->len;
			i += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	return opens;
}

static void patterns_of_one_directory_cost_one_walk(void **state)
{
	static const char *const patterns[] = { ".env.*", "*.pem", "*.key",
						"*.p12",  "*.pfx", "**/.env" };
	AUTO_CLOSE int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct world *w = *state;
	struct facts_globs globs;

	assert_true(fd >= 0);
	/* Closing parts two opens, which would be told as one. */
	assert_true(inotify_add_watch(fd, w->root,
				      IN_OPEN | IN_CLOSE_NOWRITE) >= 0);
	assert_int_equal(find(w, patterns, 6, &globs), 0);
	assert_int_equal(count_opens(fd), 1);
	assert_int_equal(find(w, patterns, 1, &globs), 0);
	assert_int_equal(find(w, patterns + 1, 1, &globs), 0);
	assert_int_equal(count_opens(fd), 2);
}

/* The path of a directory @n levels down, made on the way. */
static const char *make_deep(struct world *w, size_t n)
{
	const char *path = "deep";

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(mkdir(at(w, path), 0755), 0);
		path = arena_printf(&w->arena, "%s/d", path);
	}
	return arena_strndup(&w->arena, path, strlen(path) - 2);
}

static void depth_is_searched_or_refused(void **state)
{
	static const char *const patterns[] = { "*.key", "**/token.*" };
	struct world *w = *state;
	struct facts_globs globs;
	const char *deepest = make_deep(w, 255);

	make_file(w, arena_printf(&w->arena, "%s/token.x", deepest));
	if (find(w, patterns, 2, &globs) < 0)
		fail_msg("%s", w->err.msg);
	assert_int_equal(globs.v[1].found.n, 1);
	assert_int_equal(globs.v[0].found.n, 1);

	assert_int_equal(
		mkdir(at(w, arena_printf(&w->arena, "%s/d", deepest)), 0755),
		0);
	assert_int_equal(find(w, patterns, 2, &globs), -1);
	assert_int_equal(w->err.kind, ERR_POLICY);
	assert_non_null(strstr(w->err.msg, "/**/token.*'"));
	assert_non_null(strstr(w->err.msg, at(w, "deep/d/d/d")));
	/* What does not go down does not care. */
	assert_int_equal(find(w, patterns, 1, &globs), 0);
}

static void other_names_are_searched_or_refused(void **state)
{
	struct host_inodes inodes = { 0 };
	struct facts_paths found = { 0 };
	size_t budget = 10000;
	struct world *w = *state;
	const char *deepest = make_deep(w, 255);

	assert_int_equal(link(at(w, "plain"),
			      at(w, arena_printf(&w->arena, "%s/l", deepest))),
			 0);
	assert_true(host_tree_find_multiple(&w->resolver, w->root, &budget,
					    &inodes));
	assert_int_equal(inodes.n, 2);
	assert_int_equal(host_tree_find_names(&w->resolver, w->root, &inodes,
					      &found, &w->err),
			 0);
	assert_int_equal(found.n, 2);
	assert_int_equal(
		mkdir(at(w, arena_printf(&w->arena, "%s/d", deepest)), 0755),
		0);
	assert_int_equal(host_tree_find_names(&w->resolver, w->root, &inodes,
					      &found, &w->err),
			 -1);
	assert_int_equal(w->err.kind, ERR_POLICY);
	assert_false(host_tree_find_multiple(&w->resolver, w->root, &budget,
					     &inodes));
}

enum { NOBODY = 65534 };

/* As a user for whom modes count. */
static int find_as_user(struct world *w, const char *const *patterns, size_t n,
			struct facts_globs *out)
{
	bool root = geteuid() == 0;
	int r;

	if (root)
		assert_int_equal(seteuid(NOBODY), 0);
	r = find(w, patterns, n, out);
	if (root)
		assert_int_equal(seteuid(0), 0);
	return r;
}

static void own(struct world *w, const char *name)
{
	if (geteuid() == 0)
		assert_int_equal(chown(at(w, name), NOBODY, NOBODY), 0);
}

static void a_closed_directory_of_our_own_is_refused(void **state)
{
	static const char *const patterns[] = { "**/.env" };
	struct world *w = *state;
	struct facts_globs globs;

	assert_int_equal(chmod(w->root, 0755), 0);
	own(w, "a");
	own(w, "a/b");
	/* A box that may write there can open it again. */
	assert_int_equal(chmod(at(w, "a/b"), 0), 0);
	assert_int_equal(find_as_user(w, patterns, 1, &globs), -1);
	assert_int_equal(w->err.kind, ERR_POLICY);
	assert_non_null(strstr(w->err.msg, "**/.env"));
	assert_non_null(strstr(w->err.msg, at(w, "a/b")));
	/* Names can be read, but nothing can be opened. */
	assert_int_equal(chmod(at(w, "a/b"), 0755), 0);
	assert_int_equal(chmod(at(w, "a"), 0400), 0);
	assert_int_equal(find_as_user(w, patterns, 1, &globs), -1);
	assert_int_equal(chmod(at(w, "a"), 0755), 0);
	assert_int_equal(find_as_user(w, patterns, 1, &globs), 0);
	assert_int_equal(globs.v[0].found.n, 5);
}

static void a_closed_directory_of_others_is_closed_to_the_box(void **state)
{
	static const char *const patterns[] = { "**/.env" };
	struct world *w = *state;
	struct facts_globs globs;

	/* Only root can make one. */
	if (geteuid())
		return;
	assert_int_equal(chmod(w->root, 0755), 0);
	assert_int_equal(chmod(at(w, "a/b"), 0700), 0);
	assert_int_equal(find_as_user(w, patterns, 1, &globs), 0);
	assert_int_equal(globs.v[0].found.n, 3);
}

static void too_many_components_are_refused(void **state)
{
	struct world *w = *state;
	const char *pattern = "*";
	struct facts_globs globs;

	for (int i = 1; i < 63; i++)
		pattern = arena_printf(&w->arena, "%s/*", pattern);
	assert_int_equal(find(w, &pattern, 1, &globs), 0);
	pattern = arena_printf(&w->arena, "%s/*", pattern);
	assert_int_equal(find(w, &pattern, 1, &globs), -1);
	assert_non_null(strstr(w->err.msg, "components"));
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(patterns_find_the_same_together_and_alone),
		TREE_TEST(patterns_of_one_directory_cost_one_walk),
		TREE_TEST(depth_is_searched_or_refused),
		TREE_TEST(other_names_are_searched_or_refused),
		TREE_TEST(a_closed_directory_of_our_own_is_refused),
		TREE_TEST(a_closed_directory_of_others_is_closed_to_the_box),
		TREE_TEST(too_many_components_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
