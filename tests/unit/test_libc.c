/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What base/ has in place of the C library where that is musl, under other
 * names: every length and overlap of a copy, and the end of the process where
 * a checked function would write too much.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Not the names themselves: the sanitizers and glibc have these. */
#define memcpy		own_memcpy
#define memmove		own_memmove
#define __sprintf_chk	own_sprintf_chk
#define __snprintf_chk	own_snprintf_chk
#define __vsnprintf_chk own_vsnprintf_chk
#define __fprintf_chk	own_fprintf_chk
#define __strncpy_chk	own_strncpy_chk
void *own_memcpy(void *restrict to, const void *restrict from, size_t n);
void *own_memmove(void *to, const void *from, size_t n);
#include "base/glibc.c" /* NOLINT(bugprone-suspicious-include) */
#include "base/memory.c" /* NOLINT(bugprone-suspicious-include) */
#undef memcpy
#undef memmove

enum { SIZE = 96, AROUND = 24, ROOM = SIZE + 2 * AROUND };

static void fill(unsigned char room[ROOM])
{
	for (size_t i = 0; i < ROOM; i++)
		room[i] = (unsigned char)(i * 7 + 1);
}

static void copies_are_exact(void **state)
{
	unsigned char from[ROOM], got[ROOM], want[ROOM];

	(void)state;
	fill(from);
	for (size_t n = 0; n <= SIZE; n++) {
		for (size_t at = 0; at < AROUND; at++) {
			memset(got, 0, ROOM);
			memset(want, 0, ROOM);
			for (size_t i = 0; i < n; i++)
				want[AROUND + at + i] = from[at + i];
			assert_ptr_equal(
				own_memcpy(got + AROUND + at, from + at, n),
				got + AROUND + at);
			assert_memory_equal(got, want, ROOM);
		}
	}
}

static void moves_are_exact_where_they_overlap(void **state)
{
	unsigned char from[ROOM], got[ROOM];

	(void)state;
	fill(from);
	for (size_t n = 0; n <= SIZE; n++) {
		for (size_t at = 0; at <= 2 * AROUND; at++) {
			fill(got);
			assert_ptr_equal(own_memmove(got + at, got + AROUND, n),
					 got + at);
			for (size_t i = 0; i < ROOM; i++) {
				bool moved = i >= at && i < at + n;
				size_t was = moved ? i - at + AROUND : i;

				assert_int_equal(got[i], from[was]);
			}
		}
	}
}

__attribute__((format(printf, 4, 5))) static int
format_checked(char *to, size_t n, size_t size, const char *format, ...)
{
	va_list args;
	int written;

	va_start(args, format);
	written = own_vsnprintf_chk(to, n, 1, size, format, args);
	va_end(args);
	return written;
}

static void what_fits_is_written(void **state)
{
	char to[8] = "";

	(void)state;
	assert_int_equal(own_sprintf_chk(to, 1, 8, "%d", 1234567), 7);
	assert_string_equal(to, "1234567");
	assert_int_equal(own_sprintf_chk(to, 1, SIZE_MAX, "%s", "abc"), 3);
	assert_string_equal(to, "abc");
	assert_int_equal(own_snprintf_chk(to, 4, 1, 8, "%s", "abcdef"), 6);
	assert_string_equal(to, "abc");
	assert_int_equal(format_checked(to, 8, 8, "%s", "xyz"), 3);
	assert_string_equal(to, "xyz");
	assert_ptr_equal(own_strncpy_chk(to, "abcdefg", 8, 8), to);
	assert_string_equal(to, "abcdefg");
}

static void overrun_sprintf(char *to)
{
	(void)own_sprintf_chk(to, 1, 8, "%d", 12345678);
}

static void overrun_snprintf(char *to)
{
	(void)own_snprintf_chk(to, 9, 1, 8, "x");
}

static void overrun_vsnprintf(char *to)
{
	(void)format_checked(to, 9, 8, "x");
}

static void overrun_strncpy(char *to)
{
	(void)own_strncpy_chk(to, "x", 9, 8);
}

static void what_does_not_fit_ends_the_process(void **state)
{
	static void (*const overruns[])(char *) = {
		overrun_sprintf,
		overrun_snprintf,
		overrun_vsnprintf,
		overrun_strncpy,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(overruns) / sizeof(overruns[0]); i++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (child == 0) {
			struct rlimit none = { 0, 0 };
			char to[16];

			(void)setrlimit(RLIMIT_CORE, &none);
			(void)signal(SIGABRT, SIG_DFL);
			overruns[i](to);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
	}
}

static void streams_are_written(void **state)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	(void)state;
	assert_non_null(to);
	assert_int_equal(own_fprintf_chk(to, 1, "%s %d", "a", 5), 3);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "a 5");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_are_exact),
		cmocka_unit_test(moves_are_exact_where_they_overlap),
		cmocka_unit_test(what_fits_is_written),
		cmocka_unit_test(what_does_not_fit_ends_the_process),
		cmocka_unit_test(streams_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
