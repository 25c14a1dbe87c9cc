/* SPDX-License-Identifier: Apache-2.0 */
/* Files of agents are replaced as they were read, or not at all. */
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
#include "cmd/hooks_file.h"

static char *directory_make(struct arena *arena)
{
	char *path = arena_strdup(arena, "/tmp/cordon-hooks-XXXXXX");

	assert_non_null(mkdtemp(path));
	return path;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *get(struct arena *arena, const char *path)
{
	char *text = arena_alloc(arena, 100, 1);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, 99, f)] = '\0';
	assert_int_equal(fclose(f), 0);
	return text;
}

/* The directory holds this file and no other, and goes. */
static void finish(const char *directory, const char *path)
{
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
}

static void a_file_is_replaced(void **state)
{
	AUTO_ARENA arena = { 0 };
	const char *dir = directory_make(&arena);
	const char *path = arena_printf(&arena, "%s/f", dir);
	struct hooks_file file;
	struct err err = { 0 };
	struct stat st;

	(void)state;
	put(path, "old");
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(hooks_file_read(&arena, path, &file, &err), 0);
	assert_int_equal(hooks_file_write(&arena, &file, "new", &err), 0);
	assert_string_equal(get(&arena, path), "new");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	finish(dir, path);
}

static void a_file_is_made(void **state)
{
	AUTO_ARENA arena = { 0 };
	const char *dir = directory_make(&arena);
	const char *path = arena_printf(&arena, "%s/f", dir);
	struct hooks_file file;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(hooks_file_read(&arena, path, &file, &err), 0);
	assert_int_equal(hooks_file_write(&arena, &file, "new", &err), 0);
	assert_string_equal(get(&arena, path), "new");
	finish(dir, path);
}

/* What somebody does between reading and writing. */
static void change_content(const char *path)
{
	put(path, "two words");
}

/* The same size, the same inode, and the time of before. */
static void change_in_secret(const char *path)
{
	struct stat st;
	struct timespec times[2];

	assert_int_equal(stat(path, &st), 0);
	put(path, "OLD");
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void change_into_another(const char *path)
{
	assert_int_equal(unlink(path), 0);
	put(path, "old2");
}

static void change_is_kept(void (*change)(const char *), const char *now,
			   bool removes)
{
	AUTO_ARENA arena = { 0 };
	const char *dir = directory_make(&arena);
	const char *path = arena_printf(&arena, "%s/f", dir);
	struct hooks_file file;
	struct err err = { 0 };

	put(path, "old");
	assert_int_equal(hooks_file_read(&arena, path, &file, &err), 0);
	change(path);
	assert_int_equal(removes ? hooks_file_remove(&file, &err)
				 : hooks_file_write(&arena, &file, "new", &err),
			 -1);
	assert_non_null(strstr(err.msg, "changed meanwhile"));
	assert_string_equal(get(&arena, path), now);
	finish(dir, path);
}

static void what_changes_meanwhile_is_kept(void **state)
{
	(void)state;
	for (int removes = 0; removes < 2; removes++) {
		change_is_kept(change_content, "two words", removes);
		change_is_kept(change_in_secret, "OLD", removes);
		change_is_kept(change_into_another, "old2", removes);
	}
}

static void what_comes_meanwhile_is_kept(void **state)
{
	AUTO_ARENA arena = { 0 };
	const char *dir = directory_make(&arena);
	const char *path = arena_printf(&arena, "%s/f", dir);
	struct hooks_file file;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(hooks_file_read(&arena, path, &file, &err), 0);
	put(path, "mine");
	assert_int_equal(hooks_file_write(&arena, &file, "new", &err), -1);
	assert_non_null(strstr(err.msg, "changed meanwhile"));
	assert_string_equal(get(&arena, path), "mine");
	finish(dir, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced),
		cmocka_unit_test(a_file_is_made),
		cmocka_unit_test(what_changes_meanwhile_is_kept),
		cmocka_unit_test(what_comes_meanwhile_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
