/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_UNIT_MASK_WORLD_H
#define CORDON_TESTS_UNIT_MASK_WORLD_H

/*
 * A stream with masks, for test_mask.c and test_regex.c. Not every test uses
 * all of it. cmocka.h comes first.
 */

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "plan/masks.h"
#include "plan/plan.h"
#include "run/mask.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"

enum { PATTERNS_MAX = 8 };

/* A stream with masks, and what came out of it. */
struct world {
	struct arena arena;
	const struct mask *mask;
	struct mask_stream *stream;
	struct text out;
	char room[MASK_OUT];
};

static void world_done(struct world *w)
{
	arena_free(&w->arena);
}

static void world_restart(struct world *w)
{
	w->stream = mask_stream_new(&w->arena, w->mask);
	w->out = (struct text){ .arena = &w->arena };
}

static void world_open(struct world *w, const struct policy *policy)
{
	struct plan plan = { 0 };
	struct err err = { 0 };

	memset(&w->arena, 0, sizeof(w->arena));
	plan_masks_build(&w->arena, policy, &plan);
	if (mask_build(&w->arena, &plan.masks, &w->mask, &err) < 0)
		fail_msg("%s", err.msg);
	world_restart(w);
}

static void world_presets(struct world *w, const char *const *names)
{
	struct policy_item items[PATTERNS_MAX] = { 0 };
	struct policy policy = { .mask_presets.v = items };

	for (; names[policy.mask_presets.n]; policy.mask_presets.n++)
		items[policy.mask_presets.n].text =
			names[policy.mask_presets.n];
	world_open(w, &policy);
}

static const char *const all_presets[] = { "openai",	 "anthropic", "aws_key",
					   "aws_secret", "github",    "bearer",
					   NULL };

static void world_patterns(struct world *w, const char *const *patterns)
{
	struct policy_item items[PATTERNS_MAX] = { 0 };
	struct policy policy = { .mask_patterns.v = items };

	for (; patterns[policy.mask_patterns.n]; policy.mask_patterns.n++)
		items[policy.mask_patterns.n].text =
			patterns[policy.mask_patterns.n];
	world_open(w, &policy);
}

static void world_pattern(struct world *w, const char *pattern)
{
	world_patterns(w, (const char *const[]){ pattern, NULL });
}

static void feed(struct world *w, const char *data, size_t n)
{
	while (n) {
		size_t part = n < MASK_FEED ? n : MASK_FEED;

		memcpy(mask_room(w->stream), data, part);
		text_addn(&w->out, w->room,
			  mask_feed(w->stream, part, w->room));
		data += part;
		n -= part;
	}
}

static void flush(struct world *w)
{
	text_addn(&w->out, w->room, mask_flush(w->stream, w->room));
}

static const char *end(struct world *w)
{
	text_addn(&w->out, w->room, mask_end(w->stream, w->room));
	return text_str(&w->out);
}

static const char *masked(struct world *w, const char *text)
{
	world_restart(w);
	feed(w, text, strlen(text));
	return end(w);
}

/* In one piece, byte by byte, and cut at every place. */
static void check_cuts(struct world *w, const char *text, const char *expected)
{
	size_t n = strlen(text);

	assert_string_equal(masked(w, text), expected);
	world_restart(w);
	for (size_t i = 0; i < n; i++)
		feed(w, text + i, 1);
	assert_string_equal(end(w), expected);
	for (size_t cut = 1; cut < n; cut++) {
		world_restart(w);
		feed(w, text, cut);
		feed(w, text + cut, n - cut);
		assert_string_equal(end(w), expected);
	}
}

#pragma GCC diagnostic pop

#endif
