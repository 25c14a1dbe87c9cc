/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/match.c - what a pattern matches
 *
 * Runs in:  whoever plans, explains or guards.
 * Trusts:   nothing: patterns come from projects, names from the box.
 * Must not: take more than the product of both lengths. Only the last `*`
 *           (or `**`) met is ever tried again, which is enough: what an
 *           earlier one could take besides, the later one can take too.
 *
 * Characters are those of UTF-8; a byte that belongs to none counts as a
 * character of its own, so that every file name can be matched.
 */
#include "policy/match.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* Part of a string. */
struct span {
	const char *v;
	const char *end;
};

/* What no code point equals: a byte outside any sequence. */
enum { STRAY_BYTE = 0x110000 };

static size_t sequence_length(unsigned char lead)
{
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	if (lead >= 0xf0 && lead <= 0xf4)
		return 4;
	return 1;
}

/* Takes one character off the front. */
static uint32_t take_char(struct span *s)
{
	unsigned char lead = (unsigned char)*s->v;
	size_t len = sequence_length(lead);
	uint32_t c;

	if (len == 1 || (size_t)(s->end - s->v) < len) {
		s->v++;
		return lead < 0x80 ? lead : STRAY_BYTE + (uint32_t)lead;
	}
	c = lead & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		unsigned char next = (unsigned char)s->v[i];

		if ((next & 0xc0) != 0x80) {
			s->v++;
			return STRAY_BYTE + (uint32_t)lead;
		}
		c = c << 6 | (next & 0x3f);
	}
	s->v += len;
	return c;
}

static uint32_t take_escaped(struct span *s)
{
	if (*s->v == '\\' && s->v + 1 < s->end)
		s->v++;
	return take_char(s);
}

/* Where the set that begins after `[` ends, NULL if it does not end. */
static const char *set_end(const char *v, const char *end)
{
	const char *p = v;

	if (p < end && (*p == '!' || *p == '^'))
		p++;
	if (p < end && *p == ']')
		p++;
	for (; p < end && *p != ']'; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
	}
	return p < end ? p : NULL;
}

static bool set_match(struct span set, uint32_t c)
{
	bool negated = set.v < set.end && (*set.v == '!' || *set.v == '^');
	bool found = false;

	if (negated)
		set.v++;
	while (set.v < set.end) {
		uint32_t from = take_escaped(&set), to = from;

		if (set.end - set.v >= 2 && *set.v == '-') {
			set.v++;
			to = take_escaped(&set);
		}
		found |= c >= from && c <= to;
	}
	return found != negated;
}

/* A character that stands for itself and is one byte. */
static bool is_plain(char c)
{
	return (unsigned char)c < 0x80 && c != '?' && c != '[' && c != '\\' &&
	       c != '*';
}

/* One character of @s against what the pattern has next; never `*`. */
static bool one_match(struct span *pattern, struct span *s)
{
	const char *close;
	uint32_t c;

	if (is_plain(*pattern->v))
		return *pattern->v++ == *s->v++;
	c = take_char(s);
	if (*pattern->v == '?') {
		pattern->v++;
		return true;
	}
	close = *pattern->v == '[' ? set_end(pattern->v + 1, pattern->end)
				   : NULL;
	if (close) {
		struct span set = { pattern->v + 1, close };

		pattern->v = close + 1;
		return set_match(set, c);
	}
	return take_escaped(pattern) == c;
}

/* Where what follows a `*` can begin, at @s or later; false if nowhere. */
static bool find_start(const struct span *pattern, struct span *s)
{
	const char *next;

	if (pattern->v == pattern->end || !is_plain(*pattern->v))
		return true;
	next = memchr(s->v, *pattern->v, (size_t)(s->end - s->v));
	if (next)
		s->v = next;
	return next != NULL;
}

static bool span_match(struct span pattern, struct span s)
{
	struct span star = { NULL, pattern.end };
	struct span retry = s;

	for (;;) {
		if (pattern.v < pattern.end && *pattern.v == '*') {
			pattern.v++;
			star.v = pattern.v;
			if (!find_start(&star, &s))
				return false;
			retry = s;
			continue;
		}
		if (s.v == s.end && pattern.v == pattern.end)
			return true;
		if (s.v < s.end && pattern.v < pattern.end &&
		    one_match(&pattern, &s))
			continue;
		if (!star.v || retry.v == retry.end)
			return false;
		(void)take_char(&retry);
		if (!find_start(&star, &retry))
			return false;
		s = retry;
		pattern = star;
	}
}

bool policy_name_match(const char *pattern, const char *name)
{
	struct span p, s;

	/* Told by the first character most of the time. */
	if (is_plain(*pattern) && *pattern != *name)
		return false;
	p = (struct span){ pattern, pattern + strlen(pattern) };
	s = (struct span){ name, name + strlen(name) };
	return span_match(p, s);
}

/* Takes a component off the front of an absolute path; false at its end. */
static bool take_component(const char **path, struct span *out)
{
	const char *p = *path;

	while (*p == '/')
		p++;
	if (!*p)
		return false;
	out->v = p;
	out->end = p + strcspn(p, "/");
	*path = out->end;
	return true;
}

static bool is_double_star(const struct span *s)
{
	return s->end - s->v == 2 && s->v[0] == '*' && s->v[1] == '*';
}

bool policy_glob_match(const char *pattern, const char *path)
{
	const char *star = NULL, *retry = NULL;
	struct span want, have;

	for (;;) {
		const char *next = pattern, *rest = path;
		bool more = take_component(&next, &want);

		if (more && is_double_star(&want)) {
			pattern = next;
			star = next;
			retry = path;
			continue;
		}
		if (take_component(&rest, &have)) {
			if (more && span_match(want, have)) {
				pattern = next;
				path = rest;
				continue;
			}
		} else if (!more) {
			return true;
		}
		if (!star || !take_component(&retry, &have))
			return false;
		pattern = star;
		path = retry;
	}
}

bool policy_glob_match_below(const char *pattern, const char *directory)
{
	struct span want, have;

	while (take_component(&directory, &have)) {
		if (!take_component(&pattern, &want))
			return false;
		if (is_double_star(&want))
			return true;
		if (!span_match(want, have))
			return false;
	}
	return take_component(&pattern, &want);
}

/* The first character that makes a pattern of it, or the end. */
static const char *find_wildcard(const char *text)
{
	for (; *text; text++) {
		if (*text == '*' || *text == '?' || *text == '[')
			break;
		if (*text == '\\' && text[1])
			text++;
	}
	return text;
}

bool policy_path_is_glob(const char *text)
{
	return *find_wildcard(text) != '\0';
}

char *policy_glob_prefix(struct arena *arena, const char *pattern)
{
	const char *end = find_wildcard(pattern);
	char *prefix, *to;

	if (*end) {
		while (end > pattern && *end != '/')
			end--;
	}
	if (end == pattern)
		return arena_strdup(arena, "/");
	to = prefix = arena_strndup(arena, pattern, (size_t)(end - pattern));
	for (const char *p = prefix; *p; p++) {
		/* At the end of a component it is a character like others. */
		if (*p == '\\' && p[1] && p[1] != '/')
			p++;
		*to++ = *p;
	}
	*to = '\0';
	return prefix;
}
