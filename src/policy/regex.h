/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_REGEX_H
#define CORDON_POLICY_REGEX_H

#include <stddef.h>
#include <stdint.h>

struct arena;

/*
 * Regular expressions over bytes, within one line: POSIX extended ones with
 * the escapes and groups that RE2 and Perl have besides. Our own reader, as
 * regexec(3) can say neither that a text may be the beginning of a match, nor
 * the same thing in every C library, nor anything about a NUL byte.
 *
 *     .  [abc]  [^a-z]  [[:alpha:]]  ( )  (?: )  |  *  +  ?  {n}  {n,}  {n,m}
 *     ^  $  \b  \B  \d  \D  \s  \S  \w  \W  \t  \xHH  \ before punctuation
 *
 * At the beginning may stand (?i): either case, and (?keep=N): the first N
 * bytes of a match are shown. Not known, and refused with a word: non-greedy
 * repetitions, look-around, references back.
 */

enum regex_op {
	REGEX_CLASS, /* one byte of .class, then the next step */
	REGEX_SPLIT, /* .to and .other */
	REGEX_JUMP, /* .to */
	REGEX_LINE_BEGIN, /* the rest consume nothing */
	REGEX_LINE_END,
	REGEX_WORD_EDGE,
	REGEX_NO_WORD_EDGE,
	REGEX_MATCH,
};

struct regex_step {
	enum regex_op op;
	uint16_t class; /* index in regex.classes */
	uint16_t to;
	uint16_t other;
};

/* A set of bytes. */
struct regex_class {
	uint64_t bits[4];
};

enum {
	REGEX_TEXT_MAX = 1024,
	REGEX_STEPS_MAX = 2048,
	REGEX_REPEAT_MAX = 1000,
	REGEX_DEPTH_MAX = 32, /* of groups */
};

/* Begins at step 0. No match is empty, and none holds a line's end. */
struct regex {
	struct {
		struct regex_step *v;
		size_t n;
	} steps;
	struct {
		struct regex_class *v;
		size_t n;
	} classes;
	size_t shortest; /* match, in bytes */
	size_t keep; /* less than that */
};

/* Reads @text. Returns NULL, or what is wrong with it. */
const char *regex_parse(struct arena *arena, const char *text,
			struct regex *out);

/* The same without a result, as policy/values.c checks values. */
const char *regex_check(const char *text);

#endif
