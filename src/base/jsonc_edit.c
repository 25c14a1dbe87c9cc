/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/jsonc_edit.c - puts a child into JSON with comments, and takes it out
 *
 * A child goes in as the first one, in one run of bytes, so that the commas
 * and comments of others stay. Its form depends on the container, so that
 * taking it out knows what was there before:
 *
 *     children on lines      {            + newline, indent, child, comma
 *     children on its line   { "a": 1 }   + child, comma, space
 *     empty, on one line     {}           + newline, indent, child
 *     empty, over lines      {            + child
 *                            }
 */
#include <string.h>

#include "base/arena.h"
#include "base/jsonc.h"
#include "base/text.h"

static const char *find_newline(const struct jsonc *doc)
{
	const char *end = memchr(doc->text, '\n', doc->n);

	return end && end > doc->text && end[-1] == '\r' ? "\r\n" : "\n";
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The white space that the line of @at begins with. */
static char *line_indent(struct arena *arena, const struct jsonc *doc,
			 size_t at)
{
	size_t start = at, end;

	while (start && doc->text[start - 1] != '\n')
		start--;
	for (end = start; end < at && is_blank(doc->text[end]); end++)
		;
	return arena_strndup(arena, doc->text + start, end - start);
}

static bool has_newline(const struct jsonc *doc, size_t from, size_t to)
{
	return memchr(doc->text + from, '\n', to - from) != NULL;
}

/* Behind the bracket, and behind a comment that ends on the same line: it is
 * about the container. */
static size_t find_line_end(const struct jsonc *doc, size_t at)
{
	size_t end = at, next = at;

	for (;;) {
		const char *p = doc->text + next;
		size_t left = doc->n - next;
		const char *close;

		if (left && (*p == '\n' || *p == '\r'))
			return next;
		if (left && is_blank(*p)) {
			next++;
			continue;
		}
		if (left < 2 || p[0] != '/')
			return end;
		close = p[1] == '/' ? memchr(p, '\n', left)
				    : memmem(p + 2, left - 2, "*/", 2);
		if (!close ||
		    (p[1] != '/' && memchr(p, '\n', (size_t)(close - p))))
			return end;
		if (p[1] == '/' && close[-1] == '\r')
			close--;
		next = (size_t)(close - doc->text) + (p[1] == '/' ? 0 : 2);
	}
}

/* ------------------------------------------------------------- formatting */

static void new_line(struct text *out, const char *newline, const char *indent,
		     size_t depth)
{
	text_addf(out, "%s%s%*s", newline, indent, (int)(2 * depth), "");
}

/* A string with its quotes; how long it is. */
static size_t string_length(const char *p)
{
	size_t n = 1;

	while (p[n] && p[n] != '"')
		n += p[n] == '\\' && p[n + 1] ? 2 : 1;
	return p[n] ? n + 1 : n;
}

/* With a NULL @newline on one line, with spaces. */
static void format_piece(struct text *out, const char *p, const char *newline,
			 const char *indent)
{
	size_t depth = 0;

	while (*p) {
		size_t len = *p == '"' ? string_length(p) : 1;
		bool close = *p == '}' || *p == ']';
		bool open = *p == '{' || *p == '[';

		if (close && depth)
			depth--;
		if (close && newline && p[-1] != '{' && p[-1] != '[')
			new_line(out, newline, indent, depth);
		text_addn(out, p, len);
		if (open)
			depth++;
		if (newline &&
		    (*p == ',' || (open && p[1] != '}' && p[1] != ']')))
			new_line(out, newline, indent, depth);
		else if (*p == ':' || *p == ',')
			text_add(out, " ");
		p += len;
	}
}

void jsonc_format(struct text *out, const char *piece, const char *newline,
		  const char *indent)
{
	format_piece(out, piece, newline, indent);
}

/* ------------------------------------------------------------------ edits */

/* The text up to @from, what @middle holds, and the text from @to. */
static void splice(const struct jsonc *doc, size_t from,
		   const struct text *middle, size_t to, struct text *out)
{
	text_addn(out, doc->text, from);
	if (middle)
		text_addn(out, text_str(middle), middle->n);
	text_addn(out, doc->text + to, doc->n - to);
}

void jsonc_insert(struct arena *arena, const struct jsonc *doc,
		  const struct jsonc_value *container, const char *piece,
		  struct text *out)
{
	const char *newline = find_newline(doc);
	size_t at = container->at + 1;
	struct text middle = { .arena = arena };
	struct jsonc_children all;
	const char *indent;

	jsonc_list(arena, doc, container, &all);
	if (all.n && has_newline(doc, at, all.v[0].at)) {
		at = find_line_end(doc, at);
		indent = line_indent(arena, doc, all.v[0].at);
		text_addf(&middle, "%s%s", newline, indent);
		format_piece(&middle, piece, newline, indent);
		text_add(&middle, ",");
	} else if (all.n) {
		at = all.v[0].at;
		format_piece(&middle, piece, NULL, NULL);
		text_add(&middle, ", ");
	} else if (!has_newline(doc, at, container->end)) {
		indent = arena_printf(arena, "%s  ",
				      line_indent(arena, doc, container->at));
		text_addf(&middle, "%s%s", newline, indent);
		format_piece(&middle, piece, newline, indent);
	} else {
		format_piece(&middle, piece, NULL, NULL);
	}
	splice(doc, at, &middle, at, out);
}

/* The first ',' from @at on that is not in a comment; 0 before @limit. */
static size_t find_comma(const struct jsonc *doc, size_t at, size_t limit)
{
	while (at < limit) {
		const char *p = doc->text + at;
		const char *close = NULL;

		if (*p == ',')
			return at;
		if (*p == '/' && p[1] == '/')
			close = memchr(p, '\n', limit - at);
		else if (*p == '/')
			close = memmem(p + 2, limit - at - 2, "*/", 2);
		else if (!strchr(" \t\r\n", *p))
			return 0;
		at = close ? (size_t)(close - doc->text) + 1 : at + 1;
		at += close && *close == '*';
	}
	return 0;
}

/* Where the line break before @at begins, with blanks between; @at if other
 * things stand there. */
static size_t break_before(const struct jsonc *doc, size_t at)
{
	size_t start = at;

	while (start && is_blank(doc->text[start - 1]))
		start--;
	if (!start || doc->text[start - 1] != '\n')
		return at;
	start--;
	return start && doc->text[start - 1] == '\r' ? start - 1 : start;
}

/* Without the child, from @start to @end, and without the comma at @comma. */
static void cut_apart(const struct jsonc *doc, size_t start, size_t end,
		      size_t comma, struct text *out)
{
	bool first = comma < start;
	size_t blanks = comma + 1;

	text_addn(out, doc->text, first ? comma : start);
	while (first && blanks < start && is_blank(doc->text[blanks]))
		blanks++;
	if (first && blanks < start)
		text_addn(out, doc->text + comma + 1, start - comma - 1);
	else if (!first)
		text_addn(out, doc->text + end, comma - end);
	end = first ? end : comma + 1;
	text_addn(out, doc->text + end, doc->n - end);
}

void jsonc_remove(struct arena *arena, const struct jsonc *doc,
		  const struct jsonc_value *container,
		  const struct jsonc_child *child, struct text *out)
{
	size_t start = break_before(doc, child->at);
	size_t end = child->value.end;
	size_t comma = find_comma(doc, end, container->end - 1);
	struct jsonc_children all;
	size_t before = 0;

	jsonc_list(arena, doc, container, &all);
	for (size_t i = 0; i < all.n && all.v[i].at < child->at; i++)
		before = all.v[i].value.end;
	/* The last one goes with the comma before it. */
	if (!comma && before)
		comma = find_comma(doc, before, child->at);
	if (comma == end) {
		end++;
		if (start == child->at && doc->text[end] == ' ')
			end++;
		splice(doc, start, NULL, end, out);
	} else if (comma) {
		cut_apart(doc, start, end, comma, out);
	} else {
		splice(doc, start, NULL, end, out);
	}
}

/* Is there a line break and @indent between, and nothing else? */
static bool is_break(const struct jsonc *doc, size_t from, size_t to,
		     const char *indent)
{
	const char *newline = find_newline(doc);
	size_t a = strlen(newline), b = strlen(indent);

	return to - from == a + b && !memcmp(doc->text + from, newline, a) &&
	       !memcmp(doc->text + from + a, indent, b);
}

bool jsonc_is_made(struct arena *arena, const struct jsonc *doc,
		   const struct jsonc_value *container)
{
	struct jsonc_children all;
	const char *indent;
	struct text inside = { .arena = arena };

	jsonc_list(arena, doc, container, &all);
	if (all.n != 1)
		return false;
	/* What came on one line is one with it: [{"a": 1}]. */
	if (all.v[0].at == container->at + 1 &&
	    all.v[0].value.end == container->end - 1)
		return true;
	indent = line_indent(arena, doc, container->at);
	text_addf(&inside, "%s  ", indent);
	return is_break(doc, container->at + 1, all.v[0].at,
			text_str(&inside)) &&
	       is_break(doc, all.v[0].value.end, container->end - 1, indent);
}
