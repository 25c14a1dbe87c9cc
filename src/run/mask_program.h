/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_MASK_PROGRAM_H
#define CORDON_RUN_MASK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/regex.h"

/* The patterns of run/mask.c, joined to one machine. */
struct mask {
	struct {
		struct regex_step *v; /* .to of a MATCH: which pattern */
		size_t n;
	} steps;
	struct {
		struct regex_class *v;
		size_t n;
	} classes;
	struct {
		uint16_t *v; /* first step of each pattern */
		size_t n;
	} starts;
	struct {
		size_t *v; /* bytes shown, by pattern */
		size_t n;
	} keeps;
	/* Which two bytes can begin a match: few of those in ordinary text. */
	uint64_t pairs[256][4];
	bool first[256];
};

enum { MASK_STEPS_MAX = 16384 }; /* of all patterns together */

static inline bool mask_class_has(const struct regex_class *class,
				  unsigned char byte)
{
	return class->bits[byte / 64] >> byte % 64 & 1;
}

/* 1 or 0. */
static inline uint64_t mask_pair_begins(const struct mask *mask,
					unsigned char a, unsigned char b)
{
	return mask->pairs[a][b / 64] >> b % 64 & 1;
}

#endif
