/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/jsonc_strip.c - JSON with comments to JSON of the same length
 *
 * Runs in:  whoever reads the settings of another program.
 * Trusts:   nothing.
 * Must not: move a byte: errors name the places of the file as it is.
 */
#include "base/jsonc_strip.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

struct stripper {
	char *v;
	size_t n;
	size_t i;
	char last; /* significant character before; 0: none */
	size_t comma; /* offset of a comma that nothing followed yet */
	bool pending; /* there is one */
	bool endless; /* from here on no block comment ends */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The offset behind the comment at @i, @i itself if there is none. */
static size_t comment_end(struct stripper *s)
{
	size_t i = s->i + 2;

	if (i > s->n || s->v[s->i] != '/')
		return s->i;
	if (s->v[s->i + 1] == '/') {
		while (i < s->n && s->v[i] != '\n')
			i++;
		return i;
	}
	if (s->v[s->i + 1] != '*' || s->endless)
		return s->i;
	for (; i + 1 < s->n; i++) {
		if (s->v[i] == '*' && s->v[i + 1] == '/')
			return i + 2;
	}
	s->endless = true; /* else a file of beginnings would take hours */
	return s->i;
}

static void blank_out(struct stripper *s, size_t end)
{
	for (; s->i < end; s->i++) {
		if (s->v[s->i] != '\n' && s->v[s->i] != '\r')
			s->v[s->i] = ' ';
	}
}

/* To the closing quote or what stands in its stead. */
static void skip_string(struct stripper *s)
{
	for (s->i++; s->i < s->n && s->v[s->i] != '"'; s->i++) {
		if (s->v[s->i] == '\\' && s->i + 1 < s->n)
			s->i++;
	}
}

static void take_significant(struct stripper *s)
{
	char c = s->v[s->i];

	if (s->pending && (c == ']' || c == '}'))
		s->v[s->comma] = ' ';
	s->pending = c == ',' && s->last && !strchr("[{,:", s->last);
	s->comma = s->i;
	s->last = c;
	if (c == '"')
		skip_string(s);
	if (s->i < s->n)
		s->i++;
}

char *jsonc_strip(struct arena *arena, const char *text, size_t n)
{
	struct stripper s = { .v = arena_strndup(arena, text, n), .n = n };

	while (s.i < n) {
		size_t end = comment_end(&s);

		if (end > s.i)
			blank_out(&s, end);
		else if (is_blank(s.v[s.i]))
			s.i++;
		else
			take_significant(&s);
	}
	return s.v;
}
