/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/mask.c - blots secrets out of a stream
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the bytes.
 * Must not: take more than linear time or constant memory for any of them, or
 *           give out a byte of a match that its pattern does not keep.
 *
 * All ways to read the text are followed at once, byte by byte, each with the
 * place where it began (a simulation of the machine, not backtracking). A way
 * that is alive is text that may become a match, so it says what has to be
 * held back. Where two ways have come to the same step the older one goes on:
 * what it will match covers what the other would. So no byte is read twice,
 * whatever the patterns and the text are.
 */
#include "run/mask.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "run/mask_program.h"

enum {
	NOTHING = -1
}; /* in place of a byte: before the first, after the
			  * last */

/* Between two spans lies a byte at least. */
enum { SPANS_MAX = MASK_BUFFER / 2 + 2 };

static const char blot[] = "***";

struct thread {
	uint64_t start; /* position in the stream */
	uint16_t step;
};

struct threads {
	struct thread *v; /* the oldest first */
	size_t n;
};

/* What is to be blotted out: matches that overlap or touch, as one. */
struct span {
	uint64_t start, end;
	uint16_t pattern; /* that says what is kept */
	bool shown; /* its "***" is out */
};

struct mask_stream {
	const struct mask *mask;
	unsigned char buffer[MASK_BUFFER];
	size_t n; /* bytes in it */
	uint64_t origin; /* position of the first of them */
	uint64_t at; /* of the next byte to be read */
	uint64_t done; /* everything before this is out, or blotted out */
	int last; /* the byte before @at */
	struct threads now, then;
	uint32_t *seen; /* by step: the round in which it was met */
	uint32_t round;
	uint16_t *stack;
	struct {
		struct span *v; /* in order; the last may grow */
		size_t n;
	} spans;
	char *out; /* of the call that runs */
	size_t out_n;
};

struct mask_stream *mask_stream_new(struct arena *arena,
				    const struct mask *mask)
{
	struct mask_stream *s = arena_array(arena, struct mask_stream, 1);
	size_t n = mask->steps.n;

	s->mask = mask;
	s->last = NOTHING;
	s->now.v = arena_array(arena, struct thread, n);
	s->then.v = arena_array(arena, struct thread, n);
	s->seen = arena_array(arena, uint32_t, n);
	s->stack = arena_array(arena, uint16_t, n);
	s->spans.v = arena_array(arena, struct span, SPANS_MAX);
	return s;
}

static bool is_word(int byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= 'a' && byte <= 'z') || byte == '_';
}

static bool is_line_edge(int byte)
{
	return byte == NOTHING || byte == '\n' || byte == '\r';
}

static bool holds(enum regex_op op, int before, int after)
{
	bool edge = is_word(before) != is_word(after);

	switch (op) {
	case REGEX_LINE_BEGIN:
		return is_line_edge(before);
	case REGEX_LINE_END:
		return is_line_edge(after);
	case REGEX_WORD_EDGE:
		return edge;
	case REGEX_NO_WORD_EDGE:
		return !edge;
	case REGEX_CLASS:
	case REGEX_SPLIT:
	case REGEX_JUMP:
	case REGEX_MATCH:
		break;
	}
	return true;
}

/* -------------------------------------------------------------- following */

/* A match from @start to here. Ends never fall, so only the last span can
 * meet it, and those that it swallows. */
static void record(struct mask_stream *s, uint64_t start, uint16_t pattern)
{
	struct span span = { .start = start, .end = s->at, .pattern = pattern };

	while (s->spans.n) {
		const struct span *last = &s->spans.v[s->spans.n - 1];

		if (last->end < start)
			break;
		if (last->start <= span.start) {
			span.start = last->start;
			span.pattern = last->pattern;
		}
		span.shown |= last->shown;
		s->spans.n--;
	}
	s->spans.v[s->spans.n++] = span;
}

static void meet(struct mask_stream *s, uint16_t step, size_t *n)
{
	if (s->seen[step] == s->round)
		return;
	s->seen[step] = s->round;
	s->stack[(*n)++] = step;
}

/* Everything that @step leads to with @byte as the next one. */
static void follow(struct mask_stream *s, uint64_t start, uint16_t step,
		   int byte)
{
	const struct mask *mask = s->mask;
	size_t n = 0;

	meet(s, step, &n);
	while (n) {
		const struct regex_step *at = &mask->steps.v[s->stack[--n]];

		if (at->op == REGEX_MATCH) {
			record(s, start, at->to);
		} else if (at->op == REGEX_CLASS) {
			if (byte != NOTHING &&
			    mask_class_has(&mask->classes.v[at->class],
					   (unsigned char)byte))
				s->then.v[s->then.n++] =
					(struct thread){ start, at->to };
		} else if (holds(at->op, s->last, byte)) {
			meet(s, at->to, &n);
			if (at->op == REGEX_SPLIT)
				meet(s, at->other, &n);
		}
	}
}

/* Can a match begin with @byte, as far as is known? */
static bool may_begin(const struct mask_stream *s, int byte)
{
	uint64_t next = s->at + 1;

	if (byte == NOTHING)
		return false;
	if (next < s->origin + s->n)
		return mask_pair_begins(s->mask, (unsigned char)byte,
					s->buffer[next - s->origin]);
	return s->mask->first[byte];
}

