/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/arena.c - memory with one lifetime
 *
 * Runs in:  every process.
 * Trusts:   its callers to cap sizes that come from outside.
 * Must not: return NULL; running out of memory ends the process.
 *
 * Blocks grow from 4 KiB so that a short run touches few pages: start-up time
 * is mostly page faults.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_MIN = 4096 - 64, BLOCK_MAX = 256 * 1024 };

struct arena_block {
	struct arena_block *prev;
	size_t used;
	size_t size;
	size_t mapped; /* bytes to unmap; 0: from the heap */
	alignas(max_align_t) unsigned char data[];
};

static void die_out_of_memory(void)
{
	fputs("cordon: out of memory\n", stderr);
	abort();
}

static struct arena_block *block_new(const struct arena_block *last,
				     size_t need)
{
	size_t size = last ? last->size * 2 : BLOCK_MIN;
	struct arena_block *block;
	size_t bytes;

	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < need)
		size = need;
	if (__builtin_add_overflow(size, sizeof(*block), &bytes))
		die_out_of_memory();
	block = calloc(1, bytes);
	if (!block)
		die_out_of_memory();
	block->size = size;
	return block;
}

void *arena_alloc(struct arena *arena, size_t n, size_t size)
{
	struct arena_block *block = arena->last;
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    __builtin_add_overflow(bytes, alignof(max_align_t) - 1, &bytes))
		die_out_of_memory();
	bytes &= ~(alignof(max_align_t) - 1);

	if (!block || block->size - block->used < bytes) {
		block = block_new(arena->last, bytes);
		block->prev = arena->last;
		arena->last = block;
	}
	p = block->data + block->used;
	block->used += bytes;
	return p;
}

void arena_free(struct arena *arena)
{
	while (arena->last) {
		struct arena_block *block = arena->last;

		arena->last = block->prev;
		if (block->mapped)
			(void)munmap(block, block->mapped);
		else
			free(block);
	}
}

void arena_reserve(struct arena *arena, size_t size)
{
	struct arena_block *block =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	/* Without it blocks come from the heap, one by one. */
	if (block == MAP_FAILED)
		return;
	block->mapped = size;
	block->size = size - sizeof(*block);
	block->prev = arena->last;
	arena->last = block;
}

char *arena_strndup(struct arena *arena, const char *s, size_t n)
{
	char *copy = arena_alloc(arena, n + 1, 1);

	memcpy(copy, s, n);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		die_out_of_memory();

	s = arena_alloc(arena, (size_t)n + 1, 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

/* Full when @n is zero or a power of two: no capacity needs to be kept. */
void *arena_grow(struct arena *arena, void *v, size_t n, size_t size)
{
	void *bigger;

	if (n & (n - 1))
		return v;
	bigger = arena_alloc(arena, n ? n * 2 : 1, size);
	if (n)
		memcpy(bigger, v, n * size);
	return bigger;
}

/* @room holds half of the elements. */
static void sort_merging(char *v, size_t n, size_t size,
			 int (*compare)(const void *, const void *), char *room)
{
	size_t half = n / 2 * size, end = n * size;
	size_t left = 0, right = half, to = 0;

	if (n < 2)
		return;
	sort_merging(v, n / 2, size, compare, room);
	sort_merging(v + half, n - n / 2, size, compare, room);
	if (compare(v + half - size, v + half) <= 0)
		return;
	memcpy(room, v, half);
	while (left < half) {
		bool take_right =
			right < end && compare(room + left, v + right) > 0;

		memcpy(v + to, take_right ? v + right : room + left, size);
		to += size;
		*(take_right ? &right : &left) += size;
	}
}

void arena_sort(struct arena *arena, void *v, size_t n, size_t size,
		int (*compare)(const void *, const void *))
{
	if (n > 1)
		sort_merging(v, n, size, compare,
			     arena_alloc(arena, n / 2, size));
}
