/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/names.c - addresses that stand for names
 *
 * Runs in:  the egress process.
 * Trusts:   nothing: who chooses names so that they collide in the table only
 *           slows down his own box.
 * Must not: give a name another address later: programs keep addresses.
 */
#include "egress/names.h"

#include <string.h>

#include "base/arena.h"
#include "plan/egress.h"

enum { SLOTS_MIN = 64 };

struct names {
	struct arena *arena;
	const char **v; /* number 1 is the first */
	size_t n;
	uint32_t *slots; /* numbers by hash, 0: free; twice as many as names,
			  * and a power of two */
	size_t slots_n;
};

_Static_assert(NAMES_MAX < 1 << 17, "numbers fit into 198.18.0.0/15");

struct names *names_new(struct arena *arena)
{
	struct names *names = arena_array(arena, struct names, 1);

	names->arena = arena;
	names->slots = arena_array(arena, uint32_t, SLOTS_MIN);
	names->slots_n = SLOTS_MIN;
	return names;
}

/* FNV-1a */
static size_t hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

/* Where @name is, or could be put. */
static uint32_t *slot_find(const struct names *names, const char *name)
{
	size_t at = hash(name);

	for (;; at++) {
		uint32_t *slot = &names->slots[at & (names->slots_n - 1)];

		if (!*slot || !strcmp(names->v[*slot - 1], name))
			return slot;
	}
}

static void slots_double(struct names *names)
{
	names->slots_n *= 2;
	names->slots = arena_array(names->arena, uint32_t, names->slots_n);
	for (uint32_t i = 0; i < names->n; i++)
		*slot_find(names, names->v[i]) = i + 1;
}

uint32_t names_number(struct names *names, const char *name)
{
	uint32_t *slot = slot_find(names, name), number = *slot;

	if (number)
		return number;
	if (names->n == NAMES_MAX)
		return 0;
	if (2 * (names->n + 1) > names->slots_n) {
		slots_double(names);
		slot = slot_find(names, name);
	}
	*ARENA_PUSH(names->arena, names) = arena_strdup(names->arena, name);
	*slot = (uint32_t)names->n;
	return *slot;
}

static void number_add(unsigned char end[4], uint32_t number)
{
	for (int i = 3; i >= 0; i--, number >>= 8)
		end[i] = (unsigned char)(end[i] + number);
}

void names_address4(uint32_t number, unsigned char out[4])
{
	memcpy(out, egress_stand_ins4.v + 12, 4);
	number_add(out, number);
}

void names_address6(uint32_t number, unsigned char out[16])
{
	memcpy(out, egress_stand_ins6.v, 16);
	number_add(out + 12, number);
}

const char *names_find(const struct names *names, const struct address *address)
{
	bool is4 = address_is_ipv4(address);
	uint32_t number = 0;

	if (!egress_address_stands_in(address))
		return NULL;
	for (size_t i = 12; i < 16; i++)
		number = number << 8 | address->v[i];
	if (is4)
		number -= 198u << 24 | 18u << 16;
	return number >= 1 && number <= names->n ? names->v[number - 1] : NULL;
}