/* Follows every way by one byte: s->now to s->then. */
static void follow_all(struct mask_stream *s, int byte)
{
	if (++s->round == 0) {
		memset(s->seen, 0, s->mask->steps.n * sizeof(*s->seen));
		s->round = 1;
	}
	s->then.n = 0;
	for (size_t i = 0; i < s->now.n; i++)
		follow(s, s->now.v[i].start, s->now.v[i].step, byte);
	if (!may_begin(s, byte))
		return;
	for (size_t i = 0; i < s->mask->starts.n; i++)
		follow(s, s->at, s->mask->starts.v[i], byte);
}

/* Up to where it is known what is blotted out and what is not. */
static uint64_t decided(const struct mask_stream *s)
{
	uint64_t start = s->now.n ? s->now.v[0].start : s->at;
	size_t low = 0, high = s->spans.n;

	/* The last span that begins there or before: inside it all is known. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->spans.v[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && s->spans.v[low - 1].end > start)
		return s->spans.v[low - 1].end;
	return start;
}

static void drop_oldest(struct mask_stream *s)
{
	uint64_t start = s->now.v[0].start;
	size_t n = 0;

	while (n < s->now.n && s->now.v[n].start == start)
		n++;
	s->now.n -= n;
	memmove(s->now.v, s->now.v + n, s->now.n * sizeof(*s->now.v));
}

/* What is held back keeps within its bound. */
static void bound_held(struct mask_stream *s)
{
	while (s->now.n && s->at - s->now.v[0].start > MASK_HOLD &&
	       s->at - decided(s) > MASK_HOLD)
		drop_oldest(s);
}

static void take_byte(struct mask_stream *s)
{
	int byte = s->buffer[s->at - s->origin];
	struct threads now = s->now;

	follow_all(s, byte);
	s->now = s->then;
	s->then = now;
	s->last = byte;
	s->at++;
	bound_held(s);
}

/* Four pairs at a time, as looking is cheaper than deciding. */
static bool four_begin(const struct mask *mask, const unsigned char *p)
{
	return mask_pair_begins(mask, p[0], p[1]) |
	       mask_pair_begins(mask, p[1], p[2]) |
	       mask_pair_begins(mask, p[2], p[3]) |
	       mask_pair_begins(mask, p[3], p[4]);
}

/* To the next two bytes that can begin a match. */
static void skip_ordinary(struct mask_stream *s)
{
	const unsigned char *at = s->buffer + (s->at - s->origin);
	const unsigned char *end = s->buffer + s->n;
	const unsigned char *p = at;

	while (end - p > 4 && !four_begin(s->mask, p))
		p += 4;
	while (p + 1 < end && !mask_pair_begins(s->mask, p[0], p[1]))
		p++;
	if (p + 1 == end && !s->mask->first[*p])
		p++;
	if (p == at)
		return;
	s->last = p[-1];
	s->at += (uint64_t)(p - at);
}

static void scan(struct mask_stream *s)
{
	while (s->at < s->origin + s->n) {
		if (!s->now.n)
			skip_ordinary(s);
		if (s->at < s->origin + s->n)
			take_byte(s);
	}
}

/* ----------------------------------------------------------------- giving */

/* The bytes up to @end that are not out yet. */
static void give(struct mask_stream *s, uint64_t end)
{
	size_t n;

	if (end <= s->done)
		return;
	n = (size_t)(end - s->done);
	memcpy(s->out + s->out_n, s->buffer + (s->done - s->origin), n);
	s->out_n += n;
	s->done = end;
}

static void give_span(struct mask_stream *s, struct span *span)
{
	give(s, span->start);
	if (!span->shown) {
		give(s, span->start + s->mask->keeps.v[span->pattern]);
		memcpy(s->out + s->out_n, blot, sizeof(blot) - 1);
		s->out_n += sizeof(blot) - 1;
		span->shown = true;
	}
	if (s->done < span->end)
		s->done = span->end;
}

/* Everything up to @end; where that is known no span goes beyond. */
static void give_all(struct mask_stream *s, uint64_t end)
{
	size_t n = 0;

	while (n < s->spans.n && s->spans.v[n].start < end)
		give_span(s, &s->spans.v[n++]);
	give(s, end);
	/* One that ends here can still grow. */
	if (n && s->spans.v[n - 1].end == s->done)
		n--;
	s->spans.n -= n;
	memmove(s->spans.v, s->spans.v + n, s->spans.n * sizeof(*s->spans.v));
}

/* Lets go of what is out. */
static void settle(struct mask_stream *s)
{
	size_t gone = (size_t)(s->done - s->origin);

	s->n -= gone;
	memmove(s->buffer, s->buffer + gone, s->n);
	s->origin = s->done;
}

void *mask_room(struct mask_stream *s)
{
	return s->buffer + s->n;
}

size_t mask_feed(struct mask_stream *s, size_t n, char *out)
{
	s->out = out;
	s->out_n = 0;
	s->n += n;
	scan(s);
	give_all(s, decided(s));
	settle(s);
	return s->out_n;
}

bool mask_holds(const struct mask_stream *s)
{
	return s->n > 0;
}

size_t mask_flush(struct mask_stream *s, char *out)
{
	s->out = out;
	s->out_n = 0;
	/* A match that ends here, if this is the end. */
	follow_all(s, NOTHING);
	give_all(s, s->at);
	settle(s);
	return s->out_n;
}

size_t mask_end(struct mask_stream *s, char *out)
{
	size_t n = mask_flush(s, out);

	s->now.n = 0;
	return n;
}
