/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/memory.c - memcpy() and memmove() for musl
 *
 * Runs in:  every process, in place of musl's.
 * Trusts:   its callers, as these functions do.
 * Must not: be compiled to calls of itself: see meson.build.
 *
 * musl copies with `rep movs` whatever the length is, and that instruction
 * takes about a hundred cycles to begin. Nearly all copies here are of a few
 * bytes: pieces that printf() puts together, elements that qsort() moves. It
 * was a tenth of the time that a box takes to start.
 *
 * Both functions have to be here: musl's memmove() would bring its memcpy().
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What one instruction moves, from and to any address. */
typedef uint16_t __attribute__((aligned(1), may_alias)) two;
typedef uint32_t __attribute__((aligned(1), may_alias)) four;
typedef uint64_t __attribute__((aligned(1), may_alias)) eight;
typedef uint64_t __attribute__((vector_size(16), aligned(1), may_alias))
sixteen;

/* The first and the last ones, which may overlap: all lengths between one and
 * two of them, and right for regions that overlap, too, as both are read
 * before one is written. */
#define COPY_ENDS(type, to, from, n)                                           \
	do {                                                                   \
		const char *last_ = (from) + (n) - sizeof(type);               \
		type head_ = *(const type *)(const void *)(from);              \
		type tail_ = *(const type *)(const void *)last_;               \
                                                                               \
		*(type *)(void *)(to) = head_;                                 \
		*(type *)(void *)((to) + (n) - sizeof(type)) = tail_;          \
	} while (0)

static inline void copy_short(char *to, const char *from, size_t n)
{
	if (n > sizeof(sixteen))
		COPY_ENDS(sixteen, to, from, n);
	else if (n >= sizeof(eight))
		COPY_ENDS(eight, to, from, n);
	else if (n >= sizeof(four))
		COPY_ENDS(four, to, from, n);
	else if (n >= sizeof(two))
		COPY_ENDS(two, to, from, n);
	else if (n)
		*to = *from;
}

/* From the front; right also where @to lies before @from. */
static inline void copy_up(char *to, const char *from, size_t n)
{
	sixteen tail = *(const sixteen *)(const void *)(from + n - 16);
	size_t at = 0;

	for (; n - at > sizeof(sixteen); at += sizeof(sixteen))
		*(sixteen *)(void *)(to + at) =
			*(const sixteen *)(const void *)(from + at);
	*(sixteen *)(void *)(to + n - 16) = tail;
}

/* From the end, where @to lies inside of what is copied. */
static inline void copy_down(char *to, const char *from, size_t n)
{
	sixteen head = *(const sixteen *)(const void *)from;

	for (; n > sizeof(sixteen); n -= sizeof(sixteen))
		*(sixteen *)(void *)(to + n - 16) =
			*(const sixteen *)(const void *)(from + n - 16);
	*(sixteen *)(void *)to = head;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	if (n <= 2 * sizeof(sixteen))
		copy_short(to, from, n);
	else
		copy_up(to, from, n);
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	if (n <= 2 * sizeof(sixteen))
		copy_short(to, from, n);
	else if ((uintptr_t)to - (uintptr_t)from >= n)
		copy_up(to, from, n);
	else
		copy_down(to, from, n);
	return to;
}
