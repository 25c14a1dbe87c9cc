/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_ARENA_H
#define CORDON_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

/*
 * Memory with one lifetime: allocate piecewise, free at once. A zeroed struct
 * is an empty arena.
 */
struct arena {
	struct arena_block *last;
};

/* Zeroed, never NULL: running out of memory ends the process. */
void *arena_alloc(struct arena *arena, size_t n, size_t size);
void arena_free(struct arena *arena);

/*
 * Makes the first block of an empty arena @size bytes large, all of its pages
 * mapped at once: touching them one by one costs more than the rest of a
 * short run.
 */
void arena_reserve(struct arena *arena, size_t size);

/* Copies that live as long as the arena. */
char *arena_strdup(struct arena *arena, const char *s);
char *arena_strndup(struct arena *arena, const char *s, size_t n);
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define arena_array(arena, type, n)                                            \
	((type *)arena_alloc((arena), (n), sizeof(type)))

#define AUTO_ARENA __attribute__((cleanup(arena_free))) struct arena

/*
 * Room for one more element in the array @v of @n elements, kept in the arena
 * and doubled when full; the caller increments @n. Use the macro.
 */
void *arena_grow(struct arena *arena, void *v, size_t n, size_t size);

#define ARENA_PUSH(arena, list)                                                \
	((list)->v = arena_grow((arena), (void *)(uintptr_t)(list)->v,         \
				(list)->n, sizeof((list)->v[0])),              \
	 &(list)->v[(list)->n++])

/*
 * As qsort(), with room in the arena: equals keep their order in every C
 * library, and large elements are moved less often.
 */
void arena_sort(struct arena *arena, void *v, size_t n, size_t size,
		int (*compare)(const void *, const void *));

#endif
