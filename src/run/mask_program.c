/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/mask_program.c - the patterns of a plan, joined to one machine
 *
 * Runs in:  the supervisor, before the box is made.
 * Trusts:   the plan: its patterns have been read before.
 * Must not: leave out a beginning: what the table of pairs does not have is
 *           never looked at.
 */
#include "run/mask_program.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/plan.h"
#include "run/mask.h"

static void add_regex(struct arena *arena, struct mask *mask,
		      const struct regex *regex)
{
	size_t base = mask->steps.n, classes = mask->classes.n;

	*ARENA_PUSH(arena, &mask->starts) = (uint16_t)base;
	for (size_t i = 0; i < regex->steps.n; i++) {
		struct regex_step step = regex->steps.v[i];

		step.class = (uint16_t)(step.class + classes);
		step.to = (uint16_t)(step.to + base);
		step.other = (uint16_t)(step.other + base);
		if (step.op == REGEX_MATCH)
			step.to = (uint16_t)mask->keeps.n;
		*ARENA_PUSH(arena, &mask->steps) = step;
	}
	for (size_t i = 0; i < regex->classes.n; i++)
		*ARENA_PUSH(arena, &mask->classes) = regex->classes.v[i];
	*ARENA_PUSH(arena, &mask->keeps) = regex->keep;
}

/* Steps that can be reached without a byte, whatever stands around. */
struct reach {
	bool *seen; /* by step */
	uint16_t *v;
	size_t n;
};

static void reach_add(struct reach *reach, uint16_t step)
{
	if (reach->seen[step])
		return;
	reach->seen[step] = true;
	reach->v[reach->n++] = step;
}

static void reach_from(const struct mask *mask, uint16_t step,
		       struct reach *reach)
{
	memset(reach->seen, 0, mask->steps.n * sizeof(*reach->seen));
	reach->n = 0;
	reach_add(reach, step);
	for (size_t i = 0; i < reach->n; i++) {
		const struct regex_step *s = &mask->steps.v[reach->v[i]];

		if (s->op == REGEX_CLASS || s->op == REGEX_MATCH)
			continue;
		reach_add(reach, s->to);
		if (s->op == REGEX_SPLIT)
			reach_add(reach, s->other);
	}
}

/* The bytes that can follow; any, where a match can end. */
static struct regex_class bytes_after(const struct mask *mask, uint16_t step,
				      struct reach *reach)
{
	struct regex_class out = { 0 };

	reach_from(mask, step, reach);
	for (size_t i = 0; i < reach->n; i++) {
		const struct regex_step *s = &mask->steps.v[reach->v[i]];
		const struct regex_class *class = &mask->classes.v[s->class];

		if (s->op != REGEX_CLASS && s->op != REGEX_MATCH)
			continue;
		for (size_t k = 0; k < 4; k++)
			out.bits[k] |= s->op == REGEX_MATCH ? UINT64_MAX
							    : class->bits[k];
	}
	return out;
}

static void add_pairs(struct mask *mask, const struct regex_step *first,
		      struct reach *reach)
{
	const struct regex_class second = bytes_after(mask, first->to, reach);
	const struct regex_class *class = &mask->classes.v[first->class];

	for (unsigned int byte = 0; byte < 256; byte++) {
		if (!mask_class_has(class, (unsigned char)byte))
			continue;
		mask->first[byte] = true;
		for (size_t k = 0; k < 4; k++)
			mask->pairs[byte][k] |= second.bits[k];
	}
}

static void build_pairs(struct mask *mask)
{
	AUTO_ARENA arena = { 0 };
	struct reach starts = {
		.seen = arena_array(&arena, bool, mask->steps.n),
		.v = arena_array(&arena, uint16_t, mask->steps.n),
	};
	struct reach after = {
		.seen = arena_array(&arena, bool, mask->steps.n),
		.v = arena_array(&arena, uint16_t, mask->steps.n),
	};

	for (size_t i = 0; i < mask->starts.n; i++) {
		reach_from(mask, mask->starts.v[i], &starts);
		for (size_t k = 0; k < starts.n; k++) {
			const struct regex_step *s =
				&mask->steps.v[starts.v[k]];

			if (s->op == REGEX_CLASS)
				add_pairs(mask, s, &after);
		}
	}
}

int mask_build(struct arena *arena, const struct plan_masks *masks,
	       const struct mask **out, struct err *err)
{
	struct mask *mask;

	*out = NULL;
	if (!masks->n)
		return 0;
	mask = arena_array(arena, struct mask, 1);
	for (size_t i = 0; i < masks->n; i++) {
		struct regex regex;
		const char *wrong =
			regex_parse(arena, masks->v[i].pattern, &regex);

		if (wrong)
			return err_set(err, ERR_BUG, "output.mask '%.80s': %s",
				       masks->v[i].pattern, wrong);
		if (mask->steps.n + regex.steps.n > MASK_STEPS_MAX)
			return err_set(err, ERR_POLICY,
				       "%s: all patterns of output.mask "
				       "together are too large",
				       masks->v[i].origin.source);
		add_regex(arena, mask, &regex);
	}
	build_pairs(mask);
	*out = mask;
	return 0;
}
