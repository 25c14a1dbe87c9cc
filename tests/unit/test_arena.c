/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting in an arena: sorted, nothing lost, equals in their order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"

struct thing {
	unsigned int key;
	unsigned int place;
	char weight[41]; /* larger than a word, and not a multiple of one */
};

static int by_key(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static void check_sorted(unsigned int n, unsigned int keys, uint32_t seed)
{
	AUTO_ARENA arena = { 0 };
	struct thing *v = arena_array(&arena, struct thing, n + 1);
	unsigned char *seen = arena_array(&arena, unsigned char, n + 1);

	for (unsigned int i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		v[i] = (struct thing){ .key = (seed >> 8) % keys, .place = i };
		v[i].weight[40] = (char)(i % 100);
	}
	v[n].key = 12345;
	arena_sort(&arena, v, n, sizeof(*v), by_key);
	assert_int_equal(v[n].key, 12345);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(v[i].weight[40], v[i].place % 100);
		assert_int_equal(seen[v[i].place]++, 0);
		if (i == 0)
			continue;
		assert_true(v[i - 1].key <= v[i].key);
		if (v[i - 1].key == v[i].key)
			assert_true(v[i - 1].place < v[i].place);
	}
}

static void sorting_is_stable_and_loses_nothing(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 70; n++) {
		check_sorted(n, 3, n);
		check_sorted(n, 1000000, n + 100);
	}
	check_sorted(5000, 50, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorting_is_stable_and_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
