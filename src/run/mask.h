/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_MASK_H
#define CORDON_RUN_MASK_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct plan_masks;

/*
 * Blots secrets out of a stream of bytes. Every byte that belongs to a match
 * is; matches that overlap or touch are one. Of each the bytes that its
 * pattern keeps are shown, then "***". Matches lie in one line; how the stream
 * was cut into pieces makes no difference.
 *
 * What cannot belong to a match comes out at once. The beginning of one is
 * held back, at most MASK_HOLD bytes of it: a match that is not complete after
 * that many is not found. One that is complete can grow without bound, as its
 * bytes need not be kept.
 */
enum {
	MASK_FEED = 32 * 1024, /* bytes at a time */
	MASK_HOLD = 8 * 1024,
	MASK_BUFFER = MASK_FEED + MASK_HOLD,
	/* What one call can give: a match of one byte becomes three, and has
	 * an ordinary byte beside it. */
	MASK_OUT = 2 * MASK_BUFFER + 4,
};

struct mask; /* the patterns, for any number of streams */
struct mask_stream; /* one stream */

/* *@out is NULL where there are none. ERR_POLICY where all patterns together
 * are too large. */
int mask_build(struct arena *arena, const struct plan_masks *masks,
	       const struct mask **out, struct err *err);
struct mask_stream *mask_stream_new(struct arena *arena,
				    const struct mask *mask);

/* Where the next bytes are to be put, at most MASK_FEED. */
void *mask_room(struct mask_stream *s);

/* Takes the @n bytes there, and writes at most MASK_OUT to @out; returns how
 * many. */
size_t mask_feed(struct mask_stream *s, size_t n, char *out);

/* Is anything held back? */
bool mask_holds(const struct mask_stream *s);

/*
 * For a stream that rests: gives out what is held back, blotted out if it is
 * a match as it stands. Should the rest of a match come later, that is
 * blotted out.
 */
size_t mask_flush(struct mask_stream *s, char *out);

/* Nothing follows: gives out everything. */
size_t mask_end(struct mask_stream *s, char *out);

#endif
